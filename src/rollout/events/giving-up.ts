/** The events that give a release up, whatever its row: an abort, the stable template put back, an aborted template written again. */

import type { Marks } from '../../api/marks.ts';
import { shortDigest, shortRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { isStableTemplate } from '../gates/alike.ts';
import { recreated } from '../gates/cluster.ts';
import { wanted } from '../observed/groups-asked.ts';
import { type Aborted, abortOf } from '../orders/aborted-release.ts';
import { nextRelease, type Seen, type Situation } from '../situation.ts';
import type { State } from '../state.ts';

/** What is aborted now, so that groups go back; undefined: nothing is. */
export function rollbackCause(situation: Situation, state: State): Aborted | undefined {
  const { lostMarks } = situation.snapshot;
  if (lostMarks?.step !== undefined) return withoutMarks(situation, lostMarks);
  switch (state.kind) {
    case 'unmanaged':
    case 'settled':
    case 'ladder':
      return undefined;
    case 'requested':
      return moved(situation) ? beforeFirstStep(situation, state.marks) : undefined;
    case 'rollback':
      return onTheRollBack(situation, state.marks);
    case 'step':
      break;
  }
  return inDelivery(situation, state.marks, state.row === 'locked');
}

/** A request that was aborted before its first step: withdrawn where no group has moved. */
export function beforeFirstStep({ digest, snapshot }: Situation, marks: Marks): Aborted | undefined {
  const release = nextRelease(digest, marks);
  if (abortOf({ snapshot }, release) === undefined) return undefined;
  return { release, reason: 'Aborted', because: `Release ${shortRelease(release)} was aborted before its first step.` };
}

/** The same in the middle of a delivery; locked, a newer template is inert. */
export function inDelivery(situation: Situation, marks: Marks, isLocked: boolean): Aborted | undefined {
  const { digest, snapshot } = situation;
  const { release } = marks;
  const abort = abortOf(situation, release);
  const aborted = { release, reason: 'Aborted', because: `Release ${shortRelease(release)} was aborted.` } as const;
  if (digest === release.digest) return abort === undefined ? undefined : aborted;
  const { stable } = snapshot;
  if (isStableTemplate(situation))
    return { release, reason: 'Reverted', because: 'The stable template was put back into the file.' };
  if (heldAsAborted(situation, marks) !== undefined) return abort === undefined ? undefined : aborted;
  // Without the stable template nobody knows whether this is a newer request or the rollback.
  if (stable.kind !== 'known' && !isLocked) return undefined;
  return abort?.newer === digest ? withNewer(aborted, digest) : undefined;
}

function withNewer(aborted: Aborted, digest: string): Aborted {
  const because = `Release ${shortRelease(aborted.release)} was aborted, and with it the newer template ${shortDigest(digest)} that stood in the file.`;
  return { ...aborted, newer: digest, because };
}

function onTheRollBack(situation: Situation, marks: Marks): Aborted | undefined {
  const { digest } = situation;
  if (digest === marks.release.digest) return undefined;
  const release = nextRelease(digest, marks);
  if (abortOf(situation, release) !== undefined) {
    const because = `Release ${shortRelease(release)} was aborted before its first step, while groups were going back.`;
    return { release, reason: 'Aborted', because };
  }
  // A bot's rewriting is aborted under a serial of its own, so that it can be counted.
  const times = marks.aborted.filter((given) => given.digest === digest).length;
  if (times > 1 || heldAsAborted(situation, marks) === undefined) return undefined;
  return {
    release,
    reason: 'AbortedTemplateRemoved',
    because: `The aborted template ${shortDigest(digest)} was written into the file again while its groups were going back.`,
  };
}

/** An abort works without our annotations as well: by what our last commit wrote. */
export function withoutMarks(situation: Situation, { release, step }: Marks): Aborted | undefined {
  const { digest } = situation;
  const order = abortOf(situation, release);
  if (step === undefined || step.kind === 'rollback' || order === undefined) return undefined;
  const newer = order.newer === digest ? digest : undefined;
  const both =
    newer === undefined ? '' : `, and with it the newer template ${shortDigest(newer)} that stood in the file`;
  const because = `Release ${shortRelease(release)} was aborted${both}; its annotations had been removed by hand.`;
  return { release, newer, reason: 'Aborted', because };
}

/** Whether groups have left the stable template although no step let them: a lowered partition, or objects re-created. */
function moved(situation: Situation): boolean {
  // None is there that could have, or has to be waited for: what comes up later is on the template of Git.
  if (situation.replicas === 0) return false;
  if (situation.partition < SENTINEL || recreated(situation) !== undefined) return true;
  return situation.view === 'seen' && leftStable(situation);
}

function leftStable({ observed, replicas }: Seen): boolean {
  const { releaseKey, stableKey } = observed;
  const elsewhere = releaseKey === stableKey ? [] : [releaseKey];
  return wanted(observed, replicas).some(
    ({ key }) => key !== undefined && (elsewhere.includes(key) || (stableKey !== undefined && key !== stableKey)),
  );
}
