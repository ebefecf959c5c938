/**
 * What one document said along main's own line, version by version, newest first: the one place that holds a mark against
 * history. A branch that was merged says nothing here: only what main itself had counts.
 */

import type { Instant } from '../../api/time.ts';
import type { CommitHeader, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { type DocumentReader, type FileReading, type FirstReader, fileBefore } from './file-before.ts';
import { type FirstParents, placeOutside } from './first-parents.ts';
import { oldestOf } from './oldest-place.ts';
import { unbuilt, type Version, versionOf } from './version.ts';

/** How many versions of one document are looked at, each found in few looks. */
const VERSIONS_MOST = 40;
/** And how many where each commit is looked at: a rollback is over long before. */
const COMMITS_MOST = 500;
/** How many moves are followed to where a document was in one commit. */
const MOVES_MOST = 10;
/** How many commits at least are asked what they say of themselves. */
const EARLIER_LEAST = 200;
/** And this many places are looked at, each twice as far as the one before: who merges may leave nothing of a message. */
const EARLIER_LOOKS = 6;

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

/** For one pass. What was looked at once is not looked at again. */
export function ownLine(line: FirstParents, documentsAt: DocumentReader, firstOf: FirstReader): OwnLine {
  const known = new Map<string, Promise<Version>>();
  const versionAt = (commit: Oid, entry: DesiredRollout, file: string): Promise<Version> => {
    const key = JSON.stringify([commit, file, entry.key, entry.identity]);
    const found = known.get(key) ?? documentsAt(commit, entry, [file]).then(versionOf, unbuilt);
    known.set(key, found);
    return found;
  };
  const reading = { line, documentsAt, versionAt, firstOf };
  return {
    walk: async (entry, asked) => {
      try {
        return await walk(reading, entry, asked);
      } catch (error) {
        if (!(error instanceof PortError) || error.retryable) throw error;
        return { kind: 'cut', why: error.message };
      }
    },
    earlier: async (entry, than, { wanted, holds }) => {
      const start = await placeBelow(line, than);
      const file = start === undefined ? undefined : await fileAt(reading, entry, start);
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

type Reading = FileReading & { readonly line: FirstParents };

async function walk<T>(reading: Reading, entry: DesiredRollout, asked: LineWalk<T>): Promise<Walked<T>> {
  const { line } = reading;
  const start = asked.below === undefined ? 0 : await placeBelow(line, asked.below);
  const there = start === undefined ? undefined : await fileAt(reading, entry, start);
  if (there === undefined || start === undefined) return { kind: 'cut', why: 'nobody knows where it was' };
  let [place, file]: [number, string] = [start, there];
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

/** Where the document of now was in this place of the line, followed through commits that moved it since; undefined: it is nowhere now. */
async function fileAt(reading: Reading, entry: DesiredRollout, wanted: number): Promise<string | undefined> {
  const { line, versionAt } = reading;
  const now = entry.identity?.file;
  let [place, file] = [0, now];
  const isThere = async (at: number): Promise<boolean> => {
    const commit = await line.commitAt(at);
    return commit !== undefined && file !== undefined && (await versionAt(commit.oid, entry, file)).kind !== 'absent';
  };
  for (let moves = 0; file !== undefined && moves < MOVES_MOST && !(await isThere(wanted)); moves += 1) {
    place = await placeOutside(line, place, isThere);
    const [since, before] = [await line.commitAt(place - 1), await line.commitAt(place)];
    if (place > wanted || since === undefined || before === undefined) return now;
    const earlier = await fileBefore(reading, { entry, file, since: since.oid, before: before.oid });
    if (earlier === file) return now;
    file = earlier;
  }
  return file;
}
