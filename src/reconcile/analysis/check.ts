/** Asks the provider of an Analysis what it has of the leaders just now, and, where that is not enough, under which labels. */

import type { Analysis } from '../../api/analysis.ts';
import { type MetricSeries, parseMetricAnswer } from '../../api/metric-answer.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { checked, commonBuckets, labelsSeen, type MetricChecked } from '../../rollout/analysis/check.ts';
import {
  bucketsSelectorOf,
  dayBefore,
  type Grid,
  namesSelectorOf,
  ofLeaders,
  SETTLE_SECONDS,
  weekBefore,
} from '../../rollout/analysis/metric-query.ts';
import { pastsOf } from '../../rollout/analysis/pasts.ts';
import { type MetricsReader, metricsReader } from '../metrics-reader.ts';
import { answeredFor, type LeadersAsked, type Unjudged } from './analyse.ts';

const HOUR_SECONDS = 3600;

export type Checked =
  | {
      readonly kind: 'checked';
      readonly grid: Grid;
      readonly pods: readonly string[];
      readonly metrics: readonly MetricChecked[];
      /** Names of metrics that a gateway counts: they are looked at in a step with a share. */
      readonly ofGateway: readonly string[];
      /** Where leaders are missing: the labels that have their names. Not there: nothing has. */
      readonly labels?: NonNullable<ReturnType<typeof labelsSeen>>;
      /** By name of a histogram without the bucket that is asked for: those that all leaders have. */
      readonly buckets: Readonly<Record<string, readonly string[]>>;
    }
  | { readonly kind: 'nothing'; readonly why: string }
  | Unjudged;

/** Reads alone: three questions, and one for each thing that is missing. */
export async function check(metrics: Metrics, asked: LeadersAsked): Promise<Checked> {
  const { analysis, namespace, pods, steps, now } = asked;
  if (pods.length === 0) return { kind: 'nothing', why: 'no group serves' };
  const { windowSeconds, lagSeconds } = analysis;
  const end = Math.floor((now - lagSeconds - SETTLE_SECONDS) / windowSeconds) * windowSeconds;
  const grid = {
    start: end - Math.max(1, Math.floor(HOUR_SECONDS / windowSeconds)) * windowSeconds,
    end,
    step: windowSeconds,
  };
  const reader = metricsReader(metrics, { judged: new Map(), pasts: new Map() });
  const answers = [];
  for (const range of [grid, dayBefore(grid.start, windowSeconds), weekBefore(grid.start)]) {
    const answer = await answeredFor(reader, { analysis, namespace }, { grid: range, pods });
    if ('kind' in answer) return answer;
    answers.push(answer);
  }
  const [lately, day, week] = answers;
  if (lately === undefined || day === undefined || week === undefined) return { kind: 'unasked' };
  const stable = pods.map((pod) => ({ pod, from: 0 }));
  const pasts = pastsOf({ day, week }, { analysis, sides: { canary: [], stable } });
  const found = checked(lately, { analysis, pods, steps, pasts });
  const wrong = found.flatMap(({ unusable }) => unusable);
  const last = { ...grid, start: grid.end - grid.step };
  const isMissing = wrong.some(({ kind }) => kind === 'SeriesMissing');
  const labels = isMissing
    ? labelsSeen(await seriesOf(reader, analysis, namesSelectorOf(analysis), last), { pods, namespace })
    : undefined;
  const names = new Set(wrong.flatMap((one) => (one.kind === 'SeriesUnusable' ? [one.name] : [])));
  const buckets: [string, readonly string[]][] = [];
  for (const name of names) {
    const query = bucketsSelectorOf(analysis, { name, namespace, pods });
    const series = await seriesOf(reader, analysis, query, last);
    buckets.push([name, commonBuckets(series, { label: analysis.labels.pod, pods })]);
  }
  return {
    kind: 'checked',
    grid,
    pods,
    metrics: found,
    ofGateway: analysis.metrics.flatMap((metric) => (ofLeaders(metric) ? [] : [metric.name])),
    ...(labels === undefined ? {} : { labels }),
    buckets: Object.fromEntries(buckets),
  };
}

/** What helps to put an Analysis right: where it is not answered, there is no help. */
async function seriesOf(
  reader: Pick<MetricsReader, 'range'>,
  { provider }: Analysis,
  query: string,
  grid: Grid,
): Promise<readonly MetricSeries[]> {
  const answer = await reader.range({ provider, query, ...grid });
  const parsed = answer.kind === 'answered' ? parseMetricAnswer(answer.body, grid) : undefined;
  return parsed?.kind === 'series' ? parsed.series : [];
}
