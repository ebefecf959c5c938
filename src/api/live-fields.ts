/** Reads typed fields out of `unknown`: the first wrong one is remembered, and its message is the answer. */

import { isBoundedJson, JSON_DEPTH_MAX, JSON_NODES_MAX } from './bounded-json.ts';
import { at, isRecord, type Json } from './json.ts';
import { type Known, known, unknown } from './known.ts';

type Path = readonly string[];

/** Longer texts than this are no names, labels or annotations that a decision could use. */
const TEXT_CHARACTERS_MAX = 4096;
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
  return reader({ root, prefix: '', fault: (text) => faults.push(`${subject}: ${text}`), first: () => faults[0] });
}

type Place = {
  readonly root: unknown;
  readonly prefix: string;
  readonly fault: (text: string) => void;
  readonly first: () => string | undefined;
};

type Look = { readonly valueAt: (path: Path) => unknown; readonly wrong: (path: Path, wanted: string) => void };

function reader(place: Place): Fields {
  const valueAt = (path: Path): unknown => at(place.root, path) ?? undefined;
  const wrong = (path: Path, wanted: string): void => {
    const value = valueAt(path);
    const seen = value === undefined ? 'missing' : shown(value);
    place.fault(`${place.prefix}${path.join('.')} is ${seen}, wanted ${wanted}`);
  };
  const text = (path: Path, missing?: string): string => {
    const value = valueAt(path) ?? missing;
    if (isText(value)) return value;
    wrong(path, `a text of at most ${TEXT_CHARACTERS_MAX} characters`);
    return '';
  };
  return {
    ...countFields({ valueAt, wrong }),
    wrong,
    text,
    has: (path) => valueAt(path) !== undefined,
    flag: (path, missing) => {
      const value = valueAt(path) ?? missing;
      if (typeof value !== 'boolean') wrong(path, 'true or false');
      return value === true;
    },
    texts: (path, prefix) => textsOf(valueAt(path), prefix, (key, wanted) => wrong([...path, ...key], wanted)),
    list: (path, most) => {
      const value = valueAt(path) ?? [];
      if (Array.isArray(value) && value.length <= most) {
        const prefix = (i: number): string => `${place.prefix}${path.join('.')}[${i}].`;
        return value.map((root: unknown, i) => reader({ ...place, root, prefix: prefix(i) }));
      }
      wrong(path, `a list of at most ${most}`);
      return [];
    },
    json: (path) => {
      const value = valueAt(path);
      if (value === undefined || isBoundedJson(value)) return value;
      wrong(path, `JSON of at most ${JSON_DEPTH_MAX} levels and ${JSON_NODES_MAX} values`);
      return undefined;
    },
    end: (value) => {
      const fault = place.first();
      return fault === undefined ? known(value) : unknown(fault);
    },
  };
}

function countFields({ valueAt, wrong }: Look): Pick<Fields, 'count' | 'countIfAny' | 'countOrPercent'> {
  const countIfAny = (path: Path): number | undefined => {
    const value = valueAt(path);
    if (value === undefined || isCount(value)) return value;
    wrong(path, 'an integer from 0 on');
    return undefined;
  };
  return {
    countIfAny,
    count: (path, missing) => {
      if (missing === undefined && valueAt(path) === undefined) wrong(path, 'an integer');
      return countIfAny(path) ?? missing ?? 0;
    },
    countOrPercent: (path, missing) => {
      const value = valueAt(path);
      if (typeof value !== 'string') return countIfAny(path) ?? missing;
      if (!/^\d{1,3}%$/.test(value)) wrong(path, 'an integer or a percentage such as "25%"');
      return value;
    },
  };
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
    if (isText(text)) texts.push([key, text]);
    else wrong([key], `a text of at most ${TEXT_CHARACTERS_MAX} characters`);
  }
  return Object.fromEntries(texts);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TEXT_CHARACTERS_MAX;
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
