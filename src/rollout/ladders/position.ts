/** Where on its ladder a delivery stands, as the user's LeaderWorkerSet says it by two annotations. */

import {
  MARK,
  parseRung,
  parseStep,
  printStep,
  type RungMark,
  type StepMark,
  withoutRelease,
} from '../../api/marks.ts';
import { parseRestore } from '../../api/restore.ts';
import { annotationsOf, type Delivery } from './delivery.ts';

/** `settled` is no place to stand on: its commit takes the marks away. */
export type RungName = RungMark | 'settled';

/** Which ladder it is. Steps count from 1. */
export type Stage = StepMark;

/** `at` undefined: before the first rung of the ladder. */
export type Position = { readonly stage: Stage; readonly at: RungMark | undefined };

/** Whether both are the same ladder. */
export function sameStage(left: Stage | undefined, right: Stage): boolean {
  return left !== undefined && printStep(left) === printStep(right);
}

/** Whether the marks of the user's LeaderWorkerSet say that it goes back. */
export function isRollback({ own }: Pick<Delivery, 'own'>): boolean {
  return positionOf(annotationsOf(own))?.stage.kind === 'rollback';
}

/** The same as `isFillingBack` by the annotations of a document. No rung of another rollback leads there. */
export function fillsBack({ own }: Pick<Delivery, 'own'>): boolean {
  return isRollback({ own }) && parseRestore(annotationsOf(own)[MARK.restore] ?? '')?.undone !== undefined;
}

/** The position that annotations say; undefined: no delivery is in progress, or they cannot be read. */
export function positionOf(annotations: Readonly<Record<string, string>>): Position | undefined {
  const position = positionBack(annotations);
  // Step 0 is another strategy's.
  return position?.stage.kind === 'step' && position.stage.index === 0 ? undefined : position;
}

/** The same for a rollback: from a step 0 that somebody has written next to a rung it starts as from any other step. */
export function positionBack(annotations: Readonly<Record<string, string>>): Position | undefined {
  const stage = parseStep(withoutRelease(annotations[MARK.step] ?? ''), undefined);
  return stage === undefined ? undefined : { stage, at: parseRung(annotations[MARK.at]) };
}
