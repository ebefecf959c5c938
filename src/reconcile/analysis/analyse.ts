/** Asks the provider of an Analysis for what a step and the week before it counted, and lets it be judged. Reads alone. */

import type { Analysis } from '../../api/analysis.ts';
import { type MetricSeries, parseMetricAnswer } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import type { Sides } from '../../rollout/analysis/counting.ts';
import { judge, newestOf } from '../../rollout/analysis/judge.ts';
import {
  dayBefore,
  type Grid,
  gridFrom,
  gridOf,
  ofLeaders,
  SETTLE_SECONDS,
  selectorOf,
  weekBefore,
} from '../../rollout/analysis/metric-query.ts';
import { type Answered, type Past, pastsOf } from '../../rollout/analysis/pasts.ts';
import { byKey } from '../../rollout/analysis/readings.ts';
import { servicesQuery } from '../../rollout/analysis/services.ts';
import { type Analysed, type MetricsReader, remember } from '../metrics-reader.ts';

/** Seconds for which a window is left open for samples that have not come; after that it is void for those without. */
const OPEN_SECONDS = 600;

type AnalysedOf = {
  readonly analysis: Analysis;
  readonly namespace: string;
  readonly sides: Sides;
  readonly steps: number;
  readonly now: Instant;
  /** Of its file: what another one has said does not count. */
  readonly blob: string;
  /** When Git got the step; undefined: nobody knows, and then it starts with the last leader that came. */
  readonly since: Instant | undefined;
};

/** What is asked apart from a step, of leaders that serve now. */
export type LeadersAsked = Pick<AnalysedOf, 'analysis' | 'namespace' | 'steps' | 'now'> & {
  readonly pods: readonly string[];
};

/**
 * One question for the closed windows of the step, and two for the time before it, which are asked once. Nothing is judged
 * where one of them was not answered whole.
 */
export async function analyse(metrics: MetricsReader, given: AnalysedOf): Promise<Analysed> {
  const of = { ...given, sides: ofStep(given) };
  const { analysis, namespace, sides, now, steps, blob } = of;
  const from = Math.min(...sides.canary.map((served) => served.from));
  const grid = gridOf(from, { now, analysis });
  if (grid === undefined) return early(from, analysis);
  const key = JSON.stringify([analysis.name, blob, namespace, steps, sides, grid]);
  const known = metrics.memory.judged.get(key);
  if (known !== undefined) return known;
  const pods = [...sides.canary, ...sides.stable].map(({ pod }) => pod);
  const step = await stepAnswered(metrics, of, { grid, pods });
  if ('kind' in step) return step;
  const pasts = await pastsBefore(metrics, of, gridFrom(from, analysis.windowSeconds));
  if ('kind' in pasts) return pasts;
  const end = closedEnd(step, sides, now - analysis.lagSeconds - SETTLE_SECONDS - OPEN_SECONDS);
  if (end <= grid.start) return early(from, analysis);
  const closed = { ...step, grid: { ...grid, end } };
  const said: Analysed = { kind: 'judged', grid: closed.grid, metrics: judge(closed, pasts, of) };
  return end === grid.end ? remember(metrics.memory.judged, key, said) : said;
}

/** Two questions at most: what leaders have counted, and what a gateway has. */
async function stepAnswered(metrics: MetricsReader, of: AnalysedOf, asked: Asked): Promise<Answered | Unjudged> {
  const { analysis, sides } = of;
  const leaders = analysis.metrics.some(ofLeaders) ? await answeredFor(metrics, of, asked) : { ...asked, series: [] };
  if ('kind' in leaders) return leaders;
  const query = servicesQuery(analysis, sides);
  const beside = query === undefined ? undefined : await answeredTo(metrics, analysis, { query, grid: asked.grid });
  if (beside === undefined || 'kind' in beside) return beside ?? leaders;
  return { grid: asked.grid, series: [...leaders.series, ...beside.series] };
}

/** What leaders of the steps before have counted until this one came is no evidence of it. */
function ofStep({ sides, since, analysis }: AnalysedOf): Sides {
  const least = since === undefined ? newestOf(sides) : since + analysis.warmUpSeconds;
  return { ...sides, canary: sides.canary.map((one) => ({ ...one, from: Math.max(one.from, least) })) };
}

function early(from: Instant, { windowSeconds, lagSeconds }: Analysis): Analysed {
  const start = gridFrom(from, windowSeconds);
  return { kind: 'early', from: start, until: start + windowSeconds + lagSeconds + SETTLE_SECONDS };
}

/** The end of the last window that is closed: samples of all leaders that are scraped, and of a gateway, have come, or nobody waits for them. */
function closedEnd({ grid, series }: Answered, { canary, stable }: Sides, young: Instant): Instant {
  const pods = [...canary, ...stable].map(({ pod }) => pod);
  const whose = (one: MetricSeries) => pods.find((pod) => Object.values(one.labels).includes(pod)) ?? '';
  const scraped = [...byKey(series, whose).values()];
  const isThere = (at: Instant): boolean =>
    scraped.every((own: readonly MetricSeries[]) => own.some(({ samples }) => samples.has(at)));
  let end = grid.end;
  while (end > grid.start && end > young && !isThere(end)) end -= grid.step;
  return end;
}

/** Why nothing is judged. */
export type Unjudged = Exclude<Analysed, { readonly kind: 'judged' | 'early' }>;

/** How the stable groups differed before the step: asked once, so that it is the same for all of its windows. */
async function pastsBefore(
  metrics: MetricsReader,
  of: AnalysedOf,
  start: Instant,
): Promise<readonly Past[] | Unjudged> {
  const { analysis, namespace, sides, blob } = of;
  if (!analysis.metrics.some(ofLeaders)) return [];
  const pods = sides.stable.map(({ pod }) => pod);
  const key = JSON.stringify([analysis.name, blob, namespace, pods, start]);
  const known = metrics.memory.pasts.get(key);
  if (known !== undefined) return known;
  const day = await answeredFor(metrics, of, { grid: dayBefore(start, analysis.windowSeconds), pods });
  if ('kind' in day) return day;
  const week = await answeredFor(metrics, of, { grid: weekBefore(start), pods });
  if ('kind' in week) return week;
  const pasts = pastsOf({ day, week }, { analysis, sides });
  // What tells little may be a gap of the server's, and would stand for the whole step: it is asked for again.
  const isLittle = pasts.some(({ cautions }) => cautions.includes('littleHistory'));
  return isLittle ? pasts : remember(metrics.memory.pasts, key, pasts);
}

type Asked = { readonly grid: Grid; readonly pods: readonly string[] };

/** One question about these pods, read as far as it can be; without pods none is asked. */
export async function answeredFor(
  metrics: Pick<MetricsReader, 'range'>,
  { analysis, namespace }: Pick<AnalysedOf, 'analysis' | 'namespace'>,
  { grid, pods }: Asked,
): Promise<Answered | Unjudged> {
  if (pods.length === 0) return { grid, series: [] };
  return answeredTo(metrics, analysis, { query: selectorOf(analysis, { namespace, pods }), grid });
}

/** One question, whole or not at all. */
export async function answeredTo(
  metrics: Pick<MetricsReader, 'range'>,
  analysis: Pick<Analysis, 'provider'>,
  { query, grid }: { readonly query: string; readonly grid: Grid },
): Promise<Answered | Unjudged> {
  const answer = await metrics.range({ provider: analysis.provider, query, ...grid });
  if (answer.kind === 'unasked') return answer;
  if (answer.kind === 'failed') return { kind: 'MetricsUnreadable', why: answer.why };
  const parsed = parseMetricAnswer(answer.body, grid);
  if (parsed.kind === 'unreadable') return { kind: 'MetricsUnreadable', why: parsed.why };
  if (parsed.kind === 'native') return { kind: 'SeriesUnusable', why: nativeWhy(parsed.name) };
  return { grid, series: parsed.series };
}

function nativeWhy(name: string): string {
  return `${name} is a native histogram, which has no buckets: set always_scrape_classic_histograms for its job`;
}
