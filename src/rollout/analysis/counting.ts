/** From counters to what each leader counted in each window, and why a series cannot be used. */

import type { Analysis } from '../../api/analysis.ts';
import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import type { LabelValues, SeriesPart } from '../../api/analysis-presets.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import { bucketNames, type Grid, gridFrom } from './metric-query.ts';
import type { LeaderCounts, Window } from './verdict.ts';

/**
 * A leader of a group, and since when what it counts may be used. `warmFrom`: since when it had warmed up, before it had its share;
 * not there: at the same time.
 */
export type Served = { readonly pod: string; readonly from: Instant; readonly warmFrom?: Instant };

export type Sides = { readonly canary: readonly Served[]; readonly stable: readonly Served[] };

/** Why a metric says nothing: names what was asked and what came. */
export type Unusable =
  | { readonly kind: 'SeriesMissing'; readonly pod: string; readonly name: string }
  | { readonly kind: 'SeriesTwice'; readonly pod: string; readonly name: string; readonly labels: readonly string[] }
  | { readonly kind: 'SeriesUnusable'; readonly pod: string; readonly name: string; readonly le: string };

type Counted =
  | {
      readonly kind: 'counted';
      readonly windows: readonly Window[];
      readonly voided: number;
      readonly unlike: number;
      /** The end of the last window, alike or not, in which no leader of the new version that was due is missing. */
      readonly lastWhole: Instant | undefined;
    }
  | Unusable;

/** One value at an instant; undefined: none that can be used. */
type Reading = (at: Instant) => number | undefined;

/** What is asked of the answer for one metric. */
type Asked = { readonly analysis: Analysis; readonly metric: AnalysisMetric; readonly grid: Grid };

/**
 * Subtracts counters at the ends of each window. A window of a leader is void where a sample is missing at an end, a counter
 * fell, or its target was down at both; a window counts where all leaders of the new version are in it whose evidence has
 * started, and one of the stable version, or the new one serves alone. A leader made again starts again when it is ready, so
 * that no window has the counters of two of one name in it.
 */
export function countsOf(series: readonly MetricSeries[], sides: Sides, asked: Asked): Counted {
  const { analysis, grid } = asked;
  const ofPod = byKey(series, ({ labels }) => labels[analysis.labels.pod] ?? '');
  const isDue = ({ from }: Served, start: Instant): boolean => gridFrom(from, grid.step) <= start;
  // Of one that has only just come nothing is asked yet.
  const leaders = [...sides.canary, ...sides.stable].filter((served) => isDue(served, grid.end - grid.step));
  const readers = new Map<string, Leader>();
  for (const { pod } of leaders) {
    const reader = leaderOf(pod, ofPod.get(pod) ?? [], asked);
    if ('kind' in reader) return reader;
    readers.set(pod, reader);
  }
  const windows: Window[] = [];
  let voided = 0;
  let unlike = 0;
  let lastWhole: Instant | undefined;
  for (let start = grid.start; start < grid.end; start += grid.step) {
    const end = start + grid.step;
    const count = (served: readonly Served[]) => {
      const due = served.filter((one) => isDue(one, start));
      const found = due.flatMap(({ pod }) => readers.get(pod)?.window(start, end) ?? []);
      voided += due.length - found.length;
      return { found, isWhole: found.length === due.length };
    };
    const [{ found: canary, isWhole }, { found: stable }] = [count(sides.canary), count(sides.stable)];
    // Of a part of its leaders nobody knows what the others would have counted.
    if (canary.length === 0 || !isWhole || (sides.stable.length > 0 && stable.length === 0)) continue;
    lastWhole = end;
    if (asked.metric.load !== undefined && sides.stable.length > 0 && !isAlike(canary, stable)) unlike += 1;
    else windows.push({ end, canary, stable });
  }
  return { kind: 'counted', windows, voided, unlike, lastWhole };
}

/** Prompts on average within a quarter, and requests a leader within a factor of two. */
function isAlike(canary: readonly Loaded[], stable: readonly Loaded[]): boolean {
  const [mine, theirs] = [loadOf(canary), loadOf(stable)];
  const isWithin = (a: number, b: number, factor: number) => a <= b * factor && b <= a * factor;
  return isWithin(mine.prompt, theirs.prompt, 1.25) && isWithin(mine.requests, theirs.requests, 2);
}

function loadOf(leaders: readonly Loaded[]): { readonly prompt: number; readonly requests: number } {
  const tokens = leaders.reduce((sum, one) => sum + one.tokens, 0);
  const requests = leaders.reduce((sum, one) => sum + one.requests, 0);
  return { prompt: requests === 0 ? 0 : tokens / requests, requests: requests / leaders.length };
}

type Loaded = LeaderCounts & { readonly tokens: number; readonly requests: number };

type Leader = { readonly window: (start: Instant, end: Instant) => Loaded | undefined };

function leaderOf(pod: string, series: readonly MetricSeries[], { metric, grid }: Asked): Leader | Unusable {
  const { bad, of, load } = metric;
  const read = (part: SeriesPart) => readingOf(pod, series, { part, metric, grid });
  const bucket =
    bad.kind === 'over' ? { ...bad.bucket, labels: { ...bad.bucket.labels, le: bucketNames(bad.seconds) } } : undefined;
  const parts = {
    of: read(of),
    bad: bad.kind === 'over' ? [] : bad.parts.map(read),
    under: bucket === undefined ? undefined : read(bucket),
    tokens: load === undefined ? undefined : read(load.tokens),
    requests: load === undefined ? undefined : read(load.requests),
  };
  const all = [parts.of, ...parts.bad, parts.under, parts.tokens, parts.requests].filter((one) => one !== undefined);
  const wrong = all.find((one) => typeof one !== 'function');
  if (wrong !== undefined) return wrong === parts.under && bucket !== undefined ? withoutBucket(wrong, bucket) : wrong;
  const readings = all.filter((one) => typeof one === 'function');
  const up = series.filter(({ name }) => name === 'up');
  const isDown = (at: Instant) => up.length > 0 && up.every(({ samples }) => samples.get(at) === 0);
  const gain = (reading: Reading | Unusable | undefined, start: Instant, end: Instant): number => {
    if (typeof reading !== 'function') return 0;
    return (reading(end) ?? Number.NaN) - (reading(start) ?? Number.NaN);
  };
  const window: Leader['window'] = (start, end) => {
    // NaN: a sample is missing at an end; below 0: a counter fell.
    if ((isDown(start) && isDown(end)) || readings.some((reading) => !(gain(reading, start, end) >= 0)))
      return undefined;
    const n = gain(parts.of, start, end);
    const under = gain(parts.under, start, end);
    const x = parts.under === undefined ? parts.bad.reduce((sum, one) => sum + gain(one, start, end), 0) : n - under;
    const loaded = { tokens: gain(parts.tokens, start, end), requests: gain(parts.requests, start, end) };
    return x < 0 || x > n ? undefined : { pod, n, x, ...loaded };
  };
  return { window };
}

/** Its other series are there: the buckets are, too, and not the one that is asked for, as nobody asks for the others. */
function withoutBucket(wrong: Unusable, { labels: { le } }: SeriesPart): Unusable {
  if (wrong.kind !== 'SeriesMissing' || le === undefined || le instanceof RegExp) return wrong;
  return { kind: 'SeriesUnusable', pod: wrong.pod, name: wrong.name, le: le[0] ?? '' };
}

type PartAsked = { readonly part: SeriesPart; readonly metric: AnalysisMetric; readonly grid: Grid };

/** The sum of a part's series at an instant. Series that are not apart by what the metric knows are one too many. */
function readingOf(
  pod: string,
  series: readonly MetricSeries[],
  { part, metric, grid }: PartAsked,
): Reading | Unusable {
  const name = part.names.find((one) => series.some((found) => found.name === one));
  const named = series.filter((found) => found.name === name);
  const { anchor } = metric;
  const anchors = series.filter((found) => anchor?.names.includes(found.name));
  if (anchor !== undefined && anchors.length === 0)
    return { kind: 'SeriesMissing', pod, name: anchor.names.join(' or ') };
  if (named.length === 0 && anchor === undefined) return { kind: 'SeriesMissing', pod, name: part.names.join(' or ') };
  const meant = named.filter(({ labels }) => fits(labels, part.labels));
  const { le } = part.labels;
  if (named.length > 0 && meant.length === 0 && le !== undefined)
    return { kind: 'SeriesUnusable', pod, name: name ?? '', le: le instanceof RegExp ? '' : (le[0] ?? '') };
  const counters = [...byKey(meant, identityOf(metric)).values()];
  const twice = twiceIn(counters, grid);
  if (twice !== undefined) return { kind: 'SeriesTwice', pod, name: name ?? '', labels: twice };
  return (at) => {
    // What shows that the process was scraped has a sample where nothing has been counted yet.
    if (anchor !== undefined && !anchors.some(({ samples }) => samples.get(at) !== undefined)) return undefined;
    if (counters.length === 0) return anchor === undefined ? undefined : 0;
    // One counter without a sample makes the sum none: it would fall, and rise again by all that was counted before.
    return counters.reduce<number | undefined>((sum, same) => {
      const value = valueOf(same, at, anchor !== undefined);
      return sum === undefined || value === undefined ? undefined : sum + value;
    }, 0);
  };
}

/** Of the series of one counter, which follow each other. One that is made with its first event is 0 before that. */
function valueOf(same: readonly MetricSeries[], at: Instant, startsLate: boolean): number | undefined {
  const there = same.find(({ samples }) => samples.has(at));
  if (there !== undefined) return there.samples.get(at);
  const isBefore = same.every(({ samples }) => [...samples.keys()].every((seen) => seen > at));
  return startsLate && isBefore ? 0 : undefined;
}

function fits(labels: MetricSeries['labels'], wanted: SeriesPart['labels']): boolean {
  return Object.entries(wanted).every(([label, values]) => allows(values, labels[label] ?? ''));
}

function allows(values: LabelValues, value: string): boolean {
  return values instanceof RegExp ? values.test(value) : values.includes(value);
}

/** What tells counters of one leader apart: the labels that the metric knows. */
function identityOf(metric: AnalysisMetric): (one: MetricSeries) => string {
  const known = [...new Set([...metric.adds, ...labelsNamed(metric)])].sort();
  return ({ labels }) => JSON.stringify(known.map((label) => labels[label] ?? ''));
}

/** The labels by which series of one counter differ at one instant: two scrapers, or something that nobody has named. */
function twiceIn(
  counters: readonly (readonly MetricSeries[])[],
  { start, end, step }: Grid,
): readonly string[] | undefined {
  for (const same of counters.filter(({ length }) => length > 1))
    for (let at = start; at <= end; at += step) {
      const there = same.filter(({ samples }) => samples.has(at));
      if (there.length < 2) continue;
      const labels = [...new Set(there.flatMap((one) => Object.keys(one.labels)))];
      return labels.filter((label) => new Set(there.map((one) => one.labels[label])).size > 1).sort();
    }
  return undefined;
}

function labelsNamed({ bad, of }: AnalysisMetric): readonly string[] {
  const parts = bad.kind === 'over' ? [bad.bucket, of] : [...bad.parts, of];
  return [...parts.flatMap(({ labels }) => Object.keys(labels)), ...(bad.kind === 'over' ? ['le'] : [])];
}

function byKey(
  series: readonly MetricSeries[],
  keyOf: (one: MetricSeries) => string,
): ReadonlyMap<string, readonly MetricSeries[]> {
  const groups = new Map<string, MetricSeries[]>();
  for (const one of series) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}
