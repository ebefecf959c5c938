/** A step that cannot be finished: groups that a newer template overtook have broken since, and have spent the budget. */

import { brokenLeftovers, moreDown, overtakingBudget, raises, withBudget } from '../budget.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { before } from '../gates/before.ts';
import { holdsOf } from '../gates/gate.ts';
import { type Decision, moving } from '../move.ts';
import { wanted } from '../observed/groups-asked.ts';
import { type Seen, unavailableBudget, unreadyOf } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { capital, notReady } from '../texts/sentences.ts';

/**
 * When the newer template was taken they only loaded, so its budget was people's own. Now LWS waits for them for ever, and
 * no partition changes that (trace 32d).
 */
export function raisedForLeftovers(situation: Seen, { index, of, marks }: InDelivery): Decision | undefined {
  const { observed, asked, maxUnavailable } = situation;
  const broken = brokenLeftovers(situation);
  const unready = unreadyOf(wanted(observed, asked)).length;
  if (broken.length === 0 || unready < unavailableBudget(maxUnavailable, asked)) return undefined;
  const budget = overtakingBudget(situation);
  if (!raises(situation, budget, asked) || holdsOf(before.raise, situation).length > 0) return undefined;
  return moving(
    workloadMove(situation, {
      reason: 'BudgetRaised',
      label: `step ${index}/${of}`,
      ...withBudget(marks, budget),
      why: `${capital(notReady(broken))}, still on an older template, and will not get ready by ${broken.length === 1 ? 'itself' : 'themselves'}: maxUnavailable ${maxUnavailable} is spent, and LWS stands still. It is raised until all groups are ready; ${moreDown(situation, budget, asked)} more may be down meanwhile.`,
    }),
    'StepUpgrade',
  );
}
