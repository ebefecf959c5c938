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

test.each<
  readonly [line: readonly CommitHeader[], run: number, found: string | undefined, looks: number, rounds: number]
>([
  [lineOf(0), 0, undefined, 0, 0],
  [lineOf(9), 0, undefined, 1, 1],
  [lineOf(9), 1, '0', 4, 2],
  [lineOf(9), 2, '1', 5, 3],
  [lineOf(1000), 3, '2', 6, 3],
  [lineOf(1000), 40, '39', 19, 5],
  [lineOf(1000), 700, '699', 32, 7],
  [lineOf(1000), 999, '998', 32, 7],
  [lineOf(1000), 1000, '999', 32, 7],
  [lineOf(1000, true), 1000, undefined, 32, 7],
  [lineOf(1), 1, '0', 1, 1],
])('%#: a run of %2$d commits', async (line, run, found, most, rounds) => {
  let [looks, waited, open] = [0, 0, 0];
  const arrival = await arrivalOn(line, async (oid) => {
    looks += 1;
    if (open === 0) waited += 1;
    open += 1;
    // All that are asked for at once have come by then.
    await new Promise((done) => setImmediate(done));
    open -= 1;
    return Number(oid) < run;
  });
  expect(arrival?.commit.oid).toBe(found);
  expect(arrival?.parent).toBe(arrival?.commit.parents[0]);
  expect(looks).toBeLessThanOrEqual(most);
  expect(waited).toBeLessThanOrEqual(rounds);
});

test('a name leads past no end of a run that is found without it', async () => {
  const isThere = (oid: string): boolean => oid === '0' || (Number(oid) > 1 && Number(oid) < 63);
  for (const named of [[], [62]]) {
    const arrival = await arrivalOn(
      lineOf(99),
      async (oid) => isThere(oid),
      ({ oid }) => named.includes(Number(oid)),
    );
    expect(arrival?.commit.oid).toBe('0');
  }
});

test('a look that nobody wants in the end may fail', async () => {
  const arrival = await arrivalOn(lineOf(9), async (oid) => {
    if (Number(oid) > 1) throw new Error('this clone does not have it');
    return oid === '0';
  });
  expect(arrival?.commit.oid).toBe('0');
});

test.each<readonly [what: string, run: number, named: readonly number[], found: string, looks: number, rounds: number]>(
  [
    ['the commit that brought it', 40, [7, 39, 60], '39', 11, 1],
    ['only commits before it', 40, [60], '39', 24, 5],
    ['only commits after it', 40, [3, 9], '39', 24, 6],
    ['what is not so', 3, [0, 1, 2, 3, 4], '2', 6, 1],
    ['all there are, far from it', 700, Array.from({ length: 500 }, (_none, at) => at), '699', 50, 9],
  ],
)(
  'what commits say of themselves is where to look, and never believed: %s',
  async (_what, run, named, found, ...most) => {
    const seen = new Set<string>();
    let [rounds, open] = [0, 0];
    const arrival = await arrivalOn(
      lineOf(1000),
      async (oid) => {
        if (open === 0) rounds += 1;
        seen.add(oid);
        open += 1;
        await new Promise((done) => setImmediate(done));
        open -= 1;
        return Number(oid) < run;
      },
      ({ oid }) => named.includes(Number(oid)),
    );
    expect(arrival?.commit.oid).toBe(found);
    expect(seen.size).toBeLessThanOrEqual(most[0] + 1);
    expect(rounds).toBeLessThanOrEqual(most[1]);
  },
);
