/** The parsers of live objects: on everything recorded from a real API server, and on objects that lie. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ASIDE_MOST } from '../../src/api/aside.ts';
import { ABSENT } from '../../src/api/field.ts';
import { type JsonObject, jsonEqual } from '../../src/api/json.ts';
import type { Known } from '../../src/api/known.ts';
import type { LiveLws } from '../../src/api/live.ts';
import { parseLws } from '../../src/api/live-lws.ts';
import { parseLeader, parseWorker } from '../../src/api/live-pod.ts';
import { parseRevision } from '../../src/api/live-revision.ts';
import { parseStatefulSet } from '../../src/api/live-stateful-set.ts';
import { controllerUid } from '../../src/api/owner.ts';
import { printRestore } from '../../src/api/restore.ts';
import { parseHorizontalPodAutoscaler, parseScaledObject } from '../../src/api/scaler.ts';
import { isLeader, type RecordedKind, recordedItems, recordedStates } from '../support/recorded.ts';

function value<T>(parsed: Known<T>): T {
  if (parsed.kind !== 'known') throw new Error(JSON.stringify(parsed));
  return parsed.value;
}

function first(state: string, kind: RecordedKind): unknown {
  return recordedItems(state, kind)[0];
}

function lwsOf(state: string): LiveLws {
  return value(parseLws(first(state, 'lws')));
}

type Tree = { [key: string]: unknown };

/** A copy of a recorded object with the value at a dotted path replaced; undefined removes it. */
function changed(object: unknown, path: string, to: unknown): unknown {
  const copy = structuredClone(object) as Tree;
  const keys = path.split('.').map((key) => key.replaceAll('|', '.'));
  const last = keys.pop()!;
  const parent = keys.reduce((node, key) => (node[key] ??= {}) as Tree, copy);
  if (to === undefined) delete parent[last];
  else parent[last] = to;
  return copy;
}

describe.each(recordedStates)('recorded state %s', (state) => {
  test('every object parses', () => {
    for (const item of recordedItems(state, 'lws')) value(parseLws(item));
    for (const item of recordedItems(state, 'statefulsets')) value(parseStatefulSet(item));
    for (const item of recordedItems(state, 'pods').filter(isLeader)) value(parseLeader(item));
    for (const lws of recordedItems(state, 'lws')) {
      const { uid } = value(parseLws(lws));
      const revisions = recordedItems(state, 'controllerrevisions').filter((item) => controllerUid(item) === uid);
      expect(revisions.length).toBeGreaterThan(0);
      for (const item of revisions) value(parseRevision(item));
    }
  });

  test('the revision named by the leader StatefulSet has the content of the live object', () => {
    for (const lws of recordedItems(state, 'lws').map((item) => value(parseLws(item)))) {
      const leaders = recordedItems(state, 'statefulsets')
        .map((item) => value(parseStatefulSet(item)))
        .find((set) => set.ownerUid === lws.uid)!;
      const revision = recordedItems(state, 'controllerrevisions')
        .filter((item) => controllerUid(item) === lws.uid)
        .map((item) => value(parseRevision(item)))
        .filter(({ key }) => key === leaders.revisionKey)
        .sort((a, b) => b.revision - a.revision)[0]!;
      expect(jsonEqual(lws.content, revision.content)).toBe(true);
    }
  });
});

test('a LeaderWorkerSet in mid canary, whole', () => {
  const { content, ...rest } = lwsOf('mid-canary');
  expect(Object.keys(content)).toEqual(['leaderWorkerTemplate', 'networkConfig']);
  expect(rest).toEqual({
    agents: ['the Flux Kustomization flux-system/inference'],
    uid: '381e2e95-25ff-4232-83d7-1d6a3a68ccb4',
    generation: 3,
    observedGeneration: 3,
    deleting: false,
    replicas: 4,
    size: 2,
    partition: 3,
    maxUnavailable: 1,
    maxSurge: 0,
    annotations: {},
    writers: { replicas: [], partition: [], maxUnavailable: [], maxSurge: [] },
    conditions: [
      { type: 'Progressing', status: 'False', observedGeneration: 3 },
      { type: 'Available', status: 'True', observedGeneration: 3 },
      { type: 'UpdateInProgress', status: 'False', observedGeneration: 3 },
    ],
    readyReplicas: 4,
    updatedReplicas: 1,
  });
});

test('its leader StatefulSet, a worker StatefulSet and a leader', () => {
  const sets = recordedItems('mid-canary', 'statefulsets').map((item) => value(parseStatefulSet(item)));
  expect(sets[0]).toEqual({
    name: 'vllm',
    uid: '88a89f71-6ae0-47b6-9cc3-f35423f7a4f3',
    ownerUid: '381e2e95-25ff-4232-83d7-1d6a3a68ccb4',
    deleting: false,
    generation: 3,
    observedGeneration: 3,
    replicas: 4,
    partition: 3,
    revisionKey: 'd8794fb57',
    replicasSeen: 4,
    groupIndex: undefined,
    currentRevision: 'vllm-7d574d65bb',
    updateRevision: 'vllm-6486bcc487',
    readyReplicas: 4,
    availableReplicas: 4,
    updatedReplicas: 1,
  });
  expect(sets[4]).toMatchObject({ name: 'vllm-3', groupIndex: 3, revisionKey: 'd8794fb57', replicasSeen: undefined });
  expect(value(parseLeader(first('mid-canary', 'pods')))).toEqual({
    name: 'vllm-0',
    uid: '12b03b96-5fd4-49a5-af1d-7671cf2281cc',
    groupIndex: 0,
    revisionKey: '664c867fb5',
    size: 2,
    deleting: false,
    ready: true,
    createdAt: 1_795_225_645,
    readyAt: 1_795_225_648,
    waitingOn: '',
    unschedulable: '',
    restarts: 0,
  });
});

test('the longest mark that a delivery may write is read back', () => {
  const objects = Array.from({ length: ASIDE_MOST }, (_, at) => {
    const path = ['spec', 'rules', String(at), 'backendRefs', { key: 'name', value: 'v'.repeat(63) }, 'weight'];
    return { object: `HTTPRoute.gateway.networking.k8s.io/${'r'.repeat(253)}`, path, was: ABSENT, set: 95 };
  });
  const restore = printRestore({ floor: undefined, maxUnavailable: undefined, objects });
  expect(restore.length).toBeGreaterThan(16_000);
  const live = changed(first('mid-canary', 'lws'), 'metadata.annotations', { 'tranche.dev/restore': restore });
  expect(value(parseLws(live)).annotations).toEqual({ 'tranche.dev/restore': restore });
});

test.each([
  ['deleted', 'metadata.deletionTimestamp', '2026-11-21T01:47:25Z', { deleting: true }],
  ['LWS 0.8', 'status.observedGeneration', undefined, { observedGeneration: undefined }],
  ['no status yet', 'status', undefined, { readyReplicas: 0, updatedReplicas: 0, conditions: [] }],
  ['partition null', 'spec.rolloutStrategy.rollingUpdateConfiguration.partition', null, { partition: 0 }],
  ['no rollout strategy', 'spec.rolloutStrategy', undefined, { partition: 0, maxUnavailable: 1, maxSurge: 0 }],
  ['percent', 'spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable', '25%', { maxUnavailable: '25%' }],
  ['no replicas', 'spec.replicas', undefined, { replicas: 1 }],
  ['unknown fields', 'spec.groupIdentity', 'Ordinal', { replicas: 4 }],
  [
    'our annotations only',
    'metadata.annotations',
    { 'tranche.dev/step': '1/4', other: 'x'.repeat(9999) },
    { annotations: { 'tranche.dev/step': '1/4' } },
  ],
])('LeaderWorkerSet, %s', (_, path, to, wanted) => {
  expect(value(parseLws(changed(first('mid-canary', 'lws'), path, to)))).toMatchObject(wanted);
});

test('the exclusive topology is part of the content', () => {
  const annotations = { 'leaderworkerset.sigs.k8s.io/exclusive-topology': 'rack' };
  const { content } = value(parseLws(changed(first('mid-canary', 'lws'), 'metadata.annotations', annotations)));
  expect(content['exclusiveTopology']).toBe('rack');
});

function nested(levels: number): JsonObject {
  let node: JsonObject = {};
  for (let i = 0; i < levels; i += 1) node = { inner: node };
  return node;
}

const parsers = {
  lws: parseLws,
  statefulsets: parseStatefulSet,
  pods: parseLeader,
  controllerrevisions: (object: unknown) => parseRevision(object),
};

const GROUP = 'metadata.labels.leaderworkerset|sigs|k8s|io/group-index';

test.each<[RecordedKind, string, unknown, string]>([
  ['lws', 'spec.replicas', 'x', 'leaderworkersets inference/vllm: spec.replicas is "x", wanted an integer from 0 on'],
  ['lws', 'spec.replicas', -1, 'leaderworkersets inference/vllm: spec.replicas is -1, wanted an integer from 0 on'],
  ['lws', 'spec.replicas', 1.5, 'leaderworkersets inference/vllm: spec.replicas is 1.5, wanted an integer from 0 on'],
  [
    'lws',
    'spec.replicas',
    2 ** 31,
    'leaderworkersets inference/vllm: spec.replicas is 2147483648, wanted an integer from 0 on',
  ],
  [
    'lws',
    'spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge',
    '1',
    'leaderworkersets inference/vllm: spec.rolloutStrategy.rollingUpdateConfiguration.maxSurge is "1", wanted an integer or a percentage such as "25%"',
  ],
  [
    'lws',
    'metadata.uid',
    undefined,
    'leaderworkersets inference/vllm: metadata.uid is missing, wanted a text of at most 4096 characters',
  ],
  [
    'lws',
    'metadata.uid',
    'u'.repeat(4097),
    'leaderworkersets inference/vllm: metadata.uid is a text of 4097 characters, wanted a text of at most 4096 characters',
  ],
  [
    'lws',
    'metadata.generation',
    undefined,
    'leaderworkersets inference/vllm: metadata.generation is missing, wanted an integer',
  ],
  [
    'lws',
    'metadata.annotations',
    { 'tranche.dev/stable': 7 },
    'leaderworkersets inference/vllm: metadata.annotations.tranche.dev/stable is 7, wanted a text of at most 262144 characters',
  ],
  [
    'lws',
    'status.conditions',
    Array.from({ length: 51 }, () => ({})),
    'leaderworkersets inference/vllm: status.conditions is a list of 51, wanted a list of at most 50',
  ],
  [
    'lws',
    'status.conditions',
    [{ type: 'Available' }],
    'leaderworkersets inference/vllm: status.conditions[0].status is missing, wanted a text of at most 4096 characters',
  ],
  [
    'lws',
    'spec.leaderWorkerTemplate',
    undefined,
    'leaderworkersets inference/vllm: spec.leaderWorkerTemplate is missing, wanted an object',
  ],
  [
    'lws',
    'spec.leaderWorkerTemplate.leaderTemplate',
    nested(70),
    'leaderworkersets inference/vllm: spec.leaderWorkerTemplate is an object, wanted JSON of at most 64 levels and 200000 values',
  ],
  [
    'statefulsets',
    'spec.replicas',
    '3',
    'statefulsets inference/vllm: spec.replicas is "3", wanted an integer from 0 on',
  ],
  [
    'statefulsets',
    GROUP,
    '0x3',
    'statefulsets inference/vllm: metadata.labels.leaderworkerset.sigs.k8s.io/group-index is "0x3", wanted decimal digits',
  ],
  [
    'pods',
    GROUP,
    '-1',
    'pods inference/vllm-0: metadata.labels.leaderworkerset.sigs.k8s.io/group-index is "-1", wanted decimal digits',
  ],
  [
    'pods',
    'status.conditions',
    'all fine',
    'pods inference/vllm-0: status.conditions is "all fine", wanted a list of at most 50',
  ],
  [
    'pods',
    'status.containerStatuses',
    Array.from({ length: 101 }, () => ({})),
    'pods inference/vllm-0: status.containerStatuses is a list of 101, wanted a list of at most 100',
  ],
  [
    'controllerrevisions',
    'data',
    undefined,
    'controllerrevisions inference/vllm-0-57ff69cb9b: data.spec.leaderWorkerTemplate is missing, wanted an object',
  ],
])('%s with %s = %j', (kind, path, to, why) => {
  expect(parsers[kind](changed(first('mid-canary', kind), path, to))).toEqual({ kind: 'unknown', why });
});

test.each([[undefined], [null], ['x'], [[]], [7]])('%j is no object at all', (object) => {
  for (const parse of Object.values(parsers)) expect(parse(object).kind).toBe('unknown');
});

test('a template nested deeper than the call stack is refused, not fatal', () => {
  const object = changed(first('mid-canary', 'lws'), 'spec.leaderWorkerTemplate.leaderTemplate', nested(100_000));
  expect(parseLws(object).kind).toBe('unknown');
});

const waiting = (reason: string) => ({ name: 'c', state: { waiting: { reason } } });

test.each([
  // conditions, container statuses, other status fields → what it waits on
  ['no node', { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }, 'Unschedulable'],
  ['gated', { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }, 'SchedulingGated'],
  ['bad image', { containerStatuses: [waiting('ImagePullBackOff')] }, 'ImagePullBackOff'],
  [
    'sidecar starts, main crashes',
    { containerStatuses: [waiting('ContainerCreating'), waiting('CrashLoopBackOff')] },
    'CrashLoopBackOff',
  ],
  [
    'init container fails',
    { initContainerStatuses: [waiting('CrashLoopBackOff')], containerStatuses: [waiting('PodInitializing')] },
    'CrashLoopBackOff',
  ],
  ['killed', { containerStatuses: [{ name: 'c', state: { terminated: { reason: 'OOMKilled' } } }] }, 'OOMKilled'],
  ['only starting', { containerStatuses: [waiting('ContainerCreating')] }, 'ContainerCreating'],
  ['evicted', { phase: 'Failed', reason: 'Evicted' }, 'Evicted'],
  [
    'probe fails',
    { phase: 'Running', conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }] },
    'ContainersNotReady',
  ],
  ['nothing said', {}, 'Pending'],
  ['free text is not shown', { containerStatuses: [waiting('<img src=x> see https://evil')] }, 'Pending'],
])('a leader that is not ready: %s', (_, status, wanted) => {
  const pod = changed(first('mid-canary', 'pods'), 'status', { phase: 'Pending', ...status });
  expect(value(parseLeader(pod))).toMatchObject({ ready: false, waitingOn: wanted });
});

test.each([
  ['Running', 'True', true],
  ['Running', 'False', false],
  ['Pending', 'True', false],
])('a leader in phase %s with Ready %s', (phase, status, ready) => {
  const pod = changed(first('mid-canary', 'pods'), 'status', { phase, conditions: [{ type: 'Ready', status }] });
  expect(value(parseLeader(pod)).ready).toBe(ready);
});

test('a terminating leader says so, and stays ready while it is', () => {
  const pod = changed(first('mid-canary', 'pods'), 'metadata.deletionTimestamp', '2026-11-21T01:47:25Z');
  expect(value(parseLeader(pod))).toMatchObject({ deleting: true, ready: true, waitingOn: '' });
  const unready = changed(pod, 'status', { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] });
  expect(value(parseLeader(unready))).toMatchObject({ deleting: true, ready: false, waitingOn: 'Terminating' });
});

test('the patch marks of LWS are not content', () => {
  const revision = recordedItems('mid-canary', 'controllerrevisions').find(
    (item) => parseRevision(item).kind === 'known',
  );
  expect(JSON.stringify(revision)).toContain('$patch');
  expect(JSON.stringify(value(parseRevision(revision)))).not.toContain('$patch');
});

const target = { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'vllm' };
const metadata = { name: 'vllm', namespace: 'llm' };

test.each([
  ['HPA', parseHorizontalPodAutoscaler, target, { kind: 'HorizontalPodAutoscaler', name: 'vllm', target, floor: 1 }],
  [
    'HPA without group',
    parseHorizontalPodAutoscaler,
    { kind: 'LeaderWorkerSet', name: 'vllm' },
    { kind: 'HorizontalPodAutoscaler', name: 'vllm', target: { ...target, apiVersion: '' }, floor: 1 },
  ],
  ['ScaledObject', parseScaledObject, target, { kind: 'ScaledObject', name: 'vllm', target, floor: 0 }],
  [
    'ScaledObject with defaults',
    parseScaledObject,
    { name: 'web' },
    {
      kind: 'ScaledObject',
      name: 'vllm',
      target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      floor: 0,
    },
  ],
])('%s', (_, parse, scaleTargetRef, wanted) => {
  expect(parse({ metadata, spec: { scaleTargetRef } })).toEqual({ kind: 'known', value: wanted });
});

test('a scaler without a target is unknown', () => {
  expect(parseHorizontalPodAutoscaler({ metadata, spec: {} })).toEqual({
    kind: 'unknown',
    why: 'horizontalpodautoscalers llm/vllm: spec.scaleTargetRef.kind is missing, wanted a text of at most 4096 characters',
  });
});

describe('objects that lie', () => {
  /** A recorded object in which any one value, at any depth, is replaced by anything. */
  function lies(kind: RecordedKind): fc.Arbitrary<unknown> {
    const text = JSON.stringify(recordedItems('mid-canary', kind)[0]);
    const places = text.split(':').length - 1;
    return fc.tuple(fc.nat(places), fc.anything({ withNullPrototype: true })).map(([place, lie]) => {
      let seen = 0;
      return JSON.parse(text, (_, inner: unknown) => {
        seen += 1;
        return seen === place ? lie : inner;
      }) as unknown;
    });
  }

  test.each(Object.keys(parsers) as RecordedKind[])('%s: parsing never throws, and unknown says why', (kind) => {
    fc.assert(
      fc.property(fc.oneof(lies(kind), fc.anything()), (object) => {
        const parsed = parsers[kind](object);
        expect(['known', 'unknown']).toContain(parsed.kind);
        if (parsed.kind === 'unknown') expect(parsed.why.length).toBeLessThan(1000);
        expect(typeof controllerUid(object)).toBe('string');
      }),
      { numRuns: 500, seed: 20_261_121 },
    );
  });
});

const unplaced = (message: unknown) => [
  { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: null },
];

test.each<readonly [when: string, path: string, to: unknown, wanted: object]>([
  [
    'no place',
    'status',
    { phase: 'Pending', conditions: unplaced('0/8 nodes are available: 8 Insufficient\nnvidia.com/gpu. ') },
    { waitingOn: 'Unschedulable', unschedulable: '0/8 nodes are available: 8 Insufficient nvidia.com/gpu' },
  ],
  [
    'no place, and what the scheduler adds',
    'status',
    {
      phase: 'Pending',
      conditions: unplaced(
        '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
      ),
    },
    { unschedulable: '0/1 nodes are available: 1 Insufficient cpu' },
  ],
  [
    'no place, no word',
    'status',
    { phase: 'Pending', conditions: unplaced(undefined) },
    { unschedulable: 'no node fits' },
  ],
  [
    'no place, no text',
    'status',
    { phase: 'Pending', conditions: unplaced({ a: 1 }) },
    { unschedulable: 'no node fits' },
  ],
  [
    'a scheduler that never ends',
    'status',
    { phase: 'Pending', conditions: unplaced('\u001b[2Jx'.repeat(99_999)) },
    { unschedulable: expect.stringMatching(/^(?: \[2Jx|\[2Jx){40,60}.{0,4}…$/) },
  ],
  [
    'held back by a gate of the scheduler',
    'status',
    { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    { waitingOn: 'SchedulingGated', unschedulable: '', unplaced: true },
  ],
  ['seen by no scheduler yet', 'status', { phase: 'Pending' }, { unschedulable: '', unplaced: true }],
  [
    'restarted',
    'status',
    {
      phase: 'Running',
      containerStatuses: [{ restartCount: 2 }, { restartCount: 5, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
      initContainerStatuses: [{ restartCount: 1 }],
    },
    { waitingOn: 'CrashLoopBackOff', restarts: 5 },
  ],
])('a pod, %s', (_, path, to, wanted) => {
  const pod = changed(first('mid-canary', 'pods'), path, to);
  expect(value(parseLeader(pod))).toMatchObject(wanted);
  expect(value(parseWorker(pod))).toMatchObject(wanted);
});

test('a pod that loads on a node has one', () => {
  const status = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] };
  const pod = changed(first('mid-canary', 'pods'), 'status', status);
  expect(value(parseLeader(pod))).not.toHaveProperty('unplaced');
  expect(value(parseWorker(pod))).not.toHaveProperty('unplaced');
});

test('a worker knows its group and its StatefulSet', () => {
  const pods = recordedItems('mid-canary', 'pods').filter((pod) => !isLeader(pod));
  const sets = recordedItems('mid-canary', 'statefulsets').map((set) => value(parseStatefulSet(set)));
  const workers = pods.map((pod) => value(parseWorker(pod)));
  expect(workers.map(({ name }) => name)).toEqual(['vllm-0-1', 'vllm-1-1', 'vllm-2-1', 'vllm-3-1']);
  for (const { groupIndex, ownerUid } of workers)
    expect(sets.find((set) => set.uid === ownerUid)).toMatchObject({ groupIndex });
});

test('with its gate off the API server drops maxUnavailable of StatefulSets', () => {
  const sets = recordedStates.flatMap((state) => recordedItems(state, 'statefulsets'));
  for (const set of sets) expect(value(parseStatefulSet(set)).maxUnavailable).toBeUndefined();
  const path = 'spec.updateStrategy.rollingUpdate.maxUnavailable';
  expect(value(parseStatefulSet(changed(sets[0], path, 2))).maxUnavailable).toBe(2);
  expect(value(parseStatefulSet(changed(sets[0], path, '25%'))).maxUnavailable).toBe('25%');
});

test('who has written replicas is read from managedFields', () => {
  const entry = (manager: unknown, fields: object, subresource?: string) => ({
    manager,
    operation: subresource === undefined ? 'Apply' : 'Update',
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
    ...(subresource === undefined ? {} : { subresource }),
  });
  const all = { 'f:spec': { 'f:replicas': {}, 'f:leaderWorkerTemplate': {} } };
  const writersIn = (managedFields: unknown) =>
    lwsWriters(changed(first('mid-canary', 'lws'), 'metadata.managedFields', managedFields));
  const scaled = [entry('argocd-controller', { 'f:spec': {} }), entry('kube-controller-manager', all, 'scale')];
  expect(writersIn(scaled)?.replicas).toEqual(['kube-controller-manager through scale']);
  expect(writersIn([entry('a', all), entry('b', all), entry('a', all)])?.replicas).toEqual(['a', 'b']);
  expect(writersIn([entry('\u001b[31mred'.repeat(99), all)])?.replicas[0]).toMatch(/^\[31mred.{50,}$/);
  for (const lie of [undefined, 7, ['x', {}, { fieldsV1: 'f:spec' }, entry(7, all)]])
    expect(writersIn(lie)).toEqual({ replicas: [], partition: [], maxUnavailable: [], maxSurge: [] });
});

function lwsWriters(object: unknown): LiveLws['writers'] {
  return value(parseLws(object)).writers;
}

test('the object whose controller makes a LeaderWorkerSet, by kind and name', () => {
  const made = (ownerReferences: unknown) => {
    const lws = recordedItems('done', 'lws')[0] as { metadata: object };
    return value(parseLws({ ...lws, metadata: { ...lws.metadata, ownerReferences } })).owner;
  };
  const owner = { apiVersion: 'disaggregatedset.x-k8s.io/v1', kind: 'DisaggregatedSet', name: 'llama', uid: 'u' };
  expect(
    made([
      { ...owner, kind: 'Other' },
      { ...owner, controller: true },
    ]),
  ).toEqual({
    kind: 'DisaggregatedSet',
    name: 'llama',
  });
  expect(made([{ ...owner, kind: '::error::', controller: true }])?.kind).toBe('another object');
  expect([made(undefined), made([]), made([owner]), made('llama'), made([null])]).toEqual(Array(5).fill(undefined));
});
