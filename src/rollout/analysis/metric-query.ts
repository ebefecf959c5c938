/** The one question to a metrics server: built of escaped parts, so that no text of a file is ever more than a value. */

import type { Analysis } from '../../api/analysis.ts';
import type { AnalysisMetric } from '../../api/analysis-metric.ts';
import { badParts, type SeriesPart, type SideLabels } from '../../api/analysis-preset.ts';
import type { Instant } from '../../api/time.ts';

/** Points of one answer. */
export const WINDOWS_MOST = 288;
/** Two passes of a server's own making of samples. */
export const SETTLE_SECONDS = 120;

/** Every part that a metric asks for. */
function partsOf({ bad, of, anchor, load }: AnalysisMetric): readonly SeriesPart[] {
  return [
    ...badParts(bad),
    of,
    ...(anchor === undefined ? [] : [anchor]),
    ...(load === undefined ? [] : [load.tokens, load.requests]),
  ];
}

/** The spellings of a bucket: `2.5`, `2.50`, and of whole numbers `1` and `1.0`. */
export function bucketNames(seconds: number): readonly string[] {
  const plain = String(seconds);
  return Number.isInteger(seconds) ? [plain, `${plain}.0`] : [plain, seconds.toFixed(2), seconds.toFixed(3)];
}

/** Whether leaders count it, and no gateway. */
export function ofLeaders({ gateway }: AnalysisMetric): boolean {
  return gateway === undefined;
}

/** A selector for all metrics of an Analysis that leaders count, of these pods alone. */
export function selectorOf(
  { match, labels, metrics: all }: Analysis,
  { namespace, pods }: { readonly namespace: string; readonly pods: readonly string[] },
): string {
  const metrics = all.filter(ofLeaders);
  const names = [...new Set(['up', ...metrics.flatMap(partsOf).flatMap((one) => one.names)])];
  const buckets = metrics.flatMap(({ bad }) =>
    bad.kind === 'over' ? bucketNames(bad.seconds) : badParts(bad).flatMap((part) => exactValues(part.labels['le'])),
  );
  return `{${[
    `__name__=~"${anyOf(names)}"`,
    ...Object.entries(match).map(([label, value]) => `${label}="${quoted(value)}"`),
    `${labels.namespace}="${quoted(namespace)}"`,
    `${labels.pod}=~"${anyOf(pods)}"`,
    // What is no bucket has no such label, which is the empty text.
    `le=~"${anyOf(['', ...new Set(buckets)])}"`,
  ].join(',')}}`;
}

/** The same names with these labels alone, of any pod: to find out under which labels the leaders are. */
export function namesSelectorOf({ match, metrics }: Analysis): string {
  const names = [...new Set(metrics.filter(ofLeaders).flatMap(({ anchor, of }) => anchor?.names ?? of.names))];
  const labels = Object.entries(match).map(([label, value]) => `${label}="${quoted(value)}"`);
  return `{${[`__name__=~"${anyOf(names)}"`, ...labels].join(',')}}`;
}

/** All buckets of a histogram, of these pods. */
export function bucketsSelectorOf(
  { match, labels }: Pick<Analysis, 'match' | 'labels'>,
  { name, namespace, pods }: { readonly name: string; readonly namespace: string; readonly pods: readonly string[] },
): string {
  return `{${[
    `__name__="${quoted(name)}"`,
    ...Object.entries(match).map(([label, value]) => `${label}="${quoted(value)}"`),
    `${labels.namespace}="${quoted(namespace)}"`,
    `${labels.pod}=~"${anyOf(pods)}"`,
  ].join(',')}}`;
}

/** A selector for the alerts of an Analysis that fire. One that is pending does not. */
export function alertsSelectorOf({ match, alerts }: Pick<Analysis, 'match' | 'alerts'>): string {
  return `ALERTS{${[
    `alertname=~"${anyOf(alerts)}"`,
    'alertstate="firing"',
    ...Object.entries(match).map(([label, value]) => `${label}="${quoted(value)}"`),
  ].join(',')}}`;
}

/** The same alerts whatever labels they have, and whether or not they fire already. */
export function alertNamesSelectorOf({ alerts }: Pick<Analysis, 'alerts'>): string {
  return `ALERTS{alertname=~"${anyOf(alerts)}"}`;
}

function exactValues(values: SeriesPart['labels'][string] | undefined): readonly string[] {
  return values === undefined || values instanceof RegExp ? [] : values;
}

/** A text as a pattern of RE2. */
export function literal(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}

/** Exact texts as one pattern of RE2, inside of quotes. */
function anyOf(texts: readonly string[]): string {
  return texts.map((text) => quoted(literal(text))).join('|');
}

/**
 * A selector for all that a gateway counts of these sides. A label that only some of them have may be missing: which series are
 * whose is found out of the answer.
 */
export function servicesSelectorOf(
  { match }: Pick<Analysis, 'match'>,
  { names, sides }: { readonly names: readonly string[]; readonly sides: readonly SideLabels[] },
): string {
  const labels = [...new Set(sides.flatMap((one) => Object.keys(one)))].sort();
  const patterns = (label: string): readonly string[] => [...new Set(sides.map((one) => one[label] ?? ''))];
  return `{${[
    `__name__=~"${anyOf(names)}"`,
    ...Object.entries(match).map(([label, value]) => `${label}="${quoted(value)}"`),
    ...labels.map((label) => `${label}=~"${patterns(label).map(quoted).join('|')}"`),
  ].join(',')}}`;
}

/** A text inside of double quotes of PromQL. */
function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

export type Grid = { readonly start: Instant; readonly end: Instant; readonly step: number };

/** The first instant of the grid, the whole multiples of the window since 1970, that is not before. */
export function gridFrom(at: Instant, step: number): Instant {
  return Math.ceil(at / step) * step;
}

/**
 * Windows from the first evidence until the last that is closed: its samples have come by then. Where there are more than one
 * answer has, they are as many times wider. undefined: none is closed yet.
 */
export function gridOf(
  from: Instant,
  { now, analysis }: { readonly now: Instant; readonly analysis: Pick<Analysis, 'windowSeconds' | 'lagSeconds'> },
): Grid | undefined {
  const latest = now - analysis.lagSeconds - SETTLE_SECONDS;
  for (let step = analysis.windowSeconds; ; step *= 2) {
    const grid = { start: gridFrom(from, step), end: Math.floor(latest / step) * step, step };
    if (grid.end - grid.start > WINDOWS_MOST * step) continue;
    return grid.end > grid.start ? grid : undefined;
  }
}

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;

/** The day before: in the same windows, or in wider ones where a day has more than one answer holds. */
export function dayBefore(end: Instant, windowSeconds: number): Grid {
  let step = windowSeconds;
  while (DAY_SECONDS / step > WINDOWS_MOST) step *= 2;
  const last = Math.floor(end / step) * step;
  return { start: last - Math.ceil(DAY_SECONDS / step) * step, end: last, step };
}

/** The week before, in hours. */
export function weekBefore(end: Instant): Grid {
  const last = Math.floor(end / HOUR_SECONDS) * HOUR_SECONDS;
  return { start: last - WEEK_SECONDS, end: last, step: HOUR_SECONDS };
}
