/** Leaders that are asked and answer nothing: which of their windows are stalled, and what follows. No statistics. */

import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import type { Grid } from './metric-query.ts';
import { type Reading, readingOf, type Unusable } from './readings.ts';
import { type Sizes, totalOf } from './spread.ts';
import type { Excuse, LeaderCounts, Verdict, Window } from './verdict.ts';

/** One window of a leader; `from`: since when what it counts may be used. */
export type LeaderWindow = { readonly start: Instant; readonly end: Instant; readonly from: Instant };

/** undefined: the window is void. */
export type WindowReader = (window: LeaderWindow) => LeaderCounts | undefined;

/**
 * A window is bad where it is the second in which the leader made no token and no answer, what is open had grown in the first of
 * them, and is not less now. So what came a moment ago is no stall, and neither is a gauge that only stands, as vLLM leaves some
 * behind (vllm#22545). One in which nothing is known to have been asked counts as none.
 */
export function stallsOf(
  pod: string,
  series: readonly MetricSeries[],
  { metric, grid }: { readonly metric: AnalysisMetric; readonly grid: Grid },
): WindowReader | Unusable | undefined {
  if (metric.bad.kind !== 'stalled') return undefined;
  const read = (part: AnalysisMetric['of']) => readingOf(pod, series, { part, metric, grid });
  const [made, open] = [metric.bad.made.map(read), metric.bad.open.map(read)];
  const wrong = [...made, ...open].find((one) => 'kind' in one);
  if (wrong !== undefined && 'kind' in wrong) return wrong;
  const sum = (readings: typeof made, of: (one: Reading) => number | undefined): number =>
    readings.reduce((all, one) => all + ('kind' in one ? 0 : (of(one) ?? Number.NaN)), 0);
  const gain = (start: Instant, end: Instant): number => sum(made, (one) => one.gain(start, end));
  const asked = (at: Instant): number => sum(open, (one) => one.at(at));
  return ({ start, end, from }) => {
    const now = gain(start, end);
    if (!(now >= 0)) return undefined;
    if (now > 0) return { pod, n: 1, x: 0 };
    const before = start - grid.step;
    const isLong = before >= from && gain(before, start) === 0;
    const isAsked = asked(start) > asked(before) && asked(end) >= asked(start);
    const stalled = isLong && isAsked ? 1 : 0;
    return { pod, n: stalled, x: stalled };
  };
}

/**
 * The same windows, with the stalls that a gateway shows: in two that follow each other no leader of a version has answered anything,
 * and in both of them it counted requests of it as `bad`. One that it answered well may be none of the engine's, as a list of models.
 * Which leader was sent what is not seen, so that one that answers, that is not seen or that has not warmed up leaves it unknown.
 */
export function stalledByGateway(
  windows: readonly Window[],
  bad: readonly Window[],
  { sizes, step }: { readonly sizes: Sizes; readonly step: number },
): readonly Window[] {
  const ofSide = (side: 'canary' | 'stable') => {
    const isBad = (end: Instant) => bad.some((window) => window.end === end && totalOf(window[side]).x > 0);
    const isUnanswered = ({ end, [side]: counts }: Window) =>
      counts.length === sizes[side] && counts.every(({ n, x }) => n === x) && isBad(end);
    return (window: Window, before: Window | undefined): readonly LeaderCounts[] => {
      const isLong = before !== undefined && before.end === window.end - step && isUnanswered(before);
      return isLong && isUnanswered(window) ? window[side].map(({ pod }) => ({ pod, n: 1, x: 1 })) : window[side];
    };
  };
  const [canary, stable] = [ofSide('canary'), ofSide('stable')];
  return windows.map((window, at) => ({
    end: window.end,
    canary: canary(window, windows[at - 1]),
    stable: stable(window, windows[at - 1]),
  }));
}

/** Windows of the new version in which it answered, before it passes. */
const ANSWERED_LEAST = 2;

/**
 * Failed from the first stalled window of a leader of the new version on; passed once it has answered in two windows, with all its
 * leaders in the last, none of them stalled in it.
 */
export function stallVerdict(windows: readonly Window[], leaders: number): Verdict {
  const canary = windows.map((window) => totalOf(window.canary));
  const failed = windows[canary.findIndex(({ x }) => x > 0)];
  const passed = windows.find((window, at) => {
    const answered = canary.slice(0, at + 1).filter(({ n, x }) => n > x).length;
    return answered >= ANSWERED_LEAST && window.canary.length === leaders;
  });
  const decided = failed ?? passed;
  return {
    kind: failed !== undefined ? 'failed' : passed !== undefined ? 'passed' : 'undecided',
    at: decided?.end,
    canary: totalOf(canary),
    stable: totalOf(windows.map((window) => totalOf(window.stable))),
    windows: windows.length,
    lnWorse: undefined,
    lnWorseWanted: 0,
    tolerated: 1,
    ruledOut: undefined,
  };
}

/** Stable leaders have stalled as well, or one of several of the new version alone has. */
export function stallExcuse(windows: readonly Window[], leaders: number): Excuse | undefined {
  if (windows.some(({ stable }) => totalOf(stable).x > 0)) return { kind: 'BothSidesBad' };
  const stalled = windows.flatMap(({ canary }) => canary.filter(({ x }) => x > 0).map(({ pod }) => pod));
  const [pod, ...others] = new Set(stalled);
  return pod !== undefined && others.length === 0 && leaders > 1 ? { kind: 'GroupOutlier', pod } : undefined;
}
