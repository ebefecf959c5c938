/** The contract of the cluster port, held by the adapter over HTTP and by the fake of the simulation. */

import { expect, test } from 'vitest';
import { apiCluster } from '../../../src/adapters/cluster/api-cluster.ts';
import { resourceName } from '../../../src/adapters/cluster/call.ts';
import { clusterLimits } from '../../../src/adapters/cluster/limits.ts';
import { resources } from '../../../src/api/resources.ts';
import { statusReply } from '../../../src/demo/api-server/reply.ts';
import { startApiServer } from '../../../src/demo/api-server/start-api-server.ts';
import { forbidden } from '../../support/api-refusals.ts';
import { fakeCluster, type ReadFault, whole } from '../../support/fake-cluster.ts';
import { restingCluster } from '../../support/simulated-cluster.ts';
import { type ContractFault, clusterContract } from './contract.ts';

clusterContract('the adapter over HTTP', async (model, kinds) => {
  let fault: ContractFault = 'none';
  const server = await startApiServer({
    model,
    kinds,
    port: 0,
    interfere: (request, target) => {
      if (target === undefined || fault === 'none') return undefined;
      const asked = {
        verb: target.name === '' ? 'list' : 'get',
        ...target.kind,
        namespace: target.namespace,
        name: target.name,
      };
      if (fault === 'forbidden') return forbidden('reader', asked);
      return request.query.has('continue') ? statusReply(500, { message: 'etcd', reason: 'InternalError' }) : undefined;
    },
  });
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const cluster = apiCluster({
    connection: { server: new URL(server.url), options: async () => ({}) },
    // So few items that every list has several pages.
    limits: { ...clusterLimits, pageItems: 3 },
    clock: { now: () => 0, sleep: async () => {} },
    log: silent,
  });
  return {
    cluster,
    stop: () => server.close(),
    fail: async (next) => {
      fault = next;
      if (next === 'unreachable') await server.close();
    },
  };
});

clusterContract('the fake', async (model, kinds) => {
  let fault: ContractFault = 'none';
  const cluster = fakeCluster({
    model,
    kinds,
    fault: ({ resource, namespace }): ReadFault | undefined => {
      if (fault === 'none') return undefined;
      return { kind: 'unknown', why: `needs verb list on ${resourceName(resource)} in namespace ${namespace}` };
    },
  });
  return {
    cluster,
    stop: async () => {},
    fail: async (next) => {
      fault = next;
    },
  };
});

test('a stale read of the fake shows the cluster as it was, one read at a time', async () => {
  const model = restingCluster();
  const reading = model.snapshot();
  model.scale({ namespace: 'llm', name: 'vllm' }, 2);
  model.rest();
  const cluster = fakeCluster({
    model,
    fault: ({ resource }) => (resource.plural === 'pods' ? { kind: 'stale', reading } : undefined),
  });
  const query = { namespace: 'llm', labelSelector: '' };
  expect(await cluster.list(resources.pods, query, whole)).toMatchObject({ kind: 'known', value: { length: 8 } });
  expect(await cluster.list(resources.statefulSets, query, whole)).toMatchObject({
    kind: 'known',
    value: { length: 3 },
  });
});
