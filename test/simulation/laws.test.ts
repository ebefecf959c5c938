/** The table of laws has every invariant that is promised, and says of each where it is looked at. */

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { commitLaws } from './commit-laws.ts';
import { type LawEntry, laws } from './laws.ts';
import { reasonPlaces } from './tallies.ts';

const numbered = (letter: string, most: number) => Array.from({ length: most }, (_, i) => `${letter}${i + 1}`);

test('every invariant is in the table', () => {
  const ids = new Set(Object.keys(laws).map((name) => name.split(' ')[0]));
  const promised = [...numbered('S', 12), ...numbered('C', 5), ...numbered('L', 4), ...numbered('T', 14)];
  expect(promised.filter((id) => !ids.has(id))).toEqual([]);
});

test('what is not checked says why, and there is nothing of it', () => {
  const entries: readonly (readonly [string, LawEntry])[] = Object.entries(laws);
  const without = entries.filter(([, { checked }]) => typeof checked !== 'string').map(([name]) => name);
  expect(without).toEqual([]);
});

test('what no seed does is played by a story, or is a row of a table that names it', () => {
  const places = Object.entries(reasonPlaces).filter(([, place]) => place !== 'seeds');
  const root = resolve(import.meta.dirname, '../..');
  const told = ([reason, place]: readonly [string, string]): boolean => {
    const file = join(root, place.endsWith('.ts') ? place : join(place, 'transcript.txt'));
    return existsSync(file) && readFileSync(file, 'utf8').includes(reason);
  };
  expect(places.filter((place) => !told(place))).toEqual([]);
});

test('the laws about commits are in the table', () => {
  expect(Object.keys(commitLaws).filter((name) => !(name in laws))).toEqual([]);
});
