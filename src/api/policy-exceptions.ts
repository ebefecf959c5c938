/** Exceptions from the windows of a RolloutPolicy as people write them: `{release, approver, until}`. */

import type { FieldReader } from './field-reader.ts';
import type { JsonObject } from './json.ts';
import { DIGEST_PATTERN, parseRelease } from './release.ts';
import { type Instant, parseInstant } from './time.ts';

/** One release that the windows of this policy let through until then, and who says so. */
export type PolicyException = {
  /** With all 32 digits, as `parseRelease` reads it. */
  readonly release: string;
  readonly approver: string;
  readonly until: Instant;
};

/** Exceptions of one policy: each that has not run out costs a look at its windows. */
const EXCEPTIONS_LIMIT = 20;
const APPROVER = /^[\p{L}\p{N}][\p{L}\p{N} .,@_+/-]{0,99}$/u;
const RELEASE_PATTERN = `^${DIGEST_PATTERN}\\.[1-9][0-9]{0,8}$`;

/** What an editor may know of them. */
export const EXCEPTIONS_SCHEMA: JsonObject = {
  type: 'array',
  minItems: 1,
  maxItems: EXCEPTIONS_LIMIT,
  items: {
    type: 'object',
    required: ['release', 'approver', 'until'],
    additionalProperties: false,
    properties: {
      release: { type: 'string', pattern: RELEASE_PATTERN },
      approver: { type: 'string', pattern: APPROVER.source },
      until: { type: 'string' },
    },
  },
};

/** Reads a list of exceptions; undefined: not there, or a fault. */
export function readExceptions(spec: FieldReader, key: string): readonly PolicyException[] | undefined {
  if (!spec.has(key)) return undefined;
  const before = spec.faults.length;
  const exceptions = spec.objects(key, EXCEPTIONS_LIMIT).map(readException);
  if (exceptions.length === 0 && spec.faults.length === before)
    spec.fault(key, 'BadException', 'is an empty list', 'Write an exception, or leave the field out.');
  return spec.faults.length > before ? undefined : exceptions;
}

function readException(reader: FieldReader): PolicyException {
  reader.allow(['release', 'approver', 'until']);
  const [release, approver, until] = [reader.text('release'), reader.text('approver'), reader.text('until')];
  const wrong = (key: string, value: string, wanted: string, hint: string): void => {
    if (value !== '') reader.fault(key, 'BadException', `is ${JSON.stringify(value)}, wanted ${wanted}`, hint);
  };
  if (parseRelease(release) === undefined)
    wrong(
      'release',
      release,
      'a release: the 32 digits of its digest, and its serial',
      'Write it as the hold names it.',
    );
  if (!APPROVER.test(approver))
    wrong('approver', approver, 'a name of at most 100 letters and digits', 'Write who approved it.');
  const instant = parseInstant(until);
  if (instant === undefined) wrong('until', until, 'a time in UTC', 'Write for example "2026-12-20T00:00:00Z".');
  return { release, approver, until: instant ?? 0 };
}
