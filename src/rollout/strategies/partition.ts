/** The partition strategy: one table of states, as the specification has it, and which event comes first in each. */

import type { Marks } from '../../api/marks.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import { type Decision, holding } from '../move.ts';
import type { Situation } from '../situation.ts';
import { type StateName, stateOf } from '../state.ts';
import { settled, unmanaged } from './at-rest.ts';
import { goBack, returnedRelease } from './going-back.ts';
import { heldAsAborted, requested, start } from './requested.ts';
import { rollingBack, stopReturned } from './rolling-back.ts';
import { stepping } from './stepping.ts';
import { supersede } from './superseding.ts';
import { armed, rolling } from './whole.ts';

type InDelivery = { readonly index: number; readonly of: number; readonly marks: Marks };

const atRestRows = { unmanaged, settled, requested } satisfies Partial<
  Record<StateName, (situation: Situation) => Decision>
>;
const stepRows = { partial: stepping, rolling, armed } satisfies Partial<
  Record<StateName, (situation: Situation, step: InDelivery) => Decision>
>;

/** What to do with one workload, by the row that its marks put it in. Pure. */
export function decidePartition(situation: Situation): Decision {
  const { marks } = situation;
  const state = stateOf(situation);
  if (state === 'unmanaged' || state === 'settled' || state === 'requested') return atRestRows[state](situation);
  if (marks?.step === undefined) return holding([], 'Completed');
  if (marks.step.kind === 'rollback' || state === 'rollback') return inRollback(situation, marks);
  const step = { index: marks.step.index, of: marks.step.of, marks };
  return interrupted(situation, { state, marks }) ?? stepRows[state](situation, step);
}

/** The events that end a delivery, whatever its step: given up, put back, or overtaken by a newer text. */
function interrupted(
  situation: Situation,
  at: { readonly state: 'partial' | 'rolling' | 'armed'; readonly marks: Marks },
): Decision | undefined {
  const { digest, snapshot } = situation;
  const { marks, state } = at;
  const newer = digest !== marks.release.digest;
  const abort = sameRelease(snapshot.rollout?.intents.abort, marks.release);
  if (newer && snapshot.stable.kind === 'known' && snapshot.stable.value.release.digest === digest) {
    return goBack(situation, {
      release: marks.release,
      reason: 'Reverted',
      because: 'The stable template was put back into the file.',
    });
  }
  if (abort && !newer) {
    return goBack(situation, {
      release: marks.release,
      reason: 'Aborted',
      because: `Release ${printRelease(marks.release)} was aborted.`,
    });
  }
  if (!newer) return undefined;
  // Aborted, but the file already holds a newer request: that one stands, and its groups follow it.
  if (state === 'armed') return abort ? startInstead(situation, marks) : undefined;
  return heldAsAborted(situation, marks) === undefined ? supersede(situation) : stopReturned(situation, marks);
}

function startInstead(situation: Situation, marks: Marks): Decision {
  const aborted = heldAsAborted(situation, marks);
  if (aborted !== undefined) return holding([aborted], 'StepPaused');
  if (situation.notApplied !== undefined) return holding([situation.notApplied], 'StepPaused');
  return start(situation, {
    marks: { ...marks, aborted: [marks.release, ...marks.aborted].slice(0, 5) },
    stable: marks.stable,
    restore: marks.restore,
  });
}

function inRollback(situation: Situation, marks: Marks): Decision {
  const { digest } = situation;
  if (digest === marks.release.digest) return rollingBack(situation, marks);
  if (heldAsAborted(situation, marks) === undefined) return supersede(situation);
  const times = marks.aborted.filter((release) => release.digest === digest).length;
  if (times > 1) return stopReturned(situation, marks);
  return goBack(situation, {
    release: returnedRelease(situation),
    reason: 'AbortedTextRemoved',
    because: `The aborted template ${digest} was written into the file again while its groups were going back.`,
  });
}
