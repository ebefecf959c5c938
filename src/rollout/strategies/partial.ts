/** The row `step k, partial`: finish the step that Git names, then write the next. */

import { decisionOf } from '../edits/workload-change.ts';
import { nextStep } from '../events/next-step.ts';
import { beforeGroups, nextAsked, standingOf } from '../events/step-standing.ts';
import type { Decision } from '../move.ts';
import type { Situation } from '../situation.ts';
import type { InDelivery } from '../state.ts';

/** The groups are all that such a step has. The file has the release's template: the caller has looked. */
export function partial(situation: Situation, step: InDelivery): Decision {
  const first = beforeGroups(situation, step);
  if (first !== undefined) return first;
  const answer = nextAsked(situation, standingOf(situation, step, { waits: [], again: false }));
  return answer.kind === 'shut' ? answer.decision : decisionOf(answer.seen, nextStep(answer.seen, answer.from));
}
