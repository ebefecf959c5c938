/** The row `requested` where routes share out the requests of the workload: its label first, while nothing can restart. */

import type { Marks } from '../../api/marks.ts';
import { firstRung } from '../events/sharing-out.ts';
import { unstarted } from '../events/unstarted.ts';
import { before } from '../gates/before.ts';
import { ask } from '../gates/gate.ts';
import { overshoot } from '../gates/out-of-place.ts';
import { shapeRefused, surgeUseless } from '../gates/routed.ts';
import { earlierTemplate } from '../gates/undo.ts';
import { delivering, documentMissing, routesChanged, takenBySomebody } from '../ladders/delivering.ts';
import { type Decision, holding } from '../move.ts';
import { nextRelease, type Situation, whenSeen } from '../situation.ts';
import { firstIndex } from '../step-to-come.ts';

/** First match: what starts nothing, held, started. */
export function routedRequested(situation: Situation, marks: Marks): Decision {
  const earlier = unstarted(situation, marks);
  if (earlier !== undefined) return earlier;
  const release = nextRelease(situation.digest, marks);
  const first = whenSeen((seen) => overshoot(seen, { index: 1, release }));
  const answer = ask([shapeRefused, surgeUseless, ...before.start, first], situation);
  if (answer.kind === 'shut')
    return holding([...answer.holds, ...earlierTemplate(situation, marks)], 'BeforeStepUpgrade');
  const on = delivering(situation, { ...marks, restore: undefined }, release);
  if (on === undefined) return holding([documentMissing(situation)], 'BeforeStepUpgrade');
  const taken = takenBySomebody(on) ?? routesChanged(on);
  if (taken !== undefined) return holding([taken], 'BeforeStepUpgrade');
  return firstRung(on, answer.seen, { marks, index: firstIndex(situation, release) });
}
