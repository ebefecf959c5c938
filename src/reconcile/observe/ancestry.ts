/** Looks for commits among the ancestors of main: on its first-parent line, and beyond the merges where that is not enough. */

import type { CommitHeader, Git, Oid } from '../../ports/git.ts';

/** How far back each line is followed. */
const COMMITS_LIMIT = 1000;
/** Lines that are followed in all: every one is a request, and a commit that is missed costs a hold, never a step. */
const LINES_LIMIT = 20;

export type Ancestry = {
  /**
   * The first commit that `wanted` accepts, newest first on each line; undefined: none within the limits. With
   * `until` only that commit is wanted, and a line is read no further than to it.
   */
  readonly find: (
    wanted: (commit: CommitHeader) => boolean,
    until: Oid | undefined,
  ) => Promise<CommitHeader | undefined>;
  /** The first-parent line of the head, newest first, as far as lines are followed. */
  readonly line: () => Promise<readonly CommitHeader[]>;
};

/**
 * The ancestors of one head, read as they are asked for. A branch into which main was merged, and which then became
 * main, has the former main on the side: its first-parent line alone would look like a rewritten history.
 */
export function ancestryOf(git: Git, head: Oid): Ancestry {
  const known: CommitHeader[] = [];
  const seen = new Set<Oid>();
  const open: Oid[] = [head];
  let lines = 0;
  let own: Promise<readonly CommitHeader[]> | undefined;
  return {
    line: () => (own ??= git.history(head, undefined, COMMITS_LIMIT)),
    find: async (wanted, until) => {
      const before = known.find(wanted);
      if (before !== undefined) return before;
      for (let from = open[0]; from !== undefined && lines < LINES_LIMIT; from = open[0]) {
        const line = seen.has(from) ? [] : await git.history(from, until, COMMITS_LIMIT);
        const last = line.at(-1);
        // Cut short where it was found: not the whole line, so not kept.
        if (last !== undefined && last.oid === until) return last;
        open.shift();
        lines += line.length === 0 ? 0 : 1;
        const fresh = line.filter((commit) => !seen.has(commit.oid));
        for (const commit of fresh) seen.add(commit.oid);
        known.push(...fresh);
        open.push(...fresh.flatMap((commit) => commit.parents.slice(1)));
        const found = fresh.find(wanted);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}
