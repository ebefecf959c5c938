/** Walks through JSON: keys of maps, places in lists, and nothing that was not written there. */

import { expect, test } from 'vitest';
import { at } from '../../src/api/json.ts';

const value = { a: [{ b: 1 }, null], '0': 'key', c: undefined };

test.each<[path: readonly string[], found: unknown]>([
  [[], value],
  [['a', '0', 'b'], 1],
  [['a', '1'], null],
  [['a', '1', 'b'], undefined],
  [['a', '2'], undefined],
  [['a', '-1'], undefined],
  [['a', ''], undefined],
  [['a', '00'], undefined],
  [['a', 'length'], undefined],
  [['0'], 'key'],
  [['0', '0'], undefined],
  [['c'], undefined],
  [['constructor'], undefined],
  [['a', '0', 'toString'], undefined],
])('%j', (path, found) => expect(at(value, path)).toBe(found));
