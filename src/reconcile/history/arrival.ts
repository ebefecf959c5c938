/** Which commit brought what a branch holds now, by the content of the commits, in few reads. */

import type { Marks } from '../../api/marks.ts';
import type { Instant } from '../../api/time.ts';
import type { CommitHeader, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { Ancestry } from './ancestry.ts';
import { runOf } from './looks.ts';

type Arrival = {
  readonly commit: CommitHeader;
  /** undefined: it is the first commit of all. */
  readonly parent: Oid | undefined;
  /** The dates of some commits of the line before it: it was not there before they were. */
  readonly before: readonly Instant[];
};

/** How many of them: anyone who dates one commit back dates few others back as well. */
const BEFORE_MOST = 50;

/**
 * The commit of main's own line that made `holds` true of the marks as they are at its head, or at the commit `from`;
 * undefined: it does not hold there, or nobody knows since when.
 */
export type ArrivalReader = (
  entry: DesiredRollout,
  holds: (marks: Marks | undefined) => boolean,
  from?: Oid,
) => Promise<Arrival | undefined>;

/** When main's own line came to have the text of this digest, as `arrivedAt` dates it; undefined: nobody knows. */
export type RequestReader = (entry: DesiredRollout, digest: string, now: Instant) => Promise<Instant | undefined>;

/** A clock that runs ahead by more than this is none. */
const AHEAD_MOST_SECONDS = 3600;

/**
 * When it came, by the dates of commits, in seconds. Anyone who merges may date a commit: one that is dated back came no earlier
 * than those before it; one that is dated ahead lengthens a wait by an hour at most, and else counts as they do. undefined: no
 * commit has a date that can be.
 */
export function arrivedAt({ commit, before }: Arrival, now: Instant): Instant | undefined {
  const own = commit.committedAt <= now + AHEAD_MOST_SECONDS ? [commit.committedAt] : [];
  const dates = [...own, ...before.filter((at) => at <= now)];
  return dates.length === 0 ? undefined : Math.max(...dates);
}

/** The same of anything that a commit of that line holds. */
export type AnyArrival = (holds: (commit: Oid) => Promise<boolean>) => Promise<Arrival | undefined>;

/** Readers for one pass; `workloadAt` reads a commit. */
export function arrivalReaders(
  ancestry: Ancestry,
  workloadAt: (commit: Oid, entry: DesiredRollout) => Promise<WorkloadFile | undefined>,
): { readonly arrival: ArrivalReader; readonly requestedAt: RequestReader; readonly arrivalOf: AnyArrival } {
  const found = async (
    holds: (commit: Oid) => Promise<boolean>,
    { from, isNamed }: { readonly from?: Oid | undefined; readonly isNamed?: (commit: CommitHeader) => boolean } = {},
  ): Promise<Arrival | undefined> => {
    try {
      const line = await ancestry.line();
      const start = from === undefined ? 0 : line.findIndex(({ oid }) => oid === from);
      if (start < 0) return undefined;
      return await arrivalOn(line.slice(start), holds, isNamed);
    } catch (error) {
      // A clone that does not go back so far.
      if (error instanceof PortError && !error.retryable) return undefined;
      throw error;
    }
  };
  const since = (
    entry: DesiredRollout,
    holds: (file: WorkloadFile | undefined) => boolean,
    from?: Oid,
  ): Promise<Arrival | undefined> => {
    const own = printKey(entry.key);
    // As a rule a commit of ours for it has brought what is looked for.
    const isNamed = ({ message }: CommitHeader): boolean => message.includes(own);
    return found(async (commit) => holds(await workloadAt(commit, entry)), { from, isNamed });
  };
  return {
    arrivalOf: (holds) => found(holds),
    arrival: (entry, holds, from) => since(entry, (file) => holds(file?.workload.marks), from),
    requestedAt: async (entry, digest, now) => {
      const arrival = await since(entry, (file) => file?.digest === digest);
      return arrival && arrivedAt(arrival, now);
    },
  };
}

/**
 * The oldest commit of the newest run of `line`, newest first, for which `holds`; undefined where it does not hold for
 * the head, or where the line ends before the run does. What was true for a while and is so again since counts from a
 * change of it that is as good as the last: nobody reads every commit. Those that are named are looked at first, and never believed.
 */
export async function arrivalOn(
  line: readonly CommitHeader[],
  holds: (commit: Oid) => Promise<boolean>,
  isNamed?: (commit: CommitHeader) => boolean,
): Promise<Arrival | undefined> {
  const named = isNamed === undefined ? [] : line.flatMap((commit, place) => (isNamed(commit) ? [place] : []));
  const run = await runOf(line.length, (place) => holds(line[place]?.oid ?? ''), named);
  if (run === undefined) return undefined;
  const { inside, outside } = run;
  const commit = line[inside];
  if (commit === undefined) return undefined;
  const [parent] = commit.parents;
  // Cut off: what was before is not known.
  if (outside === line.length && parent !== undefined) return undefined;
  const before = line.slice(inside + 1, inside + 1 + BEFORE_MOST).map(({ committedAt }) => committedAt);
  return { commit, parent, before };
}
