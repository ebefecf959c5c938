/**
 * What one document said along main's own line, version by version, newest first: the one place that holds a mark against
 * history. A branch that was merged says nothing here: only what main itself had counts.
 */

import type { Instant } from '../../api/time.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { CommitHeader, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import type { WorkloadFile } from '../../rollout/snapshot.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { readWorkload } from '../documents/read-workload.ts';
import type { FirstParents } from './first-parents.ts';

/** How many versions of one document are looked at, each found in few looks. */
const VERSIONS_MOST = 40;
/** And how many where each commit is looked at: a rollback is over long before. */
const COMMITS_MOST = 500;
/** How many commits at least are asked what they say of themselves. */
const EARLIER_LEAST = 200;
/** And this many places are looked at, each twice as far as the one before: who merges may leave nothing of a message. */
const EARLIER_LOOKS = 6;

/** The LeaderWorkerSet of a Rollout as one commit has it. */
export type Version =
  /** Not in its file. */
  | { readonly kind: 'absent' }
  /** There, with marks that nobody can read, or in a folder that kustomize did not build then: what was before counts. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'read'; readonly document: ManifestDocument; readonly workload: WorkloadFile };

export type Past = {
  readonly version: Version;
  /** Where it was then: a document is followed through a commit that moves it. */
  readonly file: string;
  /** The newest commit that has this version, and the one that made it another; undefined: none did, or it is not asked. */
  readonly commit: Oid;
  readonly until: Oid | undefined;
  /** When that one was committed, as it says itself. */
  readonly untilAt: Instant | undefined;
};

/** `ended`: main itself is no older. `cut`: what was before is not known, in this clone or within the limits. */
export type Walked<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'ended' }
  | { readonly kind: 'cut'; readonly why: string };

type LineWalk<T> = {
  /** Versions of the same key are one. */
  readonly keyOf: (version: Version) => string;
  /** Looks at one version; an answer ends the walk. */
  readonly visit: (past: Past) => T | undefined;
  /** Whether a commit says of itself that it belongs to this version: only saves looks, and is never believed. */
  readonly isNamed?: (version: Version, commit: CommitHeader) => boolean;
  /** Each commit is a version of its own: nothing is stepped over, and less far is seen. */
  readonly isEach?: boolean;
  /** Starts below this commit of the line, at its parent. Not there: at the head. */
  readonly below?: Oid | undefined;
};

export type OwnLine = {
  /** Throws PortError where Git fails for now. */
  readonly walk: <T>(entry: DesiredRollout, asked: LineWalk<T>) => Promise<Walked<T>>;
  /**
   * A commit before `than` whose version `holds`: the oldest of those that are `wanted`, or one of a few right before it.
   * What a commit says of itself is where to look, and never believed.
   */
  readonly earlier: (
    entry: DesiredRollout,
    than: Oid,
    asked: { readonly wanted: (commit: CommitHeader) => boolean; readonly holds: (version: Version) => boolean },
  ) => Promise<Oid | undefined>;
  /** Whether a commit is on it; undefined: not on what is known of it. */
  readonly has: (commit: Oid) => Promise<boolean | undefined>;
};

/** Documents of this name in these files of a commit; `paths` undefined: all that main is read for. */
type DocumentReader = (
  commit: Oid,
  entry: DesiredRollout,
  paths: readonly string[] | undefined,
) => Promise<readonly ManifestDocument[]>;

/** For one pass. What was looked at once is not looked at again. */
export function ownLine(line: FirstParents, documentsAt: DocumentReader): OwnLine {
  const known = new Map<string, Promise<Version>>();
  const versionAt = (commit: Oid, entry: DesiredRollout, file: string): Promise<Version> => {
    const key = JSON.stringify([commit, file, entry.key, entry.identity]);
    const found = known.get(key) ?? documentsAt(commit, entry, [file]).then(versionOf, unbuilt);
    known.set(key, found);
    return found;
  };
  return {
    walk: async (entry, asked) => {
      try {
        return await walk({ line, documentsAt, versionAt }, entry, asked);
      } catch (error) {
        if (!(error instanceof PortError) || error.retryable) throw error;
        return { kind: 'cut', why: error.message };
      }
    },
    earlier: async (entry, than, { wanted, holds }) => {
      const file = entry.identity?.file;
      const start = await placeBelow(line, than);
      if (file === undefined || start === undefined) return undefined;
      await line.commitAt(start + EARLIER_LEAST);
      const near = Array.from({ length: EARLIER_LOOKS }, (_, look) => start + 2 ** look - 1).reverse();
      const named: number[] = [];
      for (let place = line.length() - 1; place >= start; place -= 1) {
        const commit = await line.commitAt(place);
        if (commit !== undefined && wanted(commit)) named.push(place);
      }
      for (const place of [...named, ...near]) {
        const commit = await line.commitAt(place);
        if (commit !== undefined && holds(await versionAt(commit.oid, entry, file))) return commit.oid;
      }
      return undefined;
    },
    has: async (wanted) => {
      for (let place = 0; ; place += 1) {
        const commit = await line.commitAt(place);
        if (commit === undefined) return line.isWhole() ? false : undefined;
        if (commit.oid === wanted) return true;
      }
    },
  };
}

type Reading = {
  readonly line: FirstParents;
  readonly documentsAt: DocumentReader;
  readonly versionAt: (commit: Oid, entry: DesiredRollout, file: string) => Promise<Version>;
};

async function walk<T>(reading: Reading, entry: DesiredRollout, asked: LineWalk<T>): Promise<Walked<T>> {
  const { line } = reading;
  const start = asked.below === undefined ? 0 : await placeBelow(line, asked.below);
  const now = entry.identity?.file;
  if (now === undefined || start === undefined) return { kind: 'cut', why: 'nobody knows where it was' };
  let [place, file]: [number, string] = [start, now];
  let until: CommitHeader | undefined;
  const most = asked.isEach === true ? COMMITS_MOST : VERSIONS_MOST;
  for (let versions = 0; versions < most; versions += 1) {
    const newest = await line.commitAt(place);
    if (newest === undefined) return line.isWhole() ? { kind: 'ended' } : cutOff(line);
    const version = await reading.versionAt(newest.oid, entry, file);
    const value = asked.visit({
      version,
      file,
      commit: newest.oid,
      until: until?.oid,
      untilAt: until?.committedAt,
    });
    if (value !== undefined) return { kind: 'found', value };
    const run = { entry, file, place, version, asked };
    const found: number | undefined = asked.isEach === true ? place : await oldestOf(reading, run);
    const since = found === undefined ? undefined : await line.commitAt(found);
    if (found === undefined || since === undefined) return cutOff(line);
    until = since;
    place = found + 1;
    const before = await line.commitAt(place);
    if (before !== undefined && version.kind !== 'absent')
      file = await fileBefore(reading, { entry, file, since: since.oid, before: before.oid });
  }
  return { kind: 'cut', why: `it was followed for ${most} versions` };
}

function cutOff(line: FirstParents): Walked<never> {
  return { kind: 'cut', why: `of the line of main no more than ${line.length()} commits are there` };
}

async function placeBelow(line: FirstParents, commit: Oid): Promise<number | undefined> {
  for (let place = 0; ; place += 1) {
    const here = await line.commitAt(place);
    if (here === undefined) return undefined;
    if (here.oid === commit) return place + 1;
  }
}

type Run<T> = {
  readonly entry: DesiredRollout;
  readonly file: string;
  readonly place: number;
  readonly version: Version;
  readonly asked: Pick<LineWalk<T>, 'keyOf' | 'isNamed'>;
};

/**
 * The place of the commit that made the version what it is; undefined: what was before is not known. One that came, went
 * and came again counts from a change that may be the first of them: nobody reads every commit.
 */
async function oldestOf<T>({ line, versionAt }: Reading, run: Run<T>): Promise<number | undefined> {
  const { entry, file, place, version, asked } = run;
  const key = asked.keyOf(version);
  const holds = async (at: number): Promise<boolean> => {
    const commit = await line.commitAt(at);
    return commit !== undefined && asked.keyOf(await versionAt(commit.oid, entry, file)) === key;
  };
  const named = await namedPlace(line, run);
  if (named !== undefined && (await holds(named)) && !(await holds(named + 1))) return named;
  let [inside, outside] = [place, place + 1];
  // As a rule it came lately: the strides get longer from the newest on.
  for (let stride = 1; await holds(outside); stride *= 2) [inside, outside] = [outside, outside + stride];
  outside = Math.min(outside, line.length());
  while (outside - inside > 1) {
    const middle = Math.floor((inside + outside) / 2);
    if (await holds(middle)) inside = middle;
    else outside = middle;
  }
  const isOldest = (await line.commitAt(inside + 1)) === undefined;
  return isOldest && !line.isWhole() ? undefined : inside;
}

/** The oldest commit of what is known that names the version: what is known by then costs nothing. */
async function namedPlace<T>(line: FirstParents, { place, version, asked }: Run<T>): Promise<number | undefined> {
  if (asked.isNamed === undefined) return undefined;
  let found: number | undefined;
  const known = line.length();
  for (let at = place; at < known; at += 1) {
    const commit = await line.commitAt(at);
    if (commit !== undefined && asked.isNamed(version, commit)) found = at;
  }
  return found;
}

type Moved = { readonly entry: DesiredRollout; readonly file: string; readonly since: Oid; readonly before: Oid };

/** Another file where one commit took the document out of that and put it into this: what else has its name is a twin. */
async function fileBefore({ documentsAt, versionAt }: Reading, { entry, file, since, before }: Moved): Promise<string> {
  if ((await versionAt(before, entry, file)).kind !== 'absent') return file;
  const [other, ...twins] = await documentsAt(before, entry, undefined);
  if (other === undefined || twins.length > 0) return file;
  const stays = (await versionAt(since, entry, other.file)).kind !== 'absent';
  return stays ? file : other.file;
}

/** A commit whose folder does not build says nothing of the workload, and hides nothing of those before it. */
function unbuilt(error: unknown): Version {
  if (error instanceof PortError && error.port === 'builder' && error.operation === 'build')
    return { kind: 'unreadable' };
  throw error;
}

function versionOf(documents: readonly ManifestDocument[]): Version {
  const [document, ...twins] = documents;
  if (document === undefined) return { kind: 'absent' };
  const { workload } = twins.length > 0 ? { workload: undefined } : readWorkload(document);
  return workload === undefined ? { kind: 'unreadable' } : { kind: 'read', document, workload };
}
