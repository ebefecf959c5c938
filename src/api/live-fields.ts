/** Reads typed fields out of `unknown`: the first wrong one is remembered, and its message is the answer. */

import { isBoundedJson, JSON_DEPTH_MAX, JSON_NODES_MAX } from './bounded-json.ts';
import { at, isRecord, type Json } from './json.ts';
import { type Known, known, unknown } from './known.ts';

type Path = readonly string[];

/** Longer texts than this are no names, labels or annotations that a decision could use. */
const TEXT_CHARACTERS_MAX = 4096;
/** What the API server takes of all annotations of an object: what a delivery has put aside may be long. */
const ENTRY_CHARACTERS_MAX = 256 * 1024;
/** What the API server allows for an int32. */
const COUNT_MAX = 2_147_483_647;
const SHOWN_CHARACTERS_MAX = 60;

/** One object, or one item of a list in it. A missing field and `null` are the same, as in Kubernetes. */
export type Fields = {
  /** A string of at most 4 KiB; where there is none `missing`, and without that the object is wrong. */
  readonly text: (path: Path, missing?: string) => string;
  /** An integer from 0 to the largest int32; where there is none `missing`, and without that the object is wrong. */
  readonly count: (path: Path, missing?: number) => number;
  /** The same, undefined where there is none. */
  readonly countIfAny: (path: Path) => number | undefined;
  /** An integer, or a percentage as `25%`. */
  readonly countOrPercent: (path: Path, missing: number) => number | string;
  readonly has: (path: Path) => boolean;
  /** A boolean; where there is none `missing`. */
  readonly flag: (path: Path, missing: boolean) => boolean;
  /** The entries of a map of texts whose key starts with `prefix`. */
  readonly texts: (path: Path, prefix: string) => Readonly<Record<string, string>>;
  /** The items of a list; longer than `most` is wrong, not cut. */
  readonly list: (path: Path, most: number) => readonly Fields[];
  /** Plain JSON of bounded size; undefined where there is none. */
  readonly json: (path: Path) => Json | undefined;
  /** Notes that the field is not what was wanted. */
  readonly wrong: (path: Path, wanted: string) => void;
  /** The value, if nothing was wrong on the way to it. */
  readonly end: <T>(value: T) => Known<T>;
};

/**
 * The fields of one API object. `subject` opens the message, as `leaderworkersets llm/vllm`. Nothing here throws:
 * a wrong field gives a harmless value, and `end` turns the first of them into `unknown`.
 */
export function fieldsOf(plural: string, root: unknown): Fields {
  const name = at(root, ['metadata', 'name']);
  const namespace = at(root, ['metadata', 'namespace']);
  const subject = `${plural} ${shortName(namespace)}/${shortName(name)}`;
  const faults: string[] = [];
  if (!isRecord(root)) faults.push(`${plural}: got ${shown(root)}, wanted an object`);
  return new Reader({ root, subject, faults, list: '', index: 0 });
}

type Place = {
  readonly root: unknown;
  readonly subject: string;
  /** Of the whole object, its items included. */
  readonly faults: string[];
  /** Where the list is that this is an item of; empty: it is the object itself. */
  readonly list: string;
  readonly index: number;
};

/** A class, for an object of the cluster has dozens of lists, and each item would make these functions again. */
class Reader implements Fields {
  private readonly place: Place;

  constructor(place: Place) {
    this.place = place;
  }

  private valueAt(path: Path): unknown {
    return at(this.place.root, path) ?? undefined;
  }

  private pathOf(path: Path): string {
    const { list, index } = this.place;
    return list === '' ? path.join('.') : `${list}[${index}].${path.join('.')}`;
  }

  wrong(path: Path, wanted: string): void {
    const value = this.valueAt(path);
    const seen = value === undefined ? 'missing' : shown(value);
    this.place.faults.push(`${this.place.subject}: ${this.pathOf(path)} is ${seen}, wanted ${wanted}`);
  }

  text(path: Path, missing?: string): string {
    const value = this.valueAt(path) ?? missing;
    if (isText(value, TEXT_CHARACTERS_MAX)) return value;
    this.wrong(path, `a text of at most ${TEXT_CHARACTERS_MAX} characters`);
    return '';
  }

  count(path: Path, missing?: number): number {
    if (missing === undefined && this.valueAt(path) === undefined) this.wrong(path, 'an integer');
    return this.countIfAny(path) ?? missing ?? 0;
  }

  countIfAny(path: Path): number | undefined {
    const value = this.valueAt(path);
    if (value === undefined || isCount(value)) return value;
    this.wrong(path, 'an integer from 0 on');
    return undefined;
  }

  countOrPercent(path: Path, missing: number): number | string {
    const value = this.valueAt(path);
    if (typeof value !== 'string') return this.countIfAny(path) ?? missing;
    if (!/^\d{1,3}%$/.test(value)) this.wrong(path, 'an integer or a percentage such as "25%"');
    return value;
  }

  has(path: Path): boolean {
    return this.valueAt(path) !== undefined;
  }

  flag(path: Path, missing: boolean): boolean {
    const value = this.valueAt(path) ?? missing;
    if (typeof value !== 'boolean') this.wrong(path, 'true or false');
    return value === true;
  }

  texts(path: Path, prefix: string): Readonly<Record<string, string>> {
    return textsOf(this.valueAt(path), prefix, (key, wanted) => this.wrong([...path, ...key], wanted));
  }

  list(path: Path, most: number): readonly Fields[] {
    const value = this.valueAt(path) ?? [];
    if (Array.isArray(value) && value.length <= most) {
      const list = this.pathOf(path);
      return value.map((root: unknown, index) => new Reader({ ...this.place, root, list, index }));
    }
    this.wrong(path, `a list of at most ${most}`);
    return [];
  }

  json(path: Path): Json | undefined {
    const value = this.valueAt(path);
    if (value === undefined || isBoundedJson(value)) return value;
    this.wrong(path, `JSON of at most ${JSON_DEPTH_MAX} levels and ${JSON_NODES_MAX} values`);
    return undefined;
  }

  end<T>(value: T): Known<T> {
    const [fault] = this.place.faults;
    return fault === undefined ? known(value) : unknown(fault);
  }
}

function textsOf(value: unknown, prefix: string, wrong: (key: Path, wanted: string) => void): Record<string, string> {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    wrong([], 'a map');
    return {};
  }
  const texts: [string, string][] = [];
  for (const [key, text] of Object.entries(value)) {
    if (!key.startsWith(prefix)) continue;
    if (isText(text, ENTRY_CHARACTERS_MAX)) texts.push([key, text]);
    else wrong([key], `a text of at most ${ENTRY_CHARACTERS_MAX} characters`);
  }
  return Object.fromEntries(texts);
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= COUNT_MAX;
}

function shortName(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value.slice(0, 253) : '?';
}

/** Values of fields that we read are no secrets; containers are named, not printed. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isRecord(value)) return 'an object';
  if (typeof value === 'string') {
    return value.length > SHOWN_CHARACTERS_MAX ? `a text of ${value.length} characters` : JSON.stringify(value);
  }
  return String(value).slice(0, SHOWN_CHARACTERS_MAX);
}
