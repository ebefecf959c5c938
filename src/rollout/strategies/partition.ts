/** The partition strategy: one table of states, as the specification has it, and which event comes first in each. */

import type { Marks } from '../../api/marks.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { wanted } from '../gates/cluster.ts';
import { type Decision, holding } from '../move.ts';
import { flipped, nextRelease, type Situation } from '../situation.ts';
import { type StateName, stateOf } from '../state.ts';
import { settled, unmanaged } from './at-rest.ts';
import { type GivenUp, goBack, noText, remember, returnedRelease } from './going-back.ts';
import { marksGone } from './marks-gone.ts';
import { requested } from './requested.ts';
import { rollingBack, stopReturned } from './rolling-back.ts';
import { stepping } from './stepping.ts';
import { beyondFirstStep, supersede, takeOver } from './superseding.ts';
import { surging } from './surging.ts';
import { armed, rolling } from './whole.ts';

type InDelivery = { readonly index: number; readonly of: number; readonly marks: Marks };

const atRestRows = { unmanaged, settled, requested } satisfies Partial<
  Record<StateName, (situation: Situation) => Decision>
>;
const stepRows = { surging, partial: stepping, rolling, armed } satisfies Partial<
  Record<StateName, (situation: Situation, step: InDelivery) => Decision>
>;

/** What to do with one workload, by the row that its marks put it in. Pure. */
export function decidePartition(situation: Situation): Decision {
  const { marks } = situation;
  if (situation.snapshot.lostMarks !== undefined) return marksGone(situation, situation.snapshot.lostMarks);
  const state = stateOf(situation);
  if (state === 'unmanaged' || state === 'settled' || state === 'requested') return atRestRows[state](situation);
  if (marks?.step === undefined) return holding([], 'Completed');
  if (marks.step.kind === 'rollback' || state === 'rollback') return inRollback(situation, marks);
  const step = { index: marks.step.index, of: marks.step.of, marks };
  const row = state === 'partial' && wholeAlready(situation) ? 'rolling' : state;
  return interrupted(situation, { state, marks }) ?? stepRows[row](situation, step);
}

/** Every group may go and has gone, whatever a hand has made of the partition since: arm, as after partition 0. */
function wholeAlready({ observed, marks, asked }: Situation): boolean {
  if (marks?.restore?.floor !== 0 || observed === undefined || asked === undefined || asked === 0) return false;
  return wanted(observed, asked).every((group) => group.version === 'release') && flipped(observed.leaderSet);
}

/** The events that end a delivery, whatever its step: given up, put back, or overtaken by a newer text. */
function interrupted(
  situation: Situation,
  at: { readonly state: 'surging' | 'partial' | 'rolling' | 'armed'; readonly marks: Marks },
): Decision | undefined {
  const { digest, snapshot } = situation;
  const { marks, state } = at;
  const { release } = marks;
  const order = snapshot.rollout?.intents.abort;
  const abort = sameRelease(order?.release, release) ? order : undefined;
  const aborted = { release, reason: 'Aborted', because: `Release ${printRelease(release)} was aborted.` } as const;
  if (digest === release.digest) return abort === undefined ? undefined : goBack(situation, aborted);
  if (snapshot.stable.kind === 'known' && snapshot.stable.value.release.digest === digest) {
    const because = 'The stable template was put back into the file.';
    return goBack(situation, { release, reason: 'Reverted', because });
  }
  if (heldAsAborted(situation, marks) !== undefined) {
    if (abort !== undefined) return goBack(situation, aborted);
    return state === 'armed' ? undefined : stopReturned(situation, marks);
  }
  // Without the stable text nobody knows whether this is a newer request or the way back, which must not be stopped.
  if (snapshot.stable.kind !== 'known' && state !== 'armed') return holding([noText(situation)], 'StepUpgrade');
  if (abort?.newer === digest) return goBack(situation, withNewer(aborted, digest));
  // A text that the order does not name was written after it, or is to stay: its groups follow it.
  const left = abort === undefined ? marks : { ...marks, aborted: remember({ release, newer: abort.newer }, marks) };
  if (state === 'armed') return abort === undefined ? undefined : takeOver(situation, left);
  return overtaken(situation, left);
}

function withNewer(aborted: GivenUp, digest: string): GivenUp {
  const because = `Release ${printRelease(aborted.release)} was aborted, and with it the newer text ${digest} that stood in the file.`;
  return { ...aborted, newer: digest, because };
}

/** A newer request: the roll is stopped, or its first step is taken where there is nothing to stop. */
function overtaken(situation: Situation, marks: Marks): Decision {
  return beyondFirstStep(situation) ? supersede({ ...situation, marks }) : takeOver(situation, marks);
}

function inRollback(situation: Situation, marks: Marks): Decision {
  const { digest } = situation;
  if (digest === marks.release.digest) return rollingBack(situation, marks);
  const release = nextRelease(digest, marks);
  if (sameRelease(situation.snapshot.rollout?.intents.abort?.release, release)) {
    const because = `Release ${printRelease(release)} was aborted before its first step, while groups were going back.`;
    return goBack(situation, { release, reason: 'Aborted', because });
  }
  if (heldAsAborted(situation, marks) === undefined) return overtaken(situation, marks);
  const times = marks.aborted.filter((given) => given.digest === digest).length;
  if (times > 1) return stopReturned(situation, marks);
  return goBack(situation, {
    release: returnedRelease(situation),
    reason: 'AbortedTextRemoved',
    because: `The aborted template ${digest} was written into the file again while its groups were going back.`,
  });
}
