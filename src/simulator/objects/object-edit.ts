/** Changes of immutable JSON: parts that stay equal stay the same object, so that identity tells what changed. */

import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';

/** RFC 7386: null removes, objects merge, everything else replaces. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return target !== undefined && jsonEqual(target, patch) ? target : patch;
  const base = isJsonObject(target) ? target : {};
  const merged: Record<string, Json> = { ...base };
  let same = isJsonObject(target);
  for (const [key, value] of Object.entries(patch)) {
    const before = base[key];
    if (value === null) {
      if (before !== undefined) same = false;
      delete merged[key];
      continue;
    }
    const after = mergePatch(before, value);
    if (after !== before) same = false;
    merged[key] = after;
  }
  return same && target !== undefined ? target : merged;
}

/** `after`, with every part that is equal to the one in `before` replaced by that one. */
export function share(before: Json | undefined, after: Json): Json {
  if (before === undefined || before === after) return after;
  if (!isJsonObject(after) || !isJsonObject(before)) return jsonEqual(before, after) ? before : after;
  const keys = Object.keys(after);
  let same = keys.length === Object.keys(before).length;
  const shared: Record<string, Json> = {};
  for (const key of keys) {
    const value = share(before[key], after[key] ?? null);
    shared[key] = value;
    if (value !== before[key]) same = false;
  }
  return same ? before : shared;
}

/** `root` with `value` at `path`; anything on the way that is no object is replaced by one. */
export function withValue(root: JsonObject, path: readonly string[], value: Json): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return root;
  const before = root[key];
  if (rest.length === 0) return before !== undefined && jsonEqual(before, value) ? root : { ...root, [key]: value };
  const inner = isJsonObject(before) ? before : {};
  const after = withValue(inner, rest, value);
  return after === before ? root : { ...root, [key]: after };
}

/** `root` without the value at `path`, and without the maps that this leaves empty. */
export function withoutValue(root: JsonObject, path: readonly string[]): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined || root[key] === undefined) return root;
  const { [key]: before, ...others } = root;
  if (rest.length === 0) return others;
  if (!isJsonObject(before)) return root;
  const after = withoutValue(before, rest);
  if (after === before) return root;
  return Object.keys(after).length === 0 ? others : { ...root, [key]: after };
}
