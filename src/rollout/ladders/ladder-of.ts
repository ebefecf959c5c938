/** Which ladder belongs to a place: of a step, of a promotion or of a rollback, by the style. */

import { isOneWorkload } from '../../api/styles.ts';
import { annotationsOf, type Delivery } from './delivery.ts';
import { FILLING_BACK } from './filling-back.ts';
import { fillsBack, type Position, positionOf, type Stage } from './position.ts';
import { promotions } from './promotion.ts';
import { rollBack } from './rollback.ts';
import type { Rung } from './rung.ts';
import { stepLadder } from './step.ts';
import { versionRollback } from './version-rollback.ts';
import { firstLadder, versionLadder } from './version-step.ts';

/** The ladder above: the next step, or the promotion. */
export function stageAfter({ plan }: Delivery, stage: Stage): Stage {
  if (stage.kind !== 'step' || stage.index >= plan.steps.length) return { kind: 'promote' };
  return { kind: 'step', index: stage.index + 1, of: plan.steps.length };
}

/** The ladder of a position, from the lowest rung. */
export function ladderOf(delivery: Delivery, { stage, at }: Position): readonly Rung[] {
  const { plan } = delivery;
  if (stage.kind === 'rollback') return backFrom(delivery, { stage, at });
  if (stage.kind === 'promote') return promotions[plan.style];
  const step = plan.steps[stage.index - 1];
  if (!isOneWorkload(plan.style)) return step === undefined ? [] : stepLadder(step);
  return isAtRest(delivery) && step !== undefined ? firstLadder(step) : versionLadder(step, at);
}

/** Whether no delivery is in progress by the marks of the user's LeaderWorkerSet. */
export function isAtRest({ own }: Delivery): boolean {
  return positionOf(annotationsOf(own)) === undefined;
}

/** The ladder of the rollback from this place; one that is in progress goes on with the rungs above its own. */
export function backFrom(delivery: Delivery, position: Position): readonly Rung[] {
  if (isOneWorkload(delivery.plan.style)) return versionRollback(position);
  return fillsBack(delivery) ? FILLING_BACK : rollBack(delivery, position);
}
