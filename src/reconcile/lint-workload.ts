/** What a managed LeaderWorkerSet must not have: every rule with its line, its reason and the way out. */

import { percentOf } from '../api/int-or-percent.ts';
import type { Issue } from '../api/issue.ts';
import { at, canonicalJson, isRecord, type Json } from '../api/json.ts';
import type { LwsVersion } from '../api/lws-version.ts';
import { EXCLUSIVE_TOPOLOGY } from '../api/release-content.ts';
import type { PolicyRules } from '../api/rollout-policy.ts';
import type { ManifestDocument } from '../manifests/parse-file.ts';
import type { FieldPath } from '../rollout/edit.ts';
import { letGo, mixedSizes, type Sizes } from '../rollout/size-change.ts';
import type { Stable, WorkloadFile } from '../rollout/snapshot.ts';
import { MAX_UNAVAILABLE_PATH, PARTITION_PATH, REPLICAS_PATH } from '../rollout/step-edits.ts';
import { nameOf } from './read-rollout.ts';
import { MAX_SURGE_PATH, SIZE_PATH } from './read-workload.ts';

export type LintFacts = {
  readonly document: ManifestDocument;
  readonly file: WorkloadFile;
  /** Something declared or found writes `replicas`. */
  readonly autoscaled: boolean;
  /** The text that is being left, where there is one to compare with. */
  readonly stable: Stable | undefined;
  readonly policy: PolicyRules;
  readonly lwsVersion: LwsVersion | undefined;
};

type Finding = { readonly path: FieldPath; readonly reason: string; readonly what: string; readonly hint: string };

/** Everything that keeps this workload from being stepped (reference: the contract for a managed LWS). */
export function lintWorkload(facts: LintFacts): readonly Issue[] {
  const findings = [...numbers(facts), ...owners(facts), ...refusedSize(facts), ...changes(facts)];
  return findings.map((finding) => issueOf(facts.document, finding));
}

/** What a delivery cannot see or roll back, and what goes in no step: said, not refused. */
export function lintWarnings(facts: LintFacts): readonly Issue[] {
  return [...wholeSize(facts), ...fixedReferences(facts)];
}

function fixedReferences({ document }: LintFacts): readonly Issue[] {
  const content = at(document.value, ['spec', 'leaderWorkerTemplate']);
  const names = new Set<string>();
  collectReferences(content, names);
  return [...names].sort().map((name) =>
    issueOf(document, {
      path: ['spec', 'leaderWorkerTemplate'],
      reason: 'FixedReference',
      what: `a container refers to ${name} by a fixed name: a change of it is not seen and not rolled back`,
      hint: 'Give it a new name with every change, as kustomize generators do.',
    }),
  );
}

function numbers({ file, autoscaled }: LintFacts): readonly Finding[] {
  const { workload } = file;
  const findings: Finding[] = [];
  if (workload.marks !== undefined && workload.partition === undefined) {
    findings.push({
      path: PARTITION_PATH,
      reason: 'PartitionMissing',
      what: 'partition is missing, which LWS reads as 0: the next edit would restart every group',
      hint: 'Put back the value that the last commit of tranche wrote; 1000000 when nothing is being delivered.',
    });
  }
  if (workload.maxSurge !== undefined && workload.maxSurge !== 0) {
    findings.push({
      path: MAX_SURGE_PATH,
      reason: 'SurgeUnsupported',
      what: `maxSurge is ${workload.maxSurge}, wanted 0: surge groups start on the new template at once, whatever the partition`,
      hint: 'Set maxSurge: 0. For extra groups in a delivery write surge into a RolloutPolicy.',
    });
  }
  if (workload.maxUnavailable !== undefined && percentOf(workload.maxUnavailable) !== undefined) {
    findings.push({
      path: MAX_UNAVAILABLE_PATH,
      reason: 'PercentMaxUnavailable',
      what: `maxUnavailable is ${workload.maxUnavailable}, wanted a count: a percentage becomes 0 when the workload is scaled down, and LWS stops`,
      hint: 'Write a number of groups, at least 1.',
    });
  } else if (workload.maxUnavailable === 0) {
    findings.push({
      path: MAX_UNAVAILABLE_PATH,
      reason: 'NoBudget',
      what: 'maxUnavailable is 0, wanted at least 1: no group could ever restart',
      hint: 'Set maxUnavailable: 1.',
    });
  }
  if (workload.replicas === undefined && !autoscaled) {
    findings.push({
      path: REPLICAS_PATH,
      reason: 'ReplicasMissing',
      what: 'replicas is missing and nothing is known to write it',
      hint: 'Add replicas, or list the workload under autoscaled in tranche.yaml.',
    });
  }
  return findings;
}

function owners({ document }: LintFacts): readonly Finding[] {
  const findings: Finding[] = [];
  if (at(document.value, ['metadata', 'labels', 'kueue.x-k8s.io/queue-name']) !== undefined) {
    findings.push({
      path: ['metadata', 'labels', 'kueue.x-k8s.io/queue-name'],
      reason: 'KueueManaged',
      what: 'Kueue manages this workload and refuses changes of its template',
      hint: 'Take it out of the queue to deliver it in steps.',
    });
  }
  if (at(document.value, ['spec', 'leaderWorkerTemplate', 'restartPolicy']) === 'Default') {
    findings.push({
      path: ['spec', 'leaderWorkerTemplate', 'restartPolicy'],
      reason: 'RestartPolicyDefault',
      what: 'restartPolicy is Default, which LWS rewrites to None: Git and cluster would differ for ever',
      hint: 'Write restartPolicy: None.',
    });
  }
  if (at(document.value, ['spec', 'groupIdentity']) === 'Hash') {
    findings.push({
      path: ['spec', 'groupIdentity'],
      reason: 'GroupIdentityHash',
      what: 'groupIdentity is Hash, where LWS has no partition',
      hint: 'Use groupIdentity: Ordinal.',
    });
  }
  return findings;
}

const FROZEN: readonly (readonly [FieldPath, string])[] = [
  [
    ['leaderWorkerTemplate', 'volumeClaimTemplates'],
    'volumeClaimTemplates: the StatefulSet refuses that, and LWS retries for ever',
  ],
  [['leaderWorkerTemplate', 'subGroupPolicy'], 'subGroupPolicy: LWS refuses that'],
  [['exclusiveTopology'], 'the exclusive-topology annotation: leaders would restart outside the partition'],
];

/** The sizes of an edit that may not stand half-way, while no step of ours has let all groups go to it. */
function sizesAtStake({ file, stable, lwsVersion }: LintFacts): Sizes | undefined {
  const { marks, content } = file.workload;
  if (stable === undefined || letGo(marks, file.digest)) return undefined;
  return mixedSizes({ before: stable.content, after: content, lwsVersion });
}

function refusedSize(facts: LintFacts): readonly Finding[] {
  const sizes = sizesAtStake(facts);
  if (sizes === undefined || facts.policy.sizeChange === 'Whole') return [];
  return [
    {
      path: SIZE_PATH,
      reason: 'SizeChangeRefused',
      what: `the edit changes the size of a group from ${sizes.from} to ${sizes.to}, which LWS up to 0.10 cannot take in steps: an old group that dies would come back with the new number of workers and its old template`,
      hint: 'Allow it as one step of all groups with sizeChange: Whole in a RolloutPolicy; or put the old size back. A later LWS takes it in steps: declare it as lwsVersion in tranche.yaml.',
    },
  ];
}

function wholeSize(facts: LintFacts): readonly Issue[] {
  const sizes = sizesAtStake(facts);
  if (sizes === undefined || facts.policy.sizeChange !== 'Whole') return [];
  const finding: Finding = {
    path: SIZE_PATH,
    reason: 'SizeChangeWhole',
    what: `the edit changes the size of a group from ${sizes.from} to ${sizes.to}: all groups go to it in one step, no canary before`,
    hint: 'That is what sizeChange: Whole in the RolloutPolicy allows.',
  };
  return [issueOf(facts.document, finding)];
}

/** Changes of the template that LWS cannot take in steps. */
function changes({ file, stable }: LintFacts): readonly Finding[] {
  if (stable === undefined || stable.release.digest === file.digest) return [];
  return FROZEN.filter(([path]) => text(at(stable.content, path)) !== text(at(file.workload.content, path))).map(
    ([path, what]) => ({
      path: path[0] === 'exclusiveTopology' ? ['metadata', 'annotations', EXCLUSIVE_TOPOLOGY] : ['spec', ...path],
      reason: 'ChangeNotSupportedYet',
      what: `the edit changes ${what}`,
      hint: 'Put the old value back, and make this change on a second LeaderWorkerSet.',
    }),
  );
}

function text(value: unknown): string {
  return isJson(value) ? canonicalJson(value) : '';
}

function isJson(value: unknown): value is Json {
  return value !== undefined;
}

const REFERENCES: Readonly<Record<string, string>> = {
  configMapKeyRef: 'ConfigMap',
  configMapRef: 'ConfigMap',
  configMap: 'ConfigMap',
  secretKeyRef: 'Secret',
  secretRef: 'Secret',
};

function collectReferences(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collectReferences(item, names);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const name = isRecord(inner) ? inner['name'] : undefined;
    if (REFERENCES[key] !== undefined && typeof name === 'string') names.add(`${REFERENCES[key]} ${name}`);
    collectReferences(inner, names);
  }
}

function issueOf(document: ManifestDocument, finding: Finding): Issue {
  return {
    file: document.file,
    line: document.lineOf(finding.path),
    path: finding.path.join('.'),
    reason: finding.reason,
    message: `${nameOf(document)}: ${finding.what}`,
    hint: finding.hint,
  };
}
