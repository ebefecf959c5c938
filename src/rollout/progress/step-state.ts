/** Kruise's word for where a step stands, by what it waits for. */

import type { StepState } from '../../api/record.ts';
import { type Hold, holdKind } from '../hold.ts';
import { coversAll } from '../observed/batches.ts';
import type { Situation } from '../situation.ts';

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

/** The states that one step goes through, in order (reference: Kruise rollout_canary.go:46-243). */
export function stepStates(step: { readonly routed: boolean; readonly whole: boolean }): readonly StepState[] {
  const all: readonly StepState[] = [
    'BeforeStepUpgrade',
    'StepUpgrade',
    'StepTrafficRouting',
    'StepMetricsAnalysis',
    'StepPaused',
    'StepReady',
  ];
  // With every group on the new version there is nothing left to route between.
  return step.routed && step.whole ? all.filter((state) => state !== 'StepTrafficRouting') : all;
}

/** Where a step stands: the first of its states that is waited in; none: it is ready for the next. */
function stepStateOf(states: readonly StepState[], waitingIn: readonly StepState[]): StepState {
  return states.find((state) => waitingIn.includes(state)) ?? 'StepReady';
}
