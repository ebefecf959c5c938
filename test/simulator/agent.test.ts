/** The GitOps agent: all of a commit, a part of it, without some fields, with and without pruning. */

import { expect, test } from 'vitest';
import { at, type JsonObject } from '../../src/api/json.ts';
import { AGENT_ANNOTATION, type CommitManifests, syncCommit } from '../../src/simulator/agent/agent.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import { LWS, SERVICES } from '../../src/simulator/objects/resource-table.ts';
import { lwsManifest } from '../support/simulated-cluster.ts';

const service: JsonObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'vllm-http' },
  spec: { selector: { app: 'vllm' }, ports: [{ port: 80 }] },
};
const options = { manager: 'kustomize-controller', namespace: 'llm', prune: true };

function empty(): Cluster {
  return new Cluster({ lws: '0.10', gate: 'off', nowSeconds: 1_795_219_200 });
}

function commit(files: Readonly<Record<string, readonly JsonObject[]>>): CommitManifests {
  return new Map(Object.entries(files));
}

function names(cluster: Cluster): readonly string[] {
  cluster.settle();
  return [LWS, SERVICES].flatMap((resource) => cluster.objects.list(resource).map(({ metadata }) => metadata.name));
}

test('a commit is applied, an object that a later one lacks is pruned, and what LWS made stays', () => {
  const cluster = empty();
  syncCommit(cluster.store, commit({ 'b.yaml': [service], 'a.yaml': [lwsManifest()] }), options);
  expect(names(cluster)).toEqual(['vllm', 'vllm', 'vllm-http']);
  syncCommit(cluster.store, commit({ 'a.yaml': [lwsManifest()] }), options);
  expect(names(cluster)).toEqual(['vllm', 'vllm']);
});

test('without pruning it stays, and so does what the agent did not choose this time', () => {
  const cluster = empty();
  const both = commit({ 'a.yaml': [lwsManifest()], 'b.yaml': [service] });
  syncCommit(cluster.store, both, options);
  syncCommit(cluster.store, both, { ...options, choose: (all) => all.slice(0, 1) });
  syncCommit(cluster.store, commit({ 'a.yaml': [lwsManifest()] }), { ...options, prune: false });
  expect(names(cluster)).toEqual(['vllm', 'vllm', 'vllm-http']);
});

test('a part of a commit, in another order', () => {
  const cluster = empty();
  const files = commit({ 'a.yaml': [lwsManifest()], 'b.yaml': [service] });
  const answers = syncCommit(cluster.store, files, { ...options, choose: (all) => all.toReversed().slice(0, 1) });
  expect(answers.map(({ manifest }) => at(manifest, ['metadata', 'name']))).toEqual(['vllm-http']);
  expect(names(cluster)).toEqual(['vllm-http']);
});

test('an ignored field keeps the value that an autoscaler gave it', () => {
  const cluster = empty();
  const files = commit({ 'a.yaml': [lwsManifest()] });
  const ignoring = { ...options, ignored: [['spec', 'replicas']] };
  syncCommit(cluster.store, files, ignoring);
  cluster.scale({ namespace: 'llm', name: 'vllm' }, 6);
  syncCommit(cluster.store, files, ignoring);
  expect(at(cluster.objects.list(LWS)[0], ['spec', 'replicas'])).toBe(6);
  syncCommit(cluster.store, files, options);
  expect(at(cluster.objects.list(LWS)[0], ['spec', 'replicas'])).toBe(4);
});

test('one refusal does not stop the others', () => {
  const cluster = empty();
  const files = commit({ 'a.yaml': [lwsManifest({ partition: -1 }), { kind: 'Nothing' }], 'b.yaml': [service] });
  const answers = syncCommit(cluster.store, files, options);
  expect(answers.map(({ answer }) => answer.ok)).toEqual([false, false, true]);
});

test('two agents prune their own objects only', () => {
  const cluster = empty();
  syncCommit(cluster.store, commit({ 'a.yaml': [lwsManifest()] }), options);
  syncCommit(cluster.store, commit({ 'b.yaml': [service] }), { ...options, manager: 'argocd' });
  expect(names(cluster)).toEqual(['vllm', 'vllm', 'vllm-http']);
  expect(cluster.objects.list(LWS)[0]?.metadata.annotations?.[AGENT_ANNOTATION]).toBe('kustomize-controller');
});
