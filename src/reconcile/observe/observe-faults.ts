/** Says what is wrong with the files that one decision hangs on. */

import type { Config } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import type { Known } from '../../api/known.ts';
import type { Live, Snapshot, Stable, WorkloadFile } from '../../rollout/snapshot.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { Compared } from '../documents/built-over.ts';
import { fileCollision } from '../documents/digest-collision.ts';
import { fluxIssues } from '../documents/flux-settings.ts';
import { reinstalled } from '../helm/release-target.ts';
import type { Observation } from '../history/observation.ts';
import type { LintFacts } from '../lint/lint-finding.ts';
import { lintWarnings, lintWorkload } from '../lint/lint-workload.ts';
import { isTried, unwritable } from '../lint/lint-writable.ts';
import { ladderFaults, trafficFaults } from './observe-traffic.ts';
import type { Resting } from './resting.ts';

type Faults = Pick<Snapshot, 'issues' | 'warnings'>;

/** What is wrong with the files of one Rollout, and what is to be looked at, by what was read of the rest. */
export function faultsOf(
  of: Observation,
  read: {
    readonly file: WorkloadFile | undefined;
    readonly stable: Known<Stable>;
    readonly live: Live;
    readonly resting: Resting;
    readonly unreadable: readonly Issue[];
    readonly warnings: readonly Issue[];
    readonly compared: Compared | undefined;
    /** What the agent would delete with the next change of it. */
    readonly notKept: readonly Issue[];
  },
): Faults {
  const { entry, desired } = of;
  const { file, stable, live } = read;
  const issues = [...entry.issues, ...read.unreadable];
  const warnings = [...entry.reading.warnings, ...read.warnings];
  // What is told of numbers that could not be read would be told of ones that nobody wrote.
  if (entry.workload !== undefined && file !== undefined && read.unreadable.length === 0) {
    const named = desired.index.scalerOf({ namespace: entry.key.namespace, name: entry.identity?.name ?? '' });
    const autoscaled = named !== undefined || live.scaler.kind !== 'absent';
    const facts = {
      document: entry.workload,
      file,
      fileText: desired.texts.get(file.file) ?? '',
      autoscaled,
      stable: stable.kind === 'known' ? stable.value : undefined,
      ...acceptedIn(desired.config, entry.key.namespace),
      policy: entry.policy.rules,
      lwsVersion: desired.config.lwsVersion,
      compared: read.compared,
      input: entry.over?.input,
    };
    issues.push(...lintWorkload(facts));
    issues.push(...fileCollision(entry.workload, file, facts.stable), ...reinstalls(entry, facts));
    // What is written into a patch of ours is tried by building it.
    const isPlain = file.beneath === undefined && file.carried === undefined;
    if (read.resting !== 'rest' && isPlain && !isTried(file)) issues.push(...unwritable(facts, desired.trials));
    if (read.resting !== 'rest') warnings.push(...fluxIssues(desired.index.fluxSettings(), entry.workload));
    warnings.push(...lintWarnings(facts), ...read.notKept);
    const traffic =
      read.resting === 'rest' ? undefined : trafficFaults(of, { file, stable: facts.stable, scaler: named });
    issues.push(...(traffic?.issues ?? []));
    const isReady = read.resting !== 'rest' && isPlain && !isTried(file) && (traffic?.issues ?? []).length === 0;
    if (isReady) issues.push(...ladderFaults(of, { file, stable: facts.stable }));
    warnings.push(...(traffic?.warnings ?? []));
  }
  return { issues, warnings };
}

/** Where Flux would take the release for another one than that of the version to go back to. */
function reinstalls(
  { identity, workload }: DesiredRollout,
  { file, stable }: { readonly file: WorkloadFile; readonly stable: Stable | undefined },
): readonly Issue[] {
  const { carrier } = identity ?? {};
  if (workload === undefined || carrier === undefined || file.carried === undefined) return [];
  if (stable?.rendered === undefined) return [];
  return reinstalled(workload, { before: stable.rendered.inputs, after: file.carried.inputs }, carrier);
}

type Accepted = Pick<LintFacts, 'namespace' | 'accepted'>;

/** Those of the namespace, without it in front. */
function acceptedIn({ fixedReferences }: Config, namespace: string): Accepted {
  const start = `${namespace}/`;
  const accepted = fixedReferences.filter((one) => one.startsWith(start)).map((one) => one.slice(start.length));
  return { namespace, accepted };
}
