/** What Git keeps while a LeaderWorkerSet is deleted to be re-created: an annotation of the Rollout, because its own are gone. */

import { isRecord } from './json.ts';
import { ABORTED_LIMIT, parseCommit, parseStable, printStable, type StableMark } from './marks.ts';
import { parseRelease, printRelease, type Release } from './release.ts';

/** `forward`: to the release that was asked for; `back`: to the stable one. */
type RecreateWay = 'forward' | 'back';

export type Recreating = {
  readonly way: RecreateWay;
  /** What is created. */
  readonly release: Release;
  /** The commit that has its text. */
  readonly text: string;
  /** The template to go back to; for `back` that of `text`. */
  readonly stable: StableMark;
  readonly aborted: readonly Release[];
  /** Where the document was, and where it comes back. */
  readonly file: string;
};

const KEYS = ['way', 'release', 'text', 'stable', 'aborted', 'file'];
const FILE_CHARACTERS_MAX = 1000;

/** Reads the value of the annotation, strictly; undefined for anything that `printRecreating` does not print. */
export function parseRecreating(annotation: string): Recreating | undefined {
  let value: unknown;
  try {
    value = JSON.parse(annotation);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || Object.keys(value).some((key) => !KEYS.includes(key))) return undefined;
  const { way, file } = value;
  const text = parseCommit(value['text']);
  const stable = typeof value['stable'] === 'string' ? parseStable(value['stable']) : undefined;
  const release = typeof value['release'] === 'string' ? parseRelease(value['release']) : undefined;
  const aborted = parseAborted(value['aborted']);
  if ((way !== 'forward' && way !== 'back') || release === undefined || aborted === undefined) return undefined;
  if (text === undefined || stable === undefined || !isPath(file)) return undefined;
  return { way, release, text, stable, aborted, file };
}

function isPath(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= FILE_CHARACTERS_MAX && !value.startsWith('/');
}

function parseAborted(value: unknown): readonly Release[] | undefined {
  if (!Array.isArray(value) || value.length > ABORTED_LIMIT) return undefined;
  const releases: Release[] = [];
  for (const item of value) {
    const release = typeof item === 'string' ? parseRelease(item) : undefined;
    if (release === undefined) return undefined;
    releases.push(release);
  }
  return releases;
}

/** The value of the annotation, as `parseRecreating` reads it. */
export function printRecreating(recreating: Recreating): string {
  const { way, release, text, stable, aborted, file } = recreating;
  return JSON.stringify({
    way,
    release: printRelease(release),
    text,
    stable: printStable(stable),
    aborted: aborted.slice(0, ABORTED_LIMIT).map(printRelease),
    file,
  });
}
