/** Going back where a second workload is filled: which commit starts it, and what an aborted template does that returns. */

import type { Marks } from '../../api/marks.ts';
import { type Release, shortDigest, shortRelease } from '../../api/release.ts';
import { withAside } from '../../api/restore.ts';
import { takesTurns } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import { type Budget, budgetKept, budgetTaken } from '../budget.ts';
import { hasMoved, recreated } from '../gates/cluster.ts';
import { type Hold, hold } from '../hold.ts';
import { withObjects } from '../ladders/commit.ts';
import { servingGroups, waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { isUncovered, primaryGroups, serviceMissing } from '../ladders/delivery.ts';
import { styleInUse } from '../ladders/ladder-files.ts';
import { goingBack, type NextCommit, templateAtOnce } from '../ladders/next-commit.ts';
import { withBudget } from '../ladders/primary.ts';
import { restoreAtOnce } from '../ladders/promotion.ts';
import type { PrimaryRung } from '../ladders/rollback.ts';
import { climbed, unwritable } from '../ladders/rung-move.ts';
import { hasShare } from '../ladders/traffic-view.ts';
import { type Decision, holding } from '../move.ts';
import { type Aborted, abortOf, remember } from '../orders/aborted-release.ts';
import type { Situation } from '../situation.ts';
import type { Stable } from '../snapshot.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { budgetBack } from './budget-back.ts';
import { inDelivery } from './giving-up.ts';
import { dipText, noText } from './going-back.ts';
import { stableNeeds, stableNotServing } from './stable-lost.ts';

/** What is aborted in the middle of a delivery: an abort, or the stable template put back. */
export function abortedOnLadder(situation: Situation, marks: Marks): Aborted | undefined {
  return inDelivery(situation, marks, situation.partition === SENTINEL) ?? abortedAlone(situation, marks);
}

/**
 * Of two colours, from the promotion on: the order does not name the newer template of the file. Both are locked, so that this is
 * inert in the user's own, whichever colour that is: the requests go back without it.
 */
function abortedAlone(situation: Situation, marks: Marks): Aborted | undefined {
  const { snapshot, digest, partition } = situation;
  const style = styleInUse(snapshot);
  const { release, step } = marks;
  const isOver = takesTurns(style) && step?.kind === 'promote' && partition === SENTINEL;
  if (!isOver || digest === release.digest || abortOf(situation, release) === undefined) return undefined;
  const because = `Release ${shortRelease(release)} was aborted. The newer template ${shortDigest(digest)} stays in the file, and restarts nothing there: it is taken from its first step once requests are back.`;
  return { release, reason: 'Aborted', because, keepsNewer: true };
}

/**
 * The first commit of the rollback. It needs nothing but Git, where the workload that serves was never released for update; what is
 * seen can only hasten it, or keep requests from a side that is known to serve nothing.
 */
export function goBackOnLadder(on: Delivering, given: Aborted): Decision {
  const { situation, marks } = on;
  const { stable } = situation.snapshot;
  if (stable.kind !== 'known') return holding([noText(situation)], 'StepUpgrade');
  const first = firstBack(on);
  if (first === undefined) return holding([noText(situation)], 'StepUpgrade');
  // Groups that go back need the stable template in the place of the newer one.
  if (given.keepsNewer === true && first.kind === 'commit' && first.at !== 'route-restored')
    return holding([overwritten(on)], 'StepUpgrade');
  const next = given.keepsNewer === true && first.kind === 'commit' ? withoutText(on, first) : first;
  if (next.kind === 'unwritable') return unwritable(on, next);
  // What is said of the wait is said of a release that is aborted, but where that waits as well.
  const taken: Delivering = given.reason === 'Failed' ? on : { ...on, marks: { ...marks, step: { kind: 'rollback' } } };
  const unseen = orAtOnce(taken, unseenBelow(taken, next));
  if (unseen.length > 0) return waitingBack(on, next, { given, stable: stable.value, unseen });
  if (next.at === 'all') return climbedBack(on, next, { reason: given.reason, marks, because: given.because });
  return templateBack(on, next, { given, stable: stable.value });
}

/** One more commit of the rollback, with a maxUnavailable that the API server takes. */
export function climbedBack(on: Delivering, next: NextCommit, to: Parameters<typeof climbed>[2]): Decision {
  const budget = budgetTaken(on.situation, to.marks.restore?.maxUnavailable);
  const restore = withAside(to.marks.restore, { maxUnavailable: budget.displaced });
  return climbed(on, withBudget(on, next, budget), { ...to, marks: { ...to.marks, restore } });
}

/** What the first commit back waits for. */
function unseenBelow(on: Delivering, { at, waits }: NextCommit): readonly Hold[] {
  // Where the new version serves nothing either, or someone does not want to wait, the other side is not waited for.
  if (at === 'route-restored' && (isAtOnce(on, on.marks.release) || servingGroups(on, 'canary') === 0)) return [];
  const unseen = waiting(on, waits);
  // The routes would send everything to what serves nothing, while the new version does.
  const serves = hasShare(on.delivery) && (servingGroups(on, 'canary') ?? 0) > 0;
  const lost = at === 'route-restored' && serves && unseen.length === 0 ? stableNotServing(on) : undefined;
  return lost === undefined ? unseen : [lost];
}

type WaitingBack = { readonly given: Aborted; readonly stable: Stable; readonly unseen: readonly Hold[] };

/**
 * The requests have to wait where they are. The stable template does not: whatever comes up there meanwhile is to be on it.
 * What has failed by itself is aborted in one commit, once that can be: until then it may still get well.
 */
function waitingBack(on: Delivering, next: NextCommit, { given, stable, unseen }: WaitingBack): Decision {
  const isAlone = next.at === 'route-restored' && given.reason !== 'Failed' && given.keepsNewer !== true;
  const alone = isAlone ? templateAtOnce(on.delivery) : undefined;
  if (alone?.kind !== 'commit') return holding(unseen, 'StepUpgrade');
  const back = templateBack(on, alone, { given, stable });
  return { ...back, holds: [...back.holds, ...unseen] };
}

/**
 * A side that does not serve may be broken: a rollback names what helps. Not to wait for it helps where some of it serves;
 * with none of it every request would fail.
 */
export function orAtOnce(on: Delivering, holds: readonly Hold[]): readonly Hold[] {
  return holds.map((held) => {
    if (held.reason !== 'NotServing' && held.reason !== 'PrimaryNotCovered') return held;
    const isAlive = (servingGroups(on, 'stable') ?? 0) > 0;
    const now = advice`; to go back without waiting for it: ${commandLine('abort', on.situation.snapshot.key, '--now')}`;
    const action = isAlive ? advice`Look at its pods and events${now}` : stableNeeds(on);
    return hold(held.reason, { seen: held.seen, action });
  });
}

/** The commit that puts the stable template back: with it the release is aborted, by its marks. */
export function templateBack(
  on: Delivering,
  next: NextCommit,
  { given, stable }: { readonly given: Aborted; readonly stable: Stable },
): Decision {
  const { situation, marks } = on;
  const budget = next.at === 'primary' ? budgetOf(situation) : budgetKept(situation);
  const floor = next.at === 'primary' ? { floor: 0 } : {};
  const back: Marks = {
    ...marks,
    release: stable.release,
    aborted: remember(given, marks),
    restore: withAside(marks.restore, { maxUnavailable: budget.displaced, ...floor }),
  };
  const isThere = given.keepsNewer === true || situation.digest === stable.release.digest;
  const text = isThere ? undefined : stable;
  const { reason, because } = given;
  const made = withBudget(on, next, budget);
  const dip =
    next.at === 'primary' && situation.view === 'seen'
      ? dipText(situation, { partition: 0, budget, count: situation.replicas })
      : '';
  return climbed(on, made, { reason, marks: back, text, because, seen: dip });
}

/** Objects that were re-created are all on the template that is aborted: then the primary goes back, whatever the rung says. */
function firstBack(on: Delivering): ReturnType<typeof goingBack> {
  const { delivery, situation } = on;
  const hasGone = recreated(situation) !== undefined || hasMoved(situation);
  const serves = servingGroups(on, 'canary');
  const next = hasGone ? goingBack(delivery, primaryRung(on)) : goingBack(delivery);
  if (next?.kind !== 'commit' || !(serves === 0 || isAtOnce(on, on.marks.release))) return next;
  // Nothing of the new version serves, or someone wants no request there: it gets no share to carry, and loses the one that it has.
  // Where `all` would change nothing, what it waits for is waited for by the rung above it.
  const primary = next.at === 'all' || next.at === 'primary' ? goingBack(delivery, 'primary') : next;
  if (primary?.kind !== 'commit') return primary;
  return primary.at === 'primary' || serviceMissing(delivery) !== undefined ? restoreWith(on, primary) : primary;
}

/**
 * Where all of the primary may be down at once, all requests go first; to fewer groups than there must be, or without a route to
 * send them by, they would not, and that is not waited for: the template goes back all the same.
 */
export function primaryRung(on: Delivering): PrimaryRung {
  const { delivery } = on;
  const { routes, missing } = delivery;
  const isSent = routes.length > 0 || missing.length > 0;
  const isCarried = isSent && isUncovered(delivery) && (servingGroups(on, 'canary') ?? 0) >= primaryGroups(delivery);
  return isCarried ? 'all' : 'primary';
}

/**
 * The order says not to wait until the stable version serves. Where none of it does, and the new version has requests and
 * serves them, every one would fail: then it counts only with the word that says so.
 */
export function isAtOnce(on: Delivering, release: Release): boolean {
  const order = abortOf(on.situation, release);
  if (order?.now !== true) return false;
  const isServed = hasShare(on.delivery) && (servingGroups(on, 'canary') ?? 0) > 0;
  return order.outage === true || !isServed || servingGroups(on, 'stable') !== 0;
}

/** The primary goes back, and no request goes to the new version any more. */
export function primaryAtOnce(on: Delivering): ReturnType<typeof goingBack> {
  const primary = goingBack(on.delivery, 'primary');
  return primary?.kind === 'commit' ? restoreWith(on, primary) : primary;
}

function restoreWith({ delivery }: Delivering, next: NextCommit): ReturnType<typeof goingBack> {
  const all = withObjects(restoreAtOnce(delivery), next.objects);
  return all.kind === 'unwritable' ? all : { ...next, objects: all.objects, displaced: all.displaced };
}

function budgetOf(situation: Situation): Budget {
  return situation.view === 'seen'
    ? budgetBack(situation, { count: situation.replicas, partition: 0 })
    : budgetKept(situation);
}

/** The same commit, and the template of the file stays as it is. */
function withoutText({ delivery }: Delivering, next: NextCommit): NextCommit {
  const { name } = delivery.own.object;
  const objects = next.objects.map((one) =>
    one.object.name === name ? { ...one, edits: one.edits.filter(({ kind }) => kind !== 'restore') } : one,
  );
  return { ...next, objects };
}

/** A release is aborted whose newer template waits, inert, and nobody has given that up: it is not overwritten unnamed, and nothing goes further. */
export function abortedUnnamed(on: Delivering): Decision | undefined {
  const { situation, marks } = on;
  if (situation.digest === marks.release.digest || abortOf(situation, marks.release) === undefined) return undefined;
  return holding([overwritten(on)], 'StepUpgrade');
}

/** The stable template has to take the place of a template that nobody has aborted. */
export function overwritten({ situation, marks }: Delivering): Hold {
  const { file, digest, snapshot } = situation;
  return hold('NewerRequestWaits', {
    seen: `${file.file}: release ${shortRelease(marks.release)} was aborted, but the file has a newer template (${shortDigest(digest)}). The rollback would overwrite it, and nobody has aborted it`,
    action: advice`To abort that as well: ${commandLine('abort', snapshot.key)}; to deliver it, put it back once the rollback is over`,
  });
}
