/** Reads main's own line from its head backwards, part by part, and keeps nothing of it. */

import type { Instant } from '../../api/time.ts';
import type { CommitHeader, Git, Oid } from '../../ports/git.ts';
import { partOf } from '../history/first-parents.ts';
import { entriesOf, type LogEntry } from './log-entry.ts';

/** How far back it is read. */
const COMMITS_MOST = 100_000;
const PART_MOST = 2000;
/** Merges whose second parent is looked at: each is a request of its own. */
const MERGES_MOST = 2000;
/** A commit may be dated back: this many older ones in a row end what is asked for. */
const OLDER_MOST = 100;

/** `end`: main's first commit; what was asked for; or no more is there, in this clone or within the limits. */
export type LogRead = { readonly commits: number; readonly end: 'first' | 'since' | 'cut' };

/**
 * Calls `visit` for each commit that is no older than `since`, newest first; `said` is the one that has the message of its
 * entries: the head of what it merges, or itself. Throws PortError where Git fails for now.
 */
export async function readLog(
  git: Pick<Git, 'history'>,
  from: { readonly head: Oid; readonly since: Instant | undefined },
  visit: (commit: CommitHeader, entries: readonly LogEntry[], said: CommitHeader) => void,
): Promise<LogRead> {
  let [next, part, commits, older, merges]: [Oid | undefined, number, number, number, number] = [
    from.head,
    PART_MOST,
    0,
    0,
    0,
  ];
  while (next !== undefined && commits < COMMITS_MOST) {
    const line: readonly CommitHeader[] | undefined = await partOf(git, next, part);
    if (line === undefined && part === 1) return { commits, end: 'cut' };
    if (line === undefined) part = Math.ceil(part / 4);
    for (const commit of line ?? []) {
      commits += 1;
      older = from.since !== undefined && commit.committedAt < from.since ? older + 1 : 0;
      if (older > OLDER_MOST) return { commits, end: 'since' };
      if (older > 0) continue;
      const own = entriesOf(commit);
      const second = own.length === 0 ? commit.parents[1] : undefined;
      if (second !== undefined) merges += 1;
      const isRead = second !== undefined && merges <= MERGES_MOST;
      const brought = isRead ? (await partOf(git, second, 1))?.[0] : undefined;
      const merged = brought === undefined ? own : entriesOf(commit, brought);
      visit(commit, merged, own.length === 0 && merged.length > 0 ? (brought ?? commit) : commit);
    }
    if (line !== undefined) next = line.at(-1)?.parents[0];
  }
  return { commits, end: next === undefined ? 'first' : 'cut' };
}
