/** A merge plays a fixed part of wide tables, in which no value of any column is missing. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { IS_DEEP, sampled } from './sampled.ts';

const product = (sizes: readonly number[]): readonly (readonly string[])[] =>
  sizes.reduce<readonly (readonly string[])[]>(
    (rows, size, column) => rows.flatMap((row) => Array.from({ length: size }, (_, at) => [...row, `${column}${at}`])),
    [[]],
  );

test('every value of every column is in a row that is played', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 5 }), (of, every) => {
      const rows = product(of);
      expect(new Set(sampled(rows, every).flat())).toEqual(new Set(rows.flat()));
    }),
  );
});

test('a part of them, always the same, in the order of the table', () => {
  const rows = product([2, 2, 14]);
  const played = sampled(rows, 2);
  expect(played).toHaveLength(IS_DEEP ? 56 : 28);
  expect(played).toEqual(sampled(rows, 2));
  expect(rows.filter((row) => played.includes(row))).toEqual(played);
  expect(sampled(rows, 1)).toEqual(rows);
});
