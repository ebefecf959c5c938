/** What a pass reads of a delivery next to the user's own workload: over the model's controllers, and where reads fail. */

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/api/json.ts';
import type { LiveEndpoint } from '../../src/api/live-traffic.ts';
import { LWS_NAME, WORKER_INDEX } from '../../src/api/lws-labels.ts';
import { liveReader } from '../../src/reconcile/cluster/observe-cluster.ts';
import { type TrafficAsked, trafficReader } from '../../src/reconcile/cluster/observe-live-traffic.ts';
import type { LiveTraffic } from '../../src/rollout/snapshot.ts';
import type { Cluster } from '../../src/simulator/cluster-model.ts';
import { type FakeClusterOptions, fakeCluster } from '../support/fake-cluster.ts';
import { lwsManifest, restingCluster } from '../support/simulated-cluster.ts';
import { ROUTE_TEXT } from '../support/traffic-files.ts';

function service(name: string, workload: string): JsonObject {
  const selector = { [LWS_NAME]: workload, [WORKER_INDEX]: '0' };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'llm' },
    spec: { selector, ports: [{ port: 80 }] },
  };
}

const ASKED: TrafficAsked = {
  namespace: 'llm',
  second: 'vllm-canary',
  services: { stable: 'vllm-svc', canary: 'vllm-svc-canary' },
  routes: [{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name: 'chat' }],
};

function world(): Cluster {
  return restingCluster([
    lwsManifest(),
    lwsManifest({ name: 'vllm-canary', replicas: 1 }),
    service('vllm-svc', 'vllm'),
    service('vllm-svc-canary', 'vllm-canary'),
    parse(ROUTE_TEXT),
  ]);
}

async function read(
  model: Cluster,
  asked: Partial<TrafficAsked> = {},
  options: Partial<FakeClusterOptions> = {},
): Promise<{ readonly traffic: LiveTraffic; readonly calls: readonly string[] }> {
  const calls: string[] = [];
  const port = fakeCluster({ model, ...options });
  const counted: typeof port = {
    list: (resource, query, take) => {
      calls.push(`${resource.plural} ${query.labelSelector}`.trim());
      return port.list(resource, query, take);
    },
  };
  const traffic = await trafficReader(counted, liveReader(counted, new Set())).read({ ...ASKED, ...asked });
  return { traffic, calls };
}

const endpoints = ({ endpoints: slices }: LiveTraffic) =>
  slices.kind === 'known'
    ? slices.value.flatMap((slice) =>
        slice.endpoints.map(({ pod, ready }: LiveEndpoint) => `${slice.service}: ${pod} ${ready}`),
      )
    : slices;

test('both Services, their endpoints, the second workload, and the word of the gateway', async () => {
  const { traffic } = await read(world());
  expect(traffic.second.lws).toMatchObject({ kind: 'known', value: { replicas: 1 } });
  expect(traffic.service).toMatchObject({ kind: 'known', value: { selector: { [LWS_NAME]: 'vllm' } } });
  expect(traffic.canaryService).toMatchObject({ kind: 'known', value: { name: 'vllm-svc-canary' } });
  expect(endpoints(traffic)).toEqual([
    'vllm-svc-canary: vllm-canary-0 true',
    'vllm-svc: vllm-0 true',
    'vllm-svc: vllm-1 true',
    'vllm-svc: vllm-2 true',
    'vllm-svc: vllm-3 true',
  ]);
  expect(traffic.routes).toMatchObject([
    {
      kind: 'HTTPRoute',
      name: 'chat',
      live: {
        kind: 'known',
        value: {
          metadata: { generation: 1 },
          status: { parents: [{ conditions: [{ type: 'Accepted', status: 'True', observedGeneration: 1 }, {}] }] },
        },
      },
    },
  ]);
});

test('a leader that is not ready is no ready endpoint', async () => {
  const model = world();
  model.setPods({ namespace: 'llm', name: 'vllm-canary', group: 0, pods: 'leader' }, { kind: 'unready' });
  expect(endpoints((await read(model)).traffic)).toContain('vllm-svc-canary: vllm-canary-0 false');
});

test('a route that names a Service that is not there is reported, until the Service comes', async () => {
  const model = world();
  const route = JSON.parse(JSON.stringify(parse(ROUTE_TEXT)).replace('vllm-svc', 'vllm-none'));
  const word = async () => JSON.stringify((await read(model)).traffic.routes);
  model.apply([route], 'kustomize-controller');
  expect(await word()).toContain('BackendNotFound');
  model.apply([service('vllm-none', 'vllm')], 'kustomize-controller');
  expect(await word()).not.toContain('BackendNotFound');
});

test('what is not there is absent, and what cannot be read is not', async () => {
  const gone = await read(world(), { second: 'vllm-green', services: { stable: 'a', canary: 'b' } });
  expect([gone.traffic.second.lws.kind, gone.traffic.service.kind]).toEqual(['absent', 'absent']);
  const refused = await read(
    world(),
    {},
    {
      fault: ({ resource }) =>
        resource.plural === 'endpointslices' ? { kind: 'unknown', why: 'forbidden; needs verb list' } : undefined,
    },
  );
  expect(refused.traffic.endpoints).toEqual({
    kind: 'unknown',
    why: 'list endpointslices.discovery.k8s.io in llm: forbidden; needs verb list',
  });
  const without = await read(world(), {}, { kinds: [] });
  expect(without.traffic.routes[0]?.live).toMatchObject({ kind: 'unknown', why: expect.stringContaining('CRD') });
});

test('each kind is listed once, those that nobody names never, and workers of an empty one by its name', async () => {
  const { calls } = await read(world(), { second: 'vllm-green' });
  expect(calls.filter((call) => /^(services|endpointslices|httproutes|grpcroutes)/.test(call)).sort()).toEqual([
    'endpointslices kubernetes.io/service-name',
    'httproutes',
    'services',
  ]);
  expect(calls).toContain(`pods ${LWS_NAME}=vllm-green,${WORKER_INDEX}!=0`);
  const alone = await read(world(), { services: undefined, routes: [] });
  expect(alone.calls.some((call) => /^(services|endpointslices|httproutes)/.test(call))).toBe(false);
});

test('lists that were started early are not asked for again', async () => {
  const calls: string[] = [];
  const port = fakeCluster({ model: world() });
  const counted: typeof port = {
    list: (resource, query, take) => {
      calls.push(resource.plural);
      return port.list(resource, query, take);
    },
  };
  const reader = trafficReader(counted, liveReader(counted, new Set()));
  reader.start(ASKED);
  expect(calls.toSorted()).toEqual(['endpointslices', 'httproutes', 'services']);
  await reader.read(ASKED);
  expect(calls.filter((plural) => ['endpointslices', 'httproutes', 'services'].includes(plural))).toHaveLength(3);
});
