/** A workload that was recreated in mid-delivery, and a person who accepts what it came up on. */

import { type Marks, putAside } from '../../api/marks.ts';
import { SENTINEL } from '../../api/workload.ts';
import { type Decision, type Move, moving } from '../move.ts';
import type { Situation } from '../situation.ts';

/** Everything is on Git's template already and a person accepts that: the step is whole, armed at once. */
export function acceptRecreated(situation: Situation, marks: Marks): Decision {
  const move: Move = {
    reason: 'Armed',
    label: `${marks.step?.kind === 'step' ? `step ${marks.step.index}/${marks.step.of}` : 'step'}, armed`,
    marks: { ...marks, restore: putAside(marks.restore, { floor: 0, maxUnavailable: marks.restore?.maxUnavailable }) },
    partition: situation.partition === SENTINEL ? undefined : SENTINEL,
    maxUnavailable: undefined,
    text: undefined,
    why: 'The workload was recreated in mid-delivery, so all its groups came up on the text of Git. A person has approved that.',
  };
  return moving(move, 'StepUpgrade');
}
