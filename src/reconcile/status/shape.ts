/** Checks of JSON values, field by field: each says where the first wrong one is. */

import { isRecord } from '../../api/json.ts';

type Check = {
  /** The path of what is wrong below the value, empty for the value itself; undefined: nothing is. */
  (value: unknown): string | undefined;
  /** What it takes, as text: two that say the same take the same fields and words. Made when asked: no pass does. */
  readonly says: () => string;
};

function saying(says: () => string, fault: (value: unknown) => string | undefined): Check {
  return Object.assign(fault, { says });
}

/** Right where the function says so. */
export const is = (right: (value: unknown) => boolean, says: () => string = () => '*'): Check =>
  saying(says, (value) => (right(value) ? undefined : ''));

/** A text. */
export const text = is(
  (value) => typeof value === 'string',
  () => 'text',
);
/** A boolean. */
export const flag = is(
  (value) => typeof value === 'boolean',
  () => 'flag',
);
/** Groups, ordinals and seconds: nothing that is counted is negative or a fraction. */
export const count = is(
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  () => 'count',
);
/** The same, and not 0. */
export const positive = is(
  (value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
  () => 'positive',
);

/** One of these words; the compiler knows them all. */
export const word = <W extends string>(words: Readonly<Record<W, true>>): Check =>
  is(
    (value) => typeof value === 'string' && Object.hasOwn(words, value),
    () => Object.keys(words).sort().join('|'),
  );

/** Right, or not there. */
export const optional = (check: Check): Check =>
  saying(
    () => `${check.says()}?`,
    (value) => (value === undefined ? undefined : check(value)),
  );

/** Right as the first or as the second; what is wrong is reported of the second. */
export const either = (first: Check, second: Check): Check =>
  saying(
    () => `(${first.says()} or ${second.says()})`,
    (value) => (first(value) === undefined ? undefined : second(value)),
  );

/** Right in every item. */
export const list = (check: Check): Check =>
  saying(
    () => `[${check.says()}]`,
    (value) => {
      if (!Array.isArray(value)) return '';
      for (const [i, item] of value.entries()) {
        const fault = check(item);
        if (fault !== undefined) return below(String(i), fault);
      }
      return undefined;
    },
  );

/** A check for each field of `T`, so that none is forgotten. */
export type Shape<T> = { readonly [K in keyof T]-?: Check };

/** Right in every field that is named; others are not looked at. */
export function object(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries<Check>(fields);
  const says = (): readonly string[] => checks.map(([key, check]) => `${key}: ${check.says()}`).sort();
  return saying(
    () => `{${says().join(', ')}}`,
    (value) => {
      if (!isRecord(value)) return '';
      for (const [key, check] of checks) {
        const fault = check(value[key]);
        if (fault !== undefined) return below(key, fault);
      }
      return undefined;
    },
  );
}

/** A map of texts. */
export const texts: Check = saying(
  () => '{text}',
  (value) => (isRecord(value) ? Object.keys(value).find((key) => text(value[key]) !== undefined) : ''),
);

function below(key: string, fault: string): string {
  return fault === '' ? key : `${key}.${fault}`;
}
