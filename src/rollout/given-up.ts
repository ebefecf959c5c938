/** What is given up, at whose word, and how the marks remember it. */

import type { AbortIntent } from '../api/intents.ts';
import { ABORTED_LIMIT, type Marks } from '../api/marks.ts';
import { type Release, sameRelease } from '../api/release.ts';
import type { MoveReasonOf } from './move.ts';
import { nextRelease, type Situation } from './situation.ts';
import { isRouted } from './state.ts';

export type GivenUp = {
  readonly release: Release;
  /** Digest of a newer text that goes as well; it gets a serial of its own. */
  readonly newer?: string | undefined;
  /** blueGreen: a newer text stays in the file, inert, and is taken from its first step once the way back is over. */
  readonly keepsNewer?: true;
  readonly reason: MoveReasonOf<'back'>;
  /** Who or what asked for it, for the commit. */
  readonly because: string;
};

/** The release joins those given up, newest first; and before it a newer text that is given up with it. */
export function remember(
  { release, newer }: Pick<GivenUp, 'release' | 'newer'>,
  marks: Pick<Marks, 'release' | 'aborted'>,
): readonly Release[] {
  const aborted = [release, ...marks.aborted];
  const later = newer === undefined ? [] : [nextRelease(newer, { ...marks, aborted })];
  return [...later, ...aborted].slice(0, ABORTED_LIMIT);
}

/** The order to give this very release up: of the Rollout, or of the LeaderWorkerSet itself where that is gone. */
export function abortOf({ snapshot }: Pick<Situation, 'snapshot'>, release: Release): AbortIntent | undefined {
  const orders = [snapshot.rollout?.intents.abort, snapshot.workload?.workload.abort];
  return orders.find((order) => sameRelease(order?.release, release));
}

/**
 * The release whose requests a rollback waits for, or has once more after it, or whose groups still load: someone may not want
 * to wait for that.
 */
export function waitedFor(marks: Marks): Release | undefined {
  if (marks.at === undefined) return marks.aborted[0];
  // All go over, or one workload's go home, before it is given up.
  if (marks.at === 'all' || (marks.at === 'home' && isRouted(marks))) return marks.release;
  const isWaiting = marks.at === 'fleet' || marks.at === 'home' || (marks.at === 'text' && !isRouted(marks));
  return isWaiting ? marks.aborted[0] : undefined;
}
