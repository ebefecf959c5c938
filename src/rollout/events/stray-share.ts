/** A share that nothing accounts for: at rest, or where the marks of the delivery are gone. */

import type { Marks } from '../../api/marks.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import type { Decision } from '../move.ts';
import { recordedMarks } from '../observed/unsigned.ts';
import type { Situation } from '../situation.ts';
import { beforeFirstStep } from './giving-up.ts';
import { strayShare, withdrawn } from './withdrawing.ts';

/** At rest. A request that is aborted is withdrawn all the same, where nothing can be written for the share. */
export function strayAtRest(situation: Situation): Decision | undefined {
  const { state, snapshot } = situation;
  const isAtRest = state.kind === 'settled' || state.kind === 'requested' || state.kind === 'unmanaged';
  if (!isAtRest) return undefined;
  const marks = state.kind === 'unmanaged' ? recordedMarks(snapshot) : state.marks;
  const stray = marks === undefined ? undefined : strayShare(situation, marks);
  const isAborted = state.kind === 'requested' && beforeFirstStep(situation, state.marks) !== undefined;
  return stray?.move === undefined && isAborted ? undefined : stray;
}

/** Where the marks are gone: nothing else may be written without them. */
export function strayWithoutMarks(
  situation: Situation,
  { marks, on }: { readonly marks: Marks; readonly on: Delivering | undefined },
): Decision | undefined {
  if (situation.snapshot.lostMarks === undefined) return undefined;
  return strayShare(situation, marks) ?? (on === undefined ? undefined : withdrawn(on));
}
