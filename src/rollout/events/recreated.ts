/** A workload that was recreated in mid-delivery, and a person who accepts what it came up on. */

import type { Marks } from '../../api/marks.ts';
import { SENTINEL } from '../../api/workload.ts';
import { withBudgetAfter } from '../budget.ts';
import { type Decision, moving } from '../move.ts';
import type { Situation } from '../situation.ts';
import { workloadMove } from '../workload-change.ts';

/** Everything is on Git's template already and a person accepts that: the step is whole, armed at once. */
export function acceptRecreated(
  situation: Situation,
  { index, of, marks }: { readonly index: number; readonly of: number; readonly marks: Marks },
): Decision {
  const step = { kind: 'step', index, of } as const;
  const move = workloadMove(situation, {
    reason: 'Armed',
    label: `step ${index}/${of}, armed`,
    ...withBudgetAfter(situation, { marks: { ...marks, step }, floor: 0 }),
    partition: situation.partition === SENTINEL ? undefined : SENTINEL,
    why: 'The workload was recreated in mid-delivery, so all its groups came up on the text of Git. A person has accepted that.',
  });
  return moving(move, 'StepUpgrade');
}
