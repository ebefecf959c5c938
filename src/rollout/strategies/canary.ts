/** The table of the strategies that fill a second workload: what comes before every row, then the row. */

import type { Marks } from '../../api/marks.ts';
import { failureBrake } from '../events/failing.ts';
import { withoutMarks } from '../events/giving-up.ts';
import { abortedOnLadder, abortedUnnamed, goBackOnLadder } from '../events/ladder-back.ts';
import { failedOnLadder } from '../events/ladder-failing.ts';
import { heldOnLadder, overtakenOnLadder, rollStopped } from '../events/ladder-overtaken.ts';
import { goneHold, marksBack, restoreGone } from '../events/marks-gone.ts';
import { partitionPutBack } from '../events/primary-partition.ts';
import { strayShare, withdrawn } from '../events/withdrawing.ts';
import { frozenChanged, strategyChanged } from '../gates/frozen.ts';
import { partitionMissing, rolloutAbsent, stalled } from '../gates/people.ts';
import type { Hold } from '../hold.ts';
import { delivering, documentMissing, documentsLost, routesChanged } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { servesEdited } from '../ladders/switch-edited.ts';
import { type Decision, holding } from '../move.ts';
import { recordedMarks } from '../observed/unsigned.ts';
import type { Situation } from '../situation.ts';
import type { OnLadder } from '../state.ts';
import { climbing } from './climbing.ts';
import { comingBack } from './coming-back.ts';
import { decideBy, isAborted, rows } from './partition.ts';
import { requestedToFill } from './requested-to-fill.ts';

/** What to do with one workload whose deliveries fill a second one. Pure. */
export function decideCanary(situation: Situation): Decision {
  const { state, snapshot } = situation;
  if (state.kind === 'ladder') return onLadder(situation, state);
  const marks = state.kind === 'unmanaged' ? recordedMarks(snapshot) : state.marks;
  const isAtRest = state.kind === 'settled' || state.kind === 'requested' || state.kind === 'unmanaged';
  const stray = isAtRest && marks !== undefined ? strayShare(situation, marks) : undefined;
  const isInert = stray?.move === undefined && state.kind === 'requested' && isAborted(situation, state.marks);
  return (isInert ? undefined : stray) ?? decideBy(situation, { ...rows, request: requestedToFill });
}

/** First match: unsafe, hidden, missing, in its rollback, aborted, fixed, newer, unserved, failed, by its row. */
function onLadder(situation: Situation, state: OnLadder): Decision {
  const { snapshot, digest } = situation;
  const { marks } = state;
  const unsafe = partitionMissing(situation);
  if (unsafe !== undefined) return holding([unsafe], 'StepUpgrade');
  const on = delivering(situation, marks, marks.release);
  const { lostMarks } = snapshot;
  if (lostMarks !== undefined) {
    const left = strayShare(situation, marks) ?? (on === undefined ? undefined : withdrawn(on));
    return left ?? withoutAnnotations(situation, { on, lost: lostMarks });
  }
  const fixed = notAsBegun(situation) ?? (on === undefined ? undefined : (documentsLost(on) ?? routesChanged(on)));
  if (on === undefined) return holding([fixed ?? documentMissing(situation)], 'StepUpgrade');
  if (state.stage.kind === 'rollback') return comingBack(on, fixed);
  // Which side is which hangs on this: a share would be taken from the one that serves.
  const confused = servesEdited(on);
  if (confused !== undefined) return holding([confused], 'StepUpgrade');
  const given = abortedOnLadder(situation, marks);
  if (given !== undefined) return goBackOnLadder(on, given);
  if (fixed !== undefined) {
    const brakes = [{ kind: 'notAsBegun', holds: [fixed] }] as const;
    return rollStopped(on, { state, hold: fixed }) ?? { ...protecting(on, state), brakes };
  }
  if (digest !== marks.release.digest) {
    const answer = heldOnLadder(on, state) ?? overtakenOnLadder(on, state);
    if (answer !== undefined) return answer;
  }
  const guarded = partitionPutBack(on, state) ?? withdrawn(on) ?? abortedUnnamed(on);
  return guarded ?? failedOnLadder(on) ?? { ...climbing(on, state), brakes: [failureBrake(situation)] };
}

/** Nothing is written without them; an abort puts them back first. */
function withoutAnnotations(
  situation: Situation,
  { on, lost }: { readonly on: Delivering | undefined; readonly lost: Marks },
): Decision {
  const given = withoutMarks(situation, lost);
  const back = given === undefined || on === undefined ? undefined : marksBack(on, { ...given, marks: lost });
  return back ?? holding([goneHold(situation, lost)], 'StepUpgrade');
}

/** What of the Rollout or of the marks is gone, or another than when the delivery started. */
function notAsBegun(situation: Situation): Hold | undefined {
  const absent =
    rolloutAbsent(situation) ?? (situation.snapshot.rollout === undefined ? stalled(situation) : undefined);
  return absent ?? strategyChanged(situation) ?? frozenChanged(situation) ?? restoreGone(situation);
}

/**
 * What the delivery was started with is gone, or another since: nothing goes further, the share stays where it is, and what
 * protects goes on: a template that rolls is stopped, a share of what serves nothing withdrawn, a whole primary locked.
 */
function protecting(on: Delivering, state: OnLadder): Decision {
  const isPrimary = state.stage.kind === 'promote' && state.at === 'primary';
  const locked = isPrimary ? undefined : partitionPutBack(on, state);
  const isNewer = on.situation.digest !== on.marks.release.digest;
  return locked ?? withdrawn(on) ?? (isNewer ? holding([], 'StepUpgrade') : climbing(on, state));
}
