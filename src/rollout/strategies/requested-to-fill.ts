/** The row `requested` where a second workload is filled: the first rung of step 1, or of the step that a jump names. */

import type { Marks } from '../../api/marks.ts';
import { firstStep, NOTHING_ASIDE } from '../events/first-step.ts';
import { unstarted } from '../events/unstarted.ts';
import { before } from '../gates/before.ts';
import { ask } from '../gates/gate.ts';
import { earlierTemplate } from '../gates/undo.ts';
import { delivering, documentMissing, takenBySomebody, waiting } from '../ladders/delivering.ts';
import { nextCommit, stepEntered } from '../ladders/next-commit.ts';
import { climbed, unwritable } from '../ladders/rung-move.ts';
import { type Decision, holding } from '../move.ts';
import { nextRelease, type Situation } from '../situation.ts';
import { firstIndex } from '../step-to-come.ts';

/** First match: what starts nothing, held, started. */
export function requestedToFill(situation: Situation, marks: Marks): Decision {
  const earlier = unstarted(situation, marks);
  if (earlier !== undefined) return earlier;
  const release = nextRelease(situation.digest, marks);
  const answer = ask(before.fill, situation);
  if (answer.kind === 'shut')
    return holding([...answer.holds, ...earlierTemplate(situation, marks)], 'BeforeStepUpgrade');
  const on = delivering(situation, { ...marks, restore: undefined }, release);
  if (on === undefined) return holding([documentMissing(situation)], 'BeforeStepUpgrade');
  const taken = takenBySomebody(on);
  if (taken !== undefined) return holding([taken], 'BeforeStepUpgrade');
  const index = firstIndex(situation, release);
  const next = index === 1 ? nextCommit(on.delivery) : stepEntered(on.delivery, { index, paused: false });
  if (next.kind === 'unwritable') return unwritable(on, next);
  const unseen = waiting(on, next.waits);
  if (unseen.length > 0) return holding(unseen, 'BeforeStepUpgrade');
  const first = firstStep(situation, { marks, restore: NOTHING_ASIDE });
  return climbed(on, next, { reason: index === 1 ? 'StepReady' : 'Jumped', marks: { ...first, restore: undefined } });
}
