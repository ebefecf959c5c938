/** Argo CD and Flux with objects of their own: what they do, and what they say about it. */

import { expect, test } from 'vitest';
import { at, type JsonObject } from '../../src/api/json.ts';
import { GitOpsAgent, type GitOpsOptions } from '../../src/demo/agent/gitops-agent.ts';
import type { CommitManifests } from '../../src/simulator/agent/agent.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import { APPLICATIONS, GIT_REPOSITORIES, KUSTOMIZATIONS, LWS } from '../../src/simulator/objects/resource-table.ts';
import { badRequest } from '../../src/simulator/objects/status-body.ts';
import { lwsManifest } from '../support/simulated-cluster.ts';

const [first, second] = ['1'.repeat(40), '2'.repeat(40)];
const object = { namespace: 'gitops', name: 'llm' };
const lws = { resource: LWS, namespace: 'llm', name: 'vllm' };
const service: JsonObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'vllm-http', namespace: 'llm' },
  spec: { selector: { app: 'vllm' }, ports: [{ port: 80 }] },
};

function files(...manifests: readonly JsonObject[]): CommitManifests {
  return new Map(manifests.map((manifest, index) => [`${index}.yaml`, [manifest]]));
}

function start(flavour: 'argo' | 'flux', more: Partial<GitOpsOptions> = {}): { cluster: Cluster; agent: GitOpsAgent } {
  const cluster = new Cluster({ lws: '0.10', gate: 'off', nowSeconds: 1_795_219_200 });
  const agent = new GitOpsAgent(cluster, {
    flavour,
    object,
    manager: flavour === 'argo' ? 'argocd-controller' : 'kustomize-controller',
    namespace: 'llm',
    branch: 'main',
    path: 'apps',
    pollSeconds: 60,
    lagSeconds: 0,
    prune: true,
    selfHeal: false,
    ...more,
  });
  return { cluster, agent };
}

function own(cluster: Cluster, resource: string): unknown {
  return cluster.objects.get({ ...object, resource });
}

function replicas(cluster: Cluster): unknown {
  return at(cluster.objects.get(lws), ['spec', 'replicas']);
}

test('Argo CD: synced, then out of sync by hand, and left so without selfHeal', () => {
  const { cluster, agent } = start('argo');
  expect(agent.tick()).toBe('idle');
  agent.offer(first, files(lwsManifest(), service));
  agent.tell();
  expect(agent.tick()).toBe('applied');
  expect(own(cluster, APPLICATIONS)).toMatchObject({
    status: {
      sync: { status: 'Synced', revision: first, comparedTo: { source: { path: 'apps', targetRevision: 'main' } } },
      health: { status: 'Healthy' },
      operationState: { phase: 'Succeeded', syncResult: { revision: first } },
      resources: [
        { group: 'leaderworkerset.x-k8s.io', kind: 'LeaderWorkerSet', name: 'vllm', status: 'Synced' },
        { version: 'v1', kind: 'Service', name: 'vllm-http', status: 'Synced' },
      ],
      history: [{ id: 0, revision: first }],
    },
  });
  expect(agent.tick()).toBe('idle');
  cluster.scale(lws, 2);
  expect(agent.tick()).toBe('in sync');
  expect(own(cluster, APPLICATIONS)).toMatchObject({
    status: { sync: { status: 'OutOfSync' }, resources: [{ status: 'OutOfSync' }, { status: 'Synced' }] },
  });
  expect(replicas(cluster)).toBe(2);
});

test('Argo CD: selfHeal puts a change by hand right, but not in an ignored field', () => {
  for (const [ignored, wanted] of [
    [[], 4],
    [[['spec', 'replicas']], 2],
  ] as const) {
    const { cluster, agent } = start('argo', { selfHeal: true, ignored });
    agent.offer(first, files(lwsManifest({ replicas: 4 })));
    agent.tick();
    cluster.scale(lws, 4);
    agent.tick();
    cluster.scale(lws, 2);
    agent.tick();
    expect(replicas(cluster)).toBe(wanted);
  }
});

test('Argo CD does not try a failed revision again; the next one goes', () => {
  let broken = true;
  const { cluster, agent } = start('argo', {
    fails: ({ kind }) => (broken && kind === 'Service' ? badRequest('quota') : undefined),
  });
  agent.offer(first, files(lwsManifest(), service));
  expect(agent.tick()).toBe('failed');
  expect(own(cluster, APPLICATIONS)).toMatchObject({
    status: {
      sync: { status: 'OutOfSync', revision: first },
      operationState: { phase: 'Failed', syncResult: { resources: [{ status: 'Synced' }, { status: 'SyncFailed' }] } },
      conditions: [{ type: 'SyncError' }],
    },
  });
  broken = false;
  expect(agent.tick()).not.toBe('applied');
  agent.offer(second, files(lwsManifest(), service));
  agent.tell();
  expect(agent.tick()).toBe('applied');
  expect(own(cluster, APPLICATIONS)).toMatchObject({ status: { sync: { status: 'Synced', revision: second } } });
  expect(at(own(cluster, APPLICATIONS), ['status', 'conditions'])).toBeUndefined();
});

test('Argo CD without automated sync compares, and waits for people', () => {
  const { cluster, agent } = start('argo');
  const key = { ...object, resource: APPLICATIONS };
  cluster.store.patch(key, { spec: { syncPolicy: { automated: null } } }, 'kubectl');
  agent.offer(first, files(lwsManifest()));
  expect(agent.tick()).toBe('manual');
  expect(cluster.objects.get(lws)).toBeUndefined();
  expect(own(cluster, APPLICATIONS)).toMatchObject({ status: { sync: { status: 'OutOfSync', revision: first } } });
});

test('Flux: applied and attempted revisions, inventory, artifact; a change by hand is put right at the interval', () => {
  const { cluster, agent } = start('flux');
  agent.offer(first, files(lwsManifest({ replicas: 4 })));
  expect(agent.tick()).toBe('applied');
  expect(own(cluster, KUSTOMIZATIONS)).toMatchObject({
    status: {
      observedGeneration: 1,
      lastAttemptedRevision: `main@sha1:${first}`,
      lastAppliedRevision: `main@sha1:${first}`,
      conditions: [{ type: 'Ready', status: 'True', reason: 'ReconciliationSucceeded' }],
      inventory: { entries: [{ id: 'llm_vllm_leaderworkerset.x-k8s.io_LeaderWorkerSet', v: 'v1' }] },
    },
  });
  expect(own(cluster, GIT_REPOSITORIES)).toMatchObject({ status: { artifact: { revision: `main@sha1:${first}` } } });
  cluster.scale(lws, 2);
  expect([agent.tick(), replicas(cluster)]).toEqual(['idle', 2]);
  cluster.tick(60);
  expect([agent.tick(), replicas(cluster)]).toEqual(['applied', 4]);
});

test('Flux: a failure keeps the last applied revision, and is tried again', () => {
  let broken = false;
  const { cluster, agent } = start('flux', { fails: () => (broken ? badRequest('quota') : undefined) });
  agent.offer(first, files(lwsManifest()));
  agent.tick();
  broken = true;
  agent.offer(second, files(lwsManifest({ replicas: 5 })));
  agent.tell();
  expect(agent.tick()).toBe('failed');
  expect(own(cluster, KUSTOMIZATIONS)).toMatchObject({
    status: {
      lastAttemptedRevision: `main@sha1:${second}`,
      lastAppliedRevision: `main@sha1:${first}`,
      conditions: [{ type: 'Ready', status: 'False', reason: 'ReconciliationFailed' }],
    },
  });
  broken = false;
  cluster.tick(60);
  expect([agent.tick(), replicas(cluster)]).toEqual(['applied', 5]);
});

test('Flux: suspended it does nothing and says nothing; resumed it goes on', () => {
  const { cluster, agent } = start('flux');
  const key = { ...object, resource: KUSTOMIZATIONS };
  cluster.store.patch(key, { spec: { suspend: true } }, 'kubectl');
  agent.offer(first, files(lwsManifest()));
  expect(agent.tick()).toBe('suspended');
  expect(at(own(cluster, KUSTOMIZATIONS), ['status'])).toBeUndefined();
  cluster.store.patch(key, { spec: { suspend: false } }, 'kubectl');
  expect(agent.tick()).toBe('applied');
});

test.each(['argo', 'flux'] as const)('%s: lag, skipped commits, an annotation that asks, pruning', (flavour) => {
  const { cluster, agent } = start(flavour, { pollSeconds: undefined, lagSeconds: 30 });
  const resource = flavour === 'argo' ? APPLICATIONS : KUSTOMIZATIONS;
  const ask = (value: string): void => {
    const key = flavour === 'argo' ? 'argocd.argoproj.io/refresh' : 'reconcile.fluxcd.io/requestedAt';
    cluster.store.patch({ ...object, resource }, { metadata: { annotations: { [key]: value } } }, 'kubectl');
  };
  agent.offer(first, files(lwsManifest(), service));
  expect(agent.tick()).toBe('idle');
  ask('one');
  expect(agent.tick()).toBe('idle');
  agent.offer(second, files(lwsManifest()));
  cluster.tick(30);
  // The annotation is still there: it learns the second commit, and never applies the first.
  expect(agent.tick()).toBe('idle');
  cluster.tick(30);
  expect(agent.tick()).toBe('applied');
  expect(cluster.objects.get({ resource: 'services', namespace: 'llm', name: 'vllm-http' })).toBeUndefined();
  expect(agent.tick()).toBe('idle');
});
