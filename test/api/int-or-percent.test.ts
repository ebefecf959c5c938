/** Counts and percentages: what is read, and how it is rounded. */

import { expect, test } from 'vitest';
import { ceilOf, floorOf, isIntOrPercent, letsNone, percentOf } from '../../src/api/int-or-percent.ts';

test.each([
  [0, true],
  [3, true],
  [-1, true],
  [2_147_483_647, true],
  [2_147_483_648, false],
  [1.5, false],
  [Number.NaN, false],
  ['0%', true],
  ['25%', true],
  ['200%', true],
  ['9999%', true],
  ['10000%', false],
  ['025%', false],
  ['+5%', false],
  ['-5%', false],
  ['5.5%', false],
  [' 5%', false],
  ['5 %', false],
  ['5', false],
  ['%', false],
  ['٥%', false],
  [null, false],
  [undefined, false],
  [true, false],
])('%j is one: %j', (value, is) => expect(isIntOrPercent(value)).toBe(is));

test.each([
  [2, 4, 2, 2],
  ['25%', 4, 1, 1],
  ['26%', 4, 2, 1],
  ['1%', 1, 1, 0],
  ['99%', 3, 3, 2],
  ['33%', 3, 1, 0],
  ['100%', 7, 7, 7],
  ['50%', 0, 0, 0],
  ['7%', 100, 7, 7],
  ['29%', 100, 29, 29],
])('%j of %i groups is %i rounded up, %i rounded down', (value, total, up, down) => {
  expect(ceilOf(value, total)).toBe(up);
  expect(floorOf(value, total)).toBe(down);
});

test.each([
  [0, 4, true],
  [1, 4, false],
  ['10%', 4, true],
  ['25%', 4, false],
  ['25%', undefined, false],
  ['0%', undefined, true],
  [0, undefined, true],
  // Of no groups at all the API server takes any.
  [0, 0, false],
])('maxUnavailable %j of %s groups means none: %s', (value, total, none) => {
  expect(letsNone(value, total)).toBe(none);
});

test('a percentage is distinguished from a count', () => {
  expect(percentOf('25%')).toBe(25);
  expect(percentOf(25)).toBeUndefined();
});
