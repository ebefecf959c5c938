/** What a step could tell at the traffic of now: from how much on a rise is found, and how soon equal versions pass. */

import type { Analysis } from '../../api/analysis.ts';
import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import { alphaOf } from './judge.ts';
import type { Counts } from './odds.ts';
import type { Past } from './pasts.ts';
import { type Doubt, verdictOf, type Window } from './verdict.ts';

/** Requests of one leader in a window, on average; the share of bad ones, above 0; and how many leaders there are. */
type Traffic = { readonly requests: number; readonly share: number; readonly leaders: number };

type Power = {
  /** The share of bad requests from which on a version is called worse in the time of the Analysis; undefined: none is. */
  readonly worseFrom: number | undefined;
  /** Windows after which equal versions pass; undefined: they do not in that time. */
  readonly passesAfter: number | undefined;
};

/** Windows that are looked at: a delivery that waits longer tells little more. */
const WINDOWS_MOST = 288;

/** One group against all others, each window as the average says, by the function that judges a step. */
export function powerOf(
  { requests, share, leaders }: Traffic,
  {
    analysis,
    metric,
    steps,
    past,
  }: {
    readonly analysis: Analysis;
    readonly metric: AnalysisMetric;
    readonly steps: number;
    readonly past: Pick<Past, 'dispersion' | 'spread'>;
  },
): Power {
  const { windowSeconds, waitAtMostSeconds, missPercent } = analysis;
  const count = Math.min(WINDOWS_MOST, Math.floor(waitAtMostSeconds / windowSeconds));
  const { dispersion, spread } = past;
  const sizes = { canary: 1, stable: leaders - 1 };
  const doubt: Doubt = { alpha: alphaOf(analysis, steps), miss: missPercent / 100, dispersion, spread, sizes };
  const judged = (worse: number) => {
    const stable = series({ n: requests * (leaders - 1), share }, count);
    const canary = series({ n: requests, share: worse }, count);
    const windows = canary.map(
      (one, at): Window => ({
        end: at + 1,
        canary: [{ pod: 'new', ...one }],
        stable: [{ pod: 'stable', ...(stable[at] ?? { n: 0, x: 0 }) }],
      }),
    );
    return verdictOf(windows, metric, doubt);
  };
  const equal = judged(share);
  const isFound = (worse: number): boolean => judged(worse).kind === 'failed';
  const worseFrom = isFound(1) ? lowest(share, isFound) : undefined;
  return { worseFrom, passesAfter: equal.kind === 'passed' ? equal.at : undefined };
}

/** Relative: closer than this no share is looked for. */
const CLOSE_ENOUGH = 1.02;

/** More is easier to find: between none and all by halves, as factors. */
function lowest(share: number, isFound: (share: number) => boolean): number {
  let [low, high] = [share, 1];
  while (high / low > CLOSE_ENOUGH) {
    const middle = Math.sqrt(low * high);
    if (isFound(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Whole numbers that add up to the average. */
function series({ n, share }: { readonly n: number; readonly share: number }, count: number): readonly Counts[] {
  const upTo = (windows: number): Counts => ({ n: Math.round(n * windows), x: Math.round(n * share * windows) });
  return Array.from({ length: count }, (_, at) => {
    const [after, before] = [upTo(at + 1), upTo(at)];
    return { n: after.n - before.n, x: after.x - before.x };
  });
}
