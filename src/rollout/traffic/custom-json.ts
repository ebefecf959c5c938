/** Changes of plain JSON, and the edits of a text that make the same of it. */

import { at, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import type { Edit, EditPath } from '../edits/edit.ts';

/** The value with another one at `path`; undefined takes the field out, with the parents that this leaves empty. */
export function withAt(root: Json, path: readonly string[], value: Json | undefined): Json {
  return changed(root, path, value) ?? {};
}

function changed(root: Json | undefined, [key, ...rest]: readonly string[], value: Json | undefined): Json | undefined {
  if (key === undefined) return value;
  if (Array.isArray(root)) {
    const place = Number(key);
    const next = changed(root[place], rest, value);
    const items = [...root.slice(0, place), ...(next === undefined ? [] : [next]), ...root.slice(place + 1)];
    return items.length === 0 ? undefined : items;
  }
  const map: JsonObject = isJsonObject(root) ? root : {};
  const next = changed(map[key], rest, value);
  const entries = Object.entries(map).filter(([other]) => other !== key);
  if (next === undefined) return entries.length === 0 && value === undefined ? undefined : Object.fromEntries(entries);
  return Object.hasOwn(map, key)
    ? Object.fromEntries(Object.entries(map).map(([other, own]) => [other, other === key ? next : own]))
    : { ...map, [key]: next };
}

/** Every text of a value, with its path. */
export function textsIn(
  value: Json | undefined,
  path: readonly string[] = [],
): readonly (readonly [string[], string])[] {
  if (typeof value === 'string') return [[[...path], value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => textsIn(child, [...path, key]));
}

/** Which item of a list is ours: those of others are as many and in the same order on both sides. */
type IsOurs = (item: Json) => boolean;

/** How an item of a list is named in an edit: by a field of its own where that tells it apart, else by its place. */
type SegmentOf = (list: readonly Json[], place: number) => EditPath[number];

/** A field that has one scalar before and another, or none, after. */
type Change = { readonly path: EditPath; readonly was: Json | undefined; readonly set: Json | undefined };

type Difference =
  | { readonly kind: 'ok'; readonly edits: readonly Edit[]; readonly changes: readonly Change[] }
  /** The lists of other people's items differ, or a field is a scalar on one side only. */
  | { readonly kind: 'other'; readonly path: readonly string[] };

type Walk = { readonly isOurs: IsOurs; readonly segmentOf: SegmentOf };

/** The edits that make `after` of `before`: fields first, then items that go, from the last on, then those that come. */
export function difference(before: Json, after: Json, walk: Walk): Difference {
  const found: Found = { fields: [], gone: [], come: [], changes: [], other: undefined };
  compare({ before, after, at: [], path: [] }, walk, found);
  if (found.other !== undefined) return { kind: 'other', path: found.other };
  const { fields, gone, come, changes } = found;
  return { kind: 'ok', edits: [...fields, ...gone.toReversed(), ...come], changes };
}

type Found = {
  readonly fields: Edit[];
  readonly gone: Edit[];
  readonly come: Edit[];
  readonly changes: Change[];
  other: readonly string[] | undefined;
};

type Pair = {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  readonly at: EditPath;
  readonly path: readonly string[];
};

function compare({ before, after, at: place, path }: Pair, walk: Walk, found: Found): void {
  if (jsonEqual(before, after)) return;
  if (isMapOrNone(before) && isMapOrNone(after) && (isJsonObject(before) || isJsonObject(after))) {
    const [left, right] = [isJsonObject(before) ? before : {}, isJsonObject(after) ? after : {}];
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
      compare({ before: left[key], after: right[key], at: [...place, key], path: [...path, key] }, walk, found);
    return;
  }
  if (isListOrNone(before) && isListOrNone(after) && (Array.isArray(before) || Array.isArray(after)))
    return compareLists({ before: before ?? [], after: after ?? [], at: place, path }, walk, found);
  if (!isScalarOrNone(before) || !isScalarOrNone(after)) {
    found.other ??= path;
    return;
  }
  found.changes.push({ path: place, was: before, set: after });
  found.fields.push(
    after === undefined || after === null
      ? { kind: 'remove', path: place }
      : { kind: 'set', path: place, value: after },
  );
}

type Lists = Pick<Pair, 'at' | 'path'> & { readonly before: readonly Json[]; readonly after: readonly Json[] };

function compareLists(lists: Lists, walk: Walk, found: Found): void {
  const { before, after, at: place, path } = lists;
  const paired = pairsOf(lists, walk);
  if (paired === undefined) {
    found.other ??= path;
    return;
  }
  for (const [left, right] of paired.both) {
    const item = [...place, walk.segmentOf(before, left)];
    compare({ before: before[left], after: after[right], at: item, path: [...path, String(left)] }, walk, found);
  }
  for (const left of paired.gone)
    found.gone.push({ kind: 'removeItem', path: [...place, walk.segmentOf(before, left)] });
  for (const right of paired.come) {
    // Only what goes to the end can be named otherwise than by its place.
    const segment = right === after.length - 1 ? walk.segmentOf(after, right) : String(right);
    found.come.push({ kind: 'insertItem', path: [...place, segment], value: after[right] ?? null });
  }
}

type Pairs = {
  readonly both: readonly (readonly [left: number, right: number])[];
  readonly gone: readonly number[];
  readonly come: readonly number[];
};

/** Items of one name are one item; of the others those of people stay in their order. undefined: some came, or went. */
function pairsOf({ before, after }: Lists, walk: Walk): Pairs | undefined {
  const nameIn = (list: readonly Json[], place: number): string => {
    const segment = walk.segmentOf(list, place);
    return typeof segment === 'string' ? '' : JSON.stringify(segment);
  };
  const names = [before, after].map((list) => list.map((_, place) => nameIn(list, place)));
  const [left = [], right = []] = names;
  const named = left.flatMap((name, place) => {
    const other = name === '' ? -1 : right.indexOf(name);
    return other < 0 ? [] : [[place, other] as const];
  });
  const rest = (list: readonly Json[], side: 0 | 1, ours: boolean): readonly number[] =>
    list.flatMap((item, place) =>
      walk.isOurs(item) === ours && !named.some((pair) => pair[side] === place) ? [place] : [],
    );
  const others = [rest(before, 0, false), rest(after, 1, false)] as const;
  const own = [rest(before, 0, true), rest(after, 1, true)] as const;
  if (others[0].length !== others[1].length) return undefined;
  const inOrder = (lists: readonly [readonly number[], readonly number[]]): Pairs['both'] =>
    lists[0].slice(0, lists[1].length).map((place, number) => [place, lists[1][number] ?? 0] as const);
  return {
    both: [...named, ...inOrder(others), ...inOrder(own)],
    gone: own[0].slice(own[1].length),
    come: own[1].slice(own[0].length),
  };
}

function isMapOrNone(value: Json | undefined): boolean {
  return value === undefined || isJsonObject(value);
}

function isListOrNone(value: Json | undefined): value is readonly Json[] | undefined {
  return value === undefined || Array.isArray(value);
}

function isScalarOrNone(value: Json | undefined): value is string | number | boolean | null | undefined {
  return value === undefined || typeof value !== 'object' || value === null;
}

/** Names items by the first of these keys that has another text in each item of the list. */
export function segmentBy(keys: readonly string[]): SegmentOf {
  return (list, place) => {
    for (const key of keys) {
      const values = list.map((item) => at(item, [key]));
      const value = values[place];
      if (typeof value === 'string' && values.filter((other) => other === value).length === 1) return { key, value };
    }
    return String(place);
  };
}
