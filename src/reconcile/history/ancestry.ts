/** Looks for commits among the ancestors of main: on its first-parent line, and beyond the merges where that is not enough. */

import type { CommitHeader, Git, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';

/** How far back each line is followed. */
const COMMITS_LIMIT = 1000;
/** And that of main itself, where it was not found there: a push that takes over a thousand workloads has as many commits. */
const COMMITS_BEYOND = 10_000;
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
  const ends = endsFrom(head);
  let own: Promise<readonly CommitHeader[]> | undefined;
  let asked: Promise<unknown> = Promise.resolve();
  const search: Ancestry['find'] = async (wanted, until) => {
    const before = known.find(wanted);
    if (before !== undefined) return before;
    for (let end = ends.next(until); end !== undefined; end = ends.next(until)) {
      const line = seen.has(end.from) ? [] : await asFarAsKnown(git, { ...end, head }, until);
      const fresh = line.filter((commit) => !seen.has(commit.oid));
      for (const commit of fresh) seen.add(commit.oid);
      known.push(...fresh);
      ends.read(end, { line, fresh, until });
      const found = fresh.find(wanted);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    line: () => (own ??= asFarAsKnown(git, { from: head, most: COMMITS_LIMIT, head }, undefined)),
    find: (wanted, until) => {
      // One question after the other: each goes on from where the one before it has read to.
      const found = asked.then(() => search(wanted, until));
      asked = found.catch(() => undefined);
      return found;
    },
  };
}

/** A commit whose line has not been read from there on, and how many commits of it are. */
type End = { readonly from: Oid; readonly most: number; readonly isOwn: boolean };

/** A clone that was cut off has a shorter line, and nothing of what was merged: who goes back must not wait for the rest. */
async function asFarAsKnown(
  git: Git,
  end: Pick<End, 'from' | 'most'> & { readonly head: Oid },
  until: Oid | undefined,
): Promise<readonly CommitHeader[]> {
  const { from, most, head } = end;
  try {
    return await git.history(from, until, most);
  } catch (error) {
    if (!(error instanceof PortError) || error.retryable || (most === 1 && from === head)) throw error;
    return most === 1 ? [] : asFarAsKnown(git, { ...end, most: Math.ceil(most / 4) }, until);
  }
}

type Read = {
  readonly line: readonly CommitHeader[];
  readonly fresh: readonly CommitHeader[];
  readonly until: Oid | undefined;
};

/** Where to read on: the line of main first, then what was merged into it, in the order in which it was met. */
function endsFrom(head: Oid) {
  const open: End[] = [{ from: head, most: COMMITS_LIMIT, isOwn: true }];
  let beyond: Oid | undefined;
  let lines = 0;
  const takeBeyond = (): End | undefined => {
    if (beyond === undefined) return undefined;
    const end = { from: beyond, most: COMMITS_BEYOND, isOwn: false };
    beyond = undefined;
    return end;
  };
  return {
    /** One commit is most likely further back on main; any of a kind is wanted as new as there is. */
    next: (until: Oid | undefined): End | undefined => {
      const further = until === undefined ? undefined : takeBeyond();
      return further ?? (lines < LINES_LIMIT ? open.shift() : undefined) ?? takeBeyond();
    },
    read: ({ most, isOwn }: End, { line, fresh, until }: Read): void => {
      const last = line.at(-1);
      const parent = last?.parents[0];
      const left = most - line.length;
      // Cut short where it was found: it goes on from there, for those who want an older one.
      const isCut = last !== undefined && last.oid === until && left > 0;
      if (!isCut) lines += line.length === 0 ? 0 : 1;
      if (isCut && parent !== undefined) open.unshift({ from: parent, most: left, isOwn });
      if (left === 0 && isOwn) beyond = parent;
      for (const { parents } of fresh)
        for (const from of parents.slice(1)) open.push({ from, most: COMMITS_LIMIT, isOwn: false });
    },
  };
}
