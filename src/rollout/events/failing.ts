/** A step that has failed by what policies say: held, or where they want that, in its rollback without someone. */

import type { Marks } from '../../api/marks.ts';
import { sameRelease, shortRelease } from '../../api/release.ts';
import { hasDeadlines } from '../deadlines.ts';
import { immutableBack } from '../edits/immutable-back.ts';
import { analysisHolds } from '../gates/analysis.ts';
import { recreated } from '../gates/cluster.ts';
import { failureLeading, newerRequestWaits, stepFailed, stepOverdue, whatFails } from '../gates/failure.ts';
import { partitionFacts } from '../gates/out-of-place.ts';
import { clockIsOff } from '../gates/windows.ts';
import { type Hold, hold } from '../hold.ts';
import type { Brake } from '../move.ts';
import type { Aborted } from '../orders/aborted-release.ts';
import type { Situation } from '../situation.ts';
import { capital } from '../texts/sentences.ts';

/**
 * What is aborted automatically; undefined: nothing is. Only the template that was seen to fail, only where all of it is as
 * our commits have left it, and only by an edit in place: the rest is for people.
 */
export function failedBack(situation: Situation, { release }: Pick<Marks, 'release'>): Aborted | undefined {
  const { snapshot, digest } = situation;
  if (digest !== release.digest || snapshot.stable.kind !== 'known') return undefined;
  if (recreated(situation) !== undefined || partitionFacts(situation) !== undefined || immutableBack(situation))
    return undefined;
  const failure = failureLeading(situation, 'rollback');
  if (failure === undefined) return undefined;
  const because = `${capital(whatFails(situation))} of release ${shortRelease(release)} has failed: ${failure.seen}. Nobody has ordered this.`;
  return { release, reason: 'Failed', because };
}

/** The brake of a step that has failed. With a clock that is off no deadline counts: that is said where it waits. */
export function failureBrake(situation: Situation): Brake {
  const uncounted = hasDeadlines(situation.snapshot.policy) ? clockIsOff(situation) : undefined;
  const holds = failureHolds(situation);
  return uncounted === undefined ? { kind: 'failed', holds } : { kind: 'failed', holds, waiting: [uncounted] };
}

/** Why a step, or a promotion, that has failed or is late goes nowhere by itself; empty: it has not, or people have accepted that. */
export function failureHolds(situation: Situation): readonly Hold[] {
  const waits = newerRequestWaits(situation);
  const failed = waits === undefined ? [stepFailed(situation), ...analysisHolds(situation)] : [waits];
  return [...failed, stepOverdue(situation), jumpOverFailed(situation)].filter((found) => found !== undefined);
}

/** A jump that is ordered over a step that metrics have failed: it is made once someone accepts the failure, and not before. */
function jumpOverFailed(situation: Situation): Hold | undefined {
  const { snapshot, marks } = situation;
  const jump = snapshot.rollout?.intents.jump;
  if (jump === undefined || marks?.step?.kind !== 'step' || !sameRelease(jump.release, marks.release)) return undefined;
  if (jump.index <= marks.step.index || !analysisHolds(situation).some(isFailure)) return undefined;
  const { index } = marks.step;
  return hold('JumpRefused', {
    seen: `jump to step ${jump.index}: step ${index} has failed by its metrics, which nobody has accepted`,
    waits: 'people',
  });
}

function isFailure({ reason }: Hold): boolean {
  return reason === 'AnalysisFailed';
}
