/** Asks early, and all at once, for what the status branch says that a pass will read: one wait a level of folders. */

import type { Instant } from '../../api/time.ts';
import type { Git, Marked, Oid, Tree } from '../../ports/git.ts';
import { CONFIG_REQUEST, desiredRequest } from '../documents/desired-branch.ts';
import type { PassOptions } from '../pass.ts';
import type { StatusBranch, StatusIndex } from '../status/record-store.ts';

/** Reads that are in progress. The status branch is only a hint: where it is wrong, this was for nothing. */
export type Ahead = {
  readonly config: Promise<Tree>;
  readonly desired: { readonly paths: readonly string[]; readonly tree: Promise<Tree> } | undefined;
};

/** Stable templates of this many deliveries are asked for early; those of the others when they are looked at. */
const MOST_STABLE = 20;

/** Starts the reads of the head of main. Failures are reported where they are awaited. */
export function readAhead(git: Git, main: Oid, known: Hints): Ahead {
  const { status, options } = known;
  const paths = options.overrides.paths ?? status.index?.paths;
  const texts = stableTexts(status);
  // The configuration says whether to believe it, and is read meanwhile.
  const isBelieved = (): Promise<boolean> => known.isNamed(config);
  expect(git, main, { ...known, paths, commits: texts.map(({ commit }) => commit), isBelieved });
  const config = git.readAt(main, CONFIG_REQUEST);
  if (paths === undefined) return { config: handled(config), desired: undefined };
  const desired = handled(git.readAt(main, desiredRequest(paths, status.index?.traffic)));
  const stable = texts.map(({ commit, files }) => git.readAt(commit, desiredRequest(files)));
  const tree = Promise.allSettled(stable).then(() => desired);
  return { config: handled(config), desired: { paths, tree: handled(tree) } };
}

type Hints = {
  readonly status: StatusBranch;
  readonly options: PassOptions;
  /** The commit that this process read last. */
  readonly before: Oid | undefined;
  readonly now: Instant;
  /** Whether the key of this process has signed the index. */
  readonly isOwn: boolean;
  /** Whether main, by its configuration, names that key for the cluster of the index. */
  readonly isNamed: (config: Promise<Tree>) => Promise<boolean>;
};

/** Names what the last pass read, so that the depth of folders costs no waiting. */
function expect(
  git: Git,
  main: Oid,
  known: Hints & {
    readonly paths: readonly string[] | undefined;
    readonly commits: readonly Oid[];
    readonly isBelieved: () => Promise<boolean>;
  },
): void {
  const { before, options, now, isOwn } = known;
  const { index } = known.status;
  if (index === undefined) return;
  const { commits, paths, isBelieved } = known;
  // A tree that is read whole is sent whole, unless this process has it already.
  const isWhole = before === undefined && (paths === undefined || paths.includes(''));
  const of = isWhole
    ? { head: undefined, since: main, marked: isOwn ? markedOf(index, now) : undefined, isBelieved }
    : { head: main, since: before ?? index.main };
  git.expect({ ...of, commits, folders: index.folders, writes: options.write && !index.settled });
}

/**
 * That a file has nothing of interest is believed of our own signature alone, for as long as one audit from the next, whatever has been said and settled in between; then every file is read.
 * What is dated ahead was so by a clock that ran ahead.
 */
function markedOf({ main, marked, auditSeconds }: StatusIndex, now: Instant): Marked | undefined {
  if (marked === undefined || now < marked.readAt || now >= marked.readAt + auditSeconds) return undefined;
  return { ...marked, commit: main };
}

/** Where the deliveries that are in progress have their stable templates: commits to look in, and the files to look at. */
function stableTexts(status: StatusBranch): readonly { readonly commit: Oid; readonly files: readonly string[] }[] {
  const found: { readonly commit: Oid; readonly files: readonly string[] }[] = [];
  for (const stored of status.records.values()) {
    if (stored.kind !== 'read' || found.length >= MOST_STABLE) continue;
    const { settled, marks, blobs } = stored.record;
    if (!settled && marks?.stable !== undefined) found.push({ commit: marks.stable.commit, files: Object.keys(blobs) });
  }
  return found;
}

/** A read that may end before somebody waits for it must not count as forgotten. */
function handled<T>(read: Promise<T>): Promise<T> {
  read.catch(() => undefined);
  return read;
}
