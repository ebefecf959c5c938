/** Asks the provider of an Analysis for what a step and the week before it counted, and lets it be judged. Reads alone. */

import type { Analysis } from '../../api/analysis.ts';
import { parseMetricAnswer } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Sides } from '../../rollout/analysis/counting.ts';
import { type Answered, judge, type MetricJudged } from '../../rollout/analysis/judge.ts';
import { type Grid, gridOf, selectorOf, WINDOWS_MOST } from '../../rollout/analysis/metric-query.ts';

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;

export type Analysed =
  | { readonly kind: 'judged'; readonly grid: Grid; readonly metrics: readonly MetricJudged[] }
  /** No window is closed yet; `from`: the first starts then. */
  | { readonly kind: 'early'; readonly from: Instant }
  | { readonly kind: 'SeriesUnusable' | 'MetricsUnreadable'; readonly why: string };

type AnalysedOf = {
  readonly analysis: Analysis;
  readonly namespace: string;
  readonly sides: Sides;
  readonly steps: number;
  readonly now: Instant;
};

/** Three questions, one after another; nothing is judged where one of them was not answered whole. */
export async function analyse(metrics: Metrics, of: AnalysedOf): Promise<Analysed> {
  const { analysis, namespace, sides, now } = of;
  const from = Math.min(...sides.canary.map((served) => served.from));
  const grid = gridOf(from, { now, analysis });
  if (grid === undefined) return { kind: 'early', from };
  const pods = [...sides.canary, ...sides.stable].map(({ pod }) => pod);
  const before = sides.stable.map(({ pod }) => pod);
  const questions = [
    { grid, pods },
    { grid: dayBefore(grid.start, analysis.windowSeconds), pods: before },
    { grid: weekBefore(grid.start), pods: before },
  ];
  const answered: Answered[] = [];
  for (const asked of questions) {
    if (asked.pods.length === 0) {
      answered.push({ grid: asked.grid, series: [] });
      continue;
    }
    const query = selectorOf(analysis, { namespace, pods: asked.pods });
    const answer = await metrics.range({ provider: analysis.provider, query, ...asked.grid });
    if (answer.kind === 'failed') return { kind: 'MetricsUnreadable', why: answer.why };
    const parsed = parseMetricAnswer(answer.body, asked.grid);
    if (parsed.kind === 'unreadable') return { kind: 'MetricsUnreadable', why: parsed.why };
    if (parsed.kind === 'native') return { kind: 'SeriesUnusable', why: nativeWhy(parsed.name) };
    answered.push({ grid: asked.grid, series: parsed.series });
  }
  const [step, day, week] = answered;
  if (step === undefined || day === undefined || week === undefined) return { kind: 'early', from };
  return { kind: 'judged', grid, metrics: judge({ step, day, week }, of) };
}

function nativeWhy(name: string): string {
  return `${name} is a native histogram, which has no buckets: set always_scrape_classic_histograms for its job`;
}

/** The same windows, or wider ones where a day has more than one answer holds. */
function dayBefore(end: Instant, windowSeconds: number): Grid {
  let step = windowSeconds;
  while (DAY_SECONDS / step > WINDOWS_MOST) step *= 2;
  const last = Math.floor(end / step) * step;
  return { start: last - Math.ceil(DAY_SECONDS / step) * step, end: last, step };
}

function weekBefore(end: Instant): Grid {
  const last = Math.floor(end / HOUR_SECONDS) * HOUR_SECONDS;
  return { start: last - WEEK_SECONDS, end: last, step: HOUR_SECONDS };
}
