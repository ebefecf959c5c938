/** Which step is next: the natural one, a jump, or another because the plan was edited. Step indexes are 1-based. */

import { type IntOrPercent, percentOf } from '../api/int-or-percent.ts';
import type { RolloutStep } from '../api/rollout-steps.ts';
import { plannedGroups } from './observed/batches.ts';
import { ofGroups } from './texts/sentences.ts';

/** The natural next step, or -1 after the last (reference: Kruise rollout_utils.go:177-186). */
export function nextStepIndex(steps: number, current: number): number {
  return current >= steps ? -1 : current + 1;
}

type PauseDecision =
  | { readonly kind: 'pass' }
  | { readonly kind: 'manual' }
  | { readonly kind: 'timed'; readonly leftSeconds: number };

/**
 * What a step's pause asks for, `elapsedSeconds` after its groups were done. A step without duration waits for someone. Kruise lets a last step of literally "100%" pass whatever its pause (rollout_canary.go:283-313); here only
 * where no pause is written: a written one is served, locked.
 */
export function pauseDecision(
  step: RolloutStep,
  at: { readonly last: boolean; readonly elapsedSeconds: number },
): PauseDecision {
  if (step.pause.kind === 'timed') {
    // Strictly later, as in Kruise: a pause of 0 passes on the next pass, never on the one that saw the groups ready.
    const leftSeconds = step.pause.seconds - at.elapsedSeconds;
    return leftSeconds < 0 ? { kind: 'pass' } : { kind: 'timed', leftSeconds: leftSeconds + 1 };
  }
  if (step.pause.kind === 'unset' && at.last && step.replicas === '100%') return { kind: 'pass' };
  return { kind: 'manual' };
}

/** Why a jump is refused; undefined: it may be made. Upward only, because pods never go back by a jump. */
export function jumpRefusal(
  target: number,
  at: { readonly current: number; readonly steps: number },
): string | undefined {
  if (target > at.steps) return `there are only ${at.steps} steps`;
  if (target <= at.current) return `step ${at.current} is already reached; a jump only goes forward`;
  return undefined;
}

/** The step to write after the current one: the jump's target where one is asked for and allowed. */
export function followingStep(
  jump: number | undefined,
  at: { readonly current: number; readonly steps: number },
): number {
  return jump !== undefined && isJump(jump, at) ? jump : nextStepIndex(at.steps, at.current);
}

/**
 * Where an edited plan leaves a delivery that has `done` groups planned: the current step if its count still fits,
 * else the first that does, else the last (reference: Kruise rollout_progressing.go:525-569).
 */
export function stepAfterEdit(
  steps: readonly IntOrPercent[],
  at: { readonly current: number; readonly done: number; readonly replicas: number },
): number {
  const candidates = [at.current, ...steps.map((_, index) => index + 1)];
  const fits = (index: number): boolean => {
    const step = steps[index - 1];
    return step !== undefined && at.done <= plannedGroups(step, at.replicas);
  };
  return candidates.find(fits) ?? steps.length;
}

/** Tells a jump from the natural next step (reference: Kruise rollout_status.go:405-440). */
export function isJump(target: number, at: { readonly current: number; readonly steps: number }): boolean {
  return jumpRefusal(target, at) === undefined && target !== nextStepIndex(at.steps, at.current);
}

/** `25 %` of a step for people: `2 of 4 groups`. */
export function describeStep(step: RolloutStep, replicas: number): string {
  const percent = percentOf(step.replicas);
  const groups = ofGroups(plannedGroups(step.replicas, replicas), replicas);
  return percent === undefined ? groups : `${groups} (${percent} %)`;
}
