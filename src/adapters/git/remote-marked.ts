/**
 * Gets a whole commit by what was said of an earlier one: its folders, what has changed since, and the files that had a
 * marker. What the folders of both say was in the earlier commit already, and was not named, has none.
 */

import type { Marked, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { TooLarge } from './inflate.ts';
import { MARKED_MOST, soughtBy } from './marked-list.ts';
import { isOid } from './names.ts';
import { answerNow, type FoundObject } from './object-question.ts';
import { decodeCommit, isSubmodule } from './objects.ts';
import { type FetchRequest, ServerSaid } from './protocol.ts';
import { type Reading, type RemoteFetch, type RemoteFetchOptions } from './remote-fetch.ts';
import { treeDifferences } from './tree-differences.ts';

/**
 * Commits that may lie between; with more, all of a commit comes, which costs more and says the same. Those before come as
 * well: who looks for a text of before finds them, and need not ask.
 */
const mostBetween = 16;
/** What has changed is small. The folders of a million files are not. */
const smallPack = { packBytes: 16 * 1024 * 1024 } as const;

/** Changed files that did not come with the others; of more of them all are read. */
const mostLacking = 2000;

type MarkedOptions = Pick<RemoteFetchOptions, 'limits' | 'log'> & {
  readonly server: RemoteFetch;
  /** An object as far as it is at hand. */
  readonly find: (oid: Oid, reading: Reading) => FoundObject | undefined;
  /** Says of a file that is not at hand that it is too large. */
  readonly markLarge: (oid: Oid, reading: Reading) => void;
  /** Whether what was said counts: nothing that is fetched by it does harm, what is not is never read. */
  readonly isBelieved: () => Promise<boolean>;
};

/**
 * True: all of it is at hand but files without a marker. False where it has to be got in another way. Throws PortError
 * where the server cannot be asked.
 */
export async function fetchByMarks(
  marked: Marked,
  commit: Oid,
  reading: Reading,
  options: MarkedOptions,
): Promise<boolean> {
  const { blobs, large, commit: since } = marked;
  const { limits, log, find, server, markLarge } = options;
  if (marked.sought !== soughtBy(reading, limits) || ![since, ...blobs, ...large].every(isOid)) return false;
  if (blobs.length + large.length > MARKED_MOST || (server.service !== 'withRoot' && server.service !== 'single'))
    return false;
  const trees = { wants: since === commit ? [commit] : [commit, since], depth: 1, filter: 'blob:none' };
  const [refused] = await Promise.all([
    refusal([trees, ...byIds(blobs)], reading, options),
    since === commit ? undefined : hurry({ commit, since }, reading, options),
  ]);
  const why =
    refused ??
    (await lacksOf({ commit, since }, reading, options)) ??
    (blobs.some((oid) => find(oid, reading) === undefined) ? 'a file with a marker did not come' : undefined) ??
    ((await options.isBelieved()) ? undefined : 'who signed which files have a marker is not named there');
  if (why !== undefined) {
    log?.info(`git: reading all of ${commit}, not what has changed since ${since}: ${why}`);
    return false;
  }
  for (const oid of large) markLarge(oid, reading);
  const known = new Set([...blobs, ...large, ...(changedIn({ commit, since }, reading, options) ?? [])]);
  // What another reading wanted for its name is at hand as well.
  const isKept = (found: FoundObject | undefined) =>
    found?.type === 'large' || (found?.type === 'blob' && reading.hasMarker(found.bytes));
  const kept = new Set([...known].filter((oid) => isKept(find(oid, reading))));
  reading.sent = 'all';
  reading.whole = { blobs: undefined, kept, readAt: marked.readAt };
  return true;
}

type Span = { readonly commit: Oid; readonly since: Oid };

/** By their ids, as far as there are any. */
function byIds(wants: readonly Oid[]): readonly FetchRequest[] {
  return wants.length === 0 ? [] : [{ wants, depth: undefined, filter: 'tree:0' }];
}

/** Asks all at once; what the server says to the first that it refuses, or undefined. */
async function refusal(
  requests: readonly FetchRequest[],
  reading: Reading,
  { server }: MarkedOptions,
): Promise<string | undefined> {
  const answers = await Promise.allSettled(
    requests.map((request) => server.fetch(request, reading, { limits: smallPack })),
  );
  for (const answer of answers) {
    if (answer.status === 'fulfilled') continue;
    const { reason } = answer;
    if (!(reason instanceof ServerSaid || reason instanceof TooLarge)) throw reason;
    return reason instanceof TooLarge ? reason.message : server.saidBy(server.refusalOf(reason, reading));
  }
  return undefined;
}

/** Asks for all that has changed without knowing what that is. Where nothing comes of it, each file is asked for by its id. */
async function hurry({ commit, since }: Span, reading: Reading, { server }: MarkedOptions): Promise<void> {
  const request = { wants: [commit], shallow: [since], without: [since], depth: mostBetween, filter: undefined };
  try {
    await server.fetch(request, reading, { limits: smallPack });
  } catch (error) {
    if (!(error instanceof PortError || error instanceof ServerSaid || error instanceof TooLarge)) throw error;
  }
}

/**
 * Gets what has changed and did not come: servers differ in what they leave out for a commit that is here, and a file that
 * was moved is left out by all. Answers why it cannot be had, or undefined.
 */
async function lacksOf(span: Span, reading: Reading, options: MarkedOptions): Promise<string | undefined> {
  const changed = changedIn(span, reading, options);
  if (changed === undefined) return 'not all folders of both came';
  const lacking = [...changed].filter((oid) => options.find(oid, reading) === undefined);
  if (lacking.length > mostLacking) return `${lacking.length} files that have changed did not come`;
  const why = await refusal(byIds(lacking), reading, options);
  if (why !== undefined) return why;
  return lacking.some((oid) => options.find(oid, reading) === undefined)
    ? 'a file that has changed did not come'
    : undefined;
}

/** The files of a commit that an earlier one does not have in the same place; undefined where that cannot be known. */
function changedIn(
  { commit, since }: Span,
  reading: Reading,
  { find, limits }: MarkedOptions,
): ReadonlySet<Oid> | undefined {
  const bytesOf = (oid: Oid, type: 'commit' | 'tree'): Buffer | undefined => {
    const found = find(oid, reading);
    return found?.type === type ? found.bytes : undefined;
  };
  const [head, old] = [bytesOf(commit, 'commit'), bytesOf(since, 'commit')];
  if (head === undefined || old === undefined) return undefined;
  const trees = { was: decodeCommit(since, old).tree, now: decodeCommit(commit, head).tree };
  const differences = answerNow(treeDifferences(trees, limits), () => (oid) => find(oid, reading) ?? { type: 'large' });
  const files = differences?.flatMap(({ now }) => (now === undefined || isSubmodule(now.mode) ? [] : [now.oid]));
  return files && new Set(files);
}
