/** What a cluster does by itself and when told: loading, failing, scarce devices, outages, several LWS. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at, type JsonObject } from '../../src/api/json.ts';
import { printInstant } from '../../src/api/time.ts';
import { Cluster, type ClusterOptions } from '../../src/simulator/cluster-model.ts';
import { isRunningAndReady } from '../../src/simulator/lws/group-state.ts';
import { revisionKeyOf } from '../../src/simulator/objects/labels.ts';
import { canonicalQuantity } from '../../src/simulator/objects/quantity.ts';
import {
  CONTROLLER_REVISIONS,
  LWS,
  PODS,
  SERVICES,
  STATEFUL_SETS,
} from '../../src/simulator/objects/resource-table.ts';
import { stageMarks, stageOf } from '../../src/simulator/scenario/stage-table.ts';
import { type LwsOptions, lwsManifest, START_SECONDS } from '../support/simulated-cluster.ts';

const name = { namespace: 'llm', name: 'vllm' };
const modern: ClusterOptions = { lws: '0.10', gate: 'off', nowSeconds: START_SECONDS };

function running(options: Partial<ClusterOptions>, template: JsonObject = {}, spec: JsonObject = {}): Cluster {
  const cluster = new Cluster({ ...modern, readiness: () => 20, ...options });
  const manifest = manifestWith({}, template, spec);
  for (const { answer } of cluster.apply([manifest], 'flux')) expect(answer.ok).toBe(true);
  cluster.tick(100);
  return cluster;
}

function manifestWith(options: LwsOptions, template: JsonObject, spec: JsonObject = {}): JsonObject {
  const manifest = lwsManifest(options);
  const whole = manifest['spec'] as JsonObject;
  const merged = { ...(whole['leaderWorkerTemplate'] as JsonObject), ...template };
  return { ...manifest, spec: { ...whole, ...spec, leaderWorkerTemplate: merged } };
}

function groups(cluster: Cluster): string {
  return (stageOf(cluster, name)?.groups ?? []).map((cell) => stageMarks[cell]).join('');
}

function uid(cluster: Cluster, pod: string): string | undefined {
  return cluster.objects.get({ resource: PODS, namespace: 'llm', name: pod })?.metadata.uid;
}

function available(cluster: Cluster): unknown {
  const conditions = at(cluster.objects.get({ resource: LWS, ...name }), ['status', 'conditions']);
  return (conditions as readonly JsonObject[]).find(({ type }) => type === 'Available')?.['status'];
}

test('pods load for as long as they are told to, and some for ever', () => {
  const cluster = new Cluster({
    ...modern,
    readiness: (pod) => (pod.metadata.name.startsWith('vllm-3') ? 'never' : 30),
  });
  cluster.apply([lwsManifest()], 'flux');
  cluster.tick(29);
  expect(groups(cluster)).toBe('~~~~');
  cluster.tick(1);
  expect(groups(cluster)).toBe('●●●~');
  cluster.tick(10_000);
  expect(groups(cluster)).toBe('●●●~');
  expect(cluster.nowSeconds).toBe(START_SECONDS + 10_030);
});

describe('restart policies', () => {
  test.each([
    // policy, which pod restarts → are leader and worker other pods then?
    ['RecreateGroupOnPodRestart', 'leader', [true, true]],
    ['RecreateGroupOnPodRestart', 1, [true, true]],
    ['RecreateGroupAfterStart', 1, [true, true]],
    ['None', 'leader', [false, false]],
    ['None', 1, [false, false]],
  ] as const)('%s, restart of %s', (restartPolicy, pods, replaced) => {
    const cluster = running({}, { restartPolicy });
    const names = ['vllm-2', 'vllm-2-1'];
    const before = names.map((pod) => uid(cluster, pod));
    cluster.setPods({ ...name, group: 2, pods }, { kind: 'restarted', restarts: 1 });
    expect(names.map((pod, index) => uid(cluster, pod) !== before[index])).toEqual(replaced);
    expect(names.map((pod) => uid(cluster, pod))).not.toContain(undefined);
  });

  test('AfterStart leaves a group alone whose pods have not all started', () => {
    const cluster = running(
      { readiness: (pod) => (pod.metadata.name === 'vllm-2-1' ? 'never' : 20) },
      {
        restartPolicy: 'RecreateGroupAfterStart',
      },
    );
    const before = uid(cluster, 'vllm-2');
    cluster.setPods({ ...name, group: 2, pods: 'leader' }, { kind: 'restarted', restarts: 1 });
    expect(uid(cluster, 'vllm-2')).toBe(before);
  });

  test('a worker that is deleted on a node takes its group with it, one without a node does not', () => {
    const bound = running({ terminationSeconds: 5 });
    const before = uid(bound, 'vllm-1');
    bound.kill({ ...name, group: 1, pods: 1 });
    bound.rest();
    bound.tick(10);
    expect(uid(bound, 'vllm-1')).not.toBe(before);

    const loose = running({});
    const kept = uid(loose, 'vllm-1');
    loose.kill({ ...name, group: 1, pods: 1 });
    expect(uid(loose, 'vllm-1')).toBe(kept);
  });
});

test('LeaderReady makes workers only when the leader is ready', () => {
  const cluster = new Cluster({ ...modern, readiness: (pod) => (pod.metadata.name === 'vllm-3' ? 'never' : 20) });
  cluster.apply([manifestWith({}, {}, { startupPolicy: 'LeaderReady' })], 'flux');
  expect(cluster.objects.list(STATEFUL_SETS)).toHaveLength(1);
  cluster.tick(50);
  expect(cluster.objects.list(STATEFUL_SETS).map((set) => set.metadata.name)).toEqual([
    'vllm',
    'vllm-0',
    'vllm-1',
    'vllm-2',
  ]);
});

test('UniquePerReplica gives every group a Service of its own', () => {
  const cluster = running({}, {}, { networkConfig: { subdomainPolicy: 'UniquePerReplica' } });
  expect(cluster.objects.list(SERVICES).map((service) => service.metadata.name)).toEqual([
    'vllm-0',
    'vllm-1',
    'vllm-2',
    'vllm-3',
  ]);
  const worker = cluster.objects.get({ resource: PODS, namespace: 'llm', name: 'vllm-2-1' });
  expect(at(worker, ['spec', 'subdomain'])).toBe('vllm-2');
});

test('where devices are scarce an appended group waits, says so, and blocks the steps in place', () => {
  const gpu = { resources: { limits: { 'nvidia.com/gpu': '8' } } };
  const pod = (image: string) => ({ spec: { containers: [{ name: 'vllm', image, ...gpu }] } });
  const template = (image: string) => ({ leaderTemplate: pod(image), workerTemplate: pod(image) });
  const cluster = running({ stock: { resource: 'nvidia.com/gpu', amount: 72 } }, template('vllm:v1'));
  expect(groups(cluster)).toBe('●●●●');
  cluster.apply([manifestWith({ replicas: 5, partition: 3 }, template('vllm:v2'))], 'flux');
  cluster.tick(500);
  expect(groups(cluster)).toBe('○○○○~');
  const waiting = cluster.objects.list(PODS).filter((entry) => !isRunningAndReady(entry));
  expect(waiting.map((entry) => entry.metadata.name)).toEqual(['vllm-4-1']);
  const [condition] = at(waiting[0], ['status', 'conditions']) as readonly JsonObject[];
  expect(condition).toMatchObject({ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' });
  cluster.setStock(80);
  cluster.tick(21);
  // With the fifth group there, the fourth may restart.
  expect(groups(cluster)).toBe('○○○~●');
});

test('while the LWS controller is down nothing of LWS moves, and afterwards everything does', () => {
  const cluster = running({});
  cluster.setControllerUp(false);
  cluster.kill({ ...name, group: 0, pods: 'leader' });
  cluster.tick(100);
  expect([uid(cluster, 'vllm-0') === undefined, uid(cluster, 'vllm-0-1')]).toEqual([false, undefined]);
  cluster.setControllerUp(true);
  cluster.tick(100);
  expect(groups(cluster)).toBe('●●●●');
});

test('while the StatefulSet controller stands still LWS counts what is there, and afterwards the group restarts', () => {
  const cluster = running({});
  cluster.stopControllers(['statefulSets']);
  cluster.apply([lwsManifest({ partition: 3, image: 'vllm:v2' })], 'flux');
  cluster.tick(100);
  const set = cluster.objects.get({ resource: STATEFUL_SETS, ...name })!;
  const status = at(set, ['status']) as JsonObject;
  expect(groups(cluster)).toBe('○○○○');
  // One revision, as at rest: only the generation tells that it has not looked.
  expect(status['currentRevision']).toBe(status['updateRevision']);
  expect(status['observedGeneration']).toBeLessThan(set.metadata.generation!);
  cluster.stopControllers([]);
  cluster.tick(100);
  expect(groups(cluster)).toBe('○○○●');
});

test.each([
  // partition, nodes or none → worker sets of group 3 after the annotation came
  [1_000_000, {}, 1],
  [0, {}, 0],
  [0, { terminationSeconds: 1 }, 1],
] as const)('exclusive topology is no revision of LWS: partition %i, %j', (partition, kubelet, workers) => {
  const cluster = running({ ...kubelet, readiness: () => 'never' });
  cluster.store.patch({ resource: LWS, ...name }, { spec: rolling(partition) }, 'x');
  for (const group of [0, 1, 2, 3]) cluster.setPods({ ...name, group, pods: 'all' }, { kind: 'ready' });
  const before = uid(cluster, 'vllm-3');
  const key = { resource: STATEFUL_SETS, ...name };
  const revision = revisionKeyOf(cluster.objects.get(key)!);
  const annotations = { 'leaderworkerset.sigs.k8s.io/exclusive-topology': 'rack' };
  cluster.store.patch({ resource: LWS, ...name }, { metadata: { annotations } }, 'x');
  cluster.rest();
  expect(revisionKeyOf(cluster.objects.get(key)!)).toBe(revision);
  // At partition 0 the StatefulSet restarts leaders by itself; without a node they get no workers.
  expect(uid(cluster, 'vllm-3') === before).toBe(partition !== 0);
  const sets = cluster.objects.list(STATEFUL_SETS).filter((set) => set.metadata.name === 'vllm-3');
  expect(sets).toHaveLength(workers);
});

function rolling(partition: number): JsonObject {
  return { rolloutStrategy: { rollingUpdateConfiguration: { partition } } };
}

test('two LWS of one namespace do not touch each other', () => {
  const cluster = running({});
  const before = cluster.objects.list(PODS).filter(({ metadata }) => metadata.labels?.['app'] === 'vllm');
  cluster.apply([lwsManifest({ name: 'other', replicas: 2, image: 'sglang:v1' })], 'flux');
  cluster.tick(100);
  cluster.deleteLws({ namespace: 'llm', name: 'other' });
  cluster.rest();
  expect(cluster.objects.list(PODS).filter(({ metadata }) => metadata.labels?.['app'] === 'vllm')).toEqual(before);
});

test('the same template again has the same key and a higher number', () => {
  const cluster = running({});
  const key = (): string => revisionKeyOf(cluster.objects.get({ resource: STATEFUL_SETS, ...name })!);
  const first = key();
  cluster.apply([lwsManifest({ image: 'vllm:v2' })], 'flux');
  expect(key()).not.toBe(first);
  cluster.apply([lwsManifest()], 'flux');
  expect(key()).toBe(first);
  const names = cluster.objects.list(CONTROLLER_REVISIONS).map(({ metadata }) => metadata.name);
  expect(names).toEqual(expect.arrayContaining([`vllm-${first}-1`, `vllm-${first}-3`]));
  expect(first).toMatch(/^[4-9bcdf]{1,10}$/);
});

test('any row of events ends in rest, repeats exactly, and never rolls more than maxUnavailable at once', () => {
  const event = fc.oneof(
    fc.record({ do: fc.constant('partition'), to: fc.constantFrom(0, 1, 2, 3, 4, 1_000_000) }),
    fc.record({ do: fc.constant('image'), to: fc.constantFrom(1, 2, 3) }),
    fc.record({ do: fc.constant('kill'), to: fc.nat(3) }),
    fc.record({ do: fc.constant('tick'), to: fc.constantFrom(5, 20, 60) }),
    fc.record({ do: fc.constant('crash'), to: fc.nat(3) }),
  );
  const modes = fc.record({
    lws: fc.constantFrom('0.8' as const, '0.10' as const),
    gate: fc.constantFrom('off' as const, 'on' as const),
    kubelet: fc.constantFrom({}, { terminationSeconds: 3 }),
  });
  fc.assert(
    fc.property(modes, fc.array(event, { maxLength: 12 }), ({ kubelet, ...mode }, events) => {
      const play = (): Cluster => {
        const cluster = running({ ...mode, ...kubelet });
        let [image, partition, damaged] = [1, 1_000_000, 0];
        for (const { do: what, to } of events) {
          if (what === 'partition') partition = to;
          if (what === 'image') image = to;
          if (what === 'partition' || what === 'image') {
            cluster.apply(
              [lwsManifest({ partition, image: image === 1 ? 'vllm/vllm-openai:v0.9.2' : `vllm:v${image}` })],
              'flux',
            );
          }
          if (what === 'kill') cluster.kill({ ...name, group: to, pods: 'leader' });
          if (what === 'crash')
            cluster.setPods({ ...name, group: to, pods: 'leader' }, { kind: 'restarted', restarts: 1 });
          if (what === 'tick') cluster.tick(to);
          damaged += what === 'kill' || what === 'crash' ? 1 : 0;
          const down = groups(cluster).split('~').length - 1;
          expect(down).toBeLessThanOrEqual(1 + damaged);
        }
        return cluster;
      };
      const [first, second] = [play(), play()];
      expect(first.objects.resourceVersion).toBe(second.objects.resourceVersion);
      // Whatever happened: at partition 0 everything ends on the last template, ready, and then nothing is written.
      first.apply([lwsManifest({ partition: 0, image: 'vllm:v9' })], 'flux');
      first.tick(1000);
      expect([groups(first), available(first)]).toEqual(['●●●●', 'True']);
      const version = first.objects.resourceVersion;
      first.tick(1000);
      expect(first.objects.resourceVersion).toBe(version);
    }),
    { numRuns: 100, seed: 20_261_121 },
  );
});

test.each([
  ['32000m', '32'],
  ['32', '32'],
  ['1500m', '1500m'],
  ['0.5', '500m'],
  ['1000', '1k'],
  ['1024Mi', '1Gi'],
  ['1124Gi', '1124Gi'],
  ['1e3', '1k'],
  ['0', '0'],
  ['lots', 'lots'],
])('quantity %s is written %s', (value, wanted) => {
  expect(canonicalQuantity(value)).toBe(wanted);
});

test.each([
  [0, '1970-01-01T00:00:00Z'],
  [START_SECONDS, '2026-11-21T00:00:00Z'],
  [951_782_399, '2000-02-28T23:59:59Z'],
  [951_782_400.9, '2000-02-29T00:00:00Z'],
  [1_735_689_599, '2024-12-31T23:59:59Z'],
])('%d seconds are %s', (seconds, wanted) => {
  expect(printInstant(seconds)).toBe(wanted);
});
