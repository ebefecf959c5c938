/** The API in front of the objects: server-side apply, conflicts, deletion, old readings, the log of changes. */

import { expect, test } from 'vitest';
import { at, type JsonObject } from '../../src/api/json.ts';
import { newObject } from '../../src/simulator/agent/agent.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import type { KubeObject, NewObject } from '../../src/simulator/objects/objects.ts';
import { LWS, PODS, resourceOf, SERVICES, STATEFUL_SETS } from '../../src/simulator/objects/resource-table.ts';
import type { Answer } from '../../src/simulator/server/store.ts';
import { recordedErrors } from '../support/recorded.ts';
import { lwsManifest } from '../support/simulated-cluster.ts';

const key = { resource: LWS, namespace: 'inference', name: 'vllm' };
const PARTITION = ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration', 'partition'];

function manifest(options: Parameters<typeof lwsManifest>[0] = {}): NewObject {
  return newObject(lwsManifest({ namespace: 'inference', ...options }), '')!;
}

function empty(): Cluster {
  return new Cluster({ lws: '0.10', gate: 'off', nowSeconds: 1_795_225_645 });
}

function applied(cluster: Cluster, object: NewObject, manager: string, force = true): KubeObject {
  const answer = cluster.store.apply(LWS, object, { manager, force });
  if (!answer.ok) throw new Error(answer.status.message);
  return answer.object;
}

function without(object: NewObject, field: string): NewObject {
  const { spec: raw, ...rest } = object;
  const spec = raw as JsonObject;
  const strategy = structuredClone(spec['rolloutStrategy']) as Record<string, Record<string, unknown>>;
  delete strategy['rollingUpdateConfiguration']![field];
  return { ...rest, spec: { ...spec, rolloutStrategy: strategy } } as unknown as NewObject;
}

function body(name: string): unknown {
  return recordedErrors.find((error) => error.name === name)!.body;
}

function refusal(answer: Answer): unknown {
  return answer.ok ? 'accepted' : answer.status;
}

test('a dropped partition falls to 0 under its only manager, and stays under a co-owner', () => {
  const sole = empty();
  applied(sole, manifest(), 'flux');
  expect(at(applied(sole, without(manifest(), 'partition'), 'flux'), PARTITION)).toBe(0);

  const shared = empty();
  applied(shared, manifest(), 'flux');
  applied(shared, manifest(), 'argocd');
  expect(at(applied(shared, without(manifest(), 'partition'), 'flux'), PARTITION)).toBe(1_000_000);
  expect(at(applied(shared, without(manifest(), 'partition'), 'argocd'), PARTITION)).toBe(0);
});

test('a field that someone patched is taken back by the agent, and kept where the agent does not name it', () => {
  const cluster = empty();
  applied(cluster, manifest(), 'flux');
  cluster.store.patch(key, { metadata: { labels: { team: 'ml' } }, spec: { replicas: 7 } }, 'kubectl');
  const after = applied(cluster, manifest(), 'flux');
  expect([at(after, ['spec', 'replicas']), after.metadata.labels?.['team']]).toEqual([4, 'ml']);
});

test('without force another manager meets the recorded conflict', () => {
  const cluster = empty();
  applied(cluster, manifest({ partition: 3 }), 'kustomize-controller');
  const answer = cluster.store.apply(LWS, manifest({ partition: 2 }), { manager: 'other', force: false });
  expect(refusal(answer)).toEqual(body('apply-conflict'));
});

test.each<[string, (cluster: Cluster) => Answer]>([
  ['already-exists', ({ store }) => store.create(LWS, manifest(), 'kubectl')],
  ['conflict-stale-put', ({ store, objects }) => store.update(LWS, stale(objects.get(key)!), 'kubectl')],
  ['conflict-stale-merge-patch', ({ store }) => store.patch(key, { metadata: { resourceVersion: '1' } }, 'kubectl')],
  ['not-found', ({ store }) => store.patch({ ...key, name: 'nope' }, {}, 'kubectl')],
])('%s', (name, act) => {
  const cluster = empty();
  applied(cluster, manifest(), 'flux');
  expect(refusal(act(cluster))).toEqual(body(name));
});

function stale(object: KubeObject): NewObject {
  const metadata = { ...object.metadata, resourceVersion: '1' };
  return { ...object, metadata };
}

test('the generation rises with the spec only, and an equal write is none', () => {
  const cluster = empty();
  const first = applied(cluster, manifest(), 'flux');
  const version = cluster.objects.resourceVersion;
  expect(applied(cluster, manifest(), 'flux')).toBe(first);
  expect(cluster.objects.resourceVersion).toBe(version);
  cluster.store.patch(key, { metadata: { annotations: { a: '1' } } }, 'kubectl');
  cluster.store.updateStatus(key, { replicas: 1 });
  expect(cluster.objects.get(key)?.metadata.generation).toBe(1);
  cluster.store.scale(key, 5, 'hpa');
  expect(cluster.objects.get(key)?.metadata.generation).toBe(2);
});

test('a snapshot and a fork stay as they were', () => {
  const cluster = empty();
  cluster.apply([manifest()], 'flux');
  const before = cluster.snapshot();
  const fork = cluster.fork();
  cluster.deleteLws(key);
  cluster.rest();
  expect(cluster.objects.list(PODS)).toEqual([]);
  expect(before.list(PODS, 'inference')).toHaveLength(8);
  expect(before.get(key)).toBe(fork.objects.get(key));
  fork.scale(key, 5);
  expect(fork.objects.list(PODS)).toHaveLength(10);
});

test('the log answers watches, and says when it does not reach back', () => {
  const cluster = empty();
  cluster.apply([manifest()], 'flux');
  const seen = cluster.objects.resourceVersion;
  expect(cluster.objects.changesSince(seen)).toEqual([]);
  cluster.kill({ ...key, group: 3, pods: 'leader' });
  const changes = cluster.objects.changesSince(seen)!.filter(({ resource }) => resource === PODS);
  expect(changes.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
    'DELETED vllm-3',
    'DELETED vllm-3-1',
    'ADDED vllm-3',
    'ADDED vllm-3-1',
  ]);
  for (let turn = 0; turn < 10_000; turn++) cluster.store.scale(key, 4 + (turn % 2), 'hpa');
  expect(cluster.objects.changesSince(seen)).toBeUndefined();
});

test.each(['Background', 'Foreground'] as const)('%s deletion takes everything with it', (propagation) => {
  const cluster = empty();
  cluster.apply([manifest()], 'flux');
  expect(cluster.deleteLws(key, propagation).ok).toBe(true);
  cluster.rest();
  expect(cluster.objects.resources().flatMap((resource) => cluster.objects.list(resource))).toEqual([]);
});

test('an orphaned leader set keeps its pods for the next one of its name', () => {
  const cluster = empty();
  cluster.apply([manifest()], 'flux');
  const pods = cluster.objects.list(PODS).map(({ metadata }) => metadata.uid);
  cluster.deleteLws(key, 'Orphan');
  cluster.rest();
  expect(cluster.objects.get({ ...key, resource: STATEFUL_SETS })?.metadata.ownerReferences).toBeUndefined();
  expect(cluster.objects.list(PODS).map(({ metadata }) => metadata.uid)).toEqual(pods);
});

test.each([
  ['apps/v1', 'StatefulSet', STATEFUL_SETS],
  ['v1', 'Service', SERVICES],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies.networking.k8s.io'],
  ['rollouts.kruise.io/v1beta1', 'Rollout', 'rollouts.rollouts.kruise.io'],
])('%s %s is kept as %s', (apiVersion, kind, resource) => {
  expect(resourceOf({ apiVersion, kind })).toBe(resource);
});
