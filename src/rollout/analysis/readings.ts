/** What a series of a leader says at an instant, and why it cannot be used. */

import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import { badParts, type LabelValues, type SeriesPart } from '../../api/analysis-preset.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import type { Grid } from './metric-query.ts';

/** Why a metric says nothing: names what was asked and what came. */
export type Unusable =
  | { readonly kind: 'SeriesMissing'; readonly pod: string; readonly name: string }
  | { readonly kind: 'SeriesTwice'; readonly pod: string; readonly name: string; readonly labels: readonly string[] }
  | { readonly kind: 'SeriesUnusable'; readonly pod: string; readonly name: string; readonly le: string }
  /** Of a gateway. `shared`: one Service for both; `both`: a series of both; `one`: all requests are those of one. */
  | {
      readonly kind: 'SidesNotApart';
      readonly name: string;
      readonly found: 'shared' | 'both' | 'one';
      readonly sides: readonly string[];
    };

/** A part of a metric. `at`: its value; undefined: none that can be used. `gain`: its growth; undefined: a sample is missing, or it fell. */
export type Reading = {
  readonly at: (at: Instant) => number | undefined;
  readonly gain: (start: Instant, end: Instant) => number | undefined;
};

type PartAsked = { readonly part: SeriesPart; readonly metric: AnalysisMetric; readonly grid: Grid };

/** The sum of a part's series at an instant. Series that are not apart by what the metric knows are one too many. */
export function readingOf(
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
  // An engine that makes all its series at the start, and has not this one, does not know what is asked for.
  if (meant.length === 0 && anchor === undefined)
    return { kind: 'SeriesMissing', pod, name: withLabels(name, part.labels) };
  const counters = [...byKey(meant, identityOf(metric)).values()];
  const twice = twiceIn(counters, grid);
  if (twice !== undefined) return { kind: 'SeriesTwice', pod, name: name ?? '', labels: twice };
  const isSeen = (at: Instant) => anchor === undefined || anchors.some(({ samples }) => samples.get(at) !== undefined);
  const value = (same: readonly MetricSeries[], at: Instant) =>
    valueOf(same, at, anchor === undefined ? undefined : anchors);
  return {
    // One counter without a sample makes the sum none: it would fall, and rise again by all that was counted before.
    at: (at) => (isSeen(at) ? sumOf(counters.map((same) => value(same, at))) : undefined),
    gain: (start, end) => {
      // What shows that the process was scraped has a sample where nothing has been counted yet.
      if (!isSeen(start) || !isSeen(end)) return undefined;
      return sumOf(
        counters.map((same) => {
          if (metric.gateway !== undefined && isAway(same, start) && isAway(same, end)) return 0;
          const [before, after] = [value(same, start), value(same, end)];
          return before === undefined || after === undefined || after < before ? undefined : after - before;
        }),
      );
    },
  };
}

function sumOf(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
}

/** A process of a gateway that is not there, at both ends, has counted nothing of a window; others have. */
function isAway(same: readonly MetricSeries[], at: Instant): boolean {
  return same.every(({ samples }) => !samples.has(at));
}

/** `vllm:request_success_total{finished_reason="repetition"}`. */
function withLabels(name = '', labels: SeriesPart['labels']): string {
  const exact = Object.entries(labels).flatMap(([label, values]) =>
    values instanceof RegExp ? [] : [`${label}="${values.join('|')}"`],
  );
  return exact.length === 0 ? name : `${name}{${exact.join(',')}}`;
}

/**
 * Of the series of one counter, which follow each other. One that is made with its first event is 0 before that, while its process
 * is seen by one of the `anchors`; undefined: it is made at the start.
 */
function valueOf(
  same: readonly MetricSeries[],
  at: Instant,
  anchors: readonly MetricSeries[] | undefined,
): number | undefined {
  const there = same.find(({ samples }) => samples.has(at));
  if (there !== undefined) return wholeNumber(there.samples.get(at));
  const isBefore = same.every(({ samples }) => [...samples.keys()].every((seen) => seen > at));
  const instance = same[0]?.labels['instance'];
  const isSeen = anchors?.some(({ labels, samples }) => labels['instance'] === instance && samples.has(at)) ?? false;
  return isBefore && isSeen ? 0 : undefined;
}

/** A counter has no fractions: what has some is another thing. */
function wholeNumber(value: number | undefined): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}

/** The values of a gauge at an instant, one for each rank. Series that are not apart by what the metric knows are one too many. */
export function gaugeOf(
  pod: string,
  series: readonly MetricSeries[],
  { part, metric, grid }: PartAsked,
): ((at: Instant) => readonly number[]) | Unusable {
  const name = part.names.find((one) => series.some((found) => found.name === one));
  const ranks = [
    ...byKey(
      series.filter((found) => found.name === name),
      identityOf(metric),
    ).values(),
  ];
  if (name === undefined) return { kind: 'SeriesMissing', pod, name: part.names.join(' or ') };
  const twice = twiceIn(ranks, grid);
  if (twice !== undefined) return { kind: 'SeriesTwice', pod, name, labels: twice };
  return (at) => ranks.flatMap((same) => same.flatMap(({ samples }) => samples.get(at) ?? []));
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
  const parts = [...badParts(bad), of];
  return [...parts.flatMap(({ labels }) => Object.keys(labels)), ...(bad.kind === 'over' ? ['le'] : [])];
}

/** Series with the same key together, in their order. */
export function byKey(
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
