/** How much groups of one version differ among themselves, from their own past: a difference of versions must be larger. */

import { lnGamma } from './evidence.ts';
import type { Counts } from './odds.ts';

/** Each window or day, with what each group of the stable version counted in it. */
export type Strata = readonly (readonly Counts[])[];

/**
 * φ: how much more the counts of like groups scatter within a window than chance alone would make them (Pearson); at least 1.
 * Groups are compared within a window, so that a bad hour of all of them is no scatter.
 */
export function dispersionOf(windows: Strata): number {
  let squares = 0;
  let freedom = 0;
  for (const groups of windows) {
    const asked = groups.filter(({ n }) => n > 0);
    const { n, x } = totalOf(asked);
    if (asked.length < 2 || x === 0 || x === n) continue;
    const share = x / n;
    for (const group of asked) squares += (group.x - group.n * share) ** 2 / (group.n * share * (1 - share));
    freedom += asked.length - 1;
  }
  return freedom === 0 ? 1 : Math.max(1, squares / freedom);
}

/** s: standard deviation of the log odds of groups within a day, pooled over days; undefined: no day has two groups. */
export function spreadOf(days: Strata): number | undefined {
  let squares = 0;
  let freedom = 0;
  for (const groups of days) {
    const odds = groups.filter(({ n }) => n > 0).map(({ n, x }) => Math.log((x + 0.5) / (n - x + 0.5)));
    if (odds.length < 2) continue;
    const mean = odds.reduce((sum, one) => sum + one, 0) / odds.length;
    for (const one of odds) squares += (one - mean) ** 2;
    freedom += odds.length - 1;
  }
  return freedom === 0 ? undefined : Math.sqrt(squares / freedom);
}

/** All of them as one. */
export function totalOf(counts: readonly Counts[]): Counts {
  return counts.reduce((sum, { n, x }) => ({ n: sum.n + n, x: sum.x + x }), { n: 0, x: 0 });
}

/** How many leaders serve each version. */
export type Sizes = { readonly canary: number; readonly stable: number };

/**
 * The ratio of odds that two versions may differ by for no other reason than which groups serve them, but with the chance
 * `alpha`: Student's t with the stable groups, as the spread was measured on them.
 */
export function spreadBound(spread: number, { canary, stable }: Sizes, alpha: number): number {
  if (stable < 2) return 1;
  return Math.exp(studentQuantile(stable - 1, 1 - alpha / 2) * spread * Math.sqrt(1 / canary + 1 / stable));
}

/** What is ruled out in truth once a ratio is ruled out of the requests: the groups may differ by so much more (95 %). */
export function ruledOutWith(
  ratio: number,
  { spread, sizes }: { readonly spread: number; readonly sizes: Sizes },
): number {
  return ratio * Math.exp(1.645 * spread * Math.sqrt(1 / sizes.canary + 1 / sizes.stable));
}

const HALVINGS = 80;

/** The quantile of Student's t with this number of degrees of freedom; `chance` above ½. */
export function studentQuantile(freedom: number, chance: number): number {
  let low = 0;
  let high = 1e6;
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (studentTail(freedom, middle) > 1 - chance) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The chance of more than `t` ≥ 0. */
function studentTail(freedom: number, t: number): number {
  return incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
}

const TERMS = 300;
const TINY = 1e-300;

/** The regularised incomplete beta function, by its continued fraction (Lentz). */
function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, 1 - x);
  const front = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a;
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let product = d;
  for (let m = 1; m < TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    product *= d * c;
    const odd = -((a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    product *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return front * product;
}

function nonZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}
