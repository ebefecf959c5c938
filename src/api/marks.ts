/** The five annotations by which a LeaderWorkerSet manifest says where its delivery stands. Printed and parsed here only. */

import { type Aside, parseAsides, printAsides } from './aside.ts';
import { ABSENT, type FieldPath } from './field.ts';
import type { IntOrPercent } from './int-or-percent.ts';
import { isIntOrPercent } from './int-or-percent.ts';
import { at, isRecord } from './json.ts';
import { parseRelease, printRelease, type Release, sameRelease } from './release.ts';
import { MAX_UNAVAILABLE_PATH, REPLICAS_PATH } from './workload.ts';

export const MARK = {
  release: 'tranche.dev/release',
  step: 'tranche.dev/step',
  stable: 'tranche.dev/stable',
  restore: 'tranche.dev/restore',
  aborted: 'tranche.dev/aborted',
} as const;

type MarkName = keyof typeof MARK;

/** In the order in which they are written. */
export const MARK_NAMES: readonly MarkName[] = ['release', 'step', 'stable', 'restore', 'aborted'];

/** On every document that we make beside the user's: the name of the LeaderWorkerSet that it was made for. */
export const OF = 'tranche.dev/of';

/** On the workload that a delivery fills: the release whose text it has. */
export const TEXT = 'tranche.dev/text';

/** On the user's LeaderWorkerSet: the rung of a ladder whose edits the last commit made. */
export const AT = 'tranche.dev/at';

/** On the user's LeaderWorkerSet, blueGreen: `green` while the second workload serves. */
export const SERVES = 'tranche.dev/serves';

/** Releases given up that are remembered, newest first. */
export const ABORTED_LIMIT = 5;

/** What this commit's fields hold; no mark at all means settled. Step 0: extra groups are started before the first one. */
export type StepMark =
  | { readonly kind: 'step'; readonly index: number; readonly of: number }
  | { readonly kind: 'rollback' };

/** A field put aside for this delivery: put back only where it still equals `set`. */
export type Displaced = { readonly was: IntOrPercent | undefined; readonly set: IntOrPercent };

/** `replicas` without and with the extra groups of this delivery. */
export type Surge = { readonly was: number; readonly set: number };

export type Restore = {
  /** The lowest partition that this delivery has had. */
  readonly floor: number;
  readonly maxUnavailable: Displaced | undefined;
  /** undefined: this delivery has no extra groups, or none any more. */
  readonly replicas?: Surge | undefined;
  /** Fields of other objects; not there: none. */
  readonly objects?: readonly Aside[] | undefined;
};

/** Another floor and budget; all else that is put aside stays. */
export function putAside(before: Restore | undefined, now: Pick<Restore, 'floor' | 'maxUnavailable'>): Restore {
  return inOrder({ ...before, ...now });
}

/** With these extra groups, or without any. */
export function withSurge(restore: Restore, replicas: Surge | undefined): Restore {
  return inOrder({ ...restore, replicas });
}

/** Plans are compared as text. */
function inOrder({ floor, maxUnavailable, replicas, objects }: Restore): Restore {
  const extra = replicas === undefined ? {} : { replicas };
  return { floor, maxUnavailable, ...extra, ...(objects === undefined ? {} : { objects }) };
}

/** The user's LeaderWorkerSet itself, as the object of a field. */
export const SELF = '';

/** Every field that is put aside, those of the LeaderWorkerSet itself first. */
export function asidesOf(restore: Restore | undefined): readonly Aside[] {
  const { replicas, maxUnavailable, objects = [] } = restore ?? {};
  const own = (path: FieldPath, { was, set }: Displaced): Aside => ({ object: SELF, path, was: was ?? ABSENT, set });
  return [
    ...(replicas === undefined ? [] : [own(REPLICAS_PATH, replicas)]),
    ...(maxUnavailable === undefined ? [] : [own(MAX_UNAVAILABLE_PATH, maxUnavailable)]),
    ...objects,
  ];
}

export type Marks = {
  readonly release: Release;
  readonly step: StepMark | undefined;
  readonly stable: string | undefined;
  readonly restore: Restore | undefined;
  readonly aborted: readonly Release[];
};

/** A mark that cannot be read, or that is missing beside others. */
export type MarkFault = {
  readonly key: string;
  readonly seen: string;
  readonly wanted: string;
  /** Only taken out, while `seen` is there: nothing is wrong, so the way back may go by what was written before. */
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
  const release = read(MARK.release, '<8 hex digits>.<serial>, as 9c41d2e0.7', parseRelease);
  const step = read(MARK.step, '"k/n@<release>" with the release of this object, or "rollback"', (text) =>
    parseStep(text, release),
  );
  const stable = read(MARK.stable, 'a commit of 40 hex digits', parseCommit);
  const restore = read(MARK.restore, '{"floor":n} and what was put aside', parseRestore);
  const aborted = read(MARK.aborted, 'up to five releases, comma-separated', parseAborted);
  if (faults.length > 0) return faults;
  if (release === undefined) {
    const stray = Object.values(MARK).find((key) => annotations[key] !== undefined);
    return stray === undefined ? undefined : [{ key: MARK.release, seen: stray, wanted: 'a release', missing: true }];
  }
  return { release, step, stable, restore, aborted: aborted ?? [] };
}

/** `2/4` or `rollback`, as messages have it beside the release. */
export function printStep(step: StepMark): string {
  return step.kind === 'rollback' ? 'rollback' : `${step.index}/${step.of}`;
}

/** A step as its annotation has it: `2/4@9c41d2e0.7`. With its release in it Git merges no step of another one into it. */
export function withRelease(step: string, release: Release): string {
  return step.includes('/') ? `${step}@${printRelease(release)}` : step;
}

/** `2/4` of `2/4@9c41d2e0.7`, which the annotation had alone before it named its release. */
export function withoutRelease(step: string): string {
  return step.replace(/@.*$/s, '');
}

/** The marks as annotations; an undefined value means that the key must be absent. */
export function printMarks(marks: Marks): Readonly<Record<MarkName, string | undefined>> {
  return {
    release: printRelease(marks.release),
    step: marks.step === undefined ? undefined : withRelease(printStep(marks.step), marks.release),
    stable: marks.stable,
    restore: marks.restore === undefined ? undefined : printRestore(marks.restore),
    aborted: marks.aborted.length === 0 ? undefined : marks.aborted.slice(0, ABORTED_LIMIT).map(printRelease).join(','),
  };
}

/** A step of another release than `release` is none: the two were put together from two commits. */
function parseStep(text: string, release: Release | undefined): StepMark | undefined {
  if (text === 'rollback') return { kind: 'rollback' };
  const match = /^(0|[1-9][0-9]?)\/([1-9][0-9]?)(?:@(.*))?$/.exec(text);
  if (match === null) return undefined;
  const named = match[3] === undefined ? undefined : parseRelease(match[3]);
  if (match[3] !== undefined && named === undefined) return undefined;
  if (named !== undefined && release !== undefined && !sameRelease(named, release)) return undefined;
  const [index, of] = [Number(match[1]), Number(match[2])];
  return index <= of ? { kind: 'step', index, of } : undefined;
}

function parseAborted(text: string): readonly Release[] | undefined {
  const releases = text.split(',').map((part) => parseRelease(part.trim()));
  const read = releases.filter((release) => release !== undefined);
  return read.length === releases.length && read.length <= ABORTED_LIMIT ? read : undefined;
}

function parseRestore(text: string): Restore | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const floor = value['floor'];
  if (typeof floor !== 'number' || !Number.isInteger(floor) || floor < 0) return undefined;
  const maxUnavailable = value['maxUnavailable'] === undefined ? undefined : parseDisplaced(value['maxUnavailable']);
  const replicas = value['replicas'] === undefined ? undefined : parseSurge(value['replicas']);
  const objects = value['objects'] === undefined ? undefined : (parseAsides(value['objects']) ?? 'wrong');
  if (maxUnavailable === 'wrong' || replicas === 'wrong' || objects === 'wrong') return undefined;
  return inOrder({ floor, maxUnavailable, replicas, objects });
}

function parseDisplaced(value: unknown): Displaced | 'wrong' {
  const [was, set] = [at(value, ['was']), at(value, ['set'])];
  return isIntOrPercent(set) && (was === undefined || isIntOrPercent(was)) ? { was, set } : 'wrong';
}

function parseSurge(value: unknown): Surge | 'wrong' {
  const [was, set] = [at(value, ['was']), at(value, ['set'])];
  if (typeof was !== 'number' || typeof set !== 'number') return 'wrong';
  return Number.isInteger(was) && Number.isInteger(set) && was > 0 && set > was ? { was, set } : 'wrong';
}

function printRestore({ floor, maxUnavailable, replicas, objects = [] }: Restore): string {
  const others = objects.length === 0 ? undefined : printAsides(objects);
  return JSON.stringify({ floor, maxUnavailable, replicas, objects: others });
}
