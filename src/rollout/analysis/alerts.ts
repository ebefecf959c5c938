/** Alerts that an Analysis names: when they are looked at, and which of them fire. */

import type { Analysis } from '../../api/analysis.ts';
import type { MetricSeries } from '../../api/metric-answer.ts';
import type { Instant } from '../../api/time.ts';
import type { Grid } from './metric-query.ts';

/** Seconds between the instants at which it is looked. */
const STEP_SECONDS = 60;

/** An alert, and how often it fires: once for each set of labels that its rule gave it. */
export type FiringAlert = { readonly name: string; readonly times: number };

/** What the server says of all alerts of an Analysis, or why nobody knows. */
export type AlertsSaid =
  | { readonly kind: 'alerts'; readonly firing: readonly FiringAlert[] }
  | { readonly kind: 'SeriesUnusable' | 'MetricsUnreadable'; readonly why: string };

/** The last minutes until now, as many as samples may be late: one that came late is still seen, and ends as late. */
export function alertsGrid(now: Instant, lagSeconds: number): Grid {
  const end = Math.floor(now / STEP_SECONDS) * STEP_SECONDS;
  return { start: end - Math.ceil(lagSeconds / STEP_SECONDS) * STEP_SECONDS, end, step: STEP_SECONDS };
}

/** In the order of the file. Without a series none fires; one that was not asked for makes the whole answer unreadable. */
export function firingIn(series: readonly MetricSeries[], alerts: readonly string[]): AlertsSaid {
  const nameOf = ({ labels }: MetricSeries): string => labels['alertname'] ?? '';
  const isAsked = (one: MetricSeries): boolean =>
    one.name === 'ALERTS' && one.labels['alertstate'] === 'firing' && alerts.includes(nameOf(one));
  if (!series.every(isAsked))
    return { kind: 'MetricsUnreadable', why: 'it has series other than the alerts that were asked for' };
  const firing = alerts.flatMap((name): readonly FiringAlert[] => {
    const times = series.filter((one) => nameOf(one) === name && one.samples.size > 0).length;
    return times === 0 ? [] : [{ name, times }];
  });
  return { kind: 'alerts', firing };
}

/** An alert as its server had it, whether it fired or was pending. */
export type AlertChecked = {
  readonly name: string;
  /** How many sets of labels it had; 0: it was not seen. */
  readonly seen: number;
  /** Labels of `match` with a value that none of them has: it fires and holds nothing. */
  readonly lacks: readonly string[];
};

/** In the order of the file. Of each the set of labels counts that fits best. */
export function alertsChecked(
  series: readonly MetricSeries[],
  { alerts, match }: Pick<Analysis, 'alerts' | 'match'>,
): readonly AlertChecked[] {
  return alerts.map((name) => {
    const own = series.filter(({ labels, samples }) => labels['alertname'] === name && samples.size > 0);
    const missing = own.map(({ labels }) => Object.keys(match).filter((label) => labels[label] !== match[label]));
    const [fewest = []] = missing.sort((left, right) => left.length - right.length);
    return { name, seen: own.length, lacks: fewest };
  });
}
