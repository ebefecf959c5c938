/** The events that give a release up, whatever its row: an abort, the stable text put back, an aborted text written again. */

import type { Marks } from '../../api/marks.ts';
import { shortDigest, shortRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { isStableTemplate } from '../gates/alike.ts';
import { recreated } from '../gates/cluster.ts';
import { abortOf, type GivenUp } from '../given-up.ts';
import { wanted } from '../groups-asked.ts';
import { nextRelease, type Seen, type Situation } from '../situation.ts';
import type { State } from '../state.ts';

/** What is given up now, so that groups go back; undefined: nothing is. */
export function givenUp(situation: Situation, state: State): GivenUp | undefined {
  const { lostMarks } = situation.snapshot;
  if (lostMarks !== undefined) return withoutMarks(situation, lostMarks);
  switch (state.kind) {
    case 'unmanaged':
    case 'settled':
    case 'ladder':
      return undefined;
    case 'requested':
      return moved(situation) ? beforeFirstStep(situation, state.marks) : undefined;
    case 'rollback':
      return onTheWayBack(situation, state.marks);
    case 'step':
      break;
  }
  return inDelivery(situation, state.marks, state.row === 'armed');
}

/** A request that was aborted before its first step: withdrawn where no group has moved. */
export function beforeFirstStep({ digest, snapshot }: Situation, marks: Marks): GivenUp | undefined {
  const release = nextRelease(digest, marks);
  if (abortOf({ snapshot }, release) === undefined) return undefined;
  return { release, reason: 'Aborted', because: `Release ${shortRelease(release)} was aborted before its first step.` };
}

/** The same in the middle of a delivery; armed, a newer text is inert. */
export function inDelivery(situation: Situation, marks: Marks, isArmed: boolean): GivenUp | undefined {
  const { digest, snapshot } = situation;
  const { release } = marks;
  const abort = abortOf(situation, release);
  const aborted = { release, reason: 'Aborted', because: `Release ${shortRelease(release)} was aborted.` } as const;
  if (digest === release.digest) return abort === undefined ? undefined : aborted;
  const { stable } = snapshot;
  if (isStableTemplate(situation))
    return { release, reason: 'Reverted', because: 'The stable template was put back into the file.' };
  if (heldAsAborted(situation, marks) !== undefined) return abort === undefined ? undefined : aborted;
  // Without the stable text nobody knows whether this is a newer request or the way back.
  if (stable.kind !== 'known' && !isArmed) return undefined;
  return abort?.newer === digest ? withNewer(aborted, digest) : undefined;
}

function withNewer(aborted: GivenUp, digest: string): GivenUp {
  const because = `Release ${shortRelease(aborted.release)} was aborted, and with it the newer text ${shortDigest(digest)} that stood in the file.`;
  return { ...aborted, newer: digest, because };
}

function onTheWayBack(situation: Situation, marks: Marks): GivenUp | undefined {
  const { digest } = situation;
  if (digest === marks.release.digest) return undefined;
  const release = nextRelease(digest, marks);
  if (abortOf(situation, release) !== undefined) {
    const because = `Release ${shortRelease(release)} was aborted before its first step, while groups were going back.`;
    return { release, reason: 'Aborted', because };
  }
  // A bot's rewriting is given up under a serial of its own, so that it can be counted.
  const times = marks.aborted.filter((given) => given.digest === digest).length;
  if (times > 1 || heldAsAborted(situation, marks) === undefined) return undefined;
  return {
    release,
    reason: 'AbortedTextRemoved',
    because: `The aborted template ${shortDigest(digest)} was written into the file again while its groups were going back.`,
  };
}

/** An abort works without our annotations as well: by what our last commit wrote. */
export function withoutMarks(situation: Situation, { release, step }: Marks): GivenUp | undefined {
  const { digest } = situation;
  const order = abortOf(situation, release);
  if (step === undefined || step.kind === 'rollback' || order === undefined) return undefined;
  const newer = order.newer === digest ? digest : undefined;
  const both = newer === undefined ? '' : `, and with it the newer text ${shortDigest(newer)} that stood in the file`;
  const because = `Release ${shortRelease(release)} was aborted${both}; its annotations had been removed by hand.`;
  return { release, newer, reason: 'Aborted', because };
}

/** Whether groups have left the stable text although no step let them: a lowered partition, or objects made anew. */
function moved(situation: Situation): boolean {
  // None is there that could have, or has to be waited for: what comes up later is on the text of Git.
  if (situation.replicas === 0) return false;
  if (situation.partition < SENTINEL || recreated(situation) !== undefined) return true;
  return situation.sight === 'seen' && leftStable(situation);
}

function leftStable({ observed, replicas }: Seen): boolean {
  const { releaseKey, stableKey } = observed;
  const elsewhere = releaseKey === stableKey ? [] : [releaseKey];
  return wanted(observed, replicas).some(
    ({ key }) => key !== undefined && (elsewhere.includes(key) || (stableKey !== undefined && key !== stableKey)),
  );
}
