/** What every cluster port must do, real or fake: the promises of src/ports/cluster.ts as tests. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { at } from '../../../src/api/json.ts';
import { parseLws } from '../../../src/api/live-lws.ts';
import { parseLeader } from '../../../src/api/live-pod.ts';
import { parseRevision } from '../../../src/api/live-revision.ts';
import { parseStatefulSet } from '../../../src/api/live-stateful-set.ts';
import { parseEndpointSlice, SERVICE_NAME } from '../../../src/api/live-traffic.ts';
import { controllerUid } from '../../../src/api/owner.ts';
import { resources, trafficResources } from '../../../src/api/resources.ts';
import { parentWords } from '../../../src/api/route-status.ts';
import type { Cluster, Resource } from '../../../src/ports/cluster.ts';
import type { Cluster as Model } from '../../../src/simulator/cluster-model.ts';
import { type ResourceKind, resourceKinds } from '../../../src/simulator/objects/resource-table.ts';
import { whole } from '../../support/fake-cluster.ts';
import { isLeader } from '../../support/recorded.ts';
import { lwsManifest, restingCluster } from '../../support/simulated-cluster.ts';

export type ContractFault = 'none' | 'forbidden' | 'failsOnSecondPage' | 'unreachable';

export type ContractWorld = {
  readonly cluster: Cluster;
  /** What goes wrong from now on. */
  readonly fail: (fault: ContractFault) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** `open` serves the model with these kinds installed. */
export function clusterContract(
  title: string,
  open: (model: Model, kinds: readonly ResourceKind[]) => Promise<ContractWorld>,
): void {
  describe(`cluster contract: ${title}`, () => {
    let model: Model;
    let world: ContractWorld;
    beforeEach(async () => {
      model = restingCluster([
        lwsManifest(),
        lwsManifest({ name: 'sglang', replicas: 2 }),
        lwsManifest({ namespace: 'other' }),
      ]);
      world = await open(
        model,
        resourceKinds.filter(({ group }) => group !== 'keda.sh'),
      );
    });
    afterEach(() => world.stop());

    async function list(resource: Resource, labelSelector = '', namespace = 'llm'): Promise<readonly unknown[]> {
      const answer = await world.cluster.list(resource, { namespace, labelSelector }, whole);
      if (answer.kind !== 'known') throw new Error(JSON.stringify(answer));
      return answer.value;
    }
    const names = (items: readonly unknown[]) => items.map((item) => at(item, ['metadata', 'name']));

    test('a route with what its gateway says, and the endpoints of a Service', async () => {
      const metadata = { name: 'chat', namespace: 'llm' };
      const selector = { 'leaderworkerset.sigs.k8s.io/name': 'vllm', 'leaderworkerset.sigs.k8s.io/worker-index': '0' };
      model.apply(
        [
          { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector, ports: [{ port: 80 }] } },
          {
            apiVersion: 'gateway.networking.k8s.io/v1',
            kind: 'HTTPRoute',
            metadata,
            spec: { parentRefs: [{ name: 'inference' }], rules: [{ backendRefs: [{ name: 'chat', port: 80 }] }] },
          },
        ],
        'kustomize-controller',
      );
      const [slice] = (await list(trafficResources.endpointSlices, SERVICE_NAME)).map(parseEndpointSlice);
      expect(slice).toMatchObject({ kind: 'known', value: { service: 'chat', endpoints: { length: 4 } } });
      const routes = { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'httproutes' };
      expect((await list(routes)).flatMap(parentWords)).toEqual([{ by: 'inference', accepted: true, seen: '' }]);
    });

    test('all objects of one namespace, over all pages, by name', async () => {
      expect(names(await list(resources.lws))).toEqual(['sglang', 'vllm']);
      expect(names(await list(resources.lws, '', 'other'))).toEqual(['vllm']);
      expect(names(await list(resources.pods))).toEqual([
        'sglang-0',
        'sglang-0-1',
        'sglang-1',
        'sglang-1-1',
        'vllm-0',
        'vllm-0-1',
        'vllm-1',
        'vllm-1-1',
        'vllm-2',
        'vllm-2-1',
        'vllm-3',
        'vllm-3-1',
      ]);
      expect(await list(resources.pods, '', 'empty')).toEqual([]);
    });

    const lwsLabel = 'leaderworkerset.sigs.k8s.io/name';
    const index = 'leaderworkerset.sigs.k8s.io/worker-index';
    test.each([
      [`${lwsLabel}=vllm,${index}=0`, 4],
      [`${lwsLabel}==sglang`, 4],
      [`${lwsLabel}!=sglang`, 8],
      [`${lwsLabel} in (vllm, sglang),${index}!=0`, 6],
      [`${lwsLabel} notin (vllm)`, 4],
      [index, 12],
      [`!${index}`, 0],
      ['app=nobody', 0],
    ])('the label selector %s', async (selector, count) => {
      expect(await list(resources.pods, selector)).toHaveLength(count);
    });

    test('of each object only what is taken, in their order', async () => {
      const seen: unknown[] = [];
      const taken = await world.cluster.list(resources.pods, { namespace: 'llm', labelSelector: '' }, (object) => {
        seen.push(object);
        return at(object, ['metadata', 'name']);
      });
      expect(seen).toHaveLength(12);
      expect(taken).toEqual({ kind: 'known', value: seen.map((object) => at(object, ['metadata', 'name'])) });
    });

    test('a selector that cannot be read is no empty list', async () => {
      const query = { namespace: 'llm', labelSelector: 'a = = b' };
      expect(await world.cluster.list(resources.pods, query, whole)).toMatchObject({ kind: 'unknown' });
    });

    test('a resource that is not installed is absent', async () => {
      const query = { namespace: 'llm', labelSelector: '' };
      expect(await world.cluster.list(resources.scaledObjects, query, whole)).toEqual({ kind: 'absent' });
      expect(await world.cluster.list({ ...resources.lws, version: 'v2' }, query, whole)).toEqual({ kind: 'absent' });
    });

    test('objects, whole', async () => {
      const object = model.store.objects.get({
        resource: 'leaderworkersets.leaderworkerset.x-k8s.io',
        namespace: 'llm',
        name: 'vllm',
      });
      expect(await list(resources.lws)).toContainEqual(object);
    });

    test('what is deleted is not in the next list', async () => {
      model.deleteLws({ namespace: 'llm', name: 'sglang' });
      model.rest();
      expect(names(await list(resources.lws))).toEqual(['vllm']);
      expect(names(await list(resources.statefulSets))).toEqual(['vllm', 'vllm-0', 'vllm-1', 'vllm-2', 'vllm-3']);
    });

    test('everything that is read can be parsed', async () => {
      const lws = parseLws((await list(resources.lws)).at(-1));
      expect(lws).toMatchObject({ kind: 'known', value: { replicas: 4, readyReplicas: 4, partition: 1_000_000 } });
      const uid = lws.kind === 'known' ? lws.value.uid : '';
      const kinds = (answers: readonly { kind: string }[]) => answers.map(({ kind }) => kind);
      expect(kinds((await list(resources.statefulSets)).map(parseStatefulSet))).toEqual(
        Array.from({ length: 8 }, () => 'known'),
      );
      expect(kinds((await list(resources.pods)).filter(isLeader).map(parseLeader))).toEqual(
        Array.from({ length: 6 }, () => 'known'),
      );
      const revisions = (await list(resources.controllerRevisions)).filter((item) => controllerUid(item) === uid);
      expect(kinds(revisions.map(parseRevision))).toEqual(['known']);
    });

    test.each<[ContractFault, RegExp]>([
      ['forbidden', /^list pods in llm: .*needs verb list on pods in namespace llm/],
      ['failsOnSecondPage', /^list pods in llm: /],
      ['unreachable', /^list pods in llm\b/],
    ])('%s is unknown, never a shorter list, and passes', async (fault, why) => {
      await world.fail(fault);
      const query = { namespace: 'llm', labelSelector: '' };
      expect(await world.cluster.list(resources.pods, query, whole)).toEqual({
        kind: 'unknown',
        why: expect.stringMatching(why),
      });
      if (fault === 'unreachable') return;
      await world.fail('none');
      expect(await list(resources.pods)).toHaveLength(12);
    });

    test.each([['..'], [''], ['a/b'], ['A']])('%j is no namespace', async (namespace) => {
      expect(await world.cluster.list(resources.pods, { namespace, labelSelector: '' }, whole)).toMatchObject({
        kind: 'unknown',
      });
    });
  });
}
