/** What must not change of a Rollout while it delivers: recorded when a delivery starts, compared before every step. */

import type { FieldFault } from './field-reader.ts';
import { type Json, jsonEqual } from './json.ts';
import type { Rollout } from './rollout.ts';

/** As it was written when the delivery started. */
export type FrozenPlan = {
  readonly workloadRef: Json;
  readonly trafficRoutings: Json;
  readonly style: Json;
  /** The number of steps; what is in them may change. */
  readonly steps: Json;
};

/** What is fixed of this Rollout, in the shape that a record keeps. */
export function frozenPlanOf({ workload, strategy, style, steps }: Rollout): FrozenPlan {
  return {
    workloadRef: { ...workload },
    trafficRoutings: strategy['trafficRoutings'] ?? [],
    style,
    steps: steps.length,
  };
}

const WORDS = {
  workloadRef: ['spec.workloadRef', 'the workload'],
  trafficRoutings: ['spec.strategy.canary.trafficRoutings', 'where traffic is routed'],
  style: ['spec.strategy', 'the rolling style'],
  steps: ['spec.strategy.canary.steps', 'the number of steps'],
} as const;

/**
 * What an edit in mid-delivery changed although it is fixed until the end: workload, traffic routings, rolling style,
 * number of steps (reference: Kruise rollout_create_update_handler.go:158-174).
 */
export function frozenFaults(before: FrozenPlan, after: FrozenPlan): readonly FieldFault[] {
  const keys: readonly (keyof FrozenPlan)[] = ['workloadRef', 'trafficRoutings', 'style', 'steps'];
  return keys
    .filter((key) => !jsonEqual(before[key], after[key]))
    .map((key) => {
      const [path, what] = WORDS[key];
      return {
        at: path.split('.'),
        reason: 'FrozenInDelivery',
        message: `${path} was edited in mid-delivery: ${what} is fixed until it ends (was ${JSON.stringify(before[key])}, is ${JSON.stringify(after[key])})`,
        hint: 'Put it back, or abort the delivery first.',
      };
    });
}
