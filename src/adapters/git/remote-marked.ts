/**
 * Gets a whole commit by what was said of an earlier one: its folders, what has changed since, and the files that had a
 * marker. What the server leaves out then was in the earlier commit, and has none.
 */

import { createHash } from 'node:crypto';
import type { Marked, Oid } from '../../ports/git.ts';
import { TooLarge } from './inflate.ts';
import type { GitLimits } from './limits.ts';
import { isOid } from './names.ts';
import type { TakenObject } from './pack-read.ts';
import { type FetchRequest, ServerSaid } from './protocol.ts';
import { type Reading, type RemoteFetch, type RemoteFetchOptions, saidBy } from './remote-fetch.ts';

/** Of more files with a marker none are named: the list would be larger than what it saves. */
export const MARKED_MOST = 1000;
/**
 * Commits that may lie between; with more, all of a commit comes, which costs more and says the same. Those before come as
 * well: who looks for a text of before finds them, and need not ask.
 */
const mostBetween = 16;
/** What has changed is small. The folders of a million files are not. */
const smallPack = { packBytes: 16 * 1024 * 1024 } as const;

type MarkedOptions = Pick<RemoteFetchOptions, 'limits' | 'log'> & {
  readonly server: RemoteFetch;
  readonly keep: (oid: Oid, object: TakenObject, reading: Reading) => void;
  /** Whether an object is at hand, with what is in it. */
  readonly has: (oid: Oid, reading: Reading) => boolean;
};

/** What a reading looks for, and how. */
export function soughtBy({ markersKey }: Reading, { fileBytes }: GitLimits): string {
  return createHash('sha256').update(`${fileBytes} ${markersKey}`).digest('hex').slice(0, 16);
}

/**
 * True: all of it is at hand but files without a marker. False where it has to be got in another way. Throws PortError
 * where the server cannot be asked.
 */
export async function fetchByMarks(
  marked: Marked,
  commit: Oid,
  reading: Reading,
  { server, limits, log, keep, has }: MarkedOptions,
): Promise<boolean> {
  const { blobs, commit: since } = marked;
  if (marked.sought !== soughtBy(reading, limits) || ![since, ...blobs].every(isOid)) return false;
  if (blobs.length > MARKED_MOST || (server.service !== 'withRoot' && server.service !== 'single')) return false;
  const kept = new Set<Oid>(blobs);
  const take = (oid: Oid, object: TakenObject) => {
    if (object.type === 'blob') kept.add(oid);
    keep(oid, object, reading);
  };
  const wantsBlob = (bytes: Buffer) => bytes.length > limits.fileBytes || reading.hasMarker(bytes);
  const ask = (request: FetchRequest) => server.fetch(request, reading, { wantsBlob, take, limits: smallPack });
  const changed = { wants: [commit], shallow: [since], without: [since], depth: mostBetween, filter: undefined };
  const answers = await Promise.allSettled([
    ask({ wants: [commit], depth: 1, filter: 'blob:none' }),
    since === commit ? undefined : ask(changed),
    blobs.length === 0 ? undefined : ask({ wants: blobs, depth: undefined, filter: 'tree:0' }),
  ]);
  for (const answer of answers) {
    if (answer.status === 'fulfilled') continue;
    const { reason } = answer;
    if (!(reason instanceof ServerSaid || reason instanceof TooLarge)) throw reason;
    const why = reason instanceof TooLarge ? reason.message : saidBy(server.refusalOf(reason, reading));
    log?.info(`git: reading all of ${commit}, not what has changed since ${since}: ${why}`);
    return false;
  }
  if (!blobs.every((oid) => has(oid, reading))) return false;
  reading.sent = 'all';
  reading.whole = { blobs: undefined, kept };
  return true;
}
