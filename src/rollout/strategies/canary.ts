/** The table of the strategies that fill a second workload: what comes before every row, then the row. */

import { takesTurns } from '../../api/styles.ts';
import { covered } from '../events/covering.ts';
import { failureBrake } from '../events/failing.ts';
import { withoutMarks } from '../events/giving-up.ts';
import { abortedOnLadder, abortedUnnamed, goBackOnLadder } from '../events/ladder-back.ts';
import { failedOnLadder } from '../events/ladder-failing.ts';
import { heldOnLadder, overtakenOnLadder, rollStopped } from '../events/ladder-overtaken.ts';
import { goneHold, marksBack, restoreGone, rollbackAgain } from '../events/marks-gone.ts';
import { partitionPutBack } from '../events/primary-partition.ts';
import { strayAtRest, strayWithoutMarks } from '../events/stray-share.ts';
import { undoByColour } from '../events/undoing-colour.ts';
import { withdrawn } from '../events/withdrawing.ts';
import { frozenChanged, strategyChanged } from '../gates/frozen.ts';
import { partitionMissing, rolloutAbsent, stalled } from '../gates/people.ts';
import type { Hold } from '../hold.ts';
import { delivering, documentMissing, documentsLost, routesChanged } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { styleInUse } from '../ladders/ladder-files.ts';
import { servesEdited } from '../ladders/switch-edited.ts';
import { type Decision, holding } from '../move.ts';
import type { Situation } from '../situation.ts';
import { isFillingBack, type OnLadder } from '../state.ts';
import { climbing } from './climbing.ts';
import { comingBack } from './coming-back.ts';
import { fillingBack } from './filling-back.ts';
import { type Event, firstOf } from './first-of.ts';
import { decideBy, rows } from './partition.ts';
import { requestedToFill } from './requested-to-fill.ts';

/** What to do with one workload whose deliveries fill a second one. Pure. */
export function decideCanary(situation: Situation): Decision {
  const { state } = situation;
  if (state.kind === 'ladder') return onLadder(situation, state);
  return strayAtRest(situation) ?? decideBy(situation, { ...rows, request: requestedToFill, rollBack });
}

/** Two colours take turns in a rollback of what has settled as well: the one that serves is not restarted. */
function rollBack(situation: Situation, at: Parameters<typeof rows.rollBack>[1]): Decision {
  const isByColour = at.given.reason === 'Undone' && takesTurns(styleInUse(situation.snapshot));
  return isByColour ? undoByColour(situation, at) : rows.rollBack(situation, at);
}

type Case = {
  readonly situation: Situation;
  readonly state: OnLadder;
  /** undefined: a document of the delivery is missing. */
  readonly on: Delivering | undefined;
  /** What the delivery was started with, and is gone or another since. */
  readonly changed: Hold | undefined;
};

/** Before its documents are needed. As for one workload, but that an abort puts marks that are gone back first. */
const anyway: readonly Event<Case>[] = [
  partitionUnknown, // LWS reads 0, and restarts all
  marksGone, // nothing is written without them
  documentsGone, // no rung can be written
];

type Found = Case & { readonly on: Delivering };

/** On any rung. */
const events: readonly Event<Found>[] = [
  inRollback, // before an abort: it was aborted already
  coloursConfused, // a share would hit what serves
  abort, // by order, or by its template
  notAsStarted, // only what protects goes on
  newerTemplate, // it waits, or overtakes
  ({ on, state }) => partitionPutBack(on, state), // a hand has moved the primary
  ({ on }) => withdrawn(on), // a share of what serves nothing
  ({ on }) => covered(on), // a primary that is down at once
  ({ on }) => abortedUnnamed(on), // before a failure: its order counts
  ({ on }) => failedOnLadder(on), // goes back by itself
];

function onLadder(situation: Situation, state: OnLadder): Decision {
  const { marks } = state;
  const on = delivering(situation, marks, marks.release);
  const found = on === undefined ? undefined : (documentsLost(on) ?? routesChanged(on));
  const of = { situation, state, on, changed: notAsBegun(situation) ?? found };
  const early = firstOf(anyway, of);
  if (early !== undefined || on === undefined) return early ?? holding([documentMissing(situation)], 'StepUpgrade');
  return firstOf(events, { ...of, on }) ?? { ...climbing(on, state), brakes: [failureBrake(situation)] };
}

function partitionUnknown({ situation }: Case): Decision | undefined {
  const unsafe = partitionMissing(situation);
  return unsafe === undefined ? undefined : holding([unsafe], 'StepUpgrade');
}

/** An abort puts them back first. */
function marksGone({ situation, state, on }: Case): Decision | undefined {
  const { lostMarks } = situation.snapshot;
  if (lostMarks === undefined) return undefined;
  const stray = strayWithoutMarks(situation, { marks: state.marks, on });
  if (stray !== undefined) return stray;
  const given = withoutMarks(situation, lostMarks);
  const back = given === undefined || on === undefined ? undefined : marksBack(on, { ...given, marks: lostMarks });
  return back ?? rollbackAgain(situation, lostMarks) ?? holding([goneHold(situation, lostMarks)], 'StepUpgrade');
}

function documentsGone({ situation, on, changed }: Case): Decision | undefined {
  return on === undefined ? holding([changed ?? documentMissing(situation)], 'StepUpgrade') : undefined;
}

function inRollback({ on, state, changed }: Found): Decision | undefined {
  if (state.stage.kind !== 'rollback') return undefined;
  return isFillingBack(state.marks) ? fillingBack(on, state) : comingBack(on, changed);
}

/** Which side is which hangs on this: a share would be taken from the one that serves. */
function coloursConfused({ on }: Found): Decision | undefined {
  const confused = servesEdited(on);
  return confused === undefined ? undefined : holding([confused], 'StepUpgrade');
}

function abort({ on, situation, state }: Found): Decision | undefined {
  const given = abortedOnLadder(situation, state.marks);
  return given === undefined ? undefined : goBackOnLadder(on, given);
}

/** A template that rolls is stopped, a share of what serves nothing withdrawn, a whole primary locked; the share stays where it is. */
function notAsStarted({ on, state, changed }: Found): Decision | undefined {
  if (changed === undefined) return undefined;
  const brakes = [{ kind: 'notAsBegun', holds: [changed] }] as const;
  return rollStopped(on, { state, hold: changed }) ?? { ...protecting(on, state), brakes };
}

function newerTemplate({ on, state, situation }: Found): Decision | undefined {
  if (situation.digest === state.marks.release.digest) return undefined;
  return heldOnLadder(on, state) ?? overtakenOnLadder(on, state);
}

/** What of the Rollout or of the marks is gone, or another than when the delivery started. */
function notAsBegun(situation: Situation): Hold | undefined {
  const absent =
    rolloutAbsent(situation) ?? (situation.snapshot.rollout === undefined ? stalled(situation) : undefined);
  return absent ?? strategyChanged(situation) ?? frozenChanged(situation) ?? restoreGone(situation);
}

/** What goes on though what the delivery was started with is not as it was. */
function protecting(on: Delivering, state: OnLadder): Decision {
  const isPrimary = state.stage.kind === 'promote' && state.at === 'primary';
  const locked = isPrimary ? undefined : partitionPutBack(on, state);
  const isNewer = on.situation.digest !== on.marks.release.digest;
  return locked ?? withdrawn(on) ?? (isNewer ? holding([], 'StepUpgrade') : climbing(on, state));
}
