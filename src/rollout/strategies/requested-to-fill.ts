/** The row `requested` where a second workload is filled: the first rung of step 1, or of the step that a jump names. */

import type { Marks } from '../../api/marks.ts';
import { SENTINEL } from '../../api/workload.ts';
import { firstStep, NOTHING_ASIDE } from '../events/first-step.ts';
import { beforeFirstStep } from '../events/giving-up.ts';
import { withdraw } from '../events/going-back.ts';
import { stopRoll } from '../events/stopping.ts';
import { settledUnchanged } from '../events/unchanged.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { before } from '../gates/before.ts';
import { ask } from '../gates/gate.ts';
import { hold } from '../hold.ts';
import { delivering, documentMissing, takenBySomebody, waiting } from '../ladders/delivering.ts';
import { nextCommit, stepEntered } from '../ladders/next-commit.ts';
import { climbed, unwritable } from '../ladders/rung-move.ts';
import { type Decision, holding } from '../move.ts';
import { nextRelease, type Situation } from '../situation.ts';
import { firstIndex } from '../step-to-come.ts';

/** First match: given up, aborted before, edited open, no change at all, held, started. */
export function requestedToFill(situation: Situation, marks: Marks): Decision {
  const { partition, digest, file } = situation;
  const release = nextRelease(digest, marks);
  const given = beforeFirstStep(situation, marks);
  if (given !== undefined) return withdraw(situation, { given, marks });
  const aborted = heldAsAborted(situation, marks);
  if (aborted !== undefined) return stopRoll(situation, { marks, holds: [aborted] });
  if (partition < SENTINEL) {
    const seen = `${file.file}: the template was edited while the partition of ${file.object.name} was ${partition}: its groups would go to it in no step`;
    return stopRoll(situation, { marks, holds: [hold('PartitionEdited', { seen, waits: 'tranche' })] });
  }
  const unchanged = settledUnchanged(situation, marks);
  if (unchanged !== undefined) return unchanged;
  const answer = ask(before.fill, situation);
  if (answer.kind === 'shut') return holding(answer.holds, 'BeforeStepUpgrade');
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
