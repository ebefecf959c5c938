/** A newer text in the middle of a delivery whose versions share the requests: those go home, and it gets its own label. */

import { withBudgetAfter } from '../budget.ts';
import { besides } from '../ladders/besides.ts';
import { withObjects } from '../ladders/commit.ts';
import { type Delivering } from '../ladders/delivering.ts';
import { allHome } from '../ladders/version-edits.ts';
import { type Decision, moving } from '../move.ts';
import type { InDelivery } from '../state.ts';
import { workloadMove } from '../workload-change.ts';

/** The commit that takes it up also labels it, and lets the Service take in all leaders: for now there may be three versions. */
export function stamped(on: Delivering, decision: Decision): Decision {
  return besides(on, decision, { at: 'home', commit: withObjects(allHome(on.delivery), []), labels: true });
}

/** It is live already, under the label of the release before: until it may begin, no route tells the two apart. */
export function homeOfNewer(on: Delivering, { holds }: Decision, { marks, index, of }: InDelivery): Decision {
  const { situation, delivery } = on;
  const move = workloadMove(situation, {
    reason: 'BroughtHome',
    label: `step ${index}/${of}, home`,
    ...withBudgetAfter(situation, { marks, floor: marks.restore?.floor ?? situation.partition }),
    why: `A newer template is in the file and cannot begin yet. Its groups would take the share of the release before, so that share goes home.`,
  });
  return besides(on, moving(move, 'StepUpgrade', holds), { at: 'home', commit: allHome(delivery) });
}
