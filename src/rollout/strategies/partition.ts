/** The partition strategy: one table of states, as the specification has it, and which event comes first in each. */

import type { Marks } from '../../api/marks.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { immutableBack } from '../edits/immutable-back.ts';
import { type Draft, decisionOf } from '../edits/workload-change.ts';
import { behindBack } from '../events/behind-back.ts';
import { failedBack, failureBrake } from '../events/failing.ts';
import { beforeFirstStep, rollbackCause } from '../events/giving-up.ts';
import { noText, returning } from '../events/going-back.ts';
import { inputsNamedAgain } from '../events/inputs-written.ts';
import { lateMerge, stillStale } from '../events/late-merge.ts';
import { goneHold, rollbackAgain } from '../events/marks-gone.ts';
import { removeToGoBack, returnedByHand } from '../events/recreating.ts';
import { stopAt, stopReturned } from '../events/stopping.ts';
import { beyondFirstStep, supersede, takeOver } from '../events/superseding.ts';
import { undone } from '../events/undoing.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { strategyChanged } from '../gates/frozen.ts';
import { partitionMissing, rolloutAbsent } from '../gates/people.ts';
import { greenServing } from '../gates/second.ts';
import { type Decision, holding } from '../move.ts';
import { wanted } from '../observed/groups-asked.ts';
import { type Aborted, abortOf, remember } from '../orders/aborted-release.ts';
import { flipped, type Seen, type Situation } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { type Event, firstOf } from './first-of.ts';
import { locked } from './locked.ts';
import { partial } from './partial.ts';
import { requested } from './requested.ts';
import { rollback, rollbackOvertaken } from './rollback.ts';
import { rolling } from './rolling.ts';
import { settled } from './settled.ts';
import { surging } from './surging.ts';
import { unmanaged } from './unmanaged.ts';

const stepRows = { surging, partial, rolling, locked } satisfies Record<
  InDelivery['row'],
  (situation: Situation, step: InDelivery) => Decision
>;

/** The rows in which strategies that step the workload itself, or start with it, may differ. */
export type Rows = {
  readonly request: typeof requested;
  readonly rollBack: (situation: Situation, at: { readonly given: Aborted; readonly marks: Marks }) => Decision;
  readonly rollback: (situation: Situation, marks: Marks) => Decision;
  /** A newer template in the file; undefined: it waits, or there is none. */
  readonly newer: (situation: Situation, state: InDelivery) => Decision | undefined;
  readonly step: (situation: Situation, state: InDelivery) => Decision;
};

/** Those of a workload whose requests nobody shares out. */
export const rows: Rows = {
  request: requested,
  rollBack,
  rollback: (situation, marks) => decisionOf(situation, inRollback(situation, marks)),
  newer: (situation, state) => {
    const draft = interrupted(situation, state);
    return draft === undefined ? undefined : decisionOf(situation, draft);
  },
  step: (situation, state) => stepRows[rowOf(situation, state)](situation, state),
};

/** What to do with one workload that is stepped itself. Pure. */
export function decidePartition(situation: Situation): Decision {
  return decideBy(situation, rows);
}

type Recreating = NonNullable<Situation['snapshot']['rollout']>['intents']['recreating'];

type Case = {
  readonly situation: Situation;
  readonly own: Rows;
  readonly recreating: Recreating;
  /** What takes it back, and the situation that the rollback is decided of; undefined: nothing does. */
  readonly back: { readonly given: Aborted; readonly marks: Marks; readonly situation: Situation } | undefined;
};

/** In any state. */
const anyState: readonly Event<Case>[] = [
  partitionUnknown, // LWS reads 0, and restarts all
  documentReturned, // it was out, to be re-created
  ({ own, back }) => (back === undefined ? undefined : own.rollBack(back.situation, back)), // aborted, undone, put back
  marksGone, // nothing is written without them
];

type InStep = Case & { readonly state: InDelivery };

/** In a step. */
const inStep: readonly Event<InStep>[] = [
  mergeTooLate, // what it moved is judged first
  ({ own, situation, state }) => own.newer(situation, state), // it waits, or overtakes
  failure, // goes back by itself
  otherInputs, // what is live proves nothing
  ({ situation, state }) => stillStale(situation, state), // merged late: nothing goes forward
];

/** What comes before every row, then the row that its marks put it in. */
export function decideBy(situation: Situation, own: Rows): Decision {
  const recreating = situation.snapshot.rollout?.intents.recreating;
  const on = { situation, own, recreating, back: recreating === undefined ? backOf(situation) : undefined };
  return firstOf(anyState, on) ?? rowOfState(on);
}

function rowOfState(on: Case): Decision {
  const { situation, own } = on;
  const { state } = situation;
  switch (state.kind) {
    case 'unmanaged':
      return unmanaged(situation);
    case 'settled':
      return settled(situation, state.marks);
    case 'requested':
      return (isWithdrawn(situation) ? undefined : greenHeld(situation)) ?? own.request(situation, state.marks);
    case 'rollback':
      return own.rollback(situation, state.marks);
    case 'ladder':
      return holding(
        [rolloutAbsent(situation) ?? strategyChanged(situation)].filter((held) => held !== undefined),
        'StepUpgrade',
      );
    case 'step':
      break;
  }
  const earlier = firstOf(inStep, { ...on, state });
  if (earlier !== undefined) return earlier;
  const row = own.step(situation, state);
  return { ...row, brakes: [...(row.brakes ?? []), failureBrake(situation)] };
}

function backOf(situation: Situation): Case['back'] {
  const { state } = situation;
  if (state.kind === 'unmanaged') return undefined;
  const undo = undone(situation) ?? behindBack(situation);
  const given = undo?.given ?? rollbackCause(situation, state);
  return given === undefined ? undefined : { given, marks: state.marks, situation: undo?.situation ?? situation };
}

/** Only the rollback in place is open: it restores every group, and writes the partition that it needs. So does adoption. */
function partitionUnknown({ situation, back }: Case): Decision | undefined {
  const unsafe = partitionMissing(situation);
  const isOpen = situation.state.kind === 'unmanaged' || (back !== undefined && leadsBackInPlace(back.situation));
  return unsafe === undefined || isOpen ? undefined : holding([unsafe], 'StepUpgrade');
}

function documentReturned({ situation, recreating }: Case): Decision | undefined {
  return recreating === undefined ? undefined : returnedByHand(situation, recreating);
}

/** A request that is aborted is withdrawn by its row, by what was written. */
function marksGone({ situation }: Case): Decision | undefined {
  const { lostMarks } = situation.snapshot;
  if (lostMarks === undefined || isWithdrawn(situation)) return undefined;
  return rollbackAgain(situation, lostMarks) ?? holding([goneHold(situation, lostMarks)], 'StepUpgrade');
}

/** What would be decided if it had not been merged is asked by the same table. */
function mergeTooLate({ situation, state, own }: InStep): Decision | undefined {
  return lateMerge(situation, state, (before) => decideBy(before, own));
}

function failure({ situation, state, own }: InStep): Decision | undefined {
  const given = failedBack(situation, state.marks);
  return given === undefined ? undefined : own.rollBack(situation, { given, marks: state.marks });
}

function otherInputs({ situation, state }: InStep): Decision | undefined {
  const draft = inputsNamedAgain(situation, state.marks);
  return draft === undefined ? undefined : decisionOf(situation, draft);
}

/** A mere request is aborted whatever holds it: nothing moves by that. */
function isWithdrawn(situation: Situation): boolean {
  return situation.state.kind === 'requested' && beforeFirstStep(situation, situation.state.marks) !== undefined;
}

function greenHeld(situation: Situation): Decision | undefined {
  const held = greenServing(situation);
  return held === undefined ? undefined : holding([held], 'BeforeStepUpgrade');
}

function leadsBackInPlace(situation: Situation): boolean {
  return situation.snapshot.stable.kind === 'known' && !immutableBack(situation);
}

/** By an edit where one leads back, else by deleting and re-creating. */
function rollBack(situation: Situation, at: { readonly given: Aborted; readonly marks: Marks }): Decision {
  const draft = returning(situation, at);
  if (draft.fields === undefined || !immutableBack(situation)) return decisionOf(situation, draft);
  return removeToGoBack(situation, { marks: draft.fields.marks, because: at.given.because });
}

/** Every group may go and has gone, whatever a hand has made of the partition since: lock, as after partition 0. */
export function rowOf(situation: Situation, { row, marks }: InDelivery): InDelivery['row'] {
  return row === 'partial' && situation.view === 'seen' && wholeAlready(situation, marks) ? 'rolling' : row;
}

function wholeAlready({ observed, asked }: Seen, { restore }: Marks): boolean {
  if (restore?.floor !== 0 || asked === 0) return false;
  return wanted(observed, asked).every((group) => group.version === 'release') && flipped(observed.leaderSet);
}

/** A newer template in the file, whatever the step: it overtakes the delivery, waits, or is one that nobody wants. */
export function interrupted(situation: Situation, { row, marks }: InDelivery): Draft | undefined {
  const { digest, snapshot } = situation;
  const { release } = marks;
  if (digest === release.digest) return undefined;
  if (heldAsAborted(situation, marks) !== undefined)
    return row === 'locked' ? undefined : stopReturned(situation, marks);
  // Without the stable template nobody knows whether this is a newer request or the rollback, which must not be stopped.
  if (snapshot.stable.kind !== 'known' && row !== 'locked') return holding([noText(situation)], 'StepUpgrade');
  const abort = abortOf(situation, release);
  // A template that the order does not name was written after it, or is to stay: its groups follow it.
  const left = abort === undefined ? marks : { ...marks, aborted: remember({ release, newer: abort.newer }, marks) };
  if (row === 'locked') return abort === undefined ? undefined : takeOver(situation, left);
  return overtaken(situation, left);
}

/** A newer request: the roll is stopped, or its first step is taken where there is nothing to stop. */
function overtaken(situation: Situation, marks: Marks): Draft {
  return beyondFirstStep(situation) ? supersede(situation, marks) : takeOver(situation, marks);
}

/** The rollback as it was started, or a newer template in the file, which is stopped first where it rolls. */
export function inRollback(situation: Situation, marks: Marks): Draft {
  const newer = situation.digest !== marks.release.digest;
  const given = newer && heldAsAborted(situation, marks) !== undefined;
  if (waitsForEver(situation) && !(newer && rolls(situation, { marks, given })))
    return removeToGoBack(situation, { marks, because: 'The stable template cannot be applied in place.' });
  if (!newer) return rollback(situation, marks);
  if (given) return stopReturned(situation, marks);
  return fillsSecond(situation) ? rollbackOvertaken(situation, marks) : overtaken(situation, marks);
}

/** Whether its Rollout fills a second workload: it was aborted before that started, or asks for it only since. */
function fillsSecond({ snapshot }: Situation): boolean {
  return !isOneWorkload(snapshot.rollout?.rollout.style ?? 'partition');
}

/** A rollback that was started while the cluster could not be read, and that no edit can make. */
function waitsForEver(situation: Situation): boolean {
  return situation.notApplied !== undefined && immutableBack(situation);
}

/** Whether the newer template rolls, so that a commit has to stop it. `given`: it was aborted before. */
function rolls(situation: Situation, { marks, given }: { readonly marks: Marks; readonly given: boolean }): boolean {
  if (given || situation.snapshot.rollout === undefined) return stopAt(situation, marks) > situation.partition;
  return situation.replicas !== undefined && beyondFirstStep(situation);
}
