/** What is fixed of a Rollout while it delivers. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/api/json.ts';
import { parseRollout } from '../../src/api/rollout.ts';
import { type FrozenPlan, frozenFaults, frozenPlanOf } from '../../src/api/rollout-frozen.ts';

const ROUTING = { service: 's', ingress: { name: 'i', classType: 'nginx' } };

function planOf(canary: JsonObject, name = 'vllm', spec: JsonObject = {}): FrozenPlan {
  const { rollout } = parseRollout({
    metadata: { name: 'r' },
    spec: { workloadRef: { apiVersion: 'a/v1', kind: 'K', name }, strategy: { canary }, ...spec },
  });
  if (rollout === undefined) throw new Error('unreadable');
  return frozenPlanOf(rollout);
}

const steps = [{ replicas: '25%', pause: {} }, { replicas: '100%' }];
const base = { steps, trafficRoutings: [ROUTING], failureThreshold: 1 };

test.each<readonly [string, FrozenPlan, readonly string[]]>([
  ['nothing', planOf(base), []],
  ['replicas of a step', planOf({ ...base, steps: [{ replicas: '50%' }, { replicas: '100%' }] }), []],
  ['the threshold', planOf({ ...base, failureThreshold: 2 }), []],
  ['disabled', planOf(base, 'vllm', { disabled: true }), []],
  [
    'the order of keys',
    planOf({ ...base, trafficRoutings: [{ ingress: { classType: 'nginx', name: 'i' }, service: 's' }] }),
    [],
  ],
  ['the workload', planOf(base, 'other'), ['spec.workloadRef']],
  ['a step more', planOf({ ...base, steps: [...steps, { replicas: '100%' }] }), ['spec.strategy.canary.steps']],
  [
    'a class of ingress',
    planOf({ ...base, trafficRoutings: [{ service: 's', ingress: { name: 'i', classType: 'alb' } }] }),
    ['spec.strategy.canary.trafficRoutings'],
  ],
  ['no routing any more', planOf({ steps }), ['spec.strategy.canary.trafficRoutings']],
  ['the style', planOf({ ...base, enableExtraWorkloadForCanary: true }), ['spec.strategy']],
  ['two at once', planOf({ steps }, 'other'), ['spec.workloadRef', 'spec.strategy.canary.trafficRoutings']],
])('%s', (_, after, paths) => {
  expect(frozenFaults(planOf(base), after).map((fault) => fault.at.join('.'))).toEqual(paths);
});

test('what was recorded survives JSON', () => {
  expect(frozenFaults(JSON.parse(JSON.stringify(planOf(base))) as FrozenPlan, planOf(base))).toEqual([]);
});
