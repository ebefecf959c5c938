/** What was counted over time in fewer parts, and as a line of signs. */

import { expect, test } from 'vitest';
import { lineOf, type Part, partsOf } from '../../../src/rollout/analysis/parts.ts';
import type { Window } from '../../../src/rollout/analysis/verdict.ts';

const windowsOf = (count: number, bad: (at: number) => number): readonly Window[] =>
  Array.from({ length: count }, (_, at) => ({
    end: (at + 1) * 300,
    canary: [{ pod: 'c-0', n: 100, x: bad(at) }],
    stable: [
      { pod: 's-0', n: 100, x: 1 },
      { pod: 's-1', n: 100, x: 1 },
    ],
  }));

test.each([
  [0, 0],
  [1, 1],
  [96, 96],
  [97, 49],
  [288, 96],
])('%i windows are %i parts, and nothing of them is lost', (count, wanted) => {
  const windows = windowsOf(count, (at) => at % 3);
  const parts = partsOf(windows);
  expect(parts).toHaveLength(wanted);
  const sum = (at: 1 | 2 | 3 | 4) => parts.reduce((all, part) => all + part[at], 0);
  const bad = windows.reduce((all, { canary }) => all + (canary[0]?.x ?? 0), 0);
  expect([sum(1), sum(2), sum(3), sum(4)]).toEqual([bad, count * 100, count * 2, count * 200]);
  expect(parts.at(-1)?.[0]).toBe(count === 0 ? undefined : count * 300);
});

test.each<readonly [what: string, parts: readonly Part[], line: string]>([
  ['nothing', [], ''],
  ['nothing bad', [[300, 0, 10, 0, 10]], '▁'],
  [
    'a part without requests',
    [
      [300, 0, 0, 1, 10],
      [600, 1, 10, 1, 10],
    ],
    '·█',
  ],
  [
    'the stable version is the scale as well',
    [
      [300, 1, 10, 4, 10],
      [600, 2, 10, 0, 10],
    ],
    '▃▅',
  ],
  [
    'one version alone',
    [
      [300, 1, 10, 0, 0],
      [600, 2, 10, 0, 0],
    ],
    '▅█',
  ],
])('a line of %s', (_, parts, line) => {
  expect(lineOf(parts)).toBe(line);
});

test('a line has 24 signs at most', () => {
  expect(lineOf(partsOf(windowsOf(288, (at) => (at < 144 ? 0 : 8))))).toBe(`${'▁'.repeat(12)}${'█'.repeat(12)}`);
});
