/** The row `rollback` where a second workload was filled: rung by rung, whatever people have paused or disabled. */

import { shortRelease } from '../../api/release.ts';
import { withAside } from '../../api/restore.ts';
import { restoreOwn } from '../edits/restore-asides.ts';
import { remainsAborted } from '../events/aborted-again.ts';
import { loweredInRollback } from '../events/budget-back.ts';
import { covered, steadied } from '../events/covering.ts';
import {
  climbedBack,
  isAtOnce,
  orAtOnce,
  overwritten,
  primaryAtOnce,
  primaryRung,
  templateBack,
} from '../events/ladder-back.ts';
import { heldOnLadder, overtakenOnLadder, rollStopped } from '../events/ladder-overtaken.ts';
import { queuedHold } from '../events/queued.ts';
import { raisedInRollback } from '../events/raising-again.ts';
import { stableNotServing } from '../events/stable-lost.ts';
import { stillWithdrawn, withdrawn } from '../events/withdrawing.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { blocking, type Hold } from '../hold.ts';
import type { Unwritable } from '../ladders/commit.ts';
import { servingGroups, waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { greenServes } from '../ladders/delivery.ts';
import { goingBack, type NextCommit, nextCommit } from '../ladders/next-commit.ts';
import { restoredFields, withBudget } from '../ladders/primary.ts';
import { climbed, unwritable } from '../ladders/rung-move.ts';
import { isRestored } from '../ladders/shares.ts';
import { hasShare } from '../ladders/traffic-view.ts';
import { type Decision, holding } from '../move.ts';
import { wanted } from '../observed/groups-asked.ts';
import { abortOf } from '../orders/aborted-release.ts';
import { nextRelease, type Seen } from '../situation.ts';

/**
 * First match: a newer template that is live, a share of what serves nothing, the next rung, what it waits for. `fixed`: why no
 * newer template could go through the steps; undefined: it could.
 */
export function comingBack(on: Delivering, fixed: Hold | undefined): Decision {
  const { situation, marks, delivery } = on;
  const { state, digest } = situation;
  const isNewer = digest !== marks.release.digest;
  if (isNewer && state.kind === 'ladder') {
    const newer = fixed === undefined ? overtakenOnLadder(on, state) : rollStopped(on, { state, hold: fixed });
    const answer = remainsAborted(on) ?? heldOnLadder(on, state) ?? newer;
    if (answer !== undefined) return answer;
  }
  const home = withdrawn(on);
  if (home !== undefined) return home;
  const carried = covered(on);
  if (carried !== undefined) return carried;
  const stuck = budgetMoved(on);
  if (stuck !== undefined) return stuck;
  const astray = leftBehind(on);
  if (astray !== undefined) return astray;
  const again = offTheCanary(on);
  const next = again?.next ?? nextCommit(delivery);
  if (next.kind === 'unwritable') return unwritable(on, next);
  const unseen = isSentToStable(on, next) ? [] : [...orAtOnce(on, waiting(on, next.waits)), ...steadied(on, next)];
  const holds = [...(again?.holds ?? []), ...unseen, ...lostAgain(on, next), ...behind(on, unseen)];
  if (blocking(holds).length > 0) return holding(holds, 'StepUpgrade');
  const { stable } = situation.snapshot;
  if (next.at === 'settled') {
    const objects = [...next.objects, ...restoredFields(on, restoreOwn(marks, situation.workload))];
    return { ...climbedBack(on, { ...next, objects }, { reason: 'RolledBack', marks }), holds };
  }
  // Marks that a hand has taken out may lead through it once more: the release was aborted before.
  if (next.at === 'primary' && stable.kind === 'known' && stable.value.release.digest === marks.release.digest)
    return { ...climbedBack(on, next, { reason: 'RollbackWidened', marks }), holds };
  // The whole share went first: the template comes back with the rung that lets the primary go.
  if (next.at === 'primary' && stable.kind === 'known') {
    const order = abortOf(situation, nextRelease(digest, marks));
    const isTheirs = isNewer && stable.value.release.digest !== digest;
    if (isTheirs && order === undefined) return holding([overwritten(on)], 'StepUpgrade');
    const because = `Release ${shortRelease(marks.release)} was aborted, and all requests go to the second workload.`;
    const newer = isTheirs ? digest : undefined;
    const given = { release: marks.release, newer, reason: 'Aborted', because } as const;
    return { ...templateBack(on, next, { given, stable: stable.value }), holds };
  }
  const as = again !== undefined && next.at === 'all' ? SHARED_AGAIN : ({ reason: 'RouteRestored' } as const);
  return { ...climbedBack(on, next, { ...as, marks }), holds };
}

/** What the file asks for instead: it waits for the end, or, where it was aborted, this may wait for people to take it out. */
function behind({ situation, marks }: Delivering, unseen: readonly Hold[]): readonly Hold[] {
  const aborted =
    unseen.length === 0 || situation.digest === marks.release.digest ? undefined : heldAsAborted(situation, marks);
  return aborted === undefined ? queuedHold(situation, 'the rollback is over') : [aborted];
}

const SHARED_AGAIN = {
  reason: 'ShareAccepted',
  because: 'Someone has accepted what held it (TrafficWithdrawn): the share that was taken back goes out again.',
} as const;

/**
 * A route with a share came back after `route-restored`, and the stable version has been lost since: all requests would go to what
 * serves nothing, while the new version serves.
 */
function lostAgain(on: Delivering, { at }: NextCommit): readonly Hold[] {
  const isAgain = at === 'route-restored' && on.marks.at === 'route-restored' && hasShare(on.delivery);
  if (!isAgain || isNow(on) || (servingGroups(on, 'canary') ?? 0) === 0) return [];
  const lost = stableNotServing(on);
  return lost === undefined ? [] : [lost];
}

/** The order says not to wait for the stable version. */
function isNow(on: Delivering): boolean {
  const [given] = on.marks.aborted;
  return given !== undefined && isAtOnce(on, given);
}

/**
 * Nobody waits for the stable version: someone does not want to, or a share is there once more, and the new version
 * serves nothing of it.
 */
function isSentToStable(on: Delivering, { at }: NextCommit): boolean {
  const isAgain = at === 'route-restored' && (on.marks.at === 'route-restored' || on.marks.at === 'template');
  if (isAgain && servingGroups(on, 'canary') === 0) return true;
  return at === 'route-restored' && (isAgain || on.marks.at === 'primary') && isNow(on);
}

/**
 * All requests went to the second workload first, and that lost them again: the stable version cannot be waited for to be
 * left any more. Where the second one cannot carry them, or someone does not want to wait, the template goes back all the same;
 * where it can, once someone accepts that.
 */
function offTheCanary(
  on: Delivering,
): { readonly next: NextCommit | Unwritable; readonly holds: readonly Hold[] } | undefined {
  const { delivery, marks } = on;
  const now = abortOf(on.situation, marks.release)?.now === true;
  if (marks.at !== 'all' || (!isRestored(delivery) && !now) || delivery.missing.length > 0) return undefined;
  const isCarried = !now && primaryRung(on) === 'all';
  const next = isCarried ? goingBack(delivery, 'all') : primaryAtOnce(on);
  const held = isCarried ? stillWithdrawn(on) : undefined;
  return next === undefined ? undefined : { next, holds: held === undefined ? [] : [held] };
}

/**
 * Groups of the primary below the partition are on the template that was aborted: re-created, released for update by a hand while nobody could
 * see it, or kept by a hand that has raised the partition. They go back like those of a primary.
 */
function leftBehind(on: Delivering): Decision | undefined {
  const { situation, marks, delivery } = on;
  const { observed, digest, partition, view, snapshot } = situation;
  // Until all requests have gone over, the file and the marks have the template that is aborted: the rung above it puts stable back.
  const hasTemplate =
    marks.at !== 'all' || (snapshot.stable.kind === 'known' && snapshot.stable.value.release.digest === digest);
  const isOurs = digest === marks.release.digest && view === 'seen' && hasTemplate;
  if (!isOurs || greenServes(delivery) || observed?.releaseKey === undefined) return undefined;
  const astray = observed.groups.some(
    ({ index, version, key }) => index < partition && version === 'other' && key !== undefined,
  );
  const next = astray ? goingBack(delivery, primaryRung(on)) : undefined;
  if (next?.kind !== 'commit') return undefined;
  const restore = withAside(marks.restore, { floor: 0 });
  return climbedBack(on, next, { reason: 'RollbackWidened', marks: { ...marks, restore } });
}

/** All groups of the user's own go back, and broken ones keep LWS from moving; or keep it no longer. */
function budgetMoved(on: Delivering): Decision | undefined {
  const { situation, marks, delivery } = on;
  const { step, at } = marks;
  const isLet = situation.partition === 0 && situation.notApplied === undefined && situation.view === 'seen';
  if (!isLet || step === undefined || at === undefined) return undefined;
  const away = situation.observed.groups.some(({ version, uid }) => version !== 'release' && uid !== '');
  const raised = away ? raisedInRollback(situation) : undefined;
  const changed = raised ?? (isBack(situation) ? undefined : loweredInRollback(situation));
  if (changed === undefined) return undefined;
  const { budget, why } = changed;
  const reason = raised === undefined ? 'BudgetLowered' : 'BudgetRaised';
  const rung = { kind: 'commit', stage: step, at, objects: [], displaced: delivery.displaced, waits: [] } as const;
  const restore = withAside(marks.restore, { maxUnavailable: budget.displaced });
  const to = { reason, marks: { ...marks, restore }, label: 'rollback, budget', why } as const;
  return climbed(on, withBudget(on, rung, budget), to);
}

/** Every group is ready on the stable version: what was raised comes down with the commit that ends it. */
function isBack({ observed, asked }: Seen): boolean {
  return wanted(observed, asked).every(({ version, ready }) => version === 'release' && ready);
}
