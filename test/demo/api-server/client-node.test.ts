/** The official JavaScript client against the simulated cluster: lists in pages, selectors, patches, scale, a watch. */

import { AppsV1Api, CoreV1Api, CustomObjectsApi, KubeConfig, Watch } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../../src/demo/api-server/start-api-server.ts';
import type { Cluster } from '../../../src/simulator/cluster-model.ts';
import { restingCluster } from '../../support/simulated-cluster.ts';

const lws = {
  group: 'leaderworkerset.x-k8s.io',
  version: 'v1',
  namespace: 'llm',
  plural: 'leaderworkersets',
} as const;

let model: Cluster;
let server: ApiServer;
const config = new KubeConfig();

beforeAll(async () => {
  model = restingCluster();
  server = await startApiServer({ model, port: 0, kinds: undefined, interfere: undefined });
  // This client takes plain HTTP, on loopback too, only where TLS is given up in this many words.
  config.loadFromClusterAndUser({ name: 'simulated', server: server.url, skipTLSVerify: true }, { name: 'simulated' });
});
afterAll(() => server.close());

test('pods in pages, by label and by field', async () => {
  const core = config.makeApiClient(CoreV1Api);
  const first = await core.listNamespacedPod({ namespace: 'llm', limit: 3 });
  const { _continue } = first.metadata!;
  const rest = await core.listNamespacedPod({ namespace: 'llm', _continue: _continue! });
  const all = await core.listNamespacedPod({ namespace: 'llm' });
  const names = [...first.items, ...rest.items].map(({ metadata }) => metadata!.name);
  expect(names).toEqual(all.items.map(({ metadata }) => metadata!.name));
  const labelSelector = 'leaderworkerset.sigs.k8s.io/worker-index=0,leaderworkerset.sigs.k8s.io/group-index notin (0)';
  const leaders = await core.listNamespacedPod({ namespace: 'llm', labelSelector });
  expect(leaders.items.map(({ metadata }) => metadata!.name)).toEqual(['vllm-1', 'vllm-2', 'vllm-3']);
  const fieldSelector = 'metadata.name!=vllm-1,status.phase=Running';
  const others = await core.listNamespacedPod({ namespace: 'llm', labelSelector, fieldSelector });
  expect(others.items).toHaveLength(2);
});

test('StatefulSets are typed, a LeaderWorkerSet is not; a missing one is an error with a code', async () => {
  const set = await config.makeApiClient(AppsV1Api).readNamespacedStatefulSet({ namespace: 'llm', name: 'vllm' });
  expect(set.spec!.replicas).toBe(4);
  expect(set.metadata!.creationTimestamp).toBeInstanceOf(Date);
  const custom = config.makeApiClient(CustomObjectsApi);
  expect(await custom.getNamespacedCustomObject({ ...lws, name: 'vllm' })).toMatchObject({ kind: 'LeaderWorkerSet' });
  await expect(custom.getNamespacedCustomObject({ ...lws, name: 'nope' })).rejects.toMatchObject({ code: 404 });
});

test('a watch from a list sees a change, once', async () => {
  const custom = config.makeApiClient(CustomObjectsApi);
  const list = (await custom.listNamespacedCustomObject(lws)) as { metadata: { resourceVersion: string } };
  const { resourceVersion } = list.metadata;
  const path = `/apis/${lws.group}/${lws.version}/namespaces/llm/${lws.plural}`;
  let stop = (): void => {};
  const seen = new Promise<string>((resolve, reject) => {
    const done = (error: unknown): void => reject(error instanceof Error ? error : new Error('the watch has ended'));
    new Watch(config)
      .watch(path, { resourceVersion, allowWatchBookmarks: true }, (type) => resolve(type), done)
      .then((controller) => {
        stop = () => controller.abort();
        model.scale({ namespace: 'llm', name: 'vllm' }, 5);
        return undefined;
      })
      .catch(reject);
  });
  expect(await seen).toBe('MODIFIED');
  stop();
});
