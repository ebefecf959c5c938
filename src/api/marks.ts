/** The annotations by which a LeaderWorkerSet manifest says where its delivery stands. Printed and parsed here only. */

import { isDigest, parseRelease, printRelease, type Release, sameRelease } from './release.ts';
import { parseRestore, printRestore, type Restore } from './restore.ts';

export const MARK = {
  release: 'tranche.dev/release',
  step: 'tranche.dev/step',
  stable: 'tranche.dev/stable',
  restore: 'tranche.dev/restore',
  aborted: 'tranche.dev/aborted',
  /** Where a second workload is filled: the rung of a ladder whose edits the last commit made. */
  at: 'tranche.dev/rung',
  /** blueGreen: `green` while the second workload serves. */
  serves: 'tranche.dev/serves',
} as const;

type MarkName = keyof typeof MARK;

/** In the order in which they are written. */
export const MARK_NAMES: readonly MarkName[] = ['release', 'step', 'at', 'stable', 'restore', 'aborted', 'serves'];

/** On every document that we make next to the user's: the name of the LeaderWorkerSet that it was made for. */
export const MADE_FOR = 'tranche.dev/made-for';

/** On the workload that a delivery fills: the release whose text it has. */
export const TEXT = 'tranche.dev/template';

/** Releases aborted that are remembered, newest first. */
export const ABORTED_LIMIT = 5;

/** The rungs of a ladder, by the names that stand in files. */
export const RUNGS = [
  'route-restored',
  'empty',
  'template',
  'pods',
  'traffic',
  'primary',
  'all',
  'switch',
  'back',
] as const;

export type RungMark = (typeof RUNGS)[number];

/** What this commit's fields hold; no mark at all means settled. Step 0: extra groups are started before the first one. */
export type StepMark =
  | { readonly kind: 'step'; readonly index: number; readonly of: number }
  /** After the last step, where a second workload was filled: the new version takes over. */
  | { readonly kind: 'promote' }
  | { readonly kind: 'rollback' };

/** A commit that has the template, and the digest of it: where the commit is gone, this still says which one it was. */
export type StableMark = { readonly commit: string; readonly digest: string };

export type Marks = {
  readonly release: Release;
  readonly step: StepMark | undefined;
  /** The template of the release before. */
  readonly stable: StableMark | undefined;
  readonly restore: Restore | undefined;
  readonly aborted: readonly Release[];
  /** Not there: the delivery, if there is one, steps this workload alone. */
  readonly at?: RungMark | undefined;
  /** Not there: the workload itself serves. */
  readonly serves?: 'green' | undefined;
};

/** A mark that cannot be read, or that is missing next to others. */
export type MarkFault = {
  readonly key: string;
  readonly seen: string;
  readonly wanted: string;
  /** Only taken out, while `seen` is there: nothing is wrong, so the rollback may go by what was written before. */
  readonly missing?: true;
};

/** Reads annotations, each by its own parser, and collects those that it cannot read. */
export function annotationReader(annotations: Readonly<Record<string, string>>): {
  readonly read: <T>(key: string, wanted: string, parse: (text: string) => T | undefined) => T | undefined;
  readonly faults: readonly MarkFault[];
} {
  const faults: MarkFault[] = [];
  const read = <T>(key: string, wanted: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = annotations[key];
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) faults.push({ key, seen: text, wanted });
    return value;
  };
  return { read, faults };
}

/** The same, with the template of `release` as the one to go back to, in a commit that has it. */
export function deliveredAt(marks: Omit<Marks, 'stable'>, commit: string): Marks {
  return { ...marks, stable: stableMark({ commit, release: marks.release }) };
}

/** The template of a release, in a commit that has it. */
export function stableMark({ commit, release }: { readonly commit: string; readonly release: Release }): StableMark {
  return { commit, digest: release.digest };
}

/** The full name of a commit: 40 lower-case hex digits. Undefined for anything else. */
export function parseCommit(text: unknown): string | undefined {
  return typeof text === 'string' && /^[0-9a-f]{40}$/.test(text) ? text : undefined;
}

/**
 * Reads the marks of a manifest or of a live object. No `release`: not managed, undefined, unless other marks are
 * there without it. Faults are all reported; a faulty object must not be written.
 */
export function parseMarks(annotations: Readonly<Record<string, string>>): Marks | undefined | readonly MarkFault[] {
  const { read, faults } = annotationReader(annotations);
  const release = read(MARK.release, '<32 hex digits>.<serial>', parseRelease);
  const step = read(MARK.step, '"k/n@<release>" with the release of this object, "promote" or "rollback"', (text) =>
    parseStep(text, release),
  );
  const stable = read(MARK.stable, '<commit of 40 hex digits>@<digest of 32>', parseStable);
  const restore = read(MARK.restore, '{"floor":n} and what was put aside', parseRestore);
  const aborted = read(MARK.aborted, 'up to five releases, comma-separated', parseAborted);
  const at = read(MARK.at, `one of ${RUNGS.join(', ')}`, parseRung);
  const serves = read(MARK.serves, '"green", or no annotation', parseColour);
  if (faults.length > 0) return faults;
  if (release === undefined) {
    const stray = Object.values(MARK).find((key) => annotations[key] !== undefined);
    return stray === undefined ? undefined : [{ key: MARK.release, seen: stray, wanted: 'a release', missing: true }];
  }
  const ladder = { ...(at === undefined ? {} : { at }), ...(serves === undefined ? {} : { serves }) };
  return { release, step, stable, restore, aborted: aborted ?? [], ...ladder };
}

function parseColour(text: string): 'green' | undefined {
  return text === 'green' ? text : undefined;
}

/** The rung of this name; undefined for any other text. */
export function parseRung(text: string | undefined): RungMark | undefined {
  return RUNGS.find((rung) => rung === text);
}

/** `2/4`, `promote` or `rollback`, as messages have it next to the release. */
export function printStep(step: StepMark): string {
  return step.kind === 'step' ? `${step.index}/${step.of}` : step.kind;
}

/** A step as its annotation has it: `2/4@<release>`. With its release in it Git merges no step of another one into it. */
export function withRelease(step: string, release: Release): string {
  return step.includes('/') ? `${step}@${printRelease(release)}` : step;
}

/** `2/4` of `2/4@<release>`, which the annotation had alone before it named its release. */
export function withoutRelease(step: string): string {
  return step.replace(/@.*$/s, '');
}

/** The marks as annotations; an undefined value means that the key must be absent. */
export function printMarks(marks: Marks): Readonly<Record<MarkName, string | undefined>> {
  return {
    release: printRelease(marks.release),
    step: marks.step === undefined ? undefined : withRelease(printStep(marks.step), marks.release),
    stable: marks.stable === undefined ? undefined : printStable(marks.stable),
    restore: marks.restore === undefined ? undefined : printRestore(marks.restore),
    aborted: marks.aborted.length === 0 ? undefined : marks.aborted.slice(0, ABORTED_LIMIT).map(printRelease).join(','),
    at: marks.at,
    serves: marks.serves,
  };
}

/**
 * What the mark `step` says, strictly; undefined for any other text. A step of another release than `release` is none:
 * the two were put together from two commits.
 */
export function parseStep(text: string, release: Release | undefined): StepMark | undefined {
  if (text === 'rollback' || text === 'promote') return { kind: text };
  const match = /^(0|[1-9][0-9]?)\/([1-9][0-9]?)(?:@(.*))?$/.exec(text);
  if (match === null) return undefined;
  const named = match[3] === undefined ? undefined : parseRelease(match[3]);
  if (match[3] !== undefined && named === undefined) return undefined;
  if (named !== undefined && release !== undefined && !sameRelease(named, release)) return undefined;
  const [index, of] = [Number(match[1]), Number(match[2])];
  return index <= of ? { kind: 'step', index, of } : undefined;
}

/** What `printStable` has printed; undefined for any other text. */
export function parseStable(text: string): StableMark | undefined {
  const [name, digest, ...more] = text.split('@');
  const commit = parseCommit(name);
  if (commit === undefined || digest === undefined || more.length > 0 || !isDigest(digest)) return undefined;
  return { commit, digest };
}

/** `<commit>@<digest>`. */
export function printStable({ commit, digest }: StableMark): string {
  return `${commit}@${digest}`;
}

function parseAborted(text: string): readonly Release[] | undefined {
  const releases = text.split(',').map((part) => parseRelease(part.trim()));
  const read = releases.filter((release) => release !== undefined);
  return read.length === releases.length && read.length <= ABORTED_LIMIT ? read : undefined;
}
