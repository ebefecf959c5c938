/** The maxUnavailable of a delivery: what people want, when it rises for groups in the way, and when it comes down. */

import { ABSENT } from '../api/field.ts';
import { type IntOrPercent, isBudget, letsNone } from '../api/int-or-percent.ts';
import type { Marks } from '../api/marks.ts';
import { type Displaced, putAside } from '../api/restore.ts';
import { DEFAULT_MAX_UNAVAILABLE } from '../api/workload.ts';
import type { WorkloadFields } from './edits/workload-change.ts';
import type { Group } from './observed/groups.ts';
import { wanted } from './observed/groups-asked.ts';
import { willNotGetReady } from './progress/outlook.ts';
import { type Seen, type Situation, unavailableBudget, unreadyOf } from './situation.ts';

/** What a commit writes of it, and what it remembers of the value before. */
export type Budget = { readonly set: WorkloadFields['maxUnavailable']; readonly displaced: Displaced | undefined };

/** The value that we have raised, while the file still has it; another value in its place is somebody's own. */
function ownRaise({ marks, workload }: Pick<Situation, 'marks' | 'workload'>): Displaced | undefined {
  const displaced = marks?.restore?.maxUnavailable;
  return displaced !== undefined && displaced.set === workload.maxUnavailable ? displaced : undefined;
}

/** What we have raised maxUnavailable to, while the file still has that; undefined: we have not. */
export function raisedTo(situation: Situation): IntOrPercent | undefined {
  return ownRaise(situation)?.set;
}

/** U as people have it, without what we have raised. */
export function peoplesBudget(situation: Situation): IntOrPercent {
  const raise = ownRaise(situation);
  return raise === undefined ? situation.maxUnavailable : (raise.was ?? DEFAULT_MAX_UNAVAILABLE);
}

/**
 * People's value and one more for each of the groups that stand in the way, at most all of `count`: with the budget
 * spent by them LWS moves nothing (traces 31m, 32a, 32d). None: people's value. Each release, and each rollback, is
 * given its own: a value that was raised for another never rides along.
 */
export function budgetFor(situation: Situation, inTheWay: number, count: number): Budget {
  const { workload } = situation;
  const raise = ownRaise(situation);
  const own = unavailableBudget(peoplesBudget(situation), count);
  // One more than N where no group at all is ready: with N the StatefulSet's own gate would count the budget as spent.
  const raised = Math.max(Math.min(count, own + inTheWay), inTheWay + 1);
  if (inTheWay === 0 || raised <= own) return given(situation);
  const was = restored(raise === undefined ? workload.maxUnavailable : raise.was, count);
  const set = raised === workload.maxUnavailable ? undefined : raised;
  return { set, displaced: was === raised ? undefined : { was, set: raised } };
}

/** A value that is put back; one that the API server would refuse was never live, and would keep the last commit out. */
function restored(was: IntOrPercent | undefined, count: number | undefined): IntOrPercent | undefined {
  if (was === undefined) return undefined;
  if (!isBudget(was)) return '100%';
  return letsNone(was, count) ? 1 : was;
}

/** People's value again; nothing to write where it never was another. */
function given(situation: Situation): Budget {
  const raise = ownRaise(situation);
  if (raise === undefined) return budgetTaken(situation);
  return { set: restored(raise.was, situation.asked) ?? ABSENT, displaced: undefined };
}

/** The value of the file, or one where that means no group: the API server would take nothing of the commit. */
export function budgetTaken({ maxUnavailable, asked }: Situation, displaced?: Displaced): Budget {
  return letsNone(maxUnavailable, asked) ? { set: 1, displaced: undefined } : { set: undefined, displaced };
}

/** For a commit that releases no group: what was raised for a release before does not ride along with the next one. */
export function restoredBudget(situation: Situation): Budget {
  return given(situation);
}

/** As it is: what a commit writes that knows nothing of the groups. */
export function budgetKept(situation: Situation): Budget {
  return budgetTaken(situation, situation.marks?.restore?.maxUnavailable);
}

/** For every commit inside of a delivery: the first one after all groups are ready takes a raised value down. */
export function budgetAfter(situation: Situation): Budget {
  const raise = ownRaise(situation);
  if (raise === undefined || situation.view === 'unseen') return budgetKept(situation);
  return unreadyOf(wanted(situation.observed, situation.asked)).length === 0 ? given(situation) : budgetKept(situation);
}

/** The marks and the field of a commit inside of a delivery: another floor, and the budget that is due. */
export function withBudgetAfter(
  situation: Situation,
  at: { readonly marks: Marks; readonly floor: number },
): Pick<WorkloadFields, 'marks' | 'maxUnavailable'> {
  const { set, displaced } = budgetAfter(situation);
  const restore = putAside(at.marks.restore, { floor: at.floor, maxUnavailable: displaced });
  return { marks: { ...at.marks, restore }, maxUnavailable: set };
}

/** The same with a budget that is decided, and the floor that there is. */
export function withBudget(marks: Marks, { set, displaced }: Budget): Pick<WorkloadFields, 'marks' | 'maxUnavailable'> {
  const restore = putAside(marks.restore, { floor: marks.restore?.floor ?? 0, maxUnavailable: displaced });
  return { marks: { ...marks, restore }, maxUnavailable: set };
}

/** Why a value that the API server does not take is another now. */
function refusedNote({ maxUnavailable }: Situation, set: Budget['set']): string {
  const is = set === undefined || typeof set === 'object' ? DEFAULT_MAX_UNAVAILABLE : set;
  return ` maxUnavailable ${maxUnavailable} would let no group restart, and the API server refuses it, so it is set to ${is}.`;
}

/** ` Every group is ready, so maxUnavailable is 1 again.`, where a commit writes so. */
export function budgetNote(situation: Situation): string {
  const { set } = budgetAfter(situation);
  if (set === undefined) return '';
  return letsNone(situation.maxUnavailable, situation.asked)
    ? refusedNote(situation, set)
    : ` Every group is ready, so maxUnavailable is ${peoplesBudget(situation)} again.`;
}

/** Why a commit that starts a release or a rollback changes maxUnavailable; empty where it does not. */
export function budgetText(situation: Situation, { set, displaced }: Budget, until: 'back' | 'ready'): string {
  if (set === undefined) return '';
  const own = peoplesBudget(situation);
  if (letsNone(situation.maxUnavailable, situation.asked)) return refusedNote(situation, set);
  if (displaced === undefined) return ` What maxUnavailable was raised for is over: it is ${own} again.`;
  const { maxUnavailable } = situation;
  return ` With maxUnavailable ${maxUnavailable} spent, LWS would stand still; it is ${displaced.set} until all groups are ${until}.`;
}

/** What becomes of a value that was raised, for the last commit of a delivery; someone's own stays. */
export function budgetInTheEnd(situation: Situation): string {
  if (letsNone(situation.maxUnavailable, situation.asked)) return refusedNote(situation, budgetKept(situation).set);
  if (situation.marks?.restore?.maxUnavailable === undefined) return '';
  return ownRaise(situation) === undefined
    ? ` maxUnavailable stays ${situation.maxUnavailable}: it was changed meanwhile.`
    : ` maxUnavailable is ${restored(peoplesBudget(situation), situation.asked)} again.`;
}

/** How many groups more than now a raised budget lets be down. */
export function moreDown({ maxUnavailable }: Situation, { displaced }: Budget, count: number): number {
  const raised = displaced === undefined ? 0 : unavailableBudget(displaced.set, count);
  return Math.max(0, raised - unavailableBudget(maxUnavailable, count));
}

/** Groups that a newer template finds on neither itself nor the stable template, and that will not get ready by themselves. */
export function brokenLeftovers(situation: Seen): readonly Group[] {
  const { observed, asked } = situation;
  return unreadyOf(wanted(observed, asked)).filter(
    (group) =>
      group.uid !== '' &&
      group.leader.version !== 'release' &&
      group.leader.key !== observed.stableKey &&
      willNotGetReady(situation, group),
  );
}

/** Whether `budget` lets more groups be down than the file does now. */
export function raises({ maxUnavailable }: Situation, { set }: Budget, count: number): boolean {
  return (
    set !== undefined &&
    typeof set !== 'object' &&
    unavailableBudget(set, count) > unavailableBudget(maxUnavailable, count)
  );
}

/** The budget of a request that overtakes another: its own, and what its broken leftovers have spent. */
export function overtakingBudget(situation: Situation): Budget {
  if (situation.view === 'unseen') return budgetKept(situation);
  return budgetFor(situation, leftoversInTheWay(situation), situation.asked);
}

/** As long as the others leave people's budget some room, nothing has to rise. */
function leftoversInTheWay(situation: Seen): number {
  const { observed, asked } = situation;
  const broken = brokenLeftovers(situation).length;
  const unready = unreadyOf(wanted(observed, asked)).length;
  return unready >= unavailableBudget(peoplesBudget(situation), asked) ? broken : 0;
}
