/** Asks the provider of an Analysis what it has of the leaders just now, and, where that is not enough, under which labels. */

import type { Analysis } from '../../api/analysis.ts';
import { type MetricSeries, parseMetricAnswer } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { type AlertChecked, alertsChecked } from '../../rollout/analysis/alerts.ts';
import { checked, commonBuckets, labelsSeen, type MetricChecked } from '../../rollout/analysis/check.ts';
import { type GatewayChecked, gatewayChecked } from '../../rollout/analysis/gateway-check.ts';
import {
  alertNamesSelectorOf,
  bucketsSelectorOf,
  dayBefore,
  type Grid,
  namesSelectorOf,
  ofLeaders,
  SETTLE_SECONDS,
  weekBefore,
} from '../../rollout/analysis/metric-query.ts';
import { pastsOf } from '../../rollout/analysis/pasts.ts';
import { servicesQuery } from '../../rollout/analysis/services.ts';
import type { AtGateway } from '../../rollout/analysis/sides.ts';
import { type MetricsReader, metricsReader } from '../metrics-reader.ts';
import { answeredFor, answeredTo, type LeadersAsked, type Unjudged } from './analyse.ts';

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
/** Between the instants at which alerts of the last day are looked at: a day is one answer. */
const ALERT_SECONDS = 300;

export type Checked =
  | {
      readonly kind: 'checked';
      readonly grid: Grid;
      readonly pods: readonly string[];
      readonly metrics: readonly MetricChecked[];
      /** Those that a gateway counts, where requests are shared by Services. */
      readonly ofGateway: readonly GatewayChecked[];
      /** Names of those that say nothing here: no requests are shared by Services. */
      readonly withoutGateway: readonly string[];
      /** Both versions have a share at the gateway now. */
      readonly isShared: boolean;
      /** As they were in the last day; not there: the Analysis names none. */
      readonly alerts?: readonly AlertChecked[];
      /** Where leaders are missing: the labels that have their names. Not there: nothing has. */
      readonly labels?: NonNullable<ReturnType<typeof labelsSeen>>;
      /** By name of a histogram without the bucket that is asked for: those that all leaders have. */
      readonly buckets: Readonly<Record<string, readonly string[]>>;
    }
  | { readonly kind: 'nothing'; readonly why: string }
  | Unjudged;

/** Reads alone: three questions, one of a gateway, one of alerts, and one for each thing that is missing. */
export async function check(metrics: Metrics, asked: LeadersAsked & { readonly at: AtGateway }): Promise<Checked> {
  const { analysis, namespace, pods, steps, now, at } = asked;
  if (pods.length === 0) return { kind: 'nothing', why: 'no group serves' };
  const { windowSeconds } = analysis;
  const grid = lastHour(analysis, now);
  const reader = metricsReader(metrics, { judged: new Map(), pasts: new Map() });
  const answers = [];
  for (const range of [grid, dayBefore(grid.start, windowSeconds), weekBefore(grid.start)]) {
    const answer = await answeredFor(reader, { analysis, namespace }, { grid: range, pods });
    if ('kind' in answer) return answer;
    answers.push(answer);
  }
  const [lately, day, week] = answers;
  if (lately === undefined || day === undefined || week === undefined) return { kind: 'unasked' };
  const ofGateway = await gatewayOf(reader, { analysis, grid, at });
  if ('kind' in ofGateway) return ofGateway;
  const alerts = await alertsSeen(reader, { analysis, now });
  if ('kind' in alerts) return alerts;
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
    ofGateway,
    withoutGateway:
      at.services === undefined ? analysis.metrics.filter((one) => !ofLeaders(one)).map(({ name }) => name) : [],
    isShared: at.isShared,
    ...(analysis.alerts.length === 0 ? {} : { alerts }),
    ...(labels === undefined ? {} : { labels }),
    buckets: Object.fromEntries(buckets),
  };
}

/** In whole windows that are closed. */
function lastHour({ windowSeconds, lagSeconds }: Analysis, now: Instant): Grid {
  const end = Math.floor((now - lagSeconds - SETTLE_SECONDS) / windowSeconds) * windowSeconds;
  const windows = Math.max(1, Math.floor(HOUR_SECONDS / windowSeconds));
  return { start: end - windows * windowSeconds, end, step: windowSeconds };
}

type OfGateway = { readonly analysis: Analysis; readonly grid: Grid; readonly at: AtGateway };

/** What it counted of each version in this time, metric by metric. */
async function gatewayOf(
  reader: Pick<MetricsReader, 'range'>,
  { analysis, grid, at: { services, isShared } }: OfGateway,
): Promise<readonly GatewayChecked[] | Unjudged> {
  const metrics = analysis.metrics.filter((one) => !ofLeaders(one));
  if (services === undefined || metrics.length === 0) return [];
  const query = servicesQuery(analysis, { canary: [], stable: [], services });
  const answer = query === undefined ? { grid, series: [] } : await answeredTo(reader, analysis, { query, grid });
  if ('kind' in answer) return answer;
  return metrics.map((metric) => gatewayChecked(answer, { services, isShared }, { analysis, metric, grid }));
}

/** The alerts of the last day under whichever labels, so that those that `match` wants can be held against them. */
async function alertsSeen(
  reader: Pick<MetricsReader, 'range'>,
  { analysis, now }: { readonly analysis: Analysis; readonly now: Instant },
): Promise<readonly AlertChecked[] | Unjudged> {
  if (analysis.alerts.length === 0) return [];
  const end = Math.floor(now / ALERT_SECONDS) * ALERT_SECONDS;
  const grid = { start: end - DAY_SECONDS, end, step: ALERT_SECONDS };
  const answer = await answeredTo(reader, analysis, { query: alertNamesSelectorOf(analysis), grid });
  return 'kind' in answer ? answer : alertsChecked(answer.series, analysis);
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
