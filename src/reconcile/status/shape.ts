/** Checks of JSON values, field by field: each says where the first wrong one is. */

import { isRecord } from '../../api/json.ts';

/** The path of what is wrong below the value, empty for the value itself; undefined: nothing is. */
export type Check = (value: unknown) => string | undefined;

/** Right where the function says so. */
export const is =
  (right: (value: unknown) => boolean): Check =>
  (value) =>
    right(value) ? undefined : '';

/** A text. */
export const text = is((value) => typeof value === 'string');
/** A boolean. */
export const flag = is((value) => typeof value === 'boolean');
/** Groups, ordinals and seconds: nothing that is counted is negative or a fraction. */
export const count = is((value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
/** The same, and not 0. */
export const positive = is((value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0);

/** One of these words; the compiler knows them all. */
export const word = <W extends string>(words: Readonly<Record<W, true>>): Check =>
  is((value) => typeof value === 'string' && Object.hasOwn(words, value));

/** Right, or not there. */
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value);

/** Right in every item. */
export const list =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return '';
    for (const [i, item] of value.entries()) {
      const fault = check(item);
      if (fault !== undefined) return below(String(i), fault);
    }
    return undefined;
  };

/** A check for each field of `T`, so that none is forgotten. */
export type Shape<T> = { readonly [K in keyof T]-?: Check };

/** Right in every field that is named; others are not looked at. */
export function object(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries<Check>(fields);
  return (value) => {
    if (!isRecord(value)) return '';
    for (const [key, check] of checks) {
      const fault = check(value[key]);
      if (fault !== undefined) return below(key, fault);
    }
    return undefined;
  };
}

/** A map of texts. */
export const texts: Check = (value) =>
  isRecord(value) ? Object.keys(value).find((key) => text(value[key]) !== undefined) : '';

function below(key: string, fault: string): string {
  return fault === '' ? key : `${key}.${fault}`;
}
