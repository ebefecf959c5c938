/** Reads parts of a JSON that may come from anywhere: what is not what it should be is not there. */

import { at } from '../../api/json.ts';
import { type Instant, parseInstant } from '../../api/time.ts';

/** Entries of one list that are read. */
const ENTRIES_MOST = 1000;

/** The text at a path; empty where there is none. */
export function text(value: unknown, ...path: readonly string[]): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}

/** A whole number from 0 at a path; undefined where there is none. */
export function number(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, path);
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : undefined;
}

/** The entries of a list; none where there is no list. */
export function list(value: unknown, key: string, most = ENTRIES_MOST): readonly unknown[] {
  const found = at(value, [key]);
  return Array.isArray(found) ? found.slice(0, most) : [];
}

/** Those of its entries that are texts. */
export function texts(value: unknown, key: string): readonly string[] {
  return list(value, key).filter((one) => typeof one === 'string');
}

/** The instant that a time of the JSON is; undefined where it is none. */
export function instantOf(written: string): Instant | undefined {
  return written === '' ? undefined : parseInstant(written);
}
