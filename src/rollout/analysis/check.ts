/** What is scraped of the leaders for an Analysis, metric by metric, and under which labels they are. Judges no version. */

import type { Analysis } from '../../api/analysis.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import { countsOf } from './counting.ts';
import { ofLeaders } from './metric-query.ts';
import type { Answered, Past } from './pasts.ts';
import { powerOf } from './power.ts';
import type { Unusable } from './readings.ts';
import { totalOf } from './spread.ts';

export type MetricChecked = {
  readonly name: string;
  /** What is counted. */
  readonly unit: string;
  /** Why a leader says nothing of it, each with the reason. */
  readonly unusable: readonly Unusable[];
  /** Of one leader in an hour, and of how many; undefined: no leader has a whole window. */
  readonly traffic: { readonly requests: number; readonly bad: number; readonly leaders: number } | undefined;
  /** What one group of them tells in the time of the Analysis; undefined: there are no two to be compared, or no requests. */
  readonly power: ReturnType<typeof powerOf> | undefined;
};

type Checking = {
  readonly analysis: Analysis;
  readonly pods: readonly string[];
  readonly steps: number;
  readonly pasts: readonly Past[];
};

const HOUR_SECONDS = 3600;

/** By what the leaders counted lately, in the order of the file; what a gateway counts is left out. */
export function checked(
  { grid, series }: Answered,
  { analysis, pods, steps, pasts }: Checking,
): readonly MetricChecked[] {
  return analysis.metrics.flatMap((metric, place): readonly MetricChecked[] => {
    if (!ofLeaders(metric)) return [];
    const counted = pods.map((pod) =>
      countsOf(series, { canary: [{ pod, from: grid.start }], stable: [] }, { analysis, metric, grid }),
    );
    const unusable = counted.flatMap((one) => (one.kind === 'counted' ? [] : [one]));
    const each = counted.flatMap((one) => (one.kind === 'counted' && one.windows.length > 0 ? [one.windows] : []));
    const leaders = each.length;
    const windows = each.flat();
    const { n, x } = totalOf(windows.flatMap(({ canary }) => canary));
    const perWindow = { n: n / windows.length, x: x / windows.length };
    // Half a request more: what never was bad yet may be.
    const share = (x + 0.5) / (n + 1);
    const hour = HOUR_SECONDS / grid.step;
    const found = {
      name: metric.name,
      unit: metric.unit ?? 'requests',
      unusable,
      traffic: leaders === 0 ? undefined : { requests: perWindow.n * hour, bad: perWindow.x * hour, leaders },
      power:
        leaders < 2 || n === 0 || metric.unit !== undefined
          ? undefined
          : powerOf(
              { requests: perWindow.n, share, leaders },
              { analysis, metric, steps, past: pasts[place] ?? NO_PAST },
            ),
    };
    return [found];
  });
}

const NO_PAST = { dispersion: 1, spread: undefined };

/** The label under which the most leaders are, and the one that has their namespace; undefined: none has one of them. */
export function labelsSeen(
  series: readonly MetricSeries[],
  { pods, namespace }: { readonly pods: readonly string[]; readonly namespace: string },
): { readonly pod: string; readonly namespace: string | undefined; readonly leaders: number } | undefined {
  const found = new Map<string, Set<string>>();
  for (const { labels } of series)
    for (const [label, value] of Object.entries(labels))
      if (pods.includes(value)) found.set(label, (found.get(label) ?? new Set()).add(value));
  const [best] = [...found].sort(([a, left], [b, right]) => right.size - left.size || (a < b ? -1 : 1));
  if (best === undefined) return undefined;
  const [pod, leaders] = best;
  const own = series.filter(({ labels }) => pods.includes(labels[pod] ?? ''));
  const [first] = own;
  const spaces = Object.keys(first?.labels ?? {}).filter((label) =>
    own.every(({ labels }) => labels[label] === namespace),
  );
  return { pod, namespace: spaces.sort((a, b) => (a < b ? -1 : 1))[0], leaders: leaders.size };
}

/** Buckets that all of these leaders have, ascending, as they are written. */
export function commonBuckets(
  series: readonly MetricSeries[],
  { label, pods }: { readonly label: string; readonly pods: readonly string[] },
): readonly string[] {
  const of = (pod: string): readonly string[] =>
    series.flatMap(({ labels }) => (labels[label] === pod && labels['le'] !== undefined ? [labels['le']] : []));
  const [first = [], ...others] = pods.map(of);
  return [...new Set(first)]
    .filter((le) => others.every((all) => all.includes(le)) && Number.isFinite(Number(le)))
    .sort((a, b) => Number(a) - Number(b));
}
