/** Values of an Analysis that several of its fields have: decimals, names, labels. */

import type { FieldReader } from './field-reader.ts';

/** Characters of a value of a label. */
export const VALUE_LENGTH = 200;
/** What a selector of Prometheus takes without quotes: anything else could say more than a name. */
export const LABEL_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
/** Printable: a value is escaped, and one that nobody can see is nobody's wish. */
const LABEL_VALUE = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u;

/** A number with at most two places; undefined: not there, or a fault. */
export function decimal(
  reader: FieldReader,
  key: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const value = reader.value(key);
  if (value === undefined) return undefined;
  const isPlain = typeof value === 'number' && /^[0-9]+(\.[0-9]{1,2})?$/.test(String(value));
  if (isPlain && value >= min && value <= max) return value;
  const wanted = `wanted a number from ${min} to ${max} with at most two places`;
  reader.fault(
    key,
    'BadNumber',
    `is ${JSON.stringify(value)}, ${wanted}`,
    'Write a plain number, without quotes and without a unit.',
  );
  return undefined;
}

/** A text of this form; another one is a fault, and empty where it is missing. */
export function matching(reader: FieldReader, key: string, pattern: RegExp, wanted: string): string {
  const text = reader.text(key);
  if (text !== '' && !pattern.test(text))
    reader.fault(key, 'BadName', `is ${JSON.stringify(text)}, wanted ${wanted}`, 'Correct it.');
  return text;
}

/** A fault for a name or a value that a selector of Prometheus would not take as it is written. */
export function checkLabel(reader: FieldReader, label: string, values: readonly string[]): void {
  if (!LABEL_NAME.test(label))
    reader.fault(label, 'BadName', 'is not the name of a label of Prometheus', 'Use letters, digits and _ alone.');
  for (const value of values)
    if (value.length > VALUE_LENGTH || !LABEL_VALUE.test(value))
      reader.fault(
        label,
        'BadName',
        `has a value of other than 0 to ${VALUE_LENGTH} printable characters`,
        'Correct it.',
      );
}
