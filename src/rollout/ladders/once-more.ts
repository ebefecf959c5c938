/** Rungs that are climbed once more: what they made is not what is wanted any more. */

import { isOneWorkload, takesTurns } from '../../api/styles.ts';
import { type Condition, LIVE } from './condition.ts';
import type { Delivery } from './delivery.ts';
import { isRefilled, REFILLED } from './filling-back.ts';
import { fillsBack, type Position, type Stage } from './position.ts';
import { isOvertaken, restoredRoutes, restoreRoutes } from './promotion.ts';
import type { Rung } from './rung.ts';
import { isOutgrown, isOversized, stepLadder } from './step.ts';

/** Where the climb goes on: these rungs, once all of `waits` is seen. */
export type Climb = { readonly stage: Stage; readonly rungs: readonly Rung[]; readonly waits: readonly Condition[] };

/**
 * N rose: the step's groups come again, before the next share and before the other side is left. Of two colours also where it
 * was lowered, until all requests go over: from there on people scale the colour that serves.
 */
export function groupsAgain(delivery: Delivery, { stage, at }: Position): Climb | undefined {
  const { plan } = delivery;
  if (stage.kind === 'rollback')
    return fillsBack(delivery) && !isRefilled(delivery, at) ? { stage, rungs: REFILLED, waits: [LIVE] } : undefined;
  const index = stage.kind === 'step' ? stage.index : plan.steps.length;
  const step = plan.steps[index - 1];
  if (step === undefined || isOneWorkload(plan.style)) return undefined;
  const isFilled = stage.kind === 'step' && (at === 'pods' || at === 'traffic');
  const isShort = isFilled && (isOutgrown(delivery, step) || isOversized(delivery));
  const takesOver = takesTurns(plan.style) && stage.kind === 'promote';
  const isBehind = takesOver && at === 'all' && isOvertaken(delivery);
  if (!isShort && !isBehind) return undefined;
  const rungs = stepLadder(step).filter((rung) => rung.at === 'pods');
  return { stage: { kind: 'step', index, of: plan.steps.length }, rungs, waits: [LIVE] };
}

/** A route that was missing, or that a hand has changed, sends to the new version after `route-restored`: it goes to stable as well. */
export function restoreOnceMore(
  delivery: Delivery,
  { position, rungs }: { readonly position: Position; readonly rungs: readonly Rung[] },
): Climb | undefined {
  const [rung] = rungs;
  const { stage, at } = position;
  if (at !== 'route-restored' || rung?.at !== 'route-restored' || stage.kind === 'step') return undefined;
  // In blueGreen the Service goes back in the rollback alone.
  const isBack = stage.kind === 'rollback' && !fillsBack(delivery);
  const made = isBack ? restoreRoutes(delivery) : restoredRoutes(delivery);
  if (made.kind === 'unwritable' || made.objects.length === 0) return undefined;
  return { stage, rungs: [{ ...rung, commit: () => made }], waits: [LIVE] };
}
