/** Durations as routes write them: Go's, of which the Gateway API takes a part (GEP-2257). */

import type { Timeout } from './provider.ts';

const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ['h', 3600],
  ['m', 60],
  ['s', 1],
  ['ms', 0.001],
]);

/** As `1m30s` or `0.5s`; a part of a second counts. */
export function secondsOf(value: unknown): Timeout['seconds'] {
  if (value === undefined) return 'unset';
  if (typeof value !== 'string' || !/^([0-9]{1,5}(\.[0-9]{1,3})?(h|ms|m|s)){1,4}$/.test(value)) return 'unreadable';
  let seconds = 0;
  for (const [, number, unit = ''] of value.matchAll(/([0-9.]+)(h|ms|m|s)/g))
    seconds += Number(number) * (UNIT_SECONDS.get(unit) ?? 0);
  return seconds;
}
