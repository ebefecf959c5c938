/** Which requests a step sends to the new version next to a share: `matches` and `requestHeaderModifier`, as in Kruise. */

import type { FieldReader } from './field-reader.ts';

/** Kruise's limits (reference: api/v1beta1, HttpRouteMatch and HTTPHeaderFilter). */
export const MATCHES_LIMIT = 16;
export const CONDITIONS_LIMIT = 16;
export const NAME_LIMIT = 256;
export const HEADER_VALUE_LIMIT = 4096;
export const OTHER_VALUE_LIMIT = 1024;
/** A token of RFC 7230, as both APIs want it for the names of headers and of query parameters. */
export const CONDITION_NAME = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
/** What a path that is no expression may hold (reference: Gateway API, rules of HTTPPathMatch). */
const PATH = /^\/(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})*$/;
const PATH_REFUSED = /\/\/|\/\.{1,2}(?:\/|$)|%2f/i;

type MatchType = 'Exact' | 'PathPrefix' | 'RegularExpression';

/** A header or a query parameter. `type` undefined: not written, which means Exact. */
export type Condition = {
  readonly name: string;
  readonly value: string;
  readonly type: 'Exact' | 'RegularExpression' | undefined;
};

/** All of its conditions must hold; of several matches one is enough. */
export type StepMatch = {
  readonly path: { readonly type: MatchType | undefined; readonly value: string } | undefined;
  readonly headers: readonly Condition[];
  readonly queryParams: readonly Condition[];
};

type Header = { readonly name: string; readonly value: string };

/** What becomes of the headers of a request that goes to the new version. */
export type HeaderModifier = {
  readonly set: readonly Header[];
  readonly add: readonly Header[];
  readonly remove: readonly string[];
};

/**
 * Reads `matches`; a misspelt condition would send other requests than those that were meant, so it is a fault, and so is
 * what no API server takes in a route: it would refuse the commit of that step, in the middle of a delivery.
 */
export function readMatches(step: FieldReader): readonly StepMatch[] {
  return step.objects('matches', MATCHES_LIMIT).map((match) => {
    const before = match.faults.length;
    match.allow(['path', 'headers', 'queryParams']);
    const path = match.has('path') ? readPath(match.object('path')) : undefined;
    const headers = readConditions(match, 'headers', HEADER_VALUE_LIMIT);
    const queryParams = readConditions(match, 'queryParams', OTHER_VALUE_LIMIT);
    if (match.faults.length === before && headers.length + queryParams.length === 0 && isEveryPath(path))
      match.fault(
        '',
        'MatchesAll',
        'has no condition, wanted one at least: every request would go to the new version',
        'Add a header, a query parameter or a path below /, or write a share as traffic.',
      );
    return { path, headers, queryParams };
  });
}

/** No limit of a share counts requests that are matched, so a match that takes them all is none. */
function isEveryPath(path: StepMatch['path']): boolean {
  if (path === undefined) return true;
  const { type = 'PathPrefix', value } = path;
  return (type === 'PathPrefix' && value === '/') || (type === 'RegularExpression' && EVERY_PATH.test(value));
}

const EVERY_PATH = /^\^?\/?(\.[*+]|\(\.[*+]\))?\$?$/;

/** One condition for each name; headers are distinguished without regard to case. */
function readConditions(match: FieldReader, key: 'headers' | 'queryParams', limit: number): readonly Condition[] {
  const seen = new Set<string>();
  return match.objects(key, CONDITIONS_LIMIT).map((reader) => {
    const condition = readCondition(reader, limit);
    const { name } = condition;
    const same = key === 'headers' ? name.toLowerCase() : name;
    if (name !== '' && seen.has(same)) twice(reader, name);
    seen.add(same);
    return condition;
  });
}

function twice(reader: FieldReader, name: string): void {
  reader.fault(
    'name',
    'NameTwice',
    `is ${name} a second time in this list, wanted each name once`,
    'Keep one of them.',
  );
}

function readPath(path: FieldReader): StepMatch['path'] {
  path.allow(['type', 'value']);
  const type = path.word('type', ['Exact', 'PathPrefix', 'RegularExpression']);
  const value = path.optionalText('value', '/');
  const isPath = type === 'RegularExpression' || (PATH.test(value) && !PATH_REFUSED.test(value));
  if (value !== '' && (!isPath || value.length > OTHER_VALUE_LIMIT)) {
    path.fault(
      'value',
      'BadPath',
      `is ${JSON.stringify(value)}, wanted a path that a route can match on`,
      'Write it from / on, without // and /../, other characters as %20.',
    );
  }
  return { type, value };
}

function readCondition(condition: FieldReader, valueLimit: number): Condition {
  condition.allow(['name', 'type', 'value']);
  const type = condition.word('type', ['Exact', 'RegularExpression']);
  return { name: readName(condition), value: readValue(condition, valueLimit), type };
}

function readName(reader: FieldReader): string {
  const name = reader.text('name');
  if (name !== '' && (!CONDITION_NAME.test(name) || name.length > NAME_LIMIT)) {
    reader.fault('name', 'BadName', 'is no name of a header or query parameter', 'Write letters, digits and dashes.');
  }
  return name;
}

function readValue(reader: FieldReader, limit: number): string {
  const value = reader.text('value');
  if (value.length > limit) {
    reader.fault('value', 'TooLong', `has ${value.length} characters, wanted at most ${limit}`, 'Shorten it.');
  }
  return value;
}

/** Reads `requestHeaderModifier`; undefined: the step has none. */
export function readModifier(step: FieldReader): HeaderModifier | undefined {
  if (!step.has('requestHeaderModifier')) return undefined;
  const modifier = step.object('requestHeaderModifier');
  modifier.allow(['set', 'add', 'remove']);
  const headers = (key: string): readonly Header[] =>
    modifier.objects(key, CONDITIONS_LIMIT).map((header) => {
      header.allow(['name', 'value']);
      return { name: readName(header), value: readValue(header, HEADER_VALUE_LIMIT) };
    });
  return { set: headers('set'), add: headers('add'), remove: modifier.texts('remove', CONDITIONS_LIMIT) };
}
