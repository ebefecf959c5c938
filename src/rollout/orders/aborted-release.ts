/** What is aborted, at whose word, and how the marks remember it. */

import type { AbortIntent } from '../../api/intents.ts';
import { ABORTED_LIMIT, type Marks } from '../../api/marks.ts';
import { type Release, sameRelease } from '../../api/release.ts';
import type { MoveReasonOf } from '../move.ts';
import { nextRelease, type Situation } from '../situation.ts';
import { isRouted } from '../state.ts';

export type Aborted = {
  readonly release: Release;
  /** Digest of a newer template that goes as well; it gets a serial of its own. */
  readonly newer?: string | undefined;
  /** blueGreen: a newer template stays in the file, inert, and is taken from its first step once the rollback is over. */
  readonly keepsNewer?: true;
  readonly reason: MoveReasonOf<'back'>;
  /** Who or what asked for it, for the commit. */
  readonly because: string;
};

/** The release joins those aborted, newest first; and before it a newer template that is aborted with it. */
export function remember(
  { release, newer }: Pick<Aborted, 'release' | 'newer'>,
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
  // All go over, or one workload's go to stable, before it is aborted.
  if (marks.at === 'all' || (marks.at === 'route-restored' && isRouted(marks))) return marks.release;
  const isWaiting =
    marks.at === 'primary' ||
    marks.at === 'route-restored' ||
    marks.at === 'back' ||
    (marks.at === 'template' && !isRouted(marks));
  return isWaiting ? marks.aborted[0] : undefined;
}
