/** Kinds of fields that a RolloutPolicy has: how each is read, and how the values of several policies become one. */

import type { FieldReader } from './field-reader.ts';
import type { JsonObject } from './json.ts';
import { APPROVALS_SCHEMA, type PolicyApproval, readApprovals } from './policy-approvals.ts';
import { EXCEPTIONS_SCHEMA, type PolicyException, readExceptions } from './policy-exceptions.ts';
import { NOTIFY_SCHEMA, type PolicyNotify, readNotify } from './policy-notify.ts';
import { type InferencePools, POOLS_SCHEMA, readPools } from './policy-pools.ts';
import { type PolicyWindow, readWindows, WINDOWS_SCHEMA } from './policy-windows.ts';

/** How the values of several policies become one. */
export const COMPOSITIONS = {
  cap: 'the smallest',
  requirement: 'all of them must hold',
  wait: 'the longest',
  grant: 'allowed if some policy grants it and none refuses it; of numbers the smallest',
  parameter: 'the one value that is stated. If two policies state different values, no delivery starts',
  observer: 'all of them',
  choice: 'of the values that policies state, the one that the row of the field names first',
} as const;

type Composition = keyof typeof COMPOSITIONS;

/** One field of a policy. */
export type PolicyField<T> = {
  readonly composition: Composition;
  /** For people: the reference, the schema and `explain` say this. */
  readonly meaning: string;
  readonly schema: JsonObject;
  /** undefined: not there, or a fault. */
  readonly read: (spec: FieldReader, key: string) => T | undefined;
  /** What two policies say together; in any order, and however often, the same. */
  readonly both: (left: T, right: T) => T;
};

/** A time of which the longest counts. */
export function wait(bounds: Bounds, meaning: string): PolicyField<number> {
  return { ...least(bounds, meaning), composition: 'wait' };
}

/** Every one of them is kept: each policy asks of its own. */
export function windows(meaning: string): PolicyField<readonly PolicyWindow[]> {
  return { composition: 'requirement', meaning, schema: WINDOWS_SCHEMA, read: readWindows, both: union };
}

/** Every one of them is notified. */
export function targets(meaning: string): PolicyField<readonly PolicyNotify[]> {
  return { composition: 'observer', meaning, schema: NOTIFY_SCHEMA, read: readNotify, both: union };
}

/** Names of labels, as GitHub takes them: none has more, and none starts or ends with a space. */
const LABEL = /^[^\s,]([^\n\r,]{0,48}[^\s,])?$/;
const LABELS_LIMIT = 10;

/** Every one of them is there. */
export function labels(meaning: string): PolicyField<readonly string[]> {
  const schema: JsonObject = {
    type: 'array',
    minItems: 1,
    maxItems: LABELS_LIMIT,
    items: { type: 'string', pattern: LABEL.source },
  };
  const of = {
    pattern: LABEL,
    limit: LABELS_LIMIT,
    wanted: 'labels, of 50 signs at most and without commas',
    left: '',
  };
  return { composition: 'observer', meaning, schema, read: (spec, key) => spec.words(key, of), both: union };
}

/** A login, or a team of the organisation as it stands in its address. */
const REVIEWER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\/[a-z0-9][a-z0-9._-]{0,99})?$/;
const REVIEWERS_LIMIT = 10;

/** Every one of them is asked. */
export function reviewers(meaning: string): PolicyField<readonly string[]> {
  const schema: JsonObject = {
    type: 'array',
    minItems: 1,
    maxItems: REVIEWERS_LIMIT,
    items: { type: 'string', pattern: REVIEWER.source },
  };
  const of = {
    pattern: REVIEWER,
    limit: REVIEWERS_LIMIT,
    wanted: 'logins and teams, as ada and example/sre',
    left: '',
  };
  return { composition: 'observer', meaning, schema, read: (spec, key) => spec.words(key, of), both: union };
}

/** A number that has to be the same wherever it is stated: of two the smaller is kept only for the message. */
export function parameter(bounds: Bounds, meaning: string): PolicyField<number> {
  return { ...cap(bounds, meaning), composition: 'parameter' };
}

/** Both pools have to be the same wherever they are stated: of two the first by name is kept only for the message. */
export function pools(meaning: string): PolicyField<InferencePools> {
  const text = ({ stable, canary }: InferencePools): string => `${stable} ${canary}`;
  const both = (left: InferencePools, right: InferencePools) => (text(left) <= text(right) ? left : right);
  return { composition: 'parameter', meaning, schema: POOLS_SCHEMA, read: readPools, both };
}

/** Every one of them is kept: each opens the windows of its own policy. */
export function exceptions(meaning: string): PolicyField<readonly PolicyException[]> {
  return { composition: 'grant', meaning, schema: EXCEPTIONS_SCHEMA, read: readExceptions, both: union };
}

function union<T>(left: readonly T[], right: readonly T[]): readonly T[] {
  const all = new Map([...left, ...right].map((one) => [JSON.stringify(one), one]));
  return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** More than this a pass does not ask for one Rollout. */
const ANALYSES_LIMIT = 5;
const ANALYSIS_NAME = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;

/** Every one of them has to pass. */
export function analyses(meaning: string): PolicyField<readonly string[]> {
  const schema: JsonObject = {
    type: 'array',
    minItems: 1,
    maxItems: ANALYSES_LIMIT,
    items: { type: 'string', pattern: ANALYSIS_NAME.source },
  };
  const of = { pattern: ANALYSIS_NAME, limit: ANALYSES_LIMIT, wanted: 'names of Analyses', left: '' };
  return { composition: 'requirement', meaning, schema, read: (spec, key) => spec.words(key, of), both: union };
}

/** Every one of them is kept: each policy asks for its own. */
export function approvals(meaning: string): PolicyField<readonly PolicyApproval[]> {
  return { composition: 'requirement', meaning, schema: APPROVALS_SCHEMA, read: readApprovals, both: union };
}

type Bounds = { readonly min: number; readonly max: number };

/** A number of which the smallest counts. */
export function cap(bounds: Bounds, meaning: string): PolicyField<number> {
  return { ...count(bounds), composition: 'cap', meaning, both: (left, right) => Math.min(left, right) };
}

/** A number that policies grant: of two the smaller. */
export function granted(bounds: Bounds, meaning: string): PolicyField<number> {
  return { ...cap(bounds, meaning), composition: 'grant' };
}

/** What all policies ask for is what the one asks for that asks for most. */
export function least(bounds: Bounds, meaning: string): PolicyField<number> {
  return { ...count(bounds), composition: 'requirement', meaning, both: (left, right) => Math.max(left, right) };
}

/** A number as it is read. */
function count(bounds: Bounds): Pick<PolicyField<number>, 'schema' | 'read'> {
  return {
    schema: { type: 'integer', minimum: bounds.min, maximum: bounds.max },
    read: (spec, key) => spec.integer(key, bounds),
  };
}

/** One of a few words, spelled exactly so. Of two the one that stands first counts. */
export function words<T extends string>(
  strictestFirst: readonly T[],
): Pick<PolicyField<T>, 'schema' | 'read' | 'both'> {
  return {
    schema: { enum: [...strictestFirst] },
    read: (spec, key) => spec.word(key, strictestFirst),
    both: (left, right) => (strictestFirst.indexOf(left) <= strictestFirst.indexOf(right) ? left : right),
  };
}
