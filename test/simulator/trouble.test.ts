/** What befalls pods: lost nodes, images that are not there, containers that crash; in the kubelet's words. */

import { expect, test } from 'vitest';
import { at, type JsonObject } from '../../src/api/json.ts';
import { Cluster } from '../../src/simulator/cluster-model.ts';
import { PODS } from '../../src/simulator/objects/resource-table.ts';
import type { PodCondition } from '../../src/simulator/pods/pod-status.ts';
import { lwsManifest } from '../support/simulated-cluster.ts';
import { patch, tell, told } from './story.ts';

const name = { namespace: 'llm', name: 'vllm' };
const onNodes = { bound: true, start: { N: 3, P: 1_000_000 } } as const;
const of = (type: string, ...group: readonly number[]): JsonObject => ({ type, group });
const wait = (seconds: number): JsonObject => ({ type: 'wait', ms: seconds * 1000 });

test('a lost node: not ready at once, evicted after five minutes, stuck until the node is removed', () => {
  const steps = tell({ ...onNodes, events: [of('loseNode', 1), wait(290), wait(20), wait(600), of('removeNode', 1)] });
  expect(steps.map(told)).toEqual([
    '1000000/3 | 0:A+ 1:A- 2:A+ | r2 u3 | Pr',
    '1000000/3 | 0:A+ 1:A- 2:A+ | r2 u3 | Pr',
    '1000000/3 | 0:A+ 1:A- 2:A+ | r2 u3 | Pr',
    '1000000/3 | 0:A+ 1:A- 2:A+ | r2 u3 | Pr',
    '1000000/3 | 0:A+ 1:A- 2:A+ | r2 u3 | Pr',
  ]);
  expect(steps.map((step) => step.groups[1]!['leaderReplaced'])).toEqual([false, false, false, false, true]);
});

test('a node that is back in time gives its group back; one that is back late, another', () => {
  const soon = tell({ ...onNodes, events: [of('loseNode', 1), wait(200), of('findNode', 1), wait(300)] });
  expect(soon.map(told).slice(2)).toEqual([
    '1000000/3 | 0:A+ 1:A+ 2:A+ | r3 u3 | Av',
    '1000000/3 | 0:A+ 1:A+ 2:A+ | r3 u3 | Av',
  ]);
  const late = tell({ ...onNodes, events: [of('loseNode', 1), wait(400), of('findNode', 1)] });
  expect(late.at(-1)!.groups[1]).toMatchObject({ leaderReplaced: true, leaderReady: false });
});

test('an order to a pod on a lost node is not heard', () => {
  const steps = tell({ ...onNodes, events: [of('loseNode', 0, 1), of('ready', 1), patch({ template: 'B' })] });
  expect(steps.map((step) => step.groups.map((group) => group['leaderReady']))).toEqual([
    [false, false, true],
    [false, false, true],
    [false, false, true],
  ]);
});

test.each<[PodCondition, string, string, JsonObject]>([
  [
    { kind: 'imageMissing', attempts: 1 },
    'Pending',
    'ErrImagePull',
    { message: 'failed to pull and unpack image "vllm/vllm-openai:v0.9.2": not found' },
  ],
  [
    { kind: 'imageMissing', attempts: 4 },
    'Pending',
    'ImagePullBackOff',
    {
      message:
        'Back-off pulling image "vllm/vllm-openai:v0.9.2": ErrImagePull: ' +
        'failed to pull and unpack image "vllm/vllm-openai:v0.9.2": not found',
    },
  ],
  [
    { kind: 'crashing', restarts: 1 },
    'Running',
    'CrashLoopBackOff',
    { message: expect.stringMatching(/^back-off 10s restarting failed container=\w+ pod=vllm-0_llm\(.+\)$/) },
  ],
  [
    { kind: 'crashing', restarts: 5 },
    'Running',
    'CrashLoopBackOff',
    { message: expect.stringMatching(/^back-off 2m40s restarting/) },
  ],
  [
    { kind: 'crashing', restarts: 9 },
    'Running',
    'CrashLoopBackOff',
    { message: expect.stringMatching(/^back-off 5m0s restarting/) },
  ],
])('%j', (condition, phase, reason, more) => {
  const cluster = new Cluster({ lws: '0.10', gate: 'off', nowSeconds: 1_795_219_200 });
  const spec = lwsManifest()['spec'] as JsonObject;
  const template = { ...(spec['leaderWorkerTemplate'] as JsonObject), restartPolicy: 'None' };
  cluster.apply([{ ...lwsManifest(), spec: { ...spec, leaderWorkerTemplate: template } }], 'flux');
  cluster.setPods({ ...name, group: 0, pods: 'leader' }, condition);
  const pod = cluster.objects.get({ resource: PODS, namespace: 'llm', name: 'vllm-0' });
  expect(at(pod, ['status', 'phase'])).toBe(phase);
  const [container] = at(pod, ['status', 'containerStatuses']) as readonly JsonObject[];
  expect(container).toMatchObject({
    ready: false,
    restartCount: condition.kind === 'crashing' ? condition.restarts : 0,
    state: { waiting: { reason, ...more } },
  });
});

test('a crash loop under RecreateGroupOnPodRestart never stays one: the group is recreated', () => {
  const steps = tell({ ...onNodes, events: [of('crashLoop', 2)] });
  expect(steps[0]!.groups[2]).toMatchObject({ leaderReplaced: true, workersReplaced: true });
});
