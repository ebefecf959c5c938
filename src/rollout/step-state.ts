/** Kruise's word for where a step stands, by what it waits for. */

import type { StepState } from '../api/record.ts';
import { coversAll } from './batches.ts';
import { type Hold, holdKind } from './hold.ts';
import type { Situation } from './situation.ts';
import { stepStateOf, stepStates } from './steps.ts';

/** The state of the step: `groups` are waited for first, then what else holds it. */
export function stateOfStep(
  { steps, replicas }: Situation,
  index: number,
  waiting: { readonly groups: readonly Hold[]; readonly holds: readonly Hold[] },
): StepState {
  const step = steps[index - 1];
  const routed = step !== undefined && (step.traffic !== undefined || step.matches.length > 0);
  const whole = step !== undefined && replicas !== undefined && coversAll(step.replicas, replicas);
  const inGroups: readonly StepState[] = waiting.groups.length > 0 ? ['StepUpgrade'] : [];
  return stepStateOf(stepStates({ routed, whole }), [...inGroups, ...statesOf(waiting.holds)]);
}

/** Kruise's states in which a step whose groups are there waits for these. */
export function statesOf(holds: readonly Hold[]): readonly StepState[] {
  return holds.flatMap(({ reason }) => holdKind(reason)?.stepState ?? []);
}
