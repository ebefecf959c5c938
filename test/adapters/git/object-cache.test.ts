/** What is forgotten where not everything can be kept: first what nobody asked for. */

import { expect, test } from 'vitest';
import { createObjectCache } from '../../../src/adapters/git/object-cache.ts';

const oidOf = (name: string): string => name.padStart(40, '0');
const blob = (length: number) => ({ type: 'blob' as const, bytes: Buffer.alloc(length, 'a') });

test('nothing is forgotten before it is said to', () => {
  const cache = createObjectCache(1000);
  for (const name of ['1', '2', '3']) cache.put(oidOf(name), blob(600));
  for (const name of ['1', '2', '3']) expect(cache.get(oidOf(name), '')).toEqual(blob(600));
});

test('what was asked for since the last time outlives what was not, however old it is', () => {
  const cache = createObjectCache(2000);
  cache.put(oidOf('1'), blob(600));
  cache.put(oidOf('2'), blob(600));
  cache.trim();
  cache.get(oidOf('1'), '');
  cache.put(oidOf('3'), blob(600));
  cache.trim();
  expect(['1', '2', '3'].map((name) => cache.get(oidOf(name), '') !== undefined)).toEqual([true, false, true]);
});

test('where all of it was asked for, the oldest goes, down to the bound', () => {
  const cache = createObjectCache(2000);
  for (const name of ['1', '2', '3', '4']) cache.put(oidOf(name), blob(600));
  cache.trim();
  expect(['1', '2', '3', '4'].map((name) => cache.get(oidOf(name), '') !== undefined)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('that a blob has no marker is known by the markers that were looked for', () => {
  const cache = createObjectCache(1000);
  cache.mark(oidOf('1'), 'skipped', '["a"]');
  expect(cache.get(oidOf('1'), '["a"]')).toEqual({ type: 'skipped' });
  expect(cache.get(oidOf('1'), '["b"]')).toBeUndefined();
});

test('many without a marker are listed when one of them is looked for, and not before', () => {
  const cache = createObjectCache(1000);
  let listed = 0;
  const list = () => {
    listed += 1;
    return [oidOf('1'), oidOf('2')];
  };
  cache.put(oidOf('3'), blob(10));
  cache.mark(oidOf('4'), 'large', '["a"]');
  cache.markLater(list, 2, '["a"]');
  expect(cache.get(oidOf('1'), '["b"]')).toBeUndefined();
  expect(cache.get(oidOf('3'), '["a"]')).toEqual(blob(10));
  expect(cache.get(oidOf('4'), '["a"]')).toEqual({ type: 'large' });
  expect(listed).toBe(0);
  expect(['1', '2', '5'].map((name) => cache.get(oidOf(name), '["a"]')?.type)).toEqual([
    'skipped',
    'skipped',
    undefined,
  ]);
  expect(listed).toBe(1);
  cache.markLater(list, 100, '["a"]');
  cache.trim();
  expect(cache.get(oidOf('1'), '["a"]')).toBeUndefined();
  expect(listed).toBe(1);
});
