/** What one window says of every ratio of odds between two versions: exact, from integers, given how many failed in all. */

/** Requests of one version in one window, and how many of them were bad. */
export type Counts = { readonly n: number; readonly x: number };

/** Ratios of odds that are asked about: 1.25^(i/2), i = −16…40, about a sixth to eighty-six. */
const LOWEST = -16;
const HIGHEST = 40;
const HALF_STEP = Math.log(1.25) / 2;

/** The logarithms of the ratios, ascending. */
export const LN_RATIOS: readonly number[] = Array.from(
  { length: HIGHEST - LOWEST + 1 },
  (_, at) => (LOWEST + at) * HALF_STEP,
);

/** The ratios themselves. */
const RATIOS: readonly number[] = LN_RATIOS.map((ln) => Math.exp(ln));

/** Smaller terms do not change a sum of doubles. */
const NOTHING = 1e-18;
/** A ratio that is on the grid but for rounding is on it. */
const ROUNDING = 1e-9;

/** The position of the lowest ratio of the grid that is at least this one; undefined: it is above all of them. */
export function gridAbove(ratio: number): number | undefined {
  const wanted = Math.log(ratio) - ROUNDING;
  const at = LN_RATIOS.findIndex((ln) => ln >= wanted);
  return at < 0 ? undefined : at;
}

/** The position of the highest ratio of the grid that is at most this one; undefined: it is below all of them. */
export function gridBelow(ratio: number): number | undefined {
  const wanted = Math.log(ratio) + ROUNDING;
  const at = LN_RATIOS.findLastIndex((ln) => ln <= wanted);
  return at < 0 ? undefined : at;
}

/**
 * ℓ(ψ) for each ratio of the grid: the logarithm of the chance of `canary.x` bad requests there, given the total of both
 * versions (Fisher's noncentral hypergeometric distribution), up to a constant. What is bad for both at once says nothing
 * of a difference, and so a bad hour counts for neither. undefined: the window says nothing, as none or all were bad.
 */
export function logLikelihoods(canary: Counts, stable: Counts): readonly number[] | undefined {
  const bad = canary.x + stable.x;
  const least = Math.max(0, bad - stable.n);
  const most = Math.min(canary.n, bad);
  if (least === most) return undefined;
  // Terms relate to their neighbours by these, so that no factorial is needed.
  const steps = new Float64Array(most - least);
  const lnTerms = new Float64Array(most - least + 1);
  for (let j = least; j < most; j += 1) {
    const step = ((canary.n - j) * (bad - j)) / ((j + 1) * (stable.n - bad + j + 1));
    steps[j - least] = step;
    lnTerms[j - least + 1] = (lnTerms[j - least] ?? 0) + Math.log(step);
  }
  return LN_RATIOS.map((ln, at) => (canary.x - least) * ln - lnSum({ steps, lnTerms }, ln, RATIOS[at] ?? 1));
}

type Terms = { readonly steps: Float64Array; readonly lnTerms: Float64Array };

/** ln Σ of all terms at one ratio, from the largest term to both sides until nothing is added any more. */
function lnSum({ steps, lnTerms }: Terms, ln: number, ratio: number): number {
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
function modeOf(steps: Float64Array, ratio: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((steps[middle] ?? 0) * ratio >= 1) low = middle + 1;
    else high = middle;
  }
  return low;
}
