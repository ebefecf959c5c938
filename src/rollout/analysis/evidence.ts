/** Evidence that grows window by window and may be looked at after each: how much, for one version being worse, or not. */

import { LN_RATIOS } from './odds.ts';

/** ln E is compared and shown with six digits: what machines round otherwise below them decides nothing. */
const DIGITS = 1e6;

/** A logarithm of evidence, to a millionth. */
export function rounded(value: number): number {
  return Math.round(value * DIGITS) / DIGITS;
}

/**
 * ln E↑: for the true ratio of odds being above the one at `from` of the grid, as a mean over all ratios above it. Where it is
 * not above, the chance that E↑ ever reaches 1/α is at most α, however often it is looked at (Ville). `dispersion` ≥ 1
 * divides it. undefined: the grid has no ratio above.
 */
export function lnAbove(sums: readonly number[], from: number, dispersion: number): number | undefined {
  return lnMean(sums, { from, dispersion, first: from + 1, end: LN_RATIOS.length });
}

/** ln E↓: the same for the true ratio being below that at `from`. */
export function lnBelow(sums: readonly number[], from: number, dispersion: number): number | undefined {
  return lnMean(sums, { from, dispersion, first: 0, end: from });
}

/** Of the ratios from `first` up to the one before `end`. */
type Mixture = { readonly from: number; readonly dispersion: number; readonly first: number; readonly end: number };

/** Without a list of its parts: a step has thousands of these. */
function lnMean(sums: readonly number[], { from, dispersion, first, end }: Mixture): number | undefined {
  if (first >= end) return undefined;
  const base = sums[from] ?? 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let at = first; at < end; at += 1) most = Math.max(most, ((sums[at] ?? 0) - base) / dispersion);
  let total = 0;
  for (let at = first; at < end; at += 1) total += Math.exp(((sums[at] ?? 0) - base) / dispersion - most);
  return rounded(most + Math.log(total / (end - first)));
}

/**
 * ln E of one version alone against a share of bad requests: how much likelier its counts are under some other share (Beta(½,½))
 * than under this one. `share` is above 0 and below 1.
 */
export function lnAgainst({ n, x }: { readonly n: number; readonly x: number }, share: number): number {
  const free = lnBeta(x + 0.5, n - x + 0.5) - lnBeta(0.5, 0.5);
  return rounded(free - x * Math.log(share) - (n - x) * Math.log(1 - share));
}

function lnBeta(a: number, b: number): number {
  return lnGamma(a) + lnGamma(b) - lnGamma(a + b);
}

/** Above this Stirling's series has all digits of a double. */
const SERIES_FROM = 15;

/** ln Γ of a positive number: Stirling's series, from a number large enough for it. */
export function lnGamma(value: number): number {
  let shift = 0;
  let z = value;
  for (; z < SERIES_FROM; z += 1) shift += Math.log(z);
  const inverse = 1 / (z * z);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / z;
  return (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + series - shift;
}
