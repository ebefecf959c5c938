/** Reads the fields of one object that people wrote, and collects everything that is wrong with it. */

import { isBoundedJson } from './bounded-json.ts';
import { isRecord, type Json, type JsonObject } from './json.ts';
import { nearest } from './nearest.ts';

export type FieldFault = {
  /** Keys from the root of the object, list positions as numbers in text: `['spec','steps','1']`. */
  readonly at: readonly string[];
  readonly reason: string;
  readonly message: string;
  readonly hint: string;
};

/** What a known key without a value is: not there, as in the API, or a fault, where it would be lost as a limit. */
type EmptyField = 'absent' | 'fault';

/** What names of numbers end with. */
const UNITS = ['Seconds', 'Groups', 'Percent'];

/** The key that lacks its unit alone: `soak` of `soakSeconds`. */
function withUnit(key: string, keys: readonly string[]): string | undefined {
  const whole = UNITS.map((unit) => `${key}${unit}`.toLowerCase());
  return keys.find((one) => whole.includes(one.toLowerCase()));
}

/** A cursor on one object; readers of its children share its list of faults. */
export class FieldReader {
  readonly faults: FieldFault[];
  private readonly fields: { readonly [key: string]: unknown };
  private readonly trail: readonly string[];
  private readonly empty: EmptyField;

  /** `value` should be an object; anything else is a fault and reads as an empty one. */
  constructor(value: unknown, name: string, parent?: FieldReader, empty?: EmptyField) {
    this.faults = parent?.faults ?? [];
    this.empty = empty ?? parent?.empty ?? 'absent';
    this.trail = parent === undefined ? [] : [...parent.trail, name];
    this.fields = isRecord(value) ? value : {};
    if (!isRecord(value))
      this.fault('', 'WrongType', `is ${show(value)}, wanted a map`, 'Write the fields of this object.');
  }

  fault(key: string, reason: string, message: string, hint: string): void {
    const at = key === '' ? this.trail : [...this.trail, key];
    this.faults.push({ at, reason, message: `${pathText(at)} ${message}`, hint });
  }

  /** Every other key is a fault: a misspelt field would otherwise be lost silently. */
  allow(keys: readonly string[]): void {
    if (this.empty === 'fault') this.refuseEmpty(keys);
    for (const key of Object.keys(this.fields)) {
      if (keys.includes(key)) continue;
      const meant = nearest(key, keys) ?? withUnit(key, keys);
      const others = keys.length > KEYS_TOLD ? 'a field of its reference' : `one of: ${keys.join(', ')}`;
      const hint = `${didYouMean(meant)}Remove it, or use ${others}.`;
      this.fault(key, 'UnknownField', 'is not a field of this object', hint);
    }
  }

  /** Each of these that is there without a value is a fault. */
  refuseEmpty(keys: readonly string[]): void {
    for (const key of keys)
      if (Object.hasOwn(this.fields, key) && this.value(key) === undefined)
        this.fault(key, 'Missing', 'is empty, wanted a value', 'Write its value, or take its key out.');
  }

  has(key: string): boolean {
    return this.value(key) !== undefined;
  }

  /** The raw value; null counts as not there, as in the API. */
  value(key: string): unknown {
    return Object.hasOwn(this.fields, key) ? (this.fields[key] ?? undefined) : undefined;
  }

  /** `empty`: of its own fields and all below; not said: as of this one. */
  object(key: string, empty?: EmptyField): FieldReader {
    return new FieldReader(this.value(key), key, this, empty);
  }

  /** The object itself, as JSON. */
  asJson(): JsonObject {
    const entries: [string, Json][] = [];
    for (const [key, value] of Object.entries(this.fields)) if (isBoundedJson(value)) entries.push([key, value]);
    return Object.fromEntries(entries);
  }

  /** The elements of a list of objects; not there reads as empty. */
  objects(key: string, limit: number): readonly FieldReader[] {
    const value = this.value(key);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.fault(key, 'WrongType', `is ${show(value)}, wanted a list`, 'Write a list.');
      return [];
    }
    if (value.length > limit) {
      this.fault(key, 'TooMany', `has ${value.length} elements, wanted at most ${limit}`, 'Shorten the list.');
      return [];
    }
    const list = new FieldReader({}, key, this);
    return value.map((item, index) => new FieldReader(item, String(index), list));
  }

  text(key: string): string {
    const value = this.value(key);
    if (typeof value === 'string' && value !== '') return value;
    const isMissing = value === undefined || value === '';
    this.fault(key, 'Missing', `is ${show(value)}, wanted text`, isMissing ? 'Add it.' : 'Write text, in quotes.');
    return '';
  }

  optionalText(key: string, otherwise: string): string {
    return this.has(key) ? this.text(key) : otherwise;
  }

  /** A list of texts; not there reads as empty. */
  texts(key: string, limit: number): readonly string[] {
    const value = this.value(key);
    if (value === undefined) return [];
    const list: readonly unknown[] = Array.isArray(value) ? value : [undefined];
    const texts = list.filter((item) => typeof item === 'string');
    if (texts.length === list.length && list.length <= limit) return texts;
    this.fault(key, 'WrongType', `is ${show(value)}, wanted a list of at most ${limit} texts`, 'Write such a list.');
    return [];
  }

  boolean(key: string, otherwise: boolean): boolean {
    const value = this.value(key);
    if (value === undefined) return otherwise;
    if (typeof value === 'boolean') return value;
    this.fault(key, 'WrongType', `is ${show(value)}, wanted true or false`, 'Write true or false.');
    return otherwise;
  }

  stringMap(key: string): Readonly<Record<string, string>> {
    const value = this.value(key);
    if (value === undefined) return {};
    const map: Record<string, string> = {};
    const reader = this.object(key);
    for (const name of Object.keys(isRecord(value) ? value : {})) {
      const text = reader.value(name);
      if (typeof text === 'string') map[name] = text;
      else reader.fault(name, 'WrongType', `is ${show(text)}, wanted text`, 'Put it in quotes.');
    }
    return map;
  }

  /** One of a few words, spelled exactly so; undefined: not there, or a fault. */
  word<T extends string>(key: string, words: readonly T[]): T | undefined {
    const value = this.value(key);
    const word = words.find((one) => one === value);
    if (value !== undefined && word === undefined) this.badChoice(key, words);
    return word;
  }

  private badChoice(key: string, words: readonly string[]): void {
    const value = this.value(key);
    const meant = typeof value === 'string' ? nearest(value, words) : undefined;
    this.fault(
      key,
      'BadChoice',
      `is ${show(value)}, wanted ${words.join(' or ')}`,
      meant === undefined ? 'Correct it.' : `Did you mean ${meant}?`,
    );
  }

  /** A list of 1 to `limit` words of one pattern; undefined: not there, or a fault. */
  words(
    key: string,
    of: {
      readonly pattern: RegExp;
      readonly limit: number;
      readonly wanted: string;
      readonly choices?: readonly string[];
      /** What it is to leave the field out; `to mean all`, if it is not said. */
      readonly left?: string;
    },
  ): readonly string[] | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    const words = list.filter((item) => typeof item === 'string' && of.pattern.test(item)).map(String);
    if (list.length > 0 && list.length <= of.limit && words.length === list.length) return words;
    const wrong = list.find((item) => !words.some((word) => word === item));
    const seen = wrong === undefined ? '' : `has ${show(wrong)}; `;
    this.fault(
      key,
      'BadPattern',
      `${seen}wanted a list of 1 to ${of.limit} ${of.wanted}`,
      `${didYouMean(typeof wrong === 'string' ? nearest(wrong, of.choices ?? []) : undefined)}Correct it, or leave the field out${of.left ?? ' to mean all'}.`,
    );
    return undefined;
  }

  integer(key: string, bounds: { readonly min: number; readonly max: number }): number | undefined {
    const value = this.value(key);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= bounds.min && value <= bounds.max)
      return value;
    this.fault(
      key,
      'BadNumber',
      `is ${show(value)}, wanted a whole number from ${bounds.min} to ${bounds.max}`,
      numberHint(key, value),
    );
    return undefined;
  }
}

/** `spec.steps[1].replicas`, as people write it. */
function pathText(at: readonly string[]): string {
  if (at.length === 0) return 'the document';
  return at.map((key, index) => (/^[0-9]+$/.test(key) ? `[${key}]` : index === 0 ? key : `.${key}`)).join('');
}

/** With more keys than this a list of them is not read by anybody. */
const KEYS_TOLD = 20;

function didYouMean(meant: string | undefined): string {
  return meant === undefined ? '' : `Did you mean ${meant}? `;
}

/** What people write where a plain number is wanted: quotes, a percentage, a time with its unit. */
function numberHint(key: string, value: unknown): string {
  const [, digits, unit = ''] = typeof value === 'string' ? (/^([0-9]{1,9})(%|s|m|h|d)?$/.exec(value) ?? []) : [];
  if (digits === undefined) return 'Correct it.';
  const plain = 'Write a plain number, without quotes and without a unit.';
  const isMeant = unit === '' || key.endsWith(unit === '%' ? 'Percent' : 'Seconds');
  return `${didYouMean(isMeant ? String(Number(digits) * (SECONDS.get(unit) ?? 1)) : undefined)}${plain}`;
}

const SECONDS: ReadonlyMap<string, number> = new Map([
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

const SHOWN_LENGTH = 60;

function show(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value) ?? 'unreadable';
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
