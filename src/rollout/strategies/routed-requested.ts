/** The row `requested` where routes share out the requests of the workload: its label first, while nothing can restart. */

import type { Marks } from '../../api/marks.ts';
import { SENTINEL } from '../../api/workload.ts';
import { beforeFirstStep } from '../events/giving-up.ts';
import { withdraw } from '../events/going-back.ts';
import { sharedText } from '../events/sharing-out.ts';
import { stopRoll } from '../events/stopping.ts';
import { settledUnchanged } from '../events/unchanged.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { before } from '../gates/before.ts';
import { ask } from '../gates/gate.ts';
import { overshoot } from '../gates/out-of-place.ts';
import { shapeRefused, surgeUseless } from '../gates/routed.ts';
import { hold } from '../hold.ts';
import { delivering, documentMissing, routesChanged, takenBySomebody } from '../ladders/delivering.ts';
import { type Decision, holding } from '../move.ts';
import { nextRelease, type Situation, whenSeen } from '../situation.ts';
import { firstIndex } from '../step-to-come.ts';

/** First match: given up, aborted before, edited open, no change at all, held, started. */
export function routedRequested(situation: Situation, marks: Marks): Decision {
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
  const first = whenSeen((seen) => overshoot(seen, { index: 1, release }));
  const answer = ask([shapeRefused, surgeUseless, ...before.start, first], situation);
  if (answer.kind === 'shut') return holding(answer.holds, 'BeforeStepUpgrade');
  const on = delivering(situation, { ...marks, restore: undefined }, release);
  if (on === undefined) return holding([documentMissing(situation)], 'BeforeStepUpgrade');
  const taken = takenBySomebody(on) ?? routesChanged(on);
  if (taken !== undefined) return holding([taken], 'BeforeStepUpgrade');
  return sharedText(on, answer.seen, { marks, index: firstIndex(situation, release) });
}
