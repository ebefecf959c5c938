/** Asks policies about a Rollout that need not exist: what would hold it before its first step. */

import { DEFAULT_CONFIG } from '../api/config.ts';
import { LWS_KIND } from '../api/kinds.ts';
import { absent } from '../api/known.ts';
import type { PolicyTest } from '../api/policy-test.ts';
import { LWS_API_VERSION, ROLLOUT_API_VERSION } from '../api/rollout.ts';
import { type AtRest, verdictsAtRest } from '../rollout/gates/policies.ts';
import { SNAPSHOT_VERSION, type Snapshot } from '../rollout/snapshot.ts';
import { type Desired, type DesiredRollout, desiredOf } from './observe/desired.ts';
import { unreadLive } from './observe/observe-cluster.ts';
import { policyFacts } from './observe/read-policy.ts';
import { readWorkload } from './observe/read-workload.ts';
import { turnsOf } from './observe/turns.ts';
import { windowsAt } from './observe/windows.ts';

/** What the policies of `files` say of it; their own faults are in `issues`. */
export function askPolicies(
  files: ReadonlyMap<string, string>,
  test: PolicyTest,
): { readonly verdicts: readonly AtRest[]; readonly issues: Desired['issues'] } {
  const imagined = [test.rollout, ...test.underWay].flatMap((name) => manifestsOf(name, test));
  const all = [...files, ...imagined].map(([path, text]) => ({
    path,
    oid: path,
    mode: '100644' as const,
    content: { kind: 'text' as const, text },
  }));
  const desired = desiredOf(
    { commit: '', files: all, folders: [] },
    { ...DEFAULT_CONFIG, cluster: test.cluster },
    new Map(),
  );
  const entry = desired.rollouts.find((one) => nameOf(one) === test.rollout);
  if (entry === undefined) return { verdicts: [], issues: desired.issues };
  const others = desired.rollouts.filter((one) => test.underWay.includes(nameOf(one)));
  const deliveries = others.map(({ key, policy }) => ({ key, policy, step: '1/1' }));
  const turns = turnsOf(entry, deliveries);
  const snapshot = { ...snapshotOf(entry, test), turns };
  return { verdicts: verdictsAtRest(snapshot), issues: [...desired.issues, ...entry.policy.issues] };
}

function nameOf({ key }: DesiredRollout): string {
  return `${key.namespace}/${key.name}`;
}

function snapshotOf(entry: DesiredRollout, { now }: PolicyTest): Snapshot {
  const windows = windowsAt(now)(entry.policy);
  const workload = entry.workload === undefined ? undefined : readWorkload(entry.workload).workload;
  return {
    version: SNAPSHOT_VERSION,
    key: entry.key,
    now,
    main: '',
    history: { kind: 'continued' },
    blobs: {},
    rollout: entry.reading.rollout,
    facts: {},
    policy: entry.policy.rules,
    ...policyFacts(entry.policy, new Map()),
    ...(windows === undefined ? {} : { windows }),
    lwsVersion: undefined,
    workload,
    stable: absent,
    delivered: absent,
    retryText: absent,
    recreateText: absent,
    issues: [],
    warnings: [],
    record: undefined,
    recordFault: '',
    audit: false,
    live: { ...unreadLive(absent), scaler: absent },
  };
}

/** The Rollout and its LeaderWorkerSet as files: JSON is YAML. */
function manifestsOf(named: string, test: PolicyTest): readonly (readonly [path: string, text: string])[] {
  const [namespace = '', name = ''] = named.split('/');
  const metadata = { name, namespace, labels: test.labels };
  const limits = { 'nvidia.com/gpu': test.gpusPerGroup };
  const template = { spec: { containers: [{ name: 'worker', image: 'worker:1', resources: { limits } }] } };
  const workload = {
    apiVersion: LWS_API_VERSION,
    kind: LWS_KIND,
    metadata,
    spec: {
      replicas: test.replicas,
      rolloutStrategy: {
        type: 'RollingUpdate',
        rollingUpdateConfiguration: { maxUnavailable: test.maxUnavailable, maxSurge: 0 },
      },
      leaderWorkerTemplate: { size: 1, workerTemplate: template },
    },
  };
  const rollout = {
    apiVersion: ROLLOUT_API_VERSION,
    kind: 'Rollout',
    metadata,
    spec: {
      workloadRef: { apiVersion: LWS_API_VERSION, kind: LWS_KIND, name },
      strategy: { canary: { steps: test.steps.map((replicas) => ({ replicas })) } },
    },
  };
  return [
    [`imagined/${named}/workload.json`, JSON.stringify(workload)],
    [`imagined/${named}/rollout.json`, JSON.stringify(rollout)],
  ];
}
