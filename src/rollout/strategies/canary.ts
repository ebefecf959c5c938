/** The table of the strategies that fill a second workload: what comes before every row, then the row. */

import { givenUpOnLadder, goBackOnLadder } from '../events/ladder-back.ts';
import { heldOnLadder, overtakenOnLadder } from '../events/ladder-overtaken.ts';
import { goneHold } from '../events/marks-gone.ts';
import { strayShare } from '../events/withdrawing.ts';
import { frozenChanged } from '../gates/frozen.ts';
import { partitionMissing, rolloutAbsent } from '../gates/people.ts';
import { delivering, documentMissing, routeUnnamed } from '../ladders/delivering.ts';
import { partitionPutBack } from '../ladders/fleet.ts';
import { type Decision, holding } from '../move.ts';
import type { Situation } from '../situation.ts';
import type { OnLadder } from '../state.ts';
import { climbing } from './climbing.ts';
import { comingBack } from './coming-back.ts';
import { decideBy } from './partition.ts';
import { requestedToFill } from './requested-to-fill.ts';

/** What to do with one workload whose deliveries fill a second one. Pure. */
export function decideCanary(situation: Situation): Decision {
  const { state, snapshot } = situation;
  if (state.kind === 'ladder') return onLadder(situation, state);
  const marks = state.kind === 'unmanaged' ? snapshot.record?.marks : state.marks;
  const isAtRest = state.kind === 'settled' || state.kind === 'requested' || state.kind === 'unmanaged';
  const stray = isAtRest && marks !== undefined ? strayShare(situation, marks) : undefined;
  return stray ?? decideBy(situation, requestedToFill);
}

/** First match: unsafe, hidden, fixed, missing, given up, newer, by its row. */
function onLadder(situation: Situation, state: OnLadder): Decision {
  const { snapshot, digest } = situation;
  const { marks } = state;
  const unsafe = partitionMissing(situation) ?? rolloutAbsent(situation) ?? frozenChanged(situation);
  if (unsafe !== undefined) return holding([unsafe], 'StepUpgrade');
  if (snapshot.lostMarks !== undefined)
    return strayShare(situation, marks) ?? holding([goneHold(situation, snapshot.lostMarks)], 'StepUpgrade');
  const on = delivering(situation, marks, marks.release);
  if (on === undefined) return holding([documentMissing(situation)], 'StepUpgrade');
  const unnamed = routeUnnamed(on);
  if (unnamed !== undefined) return holding([unnamed], 'StepUpgrade');
  if (state.stage.kind === 'rollback') return comingBack(on);
  const given = givenUpOnLadder(situation, marks);
  if (given !== undefined) return goBackOnLadder(on, given);
  if (digest !== marks.release.digest) {
    const answer = heldOnLadder(on, state) ?? overtakenOnLadder(on, state);
    if (answer !== undefined) return answer;
  }
  return partitionPutBack(on, state) ?? climbing(on, state);
}
