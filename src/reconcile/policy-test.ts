/** Asks policies about a Rollout that need not exist: what would hold it before its first step. */

import { DEFAULT_CONFIG } from '../api/config.ts';
import type { JsonObject } from '../api/json.ts';
import { LWS_KIND } from '../api/kinds.ts';
import { absent } from '../api/known.ts';
import type { NoticeEvent, PolicyNotify } from '../api/policy-notify.ts';
import type { PolicyTest } from '../api/policy-test.ts';
import type { Release } from '../api/release.ts';
import { LWS_API_VERSION, ROLLOUT_API_VERSION } from '../api/rollout.ts';
import { type AtRest, verdictsAtRest } from '../rollout/gates/policies.ts';
import { SNAPSHOT_VERSION, type Snapshot, type WorkloadFile } from '../rollout/snapshot.ts';
import { unreadLive } from './cluster/observe-cluster.ts';
import { desiredOf } from './desired/desired.ts';
import type { Desired, DesiredRollout } from './desired/desired-rollout.ts';
import { withTraffic } from './desired/read-traffic.ts';
import { readWorkload } from './documents/read-workload.ts';
import { ladderFiles } from './observe/observe-traffic.ts';
import { turnsOf } from './observe/turns.ts';
import { policyFacts } from './policies/read-policy.ts';
import { windowsAt } from './policies/windows.ts';

/** Of the imagined Service. */
const PORT = 8000;

/** What the policies of `files` say of it, and which targets each event notifies; their own faults are in `issues`. */
export function askPolicies(
  files: ReadonlyMap<string, string>,
  test: PolicyTest,
): {
  readonly verdicts: readonly AtRest[];
  readonly tells: Readonly<Record<NoticeEvent, readonly string[]>>;
  readonly issues: Desired['issues'];
} {
  const imagined = [test.rollout, ...test.underWay].flatMap((name) => manifestsOf(name, test));
  const all = [...files, ...imagined].map(([path, text]) => ({
    path,
    oid: path,
    mode: '100644' as const,
    content: { kind: 'text' as const, text },
  }));
  const tree = { commit: '', files: all, skipped: () => [], folders: [] };
  // Where they are kept is not known here: all that they say counts.
  const config = { ...DEFAULT_CONFIG, cluster: test.cluster, policyPaths: [''] };
  const read = desiredOf(tree, config, new Map());
  const desired = hasShares(test) ? withTraffic(read, tree, new Map()) : read;
  const entry = desired.rollouts.find((one) => nameOf(one) === test.rollout);
  if (entry === undefined) return { verdicts: [], tells: toldBy([]), issues: desired.issues };
  const others = desired.rollouts.filter((one) => test.underWay.includes(nameOf(one)));
  const deliveries = others.map(({ key, policy }) => ({ key, policy, step: '1/1' }));
  const turns = turnsOf(entry, deliveries);
  const alone = snapshotOf(entry, test);
  // With a second workload its groups are what limits of groups and GPUs count, and its routes what those of shares do.
  const ladder = alone.workload === undefined ? undefined : ladderFiles({ entry, desired }, alone.workload);
  const snapshot = { ...alone, turns, ladder };
  const { notify = [] } = entry.policy.rules;
  const issues = [...desired.issues, ...entry.reading.issues, ...entry.policy.issues];
  return { verdicts: verdictsAtRest(snapshot), tells: toldBy(notify), issues };
}

function toldBy(targets: readonly PolicyNotify[]): Readonly<Record<NoticeEvent, readonly string[]>> {
  const of = (event: NoticeEvent): readonly string[] =>
    [...new Set(targets.filter(({ events }) => events.includes(event)).map(({ to }) => to))].sort();
  return {
    started: of('started'),
    step: of('step'),
    holdTooLong: of('holdTooLong'),
    failed: of('failed'),
    aborted: of('aborted'),
    done: of('done'),
  };
}

function nameOf({ key }: DesiredRollout): string {
  return `${key.namespace}/${key.name}`;
}

function snapshotOf(entry: DesiredRollout, { now, release }: PolicyTest): Snapshot {
  const windows = windowsAt(now)(entry.policy);
  const read = entry.workload === undefined ? undefined : readWorkload(entry.workload).workload;
  const workload = read === undefined || release === undefined ? read : askingFor(read, release);
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

/** As if its text had this digest, and as many releases had been before it. */
function askingFor(file: WorkloadFile, { digest, serial }: Release): WorkloadFile {
  const before = { digest: file.digest, serial: serial - 1 };
  const marks = { release: before, step: undefined, stable: undefined, restore: undefined, aborted: [] };
  return { ...file, digest, workload: { ...file.workload, ...(serial > 1 ? { marks } : {}) } };
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
      strategy: strategyOf(name, test),
    },
  };
  const objects = [workload, rollout, ...(hasShares(test) ? routesOf(metadata) : [])];
  return objects.map((object) => [`imagined/${named}/${object.kind}.json`, JSON.stringify(object)] as const);
}

/** With shares, it has the Service and the route of `routesOf`. */
function strategyOf(name: string, test: PolicyTest): JsonObject {
  const { strategy, steps } = test;
  const plan = {
    steps: steps.map(({ replicas, traffic }) => ({ replicas, ...(traffic === undefined ? {} : { traffic }) })),
    ...(hasShares(test) ? { trafficRoutings: [{ service: name, gateway: { httpRouteName: name } }] } : {}),
  };
  if (strategy === 'blueGreen') return { blueGreen: plan };
  return { canary: strategy === 'canary' ? { ...plan, enableExtraWorkloadForCanary: true } : plan };
}

function hasShares({ steps }: PolicyTest): boolean {
  return steps.some(({ traffic }) => traffic !== undefined);
}

/** A Service of all groups, and a route that sends it all requests. */
function routesOf(
  metadata: JsonObject & { readonly name: string },
): readonly (JsonObject & { readonly kind: string })[] {
  const { name } = metadata;
  const selector = { 'leaderworkerset.sigs.k8s.io/name': name, 'leaderworkerset.sigs.k8s.io/worker-index': '0' };
  const service = { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector, ports: [{ port: PORT }] } };
  const spec = { parentRefs: [{ name: 'gateway' }], rules: [{ backendRefs: [{ name, port: PORT }] }] };
  const route = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata, spec };
  return [service, route];
}
