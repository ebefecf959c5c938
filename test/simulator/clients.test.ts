/** The clients of the model: what fails because nobody is there, and what is let end. */

import { expect, test } from 'vitest';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import { Clients } from '../../src/simulator/traffic/clients.ts';
import { lwsManifest } from '../support/simulated-cluster.ts';

const SELECTOR = { 'leaderworkerset.sigs.k8s.io/worker-index': '0' };

/** Four groups behind `svc`, and a Service without endpoints that has this part of the requests of 100. */
function world(empty: number): {
  readonly cluster: Cluster;
  readonly clients: Clients;
  readonly seconds: (count: number) => void;
} {
  const cluster = new Cluster({
    lws: '0.10',
    gate: 'off',
    nowSeconds: 1_795_219_200,
    readiness: () => 5,
    terminationSeconds: 20,
  });
  const service = (name: string, selector: Readonly<Record<string, string>>) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'llm' },
    spec: { selector, ports: [{ port: 80 }] },
  });
  cluster.apply([lwsManifest(), service('svc', SELECTOR), service('none', { app: 'nobody' }), route(empty)], 'test');
  cluster.tick(30);
  const clients = new Clients({ perSecond: 20, seconds: 15, gatewayLags: 3 });
  return {
    cluster,
    clients,
    seconds: (count) => {
      for (let second = 0; second < count; second++) {
        cluster.tick(1);
        clients.second(cluster.objects);
      }
    },
  };
}

function route(empty: number) {
  const rest = { name: 'svc', port: 80, weight: 100 - empty };
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'chat', namespace: 'llm' },
    spec: { rules: [{ backendRefs: empty === 0 ? [rest] : [rest, { name: 'none', port: 80, weight: empty }] }] },
  };
}

const leader = { namespace: 'llm', name: 'vllm', group: 0, pods: 'leader' } as const;

test.each([
  [0, 0],
  [5, 100],
  [50, 1000],
])('a share of %i % without endpoints loses %i of 2,000 requests', (empty, failed) => {
  const { clients, seconds } = world(empty);
  seconds(100);
  expect(clients.total().sent).toBe(2000);
  expect(Math.abs(clients.total().failed - failed)).toBeLessThanOrEqual(failed / 50);
});

test('a pod that is asked to go ends what it has started, one that falls down loses it', () => {
  const { cluster, clients, seconds } = world(0);
  seconds(20);
  cluster.kill(leader);
  seconds(40);
  expect(clients.total().failed).toBe(0);
  cluster.setPods(leader, { kind: 'crashing', restarts: 1 });
  seconds(1);
  // A quarter of what was started in 15 seconds: it is one of four groups.
  expect(clients.total().failed).toBe(75);
  const { failedAt } = clients.total();
  expect(failedAt).toBe(cluster.nowSeconds);
});

test('a gateway that is late sends half of the requests where the route led before', () => {
  const { cluster, clients, seconds } = world(50);
  seconds(10);
  const before = clients.total().failed;
  cluster.apply([route(0)], 'test');
  seconds(3);
  const late = clients.total().failed;
  expect(late).toBeGreaterThan(before);
  seconds(30);
  expect(clients.total().failed).toBe(late);
});
