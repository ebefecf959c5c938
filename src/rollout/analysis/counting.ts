/** From counters to what each leader counted in each window, and why a series cannot be used. */

import type { Analysis } from '../../api/analysis.ts';
import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import type { SeriesPart } from '../../api/analysis-preset.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import { samplesAbove } from './gauges.ts';
import { bucketNames, type Grid, gridFrom } from './metric-query.ts';
import { byKey, type Reading, readingOf, type Unusable } from './readings.ts';
import { type LeaderWindow, stallsOf } from './stalls.ts';
import type { LeaderCounts, Window } from './verdict.ts';

/**
 * A leader of a group, and since when what it counts may be used. `warmFrom`: since when it had warmed up, before it had its share;
 * not there: at the same time.
 */
export type Served = { readonly pod: string; readonly from: Instant; readonly warmFrom?: Instant };

/** A Service or pool of a version, and the workload behind it: an Analysis may name its series by either. */
export type SideName = { readonly service: string; readonly workload: string };

/** Behind which Services the versions are. `shared`: both behind the same ones. */
type Services =
  | {
      readonly kind: 'apart';
      readonly namespace: string;
      readonly canary: readonly SideName[];
      readonly stable: readonly SideName[];
    }
  | { readonly kind: 'shared' };

/** `services`: where a gateway counts them; not there: no requests are shared by Services. */
export type Sides = {
  readonly canary: readonly Served[];
  readonly stable: readonly Served[];
  readonly services?: Services;
};

export type Counted =
  | {
      readonly kind: 'counted';
      readonly windows: readonly Window[];
      readonly voided: number;
      readonly unlike: number;
      /** The end of the last window, alike or not, in which no leader of the new version that was due is missing. */
      readonly lastWhole: Instant | undefined;
    }
  | Unusable;

/** What is asked of the answer for one metric. */
type Asked = { readonly analysis: Analysis; readonly metric: AnalysisMetric; readonly grid: Grid };

/**
 * Subtracts counters at the ends of each window. A window of a leader is void where a sample is missing at an end, a counter
 * fell, or its target was down at both; a window counts where all leaders of the new version are in it whose evidence has
 * started, and one of the stable version, or the new one serves alone. A leader made again starts again when it is ready, so
 * that no window has the counters of two of one name in it.
 */
export function countsOf(series: readonly MetricSeries[], sides: Sides, asked: Asked): Counted {
  const { pod } = asked.analysis.labels;
  return countsBy(
    byKey(series, ({ labels }) => labels[pod] ?? ''),
    sides,
    asked,
  );
}

/** The same of series that are known by whose they are. */
export function countsBy(ofPod: ReadonlyMap<string, readonly MetricSeries[]>, sides: Sides, asked: Asked): Counted {
  const { grid } = asked;
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
      const found = due.flatMap(({ pod, from }) => readers.get(pod)?.window({ start, end, from }) ?? []);
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

type Leader = { readonly window: (window: LeaderWindow) => Loaded | undefined };

function leaderOf(pod: string, series: readonly MetricSeries[], asked: Asked): Leader | Unusable {
  const up = series.filter(({ name }) => name === 'up');
  const isDown = (at: Instant) => up.length > 0 && up.every(({ samples }) => samples.get(at) === 0);
  const read = stallsOf(pod, series, asked) ?? samplesAbove(pod, series, asked) ?? countsIn(pod, series, asked);
  if (typeof read !== 'function') return read;
  return {
    window: (window) => {
      const counts = isDown(window.start) && isDown(window.end) ? undefined : read(window);
      return counts === undefined ? undefined : { tokens: 0, requests: 0, ...counts };
    },
  };
}

/** Of counters of requests. */
function countsIn(pod: string, series: readonly MetricSeries[], { metric, grid }: Asked) {
  const { bad, of, load, informsOnly } = metric;
  const read = (part: SeriesPart) => readingOf(pod, series, { part, metric, grid });
  const bucket =
    bad.kind === 'over' ? { ...bad.bucket, labels: { ...bad.bucket.labels, le: bucketNames(bad.seconds) } } : undefined;
  const good = bad.kind === 'rest' ? bad.good : bucket;
  const parts = {
    of: read(of),
    bad: bad.kind === 'counted' ? bad.parts.map(read) : [],
    good: good === undefined ? undefined : read(good),
    tokens: load === undefined ? undefined : read(load.tokens),
    requests: load === undefined ? undefined : read(load.requests),
  };
  const all = [parts.of, ...parts.bad, parts.good, parts.tokens, parts.requests].filter((one) => one !== undefined);
  const wrong = all.find((one) => 'kind' in one);
  if (wrong !== undefined && 'kind' in wrong)
    return wrong === parts.good && bucket !== undefined ? withoutBucket(wrong, bucket) : wrong;
  const gain = (reading: Reading | Unusable | undefined, { start, end }: LeaderWindow): number =>
    reading === undefined || 'kind' in reading ? 0 : (reading.gain(start, end) ?? Number.NaN);
  return (window: LeaderWindow): Loaded | undefined => {
    if (all.some((reading) => Number.isNaN(gain(reading, window)))) return undefined;
    const n = gain(parts.of, window);
    const counted = parts.bad.reduce((sum, one) => sum + gain(one, window), 0);
    const x = parts.good === undefined ? counted : n - gain(parts.good, window);
    const loaded = { tokens: gain(parts.tokens, window), requests: gain(parts.requests, window) };
    // One request is preempted more than once: that only informs, and says no more than all.
    if (x > n && informsOnly === true) return { pod, n, x: n, ...loaded };
    return x < 0 || x > n ? undefined : { pod, n, x, ...loaded };
  };
}

/** Its other series are there: the buckets are, too, and not the one that is asked for, as nobody asks for the others. */
function withoutBucket(wrong: Unusable, { labels: { le } }: SeriesPart): Unusable {
  if (wrong.kind !== 'SeriesMissing' || le === undefined || le instanceof RegExp) return wrong;
  return { kind: 'SeriesUnusable', pod: wrong.pod, name: wrong.name, le: le[0] ?? '' };
}
