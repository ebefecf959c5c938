/** Which processes write the status branch: each commit there names the one that made it, so that two at a time are seen. */

import type { Instant } from '../../api/time.ts';
import type { CommitHeader } from '../../ports/git.ts';

/** Commits of the status branch that are looked at. */
export const WRITERS_COMMITS_MOST = 50;
/** What is older says nothing of who is alive. */
const ALIVE_SECONDS = 3600;
/**
 * So often one must have written again after another. A restart, or a process that hands over to the next, never does;
 * one pass by hand next to a process makes it happen once.
 */
const RETURNS_LEAST = 2;
/** More are not named. */
const NAMED_MOST = 4;

/** A process, by the name that it gave itself at its start, and when it wrote last. */
export type Writer = { readonly process: string; readonly at: Instant };

/** The last line of a commit of the status branch. Several clusters may share a branch, each with a process of its own. */
export function writerLine(cluster: string, process: string): string {
  return `Written-By: ${process} for ${cluster}`;
}

/**
 * The processes that write for this cluster in turn, the one that wrote last first; empty: one does, or nobody can tell.
 * Anyone who may push there can write such lines, so nothing is decided by it.
 */
export function writersInTurn(
  commits: readonly CommitHeader[],
  { cluster, now }: { readonly cluster: string; readonly now: Instant },
): readonly Writer[] {
  const alive = commits.filter(({ committedAt }) => now - committedAt <= ALIVE_SECONDS);
  const written = alive.flatMap(({ message, committedAt: at }): readonly Writer[] => {
    const [, process = '', of] = /^Written-By: ([0-9a-f]{8}) for (.+)$/m.exec(message) ?? [];
    return of === cluster ? [{ process, at }] : [];
  });
  const inTurn = written.filter(({ process }, at) => process !== written[at - 1]?.process);
  const names = [...new Set(inTurn.map(({ process }) => process))];
  const isAmong = inTurn.length - names.length >= RETURNS_LEAST;
  const last = names.flatMap((name) => inTurn.find(({ process }) => process === name) ?? []);
  return isAmong ? last.slice(0, NAMED_MOST) : [];
}
