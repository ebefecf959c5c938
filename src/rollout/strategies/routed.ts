/** The table of the partition strategy where the Rollout routes traffic: two versions of one workload share its requests. */

import type { Marks } from '../../api/marks.ts';
import { sameRelease } from '../../api/release.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { type Draft, decisionOf } from '../edits/workload-change.ts';
import { withdrawnAsFailed } from '../events/ladder-failing.ts';
import { restoreForNewer, takenUp } from '../events/routed-newer.ts';
import { stopRoll } from '../events/stopping.ts';
import { strayAtRest, strayWithoutMarks } from '../events/stray-share.ts';
import { labelEdited } from '../events/version-label.ts';
import { withdrawn } from '../events/withdrawing.ts';
import { recreated } from '../gates/cluster.ts';
import { rolloutAbsent } from '../gates/people.ts';
import { shapeRefused } from '../gates/routed.ts';
import { delivering, documentMissing } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { serviceMissing } from '../ladders/delivery.ts';
import { isRestored } from '../ladders/shares.ts';
import { isPinned, isShareWithdrawn, restoreAll } from '../ladders/version-edits.ts';
import { versionMove } from '../ladders/version-move.ts';
import { type Decision, holding } from '../move.ts';
import { abortOf } from '../orders/aborted-release.ts';
import type { Situation } from '../situation.ts';
import { type InDelivery, isRouted } from '../state.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { type Event, firstOf } from './first-of.ts';
import { decideBy, inRollback, interrupted, type Rows, rowOf, rows } from './partition.ts';
import { type Back, batchesBack, drainedBack, givenAlready, hasLeft, routedBack } from './routed-back.ts';
import { routedRequested } from './routed-requested.ts';
import { restoreForWhole, routedStep } from './routed-step.ts';

/** Whether routes have a part in what is decided now: the Rollout names some, or the delivery in progress was started with them. */
export function sharesOut({ snapshot, state, marks }: Situation): boolean {
  if (state.kind === 'ladder') return false;
  const asked = snapshot.rollout?.rollout;
  const isNamed = isOneWorkload(asked?.style) && asked?.routing !== undefined;
  if (state.kind === 'step' || state.kind === 'rollback') return isRouted(state.marks);
  return isNamed || (marks !== undefined && isRouted(marks));
}

/** What to do with one workload whose versions share its requests. Pure. */
export function decideRouted(situation: Situation): Decision {
  const { state } = situation;
  if (state.kind === 'step' || state.kind === 'rollback') return inDelivery(situation, state.marks);
  return strayAtRest(situation) ?? decideBy(situation, { ...rows, request: routedRequested });
}

function inDelivery(situation: Situation, marks: Marks): Decision {
  const on = delivering(situation, marks, marks.release);
  return strayWithoutMarks(situation, { marks, on }) ?? decideBy(situation, on === undefined ? blind : sharing);
}

/** The table of a delivery that is in progress: each row is asked of the situation that it is given. */
const sharing: Rows = {
  ...rows,
  rollBack: (situation, at) => ofDelivery(situation, at.marks, (on) => routedBack(on, at)),
  rollback: (situation, marks) => ofDelivery(situation, marks, (on) => rollback(on, marks)),
  newer: (situation, state) => newer(situation, state),
  step: (situation, state) => ofDelivery(situation, state.marks, (on) => stepRow(on, state)),
};

function ofDelivery(situation: Situation, marks: Marks, row: (on: Delivering) => Decision): Decision {
  const on = delivering(situation, marks, marks.release);
  return on === undefined ? holding([documentMissing(situation)], 'StepUpgrade') : row(on);
}

/** Without its documents the groups are kept where they are, and a primary that was released for update is locked. */
const blind: Rows = {
  ...rows,
  rollBack: blindBack,
  rollback: (situation, marks) => {
    if (marks.at === 'route-restored') return blindBack(situation, undefined);
    const [release] = marks.aborted;
    const isNow = release !== undefined && abortOf(situation, release)?.now === true;
    return marks.at === 'back' && !isNow ? missing(situation) : rows.rollback(situation, marks);
  },
  step: (situation, state) =>
    rowOf(situation, state) === 'partial' ? missing(situation) : rows.step(situation, state),
};

function missing(situation: Situation): Decision {
  return holding([rolloutAbsent(situation) ?? documentMissing(situation)], 'StepUpgrade');
}

/**
 * Nothing tells which documents share out its requests: they are deleted, and so is what names them. The groups go back
 * where that takes no request from what serves it, or someone does not want to wait.
 */
function blindBack(situation: Situation, back: Back | undefined): Decision {
  const { marks } = situation;
  const at = back ?? (marks === undefined ? undefined : givenAlready(marks, 'nothing tells which requests reach it'));
  const isNow = at !== undefined && abortOf(situation, at.given.release)?.now === true;
  if (at !== undefined && (isNow || hasLeft(situation))) return rows.rollBack(situation, at);
  const otherwise = advice`; to go back without them, though requests may be lost: ${commandLine('abort', situation.snapshot.key, '--now')}`;
  const held = [rolloutAbsent(situation), documentMissing(situation, otherwise)];
  return holding(
    held.filter((one) => one !== undefined),
    'StepUpgrade',
  );
}

/** In its rollback; in the end the user's Service takes in all leaders again. */
function rollback(on: Delivering, marks: Marks): Decision {
  const { situation } = on;
  const { stable } = situation.snapshot;
  const isBack = stable.kind === 'known' && stable.value.release.digest === situation.digest;
  if (marks.at === 'route-restored' && (isBack || situation.digest === marks.release.digest)) return drainedBack(on);
  if (marks.at === 'back' && isBack) return batchesBack(on);
  const draft = inRollback(situation, marks);
  const after = draft.fields?.marks;
  if (after === undefined) return decisionOf(situation, draft);
  if (after.step === undefined) return versionMove(on, draft, { at: undefined, commit: restoreAll(on.delivery) });
  const isNewer = !sameRelease(after.release, marks.release) && after.step.kind === 'step';
  return isNewer ? takenUp(on, draft) : decisionOf(situation, draft);
}

/** A newer template: it overtakes the delivery with all requests on stable, or they go there while it waits. */
function newer(situation: Situation, state: InDelivery): Decision | undefined {
  const asked = interrupted(situation, state);
  if (asked === undefined) return undefined;
  const draft = unlessRefused(situation, state, asked);
  const on = delivering(situation, state.marks, state.marks.release);
  if (on === undefined) return decisionOf(situation, draft);
  if (draft !== asked && !isShareWithdrawn(on.delivery)) return restoreForNewer(on, draft);
  const release = draft.fields?.marks.release;
  if (release !== undefined && !sameRelease(release, state.marks.release)) return takenUp(on, draft);
  const isRolling = state.row === 'partial' && abortOf(situation, state.marks.release) === undefined;
  return isRolling && draft.fields === undefined && !isShareWithdrawn(on.delivery)
    ? restoreForNewer(on, draft)
    : decisionOf(situation, draft);
}

/** What no two versions could share is not taken up in mid-delivery either: it is stopped where it is, and waits for people. */
function unlessRefused(situation: Situation, { marks }: InDelivery, draft: Draft): Draft {
  const takesUp = draft.fields !== undefined && !sameRelease(draft.fields.marks.release, marks.release);
  const refused = takesUp ? shapeRefused(situation) : undefined;
  return refused === undefined ? draft : stopRoll(situation, { marks, holds: [refused] });
}

type InStep = { readonly on: Delivering; readonly state: InDelivery };

/** In a step, once its template is that of the release. */
const events: readonly Event<InStep>[] = [
  stableGone, // a share would find nobody there
  asWithoutRoutes, // every group is on it
  ({ on, state }) => labelEdited(on, state), // before a share: requests go by it
  ({ on }) => withdrawn(on), // a share of what serves nothing
  ({ on }) => withdrawnAsFailed(on), // a share of what has failed
];

function stepRow(on: Delivering, state: InDelivery): Decision {
  return firstOf(events, { on, state }) ?? routedStep(on, state);
}

/** Re-created, all groups came up on the template of Git: a Service that takes in the stable version would reach nobody. */
function stableGone({ on, state }: InStep): Decision | undefined {
  const { situation } = on;
  const isOut = !isRestored(on.delivery) || isPinned(on.delivery);
  const isGone = rowOf(situation, state) !== 'partial' || recreated(situation) !== undefined;
  return isGone && isOut && serviceMissing(on.delivery) === undefined ? restoreForWhole(on, state) : undefined;
}

function asWithoutRoutes({ on: { situation }, state }: InStep): Decision | undefined {
  return rowOf(situation, state) === 'partial' ? undefined : rows.step(situation, state);
}
