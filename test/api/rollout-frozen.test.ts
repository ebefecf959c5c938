/** What is fixed of a Rollout while it delivers. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/api/json.ts';
import { parseRollout, type Rollout } from '../../src/api/rollout.ts';
import { type FrozenPlan, frozenFaults, frozenPlanOf } from '../../src/api/rollout-frozen.ts';

const ROUTING = { service: 's', ingress: { name: 'i', classType: 'nginx' } };

function rolloutOf(
  body: JsonObject,
  name = 'vllm',
  spec: JsonObject = {},
  key: 'canary' | 'blueGreen' = 'canary',
): Rollout {
  const { rollout } = parseRollout({
    metadata: { name: 'r' },
    spec: { workloadRef: { apiVersion: 'a/v1', kind: 'K', name }, strategy: { [key]: body }, ...spec },
  });
  if (rollout === undefined) throw new Error('unreadable');
  return rollout;
}

const steps = [{ replicas: '25%', pause: {} }, { replicas: '100%' }];
const base = { steps, trafficRoutings: [ROUTING], failureThreshold: 1 };

test.each<readonly [string, Rollout, readonly string[]]>([
  ['nothing', rolloutOf(base), []],
  ['replicas of a step', rolloutOf({ ...base, steps: [{ replicas: '50%' }, { replicas: '100%' }] }), []],
  ['the threshold', rolloutOf({ ...base, failureThreshold: 2 }), []],
  ['disabled', rolloutOf(base, 'vllm', { disabled: true }), []],
  [
    'the order of keys',
    rolloutOf({ ...base, trafficRoutings: [{ ingress: { classType: 'nginx', name: 'i' }, service: 's' }] }),
    [],
  ],
  ['the workload', rolloutOf(base, 'other'), ['spec.workloadRef']],
  ['a step more', rolloutOf({ ...base, steps: [...steps, { replicas: '100%' }] }), ['spec.strategy.canary.steps']],
  [
    'a class of ingress',
    rolloutOf({ ...base, trafficRoutings: [{ service: 's', ingress: { name: 'i', classType: 'alb' } }] }),
    ['spec.strategy.canary.trafficRoutings'],
  ],
  ['no routing any more', rolloutOf({ steps }), ['spec.strategy.canary.trafficRoutings']],
  ['the style', rolloutOf({ ...base, enableExtraWorkloadForCanary: true }), ['spec.strategy']],
  ['two at once', rolloutOf({ steps }, 'other'), ['spec.workloadRef', 'spec.strategy.canary.trafficRoutings']],
])('%s', (_, after, paths) => {
  expect(frozenFaults(frozenPlanOf(rolloutOf(base)), after).map(({ path }) => path)).toEqual(paths);
});

test('what was recorded survives JSON', () => {
  expect(
    frozenFaults(JSON.parse(JSON.stringify(frozenPlanOf(rolloutOf(base)))) as FrozenPlan, rolloutOf(base)),
  ).toEqual([]);
});

test('the field is named as it stands in the file, and another style before what follows from it', () => {
  const green = rolloutOf(base, 'vllm', {}, 'blueGreen');
  const other = rolloutOf({ ...base, trafficRoutings: [] }, 'vllm', {}, 'blueGreen');
  const named = (before: Rollout, after: Rollout) => frozenFaults(frozenPlanOf(before), after).map(({ path }) => path);
  expect(named(green, other)).toEqual(['spec.strategy.blueGreen.trafficRoutings']);
  expect(named(rolloutOf(base), other)).toEqual(['spec.strategy', 'spec.strategy.blueGreen.trafficRoutings']);
});
