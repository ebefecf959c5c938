/** The statistic as its formulas read, with a list for each of their parts: what the form that is used has to equal to the last bit. */

import { rounded } from '../../../src/rollout/analysis/evidence.ts';
import { type Counts, LN_RATIOS } from '../../../src/rollout/analysis/odds.ts';

const NOTHING = 1e-18;

export function slowLikelihoods(canary: Counts, stable: Counts): readonly number[] | undefined {
  const bad = canary.x + stable.x;
  const least = Math.max(0, bad - stable.n);
  const most = Math.min(canary.n, bad);
  if (least === most) return undefined;
  // Terms relate to their neighbours by these, so that no factorial is needed.
  const steps: number[] = [];
  const lnTerms: number[] = [0];
  for (let j = least; j < most; j += 1) {
    const step = ((canary.n - j) * (bad - j)) / ((j + 1) * (stable.n - bad + j + 1));
    steps.push(step);
    lnTerms.push((lnTerms[j - least] ?? 0) + Math.log(step));
  }
  return LN_RATIOS.map((ln) => (canary.x - least) * ln - lnSum(steps, lnTerms, ln));
}

/** ln Σ of all terms at one ratio, from the largest term to both sides until nothing is added any more. */
function lnSum(steps: readonly number[], lnTerms: readonly number[], ln: number): number {
  const ratio = Math.exp(ln);
  const mode = modeOf(steps, ratio);
  let sum = 1;
  for (let at = mode, term = 1; at < steps.length && term > NOTHING; at += 1) {
    term *= (steps[at] ?? 0) * ratio;
    sum += term;
  }
  for (let at = mode, term = 1; at > 0 && term > NOTHING; at -= 1) {
    term /= (steps[at - 1] ?? 1) * ratio;
    sum += term;
  }
  return (lnTerms[mode] ?? 0) + mode * ln + Math.log(sum);
}

/** Steps fall from term to term: the largest term is the first after which they are below 1. */
function modeOf(steps: readonly number[], ratio: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] ?? 0) * ratio >= 1) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** ln E of all ratios above (or below) the one at `from`. */
export function slowMean(
  sums: readonly number[],
  of: { readonly from: number; readonly dispersion: number; readonly side: 'above' | 'below' },
) {
  const others = LN_RATIOS.map((_, at) => at).filter((at) => (of.side === 'above' ? at > of.from : at < of.from));
  return lnMean(sums, { from: of.from, dispersion: of.dispersion, others });
}

type Mixture = { readonly from: number; readonly dispersion: number; readonly others: readonly number[] };

function lnMean(sums: readonly number[], { from, dispersion, others }: Mixture): number | undefined {
  if (others.length === 0) return undefined;
  const base = sums[from] ?? 0;
  const logs = others.map((at) => ((sums[at] ?? 0) - base) / dispersion);
  const most = Math.max(...logs);
  const total = logs.reduce((sum, one) => sum + Math.exp(one - most), 0);
  return rounded(most + Math.log(total / others.length));
}
