/** The objects that the model serves look like those that a real API server returned, field for field. */

import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../src/api/json.ts';
import { newObject } from '../../src/simulator/agent/agent.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import { CONTROLLER_REVISIONS, LWS, PODS, STATEFUL_SETS } from '../../src/simulator/objects/resource-table.ts';
import { type RecordedKind, recordedItems } from '../support/recorded.ts';

const name = { namespace: 'inference', name: 'vllm' };

function recordedLws(state: string): JsonObject {
  const [lws] = recordedItems(state, 'lws') as readonly JsonObject[];
  const { namespace, labels } = lws!['metadata'] as JsonObject;
  return { ...lws, metadata: { name: 'vllm', namespace: namespace!, labels: labels! }, status: {} };
}

function start(): Cluster {
  const cluster = new Cluster({ lws: '0.10', gate: 'off', nowSeconds: 1_795_225_645 });
  write(cluster, 'creating');
  return cluster;
}

function write(cluster: Cluster, state: string): void {
  const object = newObject(recordedLws(state), 'inference')!;
  const answer =
    cluster.objects.get({ resource: LWS, ...name }) === undefined
      ? cluster.store.create(LWS, object, 'kubectl')
      : cluster.store.update(LWS, object, 'kubectl');
  expect(answer.ok).toBe(true);
  cluster.settle();
}

function ready(cluster: Cluster, groups: readonly number[], pods: 'all' | 'leader' = 'all'): void {
  for (const group of groups) cluster.setPods({ ...name, group, pods }, { kind: 'ready' });
}

const states: Readonly<Record<string, () => Cluster>> = {
  creating: start,
  'at-rest-armed': () => {
    const cluster = start();
    ready(cluster, [0, 1, 2, 3]);
    return cluster;
  },
  'pending-template': () => {
    const cluster = states['at-rest-armed']!();
    write(cluster, 'pending-template');
    return cluster;
  },
  'canary-starting': () => {
    const cluster = states['pending-template']!();
    write(cluster, 'canary-starting');
    return cluster;
  },
  'canary-leader-ready-workers-not': () => {
    const cluster = states['canary-starting']!();
    ready(cluster, [3], 'leader');
    return cluster;
  },
  'mid-canary': () => {
    const cluster = states['canary-starting']!();
    ready(cluster, [3]);
    return cluster;
  },
};

const resources: Readonly<Record<RecordedKind, string>> = {
  lws: LWS,
  statefulsets: STATEFUL_SETS,
  pods: PODS,
  controllerrevisions: CONTROLLER_REVISIONS,
};

const VOLATILE = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'lastTransitionTime',
  'startTime',
  'startedAt',
  // The recording kept it where the object came from a CRD only.
  'apiVersion',
  'kind',
]);

/** Without what differs from run to run: uids, versions, times, hashes. */
function stable(value: Json): Json {
  if (Array.isArray(value)) return value.map(stable);
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !VOLATILE.has(key))
        .map(([key, entry]) => [key, stable(entry)]),
    );
  }
  if (typeof value !== 'string') return value;
  return value.replace(/\b[0-9a-f]{40}\b/g, 'KEY').replace(/\b(?=[4-9bcdf]*\d)[4-9bcdf]{6,10}\b/g, 'HASH');
}

function byName(items: readonly JsonObject[]): readonly JsonObject[] {
  const key = (item: JsonObject): string => JSON.stringify(item['metadata']) + JSON.stringify(item['data'] ?? '');
  return items.map((item) => stable(item) as JsonObject).toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

test.each(
  Object.keys(states).flatMap((state) => Object.keys(resources).map((kind) => [state, kind as RecordedKind] as const)),
)('%s: %s', (state, kind) => {
  const cluster = states[state]!();
  const served = cluster.objects.list(resources[kind], 'inference');
  const sorted = (items: readonly JsonObject[]): unknown =>
    byName(JSON.parse(canonical(items)) as readonly JsonObject[]);
  expect(sorted(served)).toEqual(sorted(recordedItems(state, kind) as readonly JsonObject[]));
});

/** Text with sorted keys, so that the order of keys never decides the order of items. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : entry,
  );
}
