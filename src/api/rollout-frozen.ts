/** What must not change of a Rollout while it delivers: recorded when a delivery starts, compared before every step. */

import { type Json, jsonEqual } from './json.ts';
import type { Rollout } from './rollout.ts';
import { STYLES } from './styles.ts';

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

/** A field that was edited although it is fixed until the delivery ends. */
type FrozenFault = { readonly path: string; readonly message: string };

/**
 * What an edit in mid-delivery changed although it is fixed until the end: workload, rolling style, traffic routings,
 * number of steps (reference: Kruise rollout_create_update_handler.go:158-174).
 */
export function frozenFaults(before: FrozenPlan, rollout: Rollout): readonly FrozenFault[] {
  const after = frozenPlanOf(rollout);
  const body = `spec.strategy.${STYLES[rollout.style].key}`;
  // Another style has other fields: it is named before what may follow from it.
  const fields = [
    ['workloadRef', 'spec.workloadRef', 'the workload'],
    ['style', 'spec.strategy', 'the rolling style'],
    ['trafficRoutings', `${body}.trafficRoutings`, 'where traffic is routed'],
    ['steps', `${body}.steps`, 'the number of steps'],
  ] as const;
  return fields
    .filter(([key]) => !jsonEqual(before[key], after[key]))
    .map(([key, path, what]) => ({
      path,
      message: `${path} was edited in mid-delivery: ${what} is fixed until it ends (was ${JSON.stringify(before[key])}, is ${JSON.stringify(after[key])})`,
    }));
}
