/** A step that has failed by what policies say: held, or where they want that, on its way back without a person. */

import type { Marks } from '../../api/marks.ts';
import { shortRelease } from '../../api/release.ts';
import { hasDeadlines } from '../deadlines.ts';
import { recreated } from '../gates/cluster.ts';
import { failureToAct, newerRequestWaits, stepFailed, stepOverdue, whatFails } from '../gates/failure.ts';
import { partitionFacts } from '../gates/out-of-place.ts';
import { clockIsOff } from '../gates/windows.ts';
import type { GivenUp } from '../given-up.ts';
import { type Hold, unique } from '../hold.ts';
import { immutableBack } from '../immutable-back.ts';
import { type Decision, holding, moving } from '../move.ts';
import { capital } from '../sentences.ts';
import type { Situation } from '../situation.ts';

/**
 * What is given up by itself; undefined: nothing is. Only the text that was seen to fail, only where all of it is as
 * our commits have left it, and only by an edit in place: the rest is for people.
 */
export function failedBack(situation: Situation, { release }: Pick<Marks, 'release'>): GivenUp | undefined {
  const { snapshot, digest } = situation;
  if (snapshot.policy.onFailure !== 'rollback' || digest !== release.digest || snapshot.stable.kind !== 'known')
    return undefined;
  if (recreated(situation) !== undefined || partitionFacts(situation) !== undefined || immutableBack(situation))
    return undefined;
  const failure = failureToAct(situation);
  if (failure === undefined) return undefined;
  const because = `${capital(whatFails(situation))} of release ${shortRelease(release)} has failed: ${failure.seen}. Nobody has ordered this.`;
  return { release, reason: 'Failed', because };
}

/** The decision of a row, held back where its step has failed: what brakes, arms or mends goes on. */
export function withFailure(situation: Situation, decision: Decision): Decision {
  const told = failureHolds(situation);
  const { move, holds, stepState, stepDone } = decision;
  const uncounted = hasDeadlines(situation.snapshot.policy) ? clockIsOff(situation) : undefined;
  // Said where it waits; what may begin begins all the same.
  if (uncounted !== undefined && move === undefined) return holding(unique([...holds, uncounted]), stepState, stepDone);
  if (told.length === 0) return decision;
  const all = unique([...told, ...holds]);
  if (move === undefined || move.way === 'forward') return holding(all, stepState, stepDone);
  return moving(move, stepState, all, stepDone);
}

/** Why a step, or a promotion, that has failed or is late goes nowhere by itself; empty: it has not, or people have accepted that. */
export function failureHolds(situation: Situation): readonly Hold[] {
  const failed = newerRequestWaits(situation) ?? stepFailed(situation);
  return [failed, stepOverdue(situation)].filter((found) => found !== undefined);
}
