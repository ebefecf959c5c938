/** Windows of a RolloutPolicy as people write them: `{cron, minutes, timeZone}`, or `{from, to}`. */

import type { FieldReader } from './field-reader.ts';
import type { JsonObject } from './json.ts';
import { type Instant, parseInstant } from './time.ts';

/** A stretch of time that comes again, or that comes once. */
export type PolicyWindow =
  | { readonly cron: string; readonly minutes: number; readonly timeZone: string }
  | { readonly from: Instant; readonly to: Instant };

/** Windows of one list of one policy. */
const WINDOWS_LIMIT = 50;
const DAY_MINUTES = 1440;
/** The longest stretch that comes again: a week. */
const MOST_MINUTES = 7 * DAY_MINUTES;
const ZONE = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;
/** `step`: the longest that the calendar takes; it throws on a longer one. */
const FIELDS = [
  { name: 'minute', min: 0, max: 59, step: 60 },
  { name: 'hour', min: 0, max: 23, step: 24 },
  { name: 'day of the month', min: 1, max: 31, step: 31 },
  { name: 'month', min: 1, max: 12, step: 12 },
  { name: 'day of the week', min: 0, max: 7, step: 7 },
] as const;

/** What an editor may know of them. */
export const WINDOWS_SCHEMA: JsonObject = {
  type: 'array',
  minItems: 1,
  maxItems: WINDOWS_LIMIT,
  items: {
    oneOf: [
      {
        type: 'object',
        required: ['cron', 'minutes', 'timeZone'],
        additionalProperties: false,
        properties: {
          cron: { type: 'string' },
          minutes: { type: 'integer', minimum: 1, maximum: MOST_MINUTES },
          timeZone: { type: 'string', pattern: ZONE.source },
        },
      },
      {
        type: 'object',
        required: ['from', 'to'],
        additionalProperties: false,
        properties: { from: { type: 'string' }, to: { type: 'string' } },
      },
    ],
  },
};

/** Reads a list of windows; undefined: not there, or a fault. */
export function readWindows(spec: FieldReader, key: string): readonly PolicyWindow[] | undefined {
  if (!spec.has(key)) return undefined;
  const before = spec.faults.length;
  const windows = spec.objects(key, WINDOWS_LIMIT).map(readWindow);
  if (windows.length === 0 && spec.faults.length === before)
    spec.fault(
      key,
      'BadWindow',
      'is an empty list, which is never inside of anything',
      'Write a window, or leave the field out.',
    );
  return spec.faults.length > before ? undefined : windows.filter((window) => window !== undefined);
}

function readWindow(reader: FieldReader): PolicyWindow | undefined {
  if (reader.has('cron') || !(reader.has('from') || reader.has('to'))) return readRecurring(reader);
  reader.allow(['from', 'to']);
  const [from, to] = [readDate(reader, 'from'), readDate(reader, 'to')];
  if (from === undefined || to === undefined) return undefined;
  if (from < to) return { from, to };
  reader.fault('to', 'BadWindow', 'is not after from', 'Write a later time.');
  return undefined;
}

function readDate(reader: FieldReader, key: string): Instant | undefined {
  const text = reader.text(key);
  const instant = parseInstant(text);
  if (text !== '' && instant === undefined)
    reader.fault(
      key,
      'BadWindow',
      `is ${JSON.stringify(text)}, wanted a time in UTC`,
      'Write for example "2026-12-20T00:00:00Z".',
    );
  return instant;
}

function readRecurring(reader: FieldReader): PolicyWindow | undefined {
  reader.allow(['cron', 'minutes', 'timeZone']);
  const cron = reader.text('cron');
  const why = cron === '' ? undefined : cronFault(cron);
  if (why !== undefined)
    reader.fault(
      'cron',
      'BadWindow',
      `is ${JSON.stringify(cron)}: ${why}`,
      'Write for example "0 9 * * 1-5": 9:00 from Monday to Friday.',
    );
  const timeZone = reader.text('timeZone');
  if (timeZone !== '' && !ZONE.test(timeZone))
    reader.fault(
      'timeZone',
      'BadWindow',
      `is ${JSON.stringify(timeZone)}, wanted the name of a time zone`,
      'Write for example Europe/Berlin.',
    );
  if (!reader.has('minutes')) reader.fault('minutes', 'Missing', 'is missing, wanted how long it lasts', 'Add it.');
  const minutes = reader.integer('minutes', { min: 1, max: MOST_MINUTES });
  return minutes === undefined || why !== undefined ? undefined : { cron, minutes, timeZone };
}

/** Five fields of numbers, `*`, lists, ranges and steps; names and the extensions of other crons are refused. */
function cronFault(cron: string): string | undefined {
  const words = cron.split(' ');
  if (words.length !== FIELDS.length) return `wanted five fields with one space between, has ${words.length}`;
  const wrong = FIELDS.find((field, at) => !(words[at] ?? '').split(',').every((part) => isCronPart(part, field)));
  return wrong === undefined
    ? undefined
    : `the ${wrong.name} is wrong, wanted numbers from ${wrong.min} to ${wrong.max}, in steps up to ${wrong.step}`;
}

function isCronPart(part: string, field: (typeof FIELDS)[number]): boolean {
  const { min, max } = field;
  const match = /^(?:\*|([0-9]{1,2})(?:-([0-9]{1,2}))?)(?:\/([1-9][0-9]?))?$/.exec(part);
  if (match === null) return false;
  const [, first, last, step] = match;
  if (step !== undefined && Number(step) > field.step) return false;
  if (first === undefined) return true;
  const [from, to] = [Number(first), Number(last ?? first)];
  return min <= from && from <= to && to <= max && (step === undefined || last !== undefined);
}
