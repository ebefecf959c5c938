/** Deliveries between two InferencePools, which the user keeps: weights alone are written, and blueGreen switches nothing. */

import { expect, test } from 'vitest';
import { type Found, passed, passes, releaseIn, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { asked, NEWER } from '../../support/ladder-stands.ts';
import { under } from '../../support/ladder-ticks.ts';
import { poolFiles, POOL_ROUTE as ROUTE } from '../../support/route-families.ts';
import { ROUTE_FILE } from '../../support/traffic-files.ts';
import { NEW, OLD } from '../../support/vllm.ts';

const STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 100%, traffic: 50%, pause: {duration: 60}',
];
const GROUP = 'inference.networking.k8s.io';
function requested(style: 'canary' | 'blueGreen', steps = STEPS): Stand {
  return asked(passed(settledOn(poolFiles(style, steps))).stand, OLD, NEW);
}

function until(start: Stand, subject: string): Stand {
  let stand = start;
  for (let count = 0; count < 30; count += 1) {
    const now = passed(stand);
    stand = now.stand;
    if (now.plan.commit?.subject.endsWith(`): ${subject}`) === true) return stand;
  }
  throw new Error(`no commit ${subject}`);
}

const backends = ({ texts }: Stand): string => /backendRefs:\n([\s\S]*)$/.exec(texts.get(ROUTE_FILE) ?? '')?.[1] ?? '';
const abort = (stand: Stand): Found => ({ intents: { abort: releaseIn(stand) } });

test('canary: up and through, weights of pools alone, and the route byte for byte as before', () => {
  const start = requested('canary');
  const shared = until(start, 'step 1/2, traffic: – → 5%');
  expect(
    backends(shared),
  ).toBe(`        - {group: ${GROUP}, kind: InferencePool, name: vllm-pool, weight: 95} # the primary
        - {group: ${GROUP}, kind: InferencePool, name: vllm-pool-next, weight: 5}
`);
  const { told, stand } = passes(start);
  expect(told.slice(-5)).toEqual([
    'Promoted: promote, primary',
    'RouteRestored: promote, route-restored',
    'hold GracePeriod Draining',
    'Settled: settled',
    'hold ',
  ]);
  expect(stand.texts.get(ROUTE_FILE)).toBe(ROUTE);
});

test('canary: withdrawn, and aborted with a share', () => {
  const shared = until(requested('canary'), 'step 1/2, traffic: – → 5%');
  const dead = passed(shared, { view: { second: '0:G-' } });
  expect(dead.told).toBe('TrafficWithdrawn: step 1/2, traffic withdrawn');
  expect(dead.stand.texts.get(ROUTE_FILE)).toBe(ROUTE);
  const { told, stand } = passes(shared, { found: abort });
  expect(told).toEqual([
    'Aborted: rollback, route-restored',
    'hold Draining',
    'RolledBack: rolled back',
    'hold AbortRefused',
  ]);
  expect(stand.texts.get(ROUTE_FILE)).toBe(ROUTE);
});

const FIRST = [
  'StepReady: step 1/2, template: vllm-green',
  'RungReady: step 1/2, pods: vllm-green 0 → 1',
  'RungReady: step 1/2, traffic: – → 5%',
  'hold GracePeriod',
  'hold PauseDuration',
  'StepReady: step 2/2, pods: vllm-green 1 → 4',
  'RungReady: step 2/2, traffic: 5% → 50%',
  'hold GracePeriod',
  'hold PauseDuration',
  'Promoted: promote, all: 50% → 100%',
  'hold GracePeriod Draining Baking',
  'Settled: settled',
  'hold ',
];

test('blueGreen: no switch and no route restored; the next release goes back to the first pool', () => {
  const first = passes(requested('blueGreen'));
  expect(first.told).toEqual(FIRST);
  const all = (weights: readonly [number, number]): string =>
    `        - {group: ${GROUP}, kind: InferencePool, name: vllm-pool, weight: ${weights[0]}} # the primary
        - {group: ${GROUP}, kind: InferencePool, name: vllm-pool-next, weight: ${weights[1]}}
`;
  expect(backends(first.stand)).toBe(all([0, 100]));
  const second = passes(asked(first.stand, NEW, NEWER));
  expect(second.told).toEqual(FIRST.map((line) => line.replaceAll('vllm-green', 'vllm')));
  expect(backends(second.stand)).toBe(all([100, 0]));
});

test('blueGreen: the share is limited the same in each direction', () => {
  const first = requested('blueGreen');
  const second = asked(passes(first).stand, NEW, NEWER);
  for (const [stand, limit, told] of [
    [first, 50, 'StepReady: step 1/2, template: vllm-green'],
    [first, 49, 'hold ShareTooLarge'],
    [second, 50, 'StepReady: step 1/2, template: vllm'],
    [second, 49, 'hold ShareTooLarge'],
    [until(second, 'step 2/2, traffic: 5% → 50%'), 49, 'hold GracePeriod ShareTooLarge'],
  ] as const)
    expect(passed(stand, under({ maxStepTrafficPercent: limit })).told, `${limit}`).toBe(told);
});

test.each([
  ['in a step', 'step 1/2, traffic: – → 5%'],
  ['with all requests', 'promote, all: 50% → 100%'],
])('blueGreen: aborted %s', (_, subject) => {
  const { told, stand } = passes(until(requested('blueGreen'), subject), { found: abort });
  expect(told).toEqual([
    'Aborted: rollback, route-restored',
    'hold Draining',
    'RolledBack: rolled back',
    'hold AbortRefused',
  ]);
  expect(stand.texts.get(ROUTE_FILE)).toBe(ROUTE);
});
