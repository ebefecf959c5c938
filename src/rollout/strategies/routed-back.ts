/** The rollback where routes share out the requests of the workload: they go to stable before the groups that answer them go. */

import type { Marks } from '../../api/marks.ts';
import { sameRelease, shortRelease } from '../../api/release.ts';
import { budgetKept, withBudget } from '../budget.ts';
import { type Draft, decisionOf, drafting, partitionDrafted, type WorkloadMove } from '../edits/workload-change.ts';
import { noText, returning } from '../events/going-back.ts';
import { begunInBatches, nextBatch } from '../events/paced-back.ts';
import { pinOf } from '../events/sharing-out.ts';
import { stableNotServing } from '../events/stable-lost.ts';
import { recreated } from '../gates/cluster.ts';
import type { Condition } from '../ladders/condition.ts';
import { servingGroups, waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import type { BackStart, Pin } from '../ladders/delivery.ts';
import { pinsElsewhere } from '../ladders/endpoints.ts';
import { madeBy, startingBack, waitsAt } from '../ladders/next-commit.ts';
import { unwritable } from '../ladders/rung-move.ts';
import { servedText } from '../ladders/seen-traffic.ts';
import { isOpen, isPinned, isShareWithdrawn, restoreAll } from '../ladders/version-edits.ts';
import { versionMove } from '../ladders/version-move.ts';
import { type Decision, holding, MOVES } from '../move.ts';
import { type Aborted, abortOf, remember } from '../orders/aborted-release.ts';
import type { Situation } from '../situation.ts';
import { capital } from '../texts/sentences.ts';

export type Back = { readonly given: Aborted; readonly marks: Marks };

/** One commit where no request would be lost by it; else the share is withdrawn first, and nothing restarts. */
export function routedBack(on: Delivering, { given, marks }: Back): Decision {
  const { situation, delivery } = on;
  if (situation.snapshot.stable.kind !== 'known') return holding([noText(situation)], 'StepUpgrade');
  const paced = begunInBatches(on, { given, marks });
  if (paced !== undefined) return firstRungBack(on, paced.draft, { kind: 'batches', percent: paced.percent });
  if (isRemade(on, given.release) && !isShareWithdrawn(delivery)) return openedFirst(on, { given, marks });
  const atOnce = isAtOnce(on, given.release) || hasLeft(situation);
  const apart = atOnce ? undefined : apartAgain(on);
  const isLeft = isShareWithdrawn(delivery) && !isLeaving(on);
  if (atOnce || (isLeft && apart === undefined)) return templateBack(on, { given, marks });
  const lost = stableNotServing(on);
  if (lost !== undefined) return holding([lost], 'StepUpgrade');
  const answers = isShareWithdrawn(delivery)
    ? 'Its groups answered a share of the requests, which went to stable just before: they restart on the stable version'
    : 'Its groups answer a share of the requests: that goes to stable first, and they restart on the stable version';
  const served = on.view === undefined ? undefined : servedText(delivery, on.view);
  const fields: WorkloadMove = {
    reason: given.reason,
    label: `${MOVES[given.reason].label}, route-restored`,
    ...withBudget({ ...marks, step: { kind: 'rollback' }, aborted: remember(given, marks) }, budgetKept(situation)),
    why: `${given.because} ${answers} once their last ones are answered.${served === undefined ? '' : ` ${capital(served)}.`}`,
  };
  return firstRungBack(on, drafting(fields, 'StepUpgrade'), { kind: 'first', pin: apart });
}

/** The commit of the rung that starts the rollback so, as its ladder has it. */
function firstRungBack(on: Delivering, draft: Draft, back: BackStart): Decision {
  const next = draft.fields === undefined ? undefined : startingBack(on.delivery, back);
  if (next === undefined) return decisionOf(on.situation, draft);
  if (next.kind === 'unwritable') return unwritable(on, next);
  return versionMove(on, draft, { at: next.at === 'settled' ? undefined : next.at, commit: madeBy(next) });
}

/**
 * Made again on the release, no group is on the stable version: the template alone, where an agent applies no more than that,
 * would leave the share with a Service that finds nobody once they restart. Requests find all of them first.
 */
function openedFirst(on: Delivering, { given, marks }: Back): Decision {
  const { situation, delivery } = on;
  const fields: WorkloadMove = {
    reason: given.reason,
    label: `${MOVES[given.reason].label}, route-restored`,
    ...withBudget({ ...marks, step: { kind: 'rollback' }, aborted: remember(given, marks) }, budgetKept(situation)),
    why: `${given.because} All groups came up on it when its objects were made again: requests find all of them, and the stable template follows once that is live.`,
  };
  return versionMove(on, drafting(fields, 'StepUpgrade'), { at: 'route-restored', commit: restoreAll(delivery) });
}

/** All groups came up on the release, and someone who wants it back at once has not said so. */
function isRemade({ situation }: Delivering, release: Aborted['release']): boolean {
  return recreated(situation) !== undefined && abortOf(situation, release)?.now !== true;
}

/** A step has just withdrawn the share in Git: gateways may still send, and what they have sent may not be answered yet. */
function isLeaving(on: Delivering): boolean {
  const { step, at } = on.marks;
  return step?.kind === 'step' && at === 'route-restored' && waiting(on, leaves(on.delivery)).length > 0;
}

/**
 * Where the annotations were gone the share was withdrawn, and the Service took in all leaders, as nobody knew what was
 * in progress; and a hand may have let it take in others. Those of the release get no requests before they restart, as
 * from any other step. undefined: it takes in the stable version alone, or nothing tells that from others.
 */
function apartAgain(on: Delivering): Pin | undefined {
  const { situation, delivery } = on;
  const isLost = situation.snapshot.lostMarks !== undefined && !isPinned(delivery);
  if (situation.view === 'unseen' || !(isLost || pinsElsewhere(on))) return undefined;
  const pin = (servingGroups(on, 'stable') ?? 0) === 0 ? undefined : pinOf(on, situation);
  return pin === undefined || 'reason' in pin ? undefined : pin;
}

/**
 * Nothing of the new version serves, or someone does not want to wait for it. Where that alone serves every request would fail:
 * then it counts only with the word that says so.
 */
function isAtOnce(on: Delivering, release: Aborted['release']): boolean {
  const serving = servingGroups(on, 'canary');
  const order = abortOf(on.situation, release);
  if (serving === 0 || order?.now !== true) return serving === 0;
  return order.outage === true || serving === undefined || servingGroups(on, 'stable') !== 0;
}

/** Every group may have left the stable version, which no request could be kept for then; or goes back already. */
export function hasLeft(situation: Situation): boolean {
  const { state, snapshot, digest, partition } = situation;
  const isWhole = state.kind === 'step' && (state.row === 'rolling' || state.row === 'locked');
  // A hand has released all of them for the version that is aborted, in the rollback.
  const isReleased = state.kind === 'rollback' && partition === 0;
  const isBack = snapshot.stable.kind === 'known' && snapshot.stable.value.release.digest === digest;
  return isWhole || isReleased || (isBack && !isHeldBack(situation)) || recreated(situation) !== undefined;
}

/** A hand has raised the partition: groups that a step has released for update stay as they are, whatever text is put back. */
function isHeldBack({ partition, marks }: Situation): boolean {
  return partition > (marks?.restore?.floor ?? partition);
}

function templateBack(on: Delivering, at: Back): Decision {
  return withTemplate(on, returning(on.situation, at));
}

function withTemplate(on: Delivering, draft: Draft): Decision {
  const opens = recreated(on.situation) !== undefined || servingGroups(on, 'stable') === 0 || pinsElsewhere(on);
  return firstRungBack(on, draft, { kind: 'atOnce', opens });
}

/** The share has been withdrawn: the template follows once the last requests are answered. */
export function drainedBack(on: Delivering): Decision {
  const { situation, marks } = on;
  const { stable } = situation.snapshot;
  // Overtaken while its groups went back, by a template that is gone again: the marks have the stable release since then.
  const isTaken = stable.kind === 'known' && sameRelease(stable.value.release, marks.release);
  const [release = marks.release] = isTaken ? marks.aborted : [];
  const isOpening = isRemade(on, release);
  if (isOpening || (!isAtOnce(on, release) && (isTaken || !hasLeft(situation)))) {
    // A document that was missing is back, or a hand has written a share.
    if (!isShareWithdrawn(on.delivery)) return restoreRoutes(on);
    const holds = waiting(on, isOpening ? [{ kind: 'accepted' }] : leaves(on.delivery));
    if (holds.length > 0) return holding(holds, 'StepUpgrade');
  }
  if (isTaken) return restBack(on, 'no request reaches it any more');
  return templateBack(on, givenAlready(marks, isOpen(on.delivery) ? OTHERS : 'no request reaches it any more'));
}

/** A batch at a time, and the last groups as from any other rung: once their last requests are answered. */
export function batchesBack(on: Delivering): Decision {
  return nextBatch(on, {
    atOnce: () => restBack(on, 'the groups that are left go back at once'),
    drained: () => {
      const holds = waiting(on, leaves(on.delivery));
      return holds.length > 0 ? holding(holds, 'StepUpgrade') : restBack(on, 'no request reaches it any more');
    },
  });
}

function restBack(on: Delivering, requests: string): Decision {
  const { marks } = on;
  const [release = marks.release, ...aborted] = marks.aborted;
  const because = `Release ${shortRelease(release)} was aborted, and ${requests}.`;
  const { situation } = on;
  const draft = returning(situation, {
    given: { release, reason: 'Aborted', because },
    marks: { ...marks, aborted },
  });
  if (draft.fields === undefined) return withTemplate(on, draft);
  // It was aborted by the first commit: this one goes on with that.
  const isWider = partitionDrafted(situation, draft) < situation.partition;
  const reason = isWider ? 'RollbackWidened' : 'RouteRestored';
  return withTemplate(on, { ...draft, fields: { ...draft.fields, reason } });
}

/** The share is withdrawn once more, and the stable version serves. */
function restoreRoutes(on: Delivering): Decision {
  const { situation, marks } = on;
  const lost = stableNotServing(on);
  if (lost !== undefined) return holding([lost], 'StepUpgrade');
  const fields: WorkloadMove = {
    reason: 'RouteRestored',
    label: 'rollback, route-restored',
    ...withBudget(marks, budgetKept(situation)),
    why: `Release ${shortRelease(marks.release)} was aborted, and by Git it has requests again: they go to stable.`,
  };
  return firstRungBack(on, drafting(fields, 'StepUpgrade'), { kind: 'first', pin: undefined });
}

/** Nobody waits for the groups that are to restart, as their ladder has it. */
function leaves(delivery: Delivering['delivery']): readonly Condition[] {
  return waitsAt(delivery, { stage: { kind: 'rollback' }, at: 'route-restored' });
}

const OTHERS = 'its requests find other groups as well';

/** What the commit before has aborted, and what has become of its requests. */
export function givenAlready(marks: Marks, requests: string): Back {
  const { release } = marks;
  const aborted = marks.aborted.filter((given) => !sameRelease(given, release));
  const because = `Release ${shortRelease(release)} was aborted, and ${requests}.`;
  return { given: { release, reason: 'Aborted', because }, marks: { ...marks, aborted } };
}
