/** The verdict by hand: exact chances of small windows, both directions, and what changes nothing of it. */

import { describe, expect, test } from 'vitest';
import { lnAbove, lnAgainst, lnBelow, lnGamma } from '../../../src/rollout/analysis/evidence.ts';
import { gridAbove, gridBelow, LN_RATIOS, logLikelihoods } from '../../../src/rollout/analysis/odds.ts';
import {
  dispersionOf,
  ruledOutWith,
  spreadBound,
  spreadOf,
  studentQuantile,
} from '../../../src/rollout/analysis/spread.ts';
import {
  type Doubt,
  excuseOf,
  type MetricRules,
  verdictOf,
  type Window,
} from '../../../src/rollout/analysis/verdict.ts';

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);
/** Position of the ratio 1. */
const ONE = 16;

describe('one window', () => {
  test.each([
    [10, 3, 20, 2],
    [5, 0, 7, 4],
    [8, 8, 9, 1],
    [50, 3, 350, 4],
  ])('%i requests with %i bad against %i with %i: as Fisher has it', (nc, xc, ns, xs) => {
    const m = xc + xs;
    const said = logLikelihoods({ n: nc, x: xc }, { n: ns, x: xs });
    for (const at of [0, ONE, 30, LN_RATIOS.length - 1]) {
      const ratio = Math.exp(LN_RATIOS[at]!);
      let sum = 0;
      for (let j = Math.max(0, m - ns); j <= Math.min(nc, m); j += 1)
        sum += choose(nc, j) * choose(ns, m - j) * ratio ** j;
      const chance = (choose(nc, xc) * choose(ns, xs) * ratio ** xc) / sum;
      const least = Math.max(0, m - ns);
      // Up to the term that all ratios share.
      const shared = Math.log(choose(nc, xc) * choose(ns, xs)) - Math.log(choose(nc, least) * choose(ns, m - least));
      expect(said![at]! + shared).toBeCloseTo(Math.log(chance), 9);
    }
  });
  test.each([
    ['no request of one version', 0, 0, 5, 2],
    ['nothing bad', 10, 0, 20, 0],
    ['all bad', 10, 10, 20, 20],
  ])('with %s says nothing', (_, nc, xc, ns, xs) => {
    expect(logLikelihoods({ n: nc, x: xc }, { n: ns, x: xs })).toBeUndefined();
  });
  test('of a million requests stays a number', () => {
    const said = logLikelihoods({ n: 1_000_000, x: 10_400 }, { n: 7_000_000, x: 70_000 });
    expect(said!.every(Number.isFinite)).toBe(true);
    expect(said!.indexOf(Math.max(...said!))).toBe(ONE);
  });
});

test('the grid takes a tolerated ratio up and a ruled out one down', () => {
  expect(gridAbove(1)).toBe(ONE);
  expect(gridAbove(1.25)).toBe(ONE + 2);
  expect(gridAbove(1.26)).toBe(ONE + 3);
  expect(gridBelow(2)).toBe(ONE + 6);
  expect([gridAbove(100), gridBelow(0.1)]).toEqual([undefined, undefined]);
});

test.each([
  [6, 0.9995, 5.9588],
  [1, 0.975, 12.7062],
  [30, 0.975, 2.0423],
  [3, 0.995, 5.8409],
])('t of %i degrees at %f is that of the tables', (freedom, chance, wanted) => {
  expect(studentQuantile(freedom, chance)).toBeCloseTo(wanted, 3);
});

test('ln Γ is that of the factorials', () => {
  expect([lnGamma(1), lnGamma(5), lnGamma(0.5)].map((value) => value.toFixed(10))).toEqual(
    [0, Math.log(24), Math.log(Math.PI) / 2].map((value) => value.toFixed(10)),
  );
});

test('one version against a bound: the chance under Beta(½,½) over that under the bound', () => {
  // B(1½, 1½)/B(½,½) = 1/8, against 0.1 · 0.9.
  expect(lnAgainst({ n: 2, x: 1 }, 0.1)).toBeCloseTo(Math.log(1 / 8 / 0.09), 5);
});

test('groups that are alike scatter as chance has it, and those that burst do more; a bad hour of all is no scatter', () => {
  const like = [
    [
      { n: 100, x: 5 },
      { n: 100, x: 6 },
    ],
    [
      { n: 100, x: 50 },
      { n: 100, x: 52 },
    ],
  ];
  expect(dispersionOf(like)).toBe(1);
  // Shares 10 % and 30 % around 20 %: 2 · 100²/(100 · 0.16 · 100) = 12.5 with one degree of freedom.
  expect(
    dispersionOf([
      [
        { n: 100, x: 10 },
        { n: 100, x: 30 },
      ],
    ]),
  ).toBeCloseTo(12.5, 9);
  expect(spreadOf([[{ n: 100, x: 10 }]])).toBeUndefined();
  expect(
    spreadOf([
      [
        { n: 99, x: 9 },
        { n: 99, x: 9 },
      ],
    ]),
  ).toBe(0);
  expect(spreadBound(0, { canary: 1, stable: 7 }, 0.001)).toBe(1);
  expect(spreadBound(0.1, { canary: 1, stable: 7 }, 0.001)).toBeCloseTo(Math.exp(5.9588 * 0.1 * Math.sqrt(8 / 7)), 4);
  expect(ruledOutWith(2, { spread: 0.1, sizes: { canary: 1, stable: 7 } })).toBeCloseTo(2.3845, 3);
});

const RULES: MetricRules = { tolerate: { times: 1.5, points: 1 }, ruleOut: { times: 2 } };
const DOUBT: Doubt = { alpha: 0.001, miss: 0.05, dispersion: 1, spread: 0, sizes: { canary: 1, stable: 7 } };
const pods = (n: number, shares: readonly number[]) =>
  shares.map((share, at) => ({ pod: `p${at}`, n, x: Math.round(n * share) }));
const windows = (count: number, canary: readonly number[], stable: readonly number[], n = 200): readonly Window[] =>
  Array.from({ length: count }, (_, at) => ({ end: (at + 1) * 300, canary: pods(n, canary), stable: pods(n, stable) }));
const SEVEN = Array.from({ length: 7 }, () => 0.01);

describe('windows in order', () => {
  test.each<readonly [string, readonly Window[], MetricRules, Partial<Doubt>, string, number | undefined]>([
    ['five times as bad fails, one window after it shows', windows(6, [0.05], SEVEN), RULES, {}, 'failed', 1200],
    ['a single window fails nothing yet', windows(1, [0.2], SEVEN), RULES, {}, 'undecided', undefined],
    ['as good passes', windows(12, [0.01], SEVEN), RULES, {}, 'passed', 3000],
    [
      'less than the points fails nothing',
      windows(20, [0.02], SEVEN),
      { ...RULES, tolerate: { times: 1.5, points: 2 } },
      {},
      'undecided',
      undefined,
    ],
    ['groups that differ much fail nothing', windows(6, [0.05], SEVEN), RULES, { spread: 1 }, 'undecided', undefined],
    ['no window', [], RULES, {}, 'undecided', undefined],
    [
      'no request of stable fails nothing',
      windows(6, [0.5], [0], 200).map((one) => ({ ...one, stable: [{ pod: 's', n: 0, x: 0 }] })),
      { ...RULES, bound: { fail: 20, pass: 8 } },
      {},
      'undecided',
      undefined,
    ],
  ])('%s', (_, all, rules, doubt, kind, at) => {
    expect(verdictOf(all, rules, { ...DOUBT, ...doubt })).toMatchObject({ kind, at });
  });

  test.each<readonly [string, readonly number[], string]>([
    ['above its bound fails', [0.3], 'failed'],
    ['below passes', [0.02], 'passed'],
    ['between is undecided', [0.15], 'undecided'],
  ])('one version alone %s', (_, canary, kind) => {
    const alone = { ...DOUBT, sizes: { canary: 1, stable: 0 } };
    expect(verdictOf(windows(8, canary, []), { ...RULES, bound: { fail: 20, pass: 8 } }, alone).kind).toBe(kind);
    expect(verdictOf(windows(8, canary, []), RULES, alone).kind).toBe('undecided');
  });

  test('a window that says nothing changes nothing, and what has passed may fail', () => {
    const some = windows(6, [0.05], SEVEN);
    const empty = { end: 400, canary: pods(0, [0]), stable: pods(200, SEVEN) };
    const { windows: _count, stable: _stable, ...said } = verdictOf(some, RULES, DOUBT);
    const { windows: _more, stable: _others, ...same } = verdictOf([...some, { ...empty, end: 1800 }], RULES, DOUBT);
    expect(same).toEqual(said);
    const turned = [...windows(12, [0.01], SEVEN), ...windows(20, [0.08], SEVEN)];
    expect(verdictOf(turned, RULES, DOUBT).kind).toBe('failed');
  });

  test('a bad hour of both versions is none of the new one', () => {
    const hour = windows(
      3,
      [0.4],
      SEVEN.map(() => 0.4),
      500,
    );
    expect(verdictOf([...windows(3, [0.01], SEVEN), ...hour], RULES, DOUBT).kind).not.toBe('failed');
  });
});

test('a failure is excused by stable that breaks the bound too, and by one group alone', () => {
  const doubt = { ...DOUBT, sizes: { canary: 3, stable: 7 } };
  const one = windows(8, [0.01, 0.2, 0.01], SEVEN);
  expect(verdictOf(one, RULES, doubt).kind).toBe('failed');
  expect(excuseOf(one, RULES, doubt)).toEqual({ kind: 'GroupOutlier', pod: 'p1' });
  expect(excuseOf(windows(8, [0.1, 0.2, 0.1], SEVEN), RULES, doubt)).toBeUndefined();
  const both = windows(
    8,
    [0.6, 0.6, 0.6],
    SEVEN.map(() => 0.3),
  );
  expect(excuseOf(both, { ...RULES, bound: { fail: 20, pass: 8 } }, doubt)).toEqual({ kind: 'BothSidesBad' });
});

test('evidence divided by the scatter is weaker, and rounded', () => {
  const sums = logLikelihoods({ n: 200, x: 30 }, { n: 1400, x: 14 })!;
  const [one, two] = [lnAbove(sums, ONE, 1)!, lnAbove(sums, ONE, 2)!];
  expect(two).toBeLessThan(one);
  expect(one).toBe(Math.round(one * 1e6) / 1e6);
  expect(lnBelow(sums, ONE, 1)).toBeLessThan(0);
  expect([lnAbove(sums, LN_RATIOS.length - 1, 1), lnBelow(sums, 0, 1)]).toEqual([undefined, undefined]);
});
