/** What plain JSON is, and the few questions every ring asks of it. */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Tells a JSON object from everything else that `unknown` may be. */
export function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same for a value that is already known to be JSON. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The value at `path` below `root`, or undefined where any part of the path is missing. Own keys only; in a list a
 * part is the place of an item, from 0. What lies below JSON is JSON.
 */
export function at(root: Json | undefined, path: readonly string[]): Json | undefined;
export function at(root: unknown, path: readonly string[]): unknown;
export function at(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) {
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value;
      value = PLACE.test(key) ? items[Number(key)] : undefined;
    } else value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

const PLACE = /^(0|[1-9][0-9]{0,8})$/;

/** Deep equality of JSON values; the order of object keys does not count. */
export function jsonEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, i) => jsonEqual(item, right[i]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && jsonEqual(left[key], right[key]))
  );
}

/** The value as it is once it has been written as JSON and read again: without the fields that are undefined. */
export function asWritten(value: unknown): Json {
  const read: Json = JSON.parse(JSON.stringify(value));
  return read;
}

/** JSON text with sorted keys and no spaces: equal values have equal text, so it can be hashed. */
export function canonicalJson(value: Json): string {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // A piece after a piece: lists of pieces, joined, take twice the time.
  let text = '';
  if (!isJsonObject(value)) {
    for (const item of value) text += `,${canonicalJson(item)}`;
    return `[${text.slice(1)}]`;
  }
  for (const key of Object.keys(value).sort()) text += `,${canonicalJson(key)}:${canonicalJson(value[key] ?? null)}`;
  return `{${text.slice(1)}}`;
}

/** Nothing in it is written otherwise between quotes. */
const PLAIN = /^[ !#-[\]-~]*$/;
