/** The first-parent line of one head, read as far as somebody looks: a clone that ends early has what it has. */

import type { CommitHeader, Git, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';

/** How far back it is followed: a busy main has a thousand commits a day, and a delivery may last for days. */
const COMMITS_MOST = 20_000;
/** What is asked for at first; each further part is as long as all before it. */
const FIRST_PART = 16;
const PART_MOST = 2000;

export type FirstParents = {
  /** The commit in this place, the head in place 0; undefined: the line ends before. */
  readonly commitAt: (place: number) => Promise<CommitHeader | undefined>;
  /** How many commits are known to be on it. */
  readonly length: () => number;
  /** Whether the oldest one that is known is the first of all; false: what was before is not known. */
  readonly isWhole: () => boolean;
};

/** Reads nothing yet. `commitAt` throws PortError where Git fails for now. */
export function firstParentsOf(git: Pick<Git, 'history'>, head: Oid): FirstParents {
  const commits: CommitHeader[] = [];
  const known: { end: 'open' | 'whole' | 'cut'; part: number } = { end: 'open', part: FIRST_PART };
  let growing: Promise<void> | undefined;
  const grow = async (): Promise<void> => {
    const last = commits.at(-1);
    const from = last === undefined ? head : last.parents[0];
    if (from === undefined) known.end = 'whole';
    else if (commits.length >= COMMITS_MOST) known.end = 'cut';
    else {
      const { part } = known;
      const found = await partOf(git, from, part);
      if (found !== undefined) commits.push(...found);
      else if (part === 1) known.end = 'cut';
      // A clone that was cut off may have a shorter part.
      known.part = found === undefined ? Math.ceil(part / 4) : Math.min(PART_MOST, Math.max(part, commits.length));
    }
  };
  return {
    commitAt: async (place) => {
      // Those who look at the same time wait for the same part.
      while (known.end === 'open' && commits.length <= place)
        await (growing ??= grow().finally(() => (growing = undefined)));
      return commits[place];
    },
    length: () => commits.length,
    isWhole: () => known.end === 'whole',
  };
}

/** The first place from here that `isInside` says no to, past the end of the line at the latest: in few looks, with growing strides. */
export async function placeOutside(
  line: FirstParents,
  from: number,
  isInside: (place: number) => Promise<boolean>,
): Promise<number> {
  let [inside, outside] = [from, from + 1];
  for (let stride = 1; await isInside(outside); stride *= 2) [inside, outside] = [outside, outside + stride];
  outside = Math.min(outside, line.length());
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (await isInside(middle)) inside = middle;
    else outside = middle;
  }
  return outside;
}

/** A part of a first-parent line, newest first; undefined: the clone does not have this many. Throws PortError where Git fails for now. */
export async function partOf(
  git: Pick<Git, 'history'>,
  from: Oid,
  most: number,
): Promise<readonly CommitHeader[] | undefined> {
  try {
    const found = await git.history(from, undefined, most);
    return found.length === 0 ? undefined : found;
  } catch (error) {
    if (error instanceof PortError && !error.retryable) return undefined;
    throw error;
  }
}
