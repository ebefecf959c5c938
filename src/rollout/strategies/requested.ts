/** The row `requested`: somebody edited the template of an locked workload, and nothing has moved yet. */

import type { Marks } from '../../api/marks.ts';
import { SENTINEL } from '../../api/workload.ts';
import { accepted } from '../accepting.ts';
import { decisionOf } from '../edits/workload-change.ts';
import { firstStep, NOTHING_ASIDE, start } from '../events/first-step.ts';
import { beforeFirstStep } from '../events/giving-up.ts';
import { withdraw } from '../events/going-back.ts';
import { inputsWritten } from '../events/inputs-written.ts';
import { acceptRecreated } from '../events/recreated.ts';
import { removalFor, removeForRequest } from '../events/recreating.ts';
import { stopRoll } from '../events/stopping.ts';
import { beyondFirstStep, supersede } from '../events/superseding.ts';
import { settledUnchanged } from '../events/unchanged.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { before } from '../gates/before.ts';
import { cameUpWhole, recreated } from '../gates/cluster.ts';
import { ask } from '../gates/gate.ts';
import { overshoot } from '../gates/out-of-place.ts';
import { earlierTemplate } from '../gates/undo.ts';
import { type Decision, holding } from '../move.ts';
import { nextRelease, type Situation, whenSeen } from '../situation.ts';

/** First match: aborted, aborted before, edited open, inputs that no entry names, no change at all, not in place, held, started. */
export function requested(situation: Situation, marks: Marks): Decision {
  const { partition, digest } = situation;
  const release = nextRelease(digest, marks);
  const given = beforeFirstStep(situation, marks);
  if (given !== undefined) return withdraw(situation, { given, marks });
  const aborted = heldAsAborted(situation, marks);
  if (aborted !== undefined) return decisionOf(situation, stopRoll(situation, { marks, holds: [aborted] }));
  if (partition < SENTINEL && beyondFirstStep(situation)) return decisionOf(situation, supersede(situation, marks));
  const written = inputsWritten(situation, marks);
  if (written !== undefined) return decisionOf(situation, written);
  const unchanged = settledUnchanged(situation, marks);
  if (unchanged !== undefined) return unchanged;
  const removal = removalFor(situation);
  if (removal !== undefined) return removeForRequest(situation, { marks, removal });
  const first = { index: 1, release };
  const fresh = recreated(situation) !== undefined && accepted(situation, 'Recreated');
  // Who accepts that all was re-created has accepted that all groups are on the release, and none of those that are not.
  const isWhole = fresh && cameUpWhole(situation);
  const unasked = before.start.filter((gate) => !fresh || gate !== recreated);
  const gates = isWhole ? unasked : [...unasked, whenSeen((seen) => overshoot(seen, first))];
  const answer = ask(gates, situation);
  if (answer.kind === 'shut')
    return holding([...answer.holds, ...earlierTemplate(situation, marks)], 'BeforeStepUpgrade');
  if (isWhole) {
    const step = { index: 1, of: Math.max(1, situation.steps.length) };
    return acceptRecreated(situation, { ...step, marks: firstStep(situation, { marks, restore: NOTHING_ASIDE }) });
  }
  return decisionOf(situation, start(answer.seen, { marks, restore: undefined, maxUnavailable: undefined }));
}
