/** The commit that made something true is found in few looks, however long the line is. */

import { expect, test } from 'vitest';
import type { CommitHeader } from '../../src/ports/git.ts';
import { arrivalOn } from '../../src/reconcile/history/arrival.ts';

/** `length` commits, newest first, named by their place; the oldest has a parent where the line is cut off. */
function lineOf(length: number, cut = false): readonly CommitHeader[] {
  return Array.from({ length }, (_, i) => ({
    oid: `${i}`,
    parents: i + 1 < length || cut ? [`${i + 1}`] : [],
    author: { name: 'Ada', email: 'a@b', atSeconds: 0 },
    committedAt: 0,
    message: '',
  }));
}

test.each<readonly [line: readonly CommitHeader[], run: number, found: string | undefined, looks: number]>([
  [lineOf(0), 0, undefined, 0],
  [lineOf(9), 0, undefined, 1],
  [lineOf(9), 1, '0', 2],
  [lineOf(9), 2, '1', 4],
  [lineOf(1000), 3, '2', 5],
  [lineOf(1000), 700, '699', 20],
  [lineOf(1000), 999, '998', 20],
  [lineOf(1000), 1000, '999', 20],
  [lineOf(1000, true), 1000, undefined, 20],
  [lineOf(1), 1, '0', 1],
])('%#: a run of %2$d commits', async (line, run, found, most) => {
  let looks = 0;
  const arrival = await arrivalOn(line, async (oid) => {
    looks += 1;
    return Number(oid) < run;
  });
  expect(arrival?.commit.oid).toBe(found);
  expect(arrival?.parent).toBe(arrival?.commit.parents[0]);
  expect(looks).toBeLessThanOrEqual(most);
});
