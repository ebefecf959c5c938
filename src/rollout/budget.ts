/** The maxUnavailable of a delivery: what people want, when it rises for groups in the way, and when it comes down. */

import { ABSENT } from '../api/field.ts';
import { type IntOrPercent, isBudget } from '../api/int-or-percent.ts';
import { type Marks } from '../api/marks.ts';
import { type Displaced, putAside } from '../api/restore.ts';
import { DEFAULT_MAX_UNAVAILABLE } from '../api/workload.ts';
import { wanted } from './gates/cluster.ts';
import type { Group } from './groups.ts';
import { willNotGetReady } from './outlook.ts';
import { type Seen, type Situation, unavailableBudget, unreadyOf } from './situation.ts';
import type { WorkloadFields } from './workload-change.ts';

/** What a commit writes of it, and what it remembers of the value before. */
export type Budget = { readonly set: WorkloadFields['maxUnavailable']; readonly displaced: Displaced | undefined };

/** The value that we have raised, while the file still has it; another value in its place is somebody's own. */
function ownRaise({ marks, workload }: Pick<Situation, 'marks' | 'workload'>): Displaced | undefined {
  const displaced = marks?.restore?.maxUnavailable;
  return displaced !== undefined && displaced.set === workload.maxUnavailable ? displaced : undefined;
}

/** U as people have it, without what we have raised. */
export function peoplesBudget(situation: Situation): IntOrPercent {
  const raise = ownRaise(situation);
  return raise === undefined ? situation.maxUnavailable : (raise.was ?? DEFAULT_MAX_UNAVAILABLE);
}

/**
 * People's value and one more for each of the groups that stand in the way, at most all of `count`: with the budget
 * spent by them LWS moves nothing (traces 31m, 32a, 32d). None: people's value. Each release, and each way back, is
 * given its own: a value that was raised for another never rides along. With a value of no groups at all the API server
 * takes nothing, not even the way back (trace 26), so it is one at least.
 */
export function budgetFor(situation: Situation, inTheWay: number, count: number): Budget {
  const { workload } = situation;
  const raise = ownRaise(situation);
  const own = unavailableBudget(peoplesBudget(situation), count);
  // One more than N where no group at all is ready: with N the StatefulSet's own gate would count the budget as spent.
  const raised = Math.max(Math.min(count, own + inTheWay), inTheWay + 1);
  if ((inTheWay === 0 && own > 0) || raised <= own) return given(raise);
  // What the API server would refuse was never live: put back, it would keep the last commit out.
  const before = raise === undefined ? workload.maxUnavailable : raise.was;
  const was = before === undefined || isBudget(before) ? before : '100%';
  return { set: raised === workload.maxUnavailable ? undefined : raised, displaced: { was, set: raised } };
}

/** People's value again; nothing to write where it never was another. */
function given(raise: Displaced | undefined): Budget {
  return { set: raise === undefined ? undefined : (raise.was ?? ABSENT), displaced: undefined };
}

/** For a commit that lets nothing go: what was raised for a release before does not ride along with the next one. */
export function budgetHome(situation: Situation): Budget {
  return given(ownRaise(situation));
}

/** As it is: what a commit writes that knows nothing of the groups. */
export function budgetKept({ marks }: Pick<Situation, 'marks'>): Budget {
  return { set: undefined, displaced: marks?.restore?.maxUnavailable };
}

/** For every commit inside of a delivery: the first one after all groups are ready takes a raised value down. */
export function budgetAfter(situation: Situation): Budget {
  const raise = ownRaise(situation);
  if (raise === undefined || situation.sight === 'unseen') return budgetKept(situation);
  return unreadyOf(wanted(situation.observed, situation.asked)).length === 0 ? given(raise) : budgetKept(situation);
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

/** ` Every group is ready, so maxUnavailable is 1 again.`, where a commit writes so. */
export function budgetNote(situation: Situation): string {
  return budgetAfter(situation).set === undefined
    ? ''
    : ` Every group is ready, so maxUnavailable is ${peoplesBudget(situation)} again.`;
}

/** Why a commit that begins a release or a way back changes maxUnavailable; empty where it does not. */
export function budgetText(situation: Situation, { set, displaced }: Budget, until: 'back' | 'ready'): string {
  if (set === undefined) return '';
  const own = peoplesBudget(situation);
  if (displaced === undefined) return ` What maxUnavailable was raised for is over: it is ${own} again.`;
  const { maxUnavailable, asked } = situation;
  if (asked !== undefined && unavailableBudget(maxUnavailable, asked) === 0)
    return ` maxUnavailable ${maxUnavailable} lets no group go, and LWS takes nothing with it; it is ${displaced.set} until all groups are ${until}.`;
  return ` With maxUnavailable ${maxUnavailable} spent, LWS would stand still; it is ${displaced.set} until all groups are ${until}.`;
}

/** What becomes of a value that was raised, for the last commit of a delivery; a person's own stays. */
export function budgetInTheEnd(situation: Situation): string {
  if (situation.marks?.restore?.maxUnavailable === undefined) return '';
  return ownRaise(situation) === undefined
    ? ` maxUnavailable stays ${situation.maxUnavailable}: it was changed meanwhile.`
    : ` maxUnavailable is ${peoplesBudget(situation)} again.`;
}

/** How many groups more than now a raised budget lets be down. */
export function moreDown({ maxUnavailable }: Situation, { displaced }: Budget, count: number): number {
  const raised = displaced === undefined ? 0 : unavailableBudget(displaced.set, count);
  return Math.max(0, raised - unavailableBudget(maxUnavailable, count));
}

/** Groups that a newer text finds on neither itself nor the stable text, and that will not get ready by themselves. */
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
  if (situation.sight === 'unseen') return budgetKept(situation);
  return budgetFor(situation, leftoversInTheWay(situation), situation.asked);
}

/** As long as the others leave people's budget some room, nothing has to rise. */
function leftoversInTheWay(situation: Seen): number {
  const { observed, asked } = situation;
  const broken = brokenLeftovers(situation).length;
  const unready = unreadyOf(wanted(observed, asked)).length;
  return unready >= unavailableBudget(peoplesBudget(situation), asked) ? broken : 0;
}
