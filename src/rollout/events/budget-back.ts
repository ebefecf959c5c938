/** For which groups a rollback raises maxUnavailable, and when that comes down again. */

import { type Budget, budgetFor, raisedTo } from '../budget.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { abortOf } from '../orders/aborted-release.ts';
import { onlyLoads, willNotGetReady } from '../progress/outlook.ts';
import { nextRelease, type Seen, type Situation, spendingOf, unavailableBudget } from '../situation.ts';

/** Which groups a rollback takes back: those from the partition on, of this many. */
type Range = { readonly count: number; readonly partition: number };

/**
 * The user's own maxUnavailable, and one for each group that LWS would stand still for: it answers a revert by waiting
 * while unready groups have spent the budget (traces 31m, 32a). One that starts on the stable template gives its share back
 * by itself, one that only loads soon does; and LWS and the StatefulSet replace what is unready at the top anyway.
 */
export function budgetBack(situation: Seen, range: Range): Budget {
  return budgetFor(situation, inTheWay(situation, range).length, range.count);
}

function inTheWay(situation: Seen, range: Range): readonly Group[] {
  const groups = wanted(situation.observed, range.count);
  const isNow = countsLoading(situation);
  return spendingOf(groups).filter(
    (group) =>
      !startsOnStable(situation, group, range.partition) &&
      (isNow || !onlyLoads(situation, group)) &&
      !isTop(situation, group, range),
  );
}

/** Groups of another version that only load: the rollback waits for them, unless `abort --now` says otherwise. */
export function loadingAway(situation: Seen, range: Range): readonly Group[] {
  const groups = wanted(situation.observed, range.count);
  if (countsLoading(situation)) return [];
  return spendingOf(groups).filter(
    (group) =>
      group.leader.key !== situation.observed.stableKey &&
      onlyLoads(situation, group) &&
      !isTop(situation, group, range),
  );
}

/** `abort --now`: groups that only load are not waited for. */
function countsLoading(situation: Situation): boolean {
  const { marks, digest } = situation;
  const releases = [marks?.release, marks?.aborted[0], nextRelease(digest, marks)];
  return releases.some((release) => release !== undefined && abortOf(situation, release)?.now === true);
}

/** It loads the stable template, or is below the partition between two pods: nobody has to be let past it. */
function startsOnStable(situation: Seen, group: Group, partition: number): boolean {
  const { uid, leader, index } = group;
  const stable = situation.observed.stableKey;
  const comes = uid === '' || leader.leaving ? index < partition : stable !== undefined && leader.key === stable;
  return comes && !willNotGetReady(situation, group);
}

/**
 * It goes back, and no ready group that goes back lies above it: LWS passes it whatever the budget is (trace 33a without
 * the raise), and the StatefulSet controller deletes it next. With the gate MaxUnavailableStatefulSet on that controller
 * never replaces it where the budget is spent (traces 15, 15b): there it counts. The API server keeps the field of the leader
 * StatefulSet only where the gate is on, so that the cluster itself says which of both it is.
 */
function isTop({ observed }: Seen, group: Group, { count, partition }: Range): boolean {
  const { leaderSet, stableKey } = observed;
  if (leaderSet.maxUnavailable !== undefined) return false;
  const goes = ({ index, key }: Group): boolean => index >= partition && (stableKey === undefined || key !== stableKey);
  return goes(group) && !wanted(observed, count).some((one) => one.ready && one.index > group.index && goes(one));
}

/** The same, and without asking since when: what is neither ready nor replaced may have been raised for. */
function stillInTheWay(situation: Seen, range: Range): readonly Group[] {
  const { stableKey } = situation.observed;
  const known = inTheWay(situation, range);
  return spendingOf(wanted(situation.observed, range.count)).filter((group) => {
    const isReplaced = group.index >= range.partition && stableKey !== undefined && group.leader.key === stableKey;
    return known.includes(group) || !(isReplaced || isTop(situation, group, range));
  });
}

/**
 * What was raised for groups that are ready or replaced by now, or are passed without it, comes down at once: a ready group
 * would fall for it. undefined: all that was raised is wanted still.
 */
export function loweredInRollback(situation: Seen): { readonly budget: Budget; readonly why: string } | undefined {
  const { asked, partition } = situation;
  const raised = raisedTo(situation);
  if (raised === undefined) return undefined;
  const left = stillInTheWay(situation, { count: asked, partition });
  const budget = budgetFor(situation, left.length, asked);
  const { set } = budget;
  if (set === undefined) return undefined;
  const is = typeof set === 'object' ? 1 : unavailableBudget(set, asked);
  if (is >= unavailableBudget(raised, asked)) return undefined;
  const stands =
    left.length === 0
      ? 'no group stands'
      : `${nameGroups(left.map(({ index }) => index))} alone ${left.length === 1 ? 'stands' : 'stand'}`;
  return { budget, why: `Of the groups that maxUnavailable was raised for, ${stands} in the way now: it is ${is}.` };
}
