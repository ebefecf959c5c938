/** Asks the provider of an Analysis for days that are over, a part at a time, and lets each group play the new version in them. */

import { canonicalJson } from '../../api/json.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { type BacktestMetric, type Play, playsOf, stretchOf, tallyOf } from '../../rollout/analysis/backtest.ts';
import { dayBefore, SETTLE_SECONDS, WINDOWS_MOST, weekBefore } from '../../rollout/analysis/metric-query.ts';
import { metricsReader } from '../metrics-reader.ts';
import { answeredFor, type LeadersAsked, type Unjudged } from './analyse.ts';

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3600;

export type Backtest =
  | {
      readonly kind: 'played';
      readonly start: Instant;
      readonly end: Instant;
      readonly stretchSeconds: number;
      /** How many steps that length is the median of; 0: none is known. */
      readonly steps: number;
      readonly stretches: number;
      readonly pods: readonly string[];
      readonly metrics: readonly BacktestMetric[];
    }
  | { readonly kind: 'nothing'; readonly why: string }
  | Unjudged;

/** What was counted under the names of the leaders is theirs, or that of the leaders before them. */
type Asked = LeadersAsked & {
  readonly days: number;
  /** Seconds of the steps that its Rollout went through. */
  readonly lengths: readonly number[];
};

/** Reads alone. One question for each 288 windows, and one for each 12 days; nothing is told where one was not answered whole. */
export async function backtest(metrics: Metrics, asked: Asked): Promise<Backtest> {
  const { analysis, pods, now, days, lengths } = asked;
  if (pods.length < 2)
    return { kind: 'nothing', why: 'there are no two groups that serve, to be compared with each other' };
  const stretch = stretchOf(analysis, lengths);
  const { windowSeconds, lagSeconds } = analysis;
  const end = Math.floor((now - lagSeconds - SETTLE_SECONDS) / stretch) * stretch;
  const stretches = Math.floor((days * DAY_SECONDS) / stretch);
  const start = end - stretches * stretch;
  const hours = await askedFor(metrics, asked, { start: weekBefore(start).start, end, step: HOUR_SECONDS });
  if ('kind' in hours) return hours;
  const plays: Play[] = [];
  let parts: readonly Part[] = [];
  let windows: readonly MetricSeries[] = [];
  let next = dayBefore(start, windowSeconds).start;
  for (let at = start; at < end; at += stretch) {
    // A week of what is older than the day before would fill the memory, and is asked of no stretch any more.
    const kept = parts.filter((part) => part.end > dayBefore(at, windowSeconds).start);
    const added: Part[] = [];
    for (; next < at + stretch; next += WINDOWS_MOST * windowSeconds) {
      const last = Math.min(next + WINDOWS_MOST * windowSeconds, end);
      const part = await askedFor(metrics, asked, { start: next, end: last, step: windowSeconds });
      if ('kind' in part) return part;
      added.push({ end: last, series: part });
    }
    if (added.length > 0) windows = joinedSeries([...kept, ...added].map(({ series }) => series));
    parts = [...kept, ...added];
    plays.push(...playsOf({ start: at, end: at + stretch, step: windowSeconds }, { windows, hours }, asked));
  }
  const steps = lengths.length;
  return {
    kind: 'played',
    start,
    end,
    stretchSeconds: stretch,
    steps,
    stretches,
    pods,
    metrics: tallyOf(plays, analysis),
  };
}

type Part = { readonly end: Instant; readonly series: readonly MetricSeries[] };

type Range = { readonly start: Instant; readonly end: Instant; readonly step: number };

/** In as many questions as answers have room for; each has its own time. */
async function askedFor(
  metrics: Metrics,
  { analysis, namespace, pods }: Asked,
  { start, end, step }: Range,
): Promise<readonly MetricSeries[] | Unjudged> {
  const all: (readonly MetricSeries[])[] = [];
  for (let from = start; from < end; from += WINDOWS_MOST * step) {
    const reader = metricsReader(metrics, { judged: new Map(), pasts: new Map() });
    const grid = { start: from, end: Math.min(from + WINDOWS_MOST * step, end), step };
    const answer = await answeredFor(reader, { analysis, namespace }, { grid, pods });
    if ('kind' in answer) return answer;
    all.push(answer.series);
  }
  return joinedSeries(all);
}

/** One of each name and labels, with the samples of all answers. */
function joinedSeries(answers: readonly (readonly MetricSeries[])[]): readonly MetricSeries[] {
  const [only, ...more] = answers;
  if (only !== undefined && more.length === 0) return only;
  const found = new Map<string, MetricSeries & { readonly samples: Map<Instant, number | undefined> }>();
  for (const one of answers.flat()) {
    const key = canonicalJson(one.labels);
    const known = found.get(key);
    if (known === undefined) found.set(key, { ...one, samples: new Map(one.samples) });
    else for (const [at, value] of one.samples) known.samples.set(at, value);
  }
  return [...found.values()];
}
