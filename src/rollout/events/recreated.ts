/** A workload that was recreated in mid-delivery, and someone who accepts what it came up on. */

import type { Marks } from '../../api/marks.ts';
import { SENTINEL } from '../../api/workload.ts';
import { withBudgetAfter } from '../budget.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { type Decision, moving } from '../move.ts';
import type { Situation } from '../situation.ts';

/** Everything is on Git's template already and someone accepts that: the step is whole, locked at once. */
export function acceptRecreated(
  situation: Situation,
  { index, of, marks }: { readonly index: number; readonly of: number; readonly marks: Marks },
): Decision {
  const step = { kind: 'step', index, of } as const;
  const move = workloadMove(situation, {
    reason: 'Locked',
    label: `step ${index}/${of}, locked`,
    ...withBudgetAfter(situation, { marks: { ...marks, step }, floor: 0 }),
    partition: situation.partition === SENTINEL ? undefined : SENTINEL,
    why: 'The workload was recreated in mid-delivery, so all its groups came up on the template of Git. Someone has accepted that.',
  });
  return moving(move, 'StepUpgrade');
}
