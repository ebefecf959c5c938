/** A rollback that stands still because groups that do not come up have spent the budget: it is raised once more. */

import { type Budget, moreDown, raises } from '../budget.ts';
import { wanted } from '../observed/groups-asked.ts';
import { comesByItself } from '../progress/outlook.ts';
import { type Seen, unavailableBudget, unreadyOf } from '../situation.ts';
import { notReady } from '../texts/sentences.ts';
import { budgetBack } from './budget-back.ts';

/**
 * The budget is spent by groups that do not come up: LWS, or the StatefulSet with its gate on, will not move again by
 * itself (trace 35c). A group that just ends, has no leader for the moment, or loads the stable template is no reason:
 * every pass until it is there would let one more healthy group go. undefined: it moves, or nothing more can be released for update.
 */
export function raisedInRollback(situation: Seen): { readonly budget: Budget; readonly why: string } | undefined {
  const { observed, asked, partition, maxUnavailable } = situation;
  const unready = unreadyOf(wanted(observed, asked));
  if (unready.some((group) => comesByItself(situation, group))) return undefined;
  if (unready.length < unavailableBudget(maxUnavailable, asked)) return undefined;
  const budget = budgetBack(situation, { count: asked, partition });
  if (!raises(situation, budget, asked)) return undefined;
  const why = `${notReady(unready)}, which has spent maxUnavailable ${maxUnavailable}: LWS stands still. It is raised until all groups are back; ${moreDown(situation, budget, asked)} more may be down meanwhile.`;
  return { budget, why };
}
