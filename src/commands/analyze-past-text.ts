/** What `tranche analyze --backtest` says: a line a metric. */

import type { Instant } from '../api/time.ts';
import type { Backtest } from '../reconcile/analysis/backtest.ts';
import { type BacktestMetric, notYet } from '../rollout/analysis/backtest.ts';

/** The lines below the name of a Rollout and its Analysis. */
export function backtestText(said: Backtest, print: (at: Instant) => string): string {
  if (said.kind === 'unasked') return '  nothing was tried: the provider was not asked\n';
  if (said.kind !== 'played') return `  nothing was tried: ${said.why}\n`;
  const { start, end, stretchSeconds, steps, stretches, pods, metrics } = said;
  const width = Math.max(...metrics.map(({ name }) => name.length));
  const against = notYet(metrics);
  return [
    `  ${stretches} stretches of ${stretchSeconds} s${lengthText(steps)} from ${print(start)} to ${print(end)}; in each of them each of ${pods.length} groups played the new version`,
    ...metrics.map((metric) => metricLine(metric, { width, print })),
    against.length === 0
      ? '  no group was called worse. tranche analyze --enable lets a failure lead back by itself'
      : `  a failure should not lead back by itself yet: ${against.join('; ')}`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function lengthText(steps: number): string {
  if (steps === 0) return '';
  return `, by ${steps === 1 ? 'the one step' : `the median of ${steps} steps`} that it went through,`;
}

function metricLine(
  { name, leadsTo, failed, excused, passed, undecided, unusable, first, dispersion, spread }: BacktestMetric,
  { width, print }: { readonly width: number; readonly print: (at: Instant) => string },
): string {
  const notes = [
    ...(excused === 0 ? [] : [`in ${excused} of these all groups were bad`]),
    ...(first === undefined ? [] : [`the first was ${first.pod} at ${print(first.at)}`]),
    ...(unusable === 0 ? [] : [`${unusable} could not be judged: a series is missing, twice, or in another form`]),
    ...(dispersion === undefined ? [] : [`dispersion ${dispersion.toFixed(2)}`]),
    ...(spread === undefined ? [] : [`groups differ by ${spread.toFixed(2)} of the log odds`]),
  ];
  const counts = `${failed} failed, ${passed} passed, ${undecided} not decided`;
  return `  ${name.padEnd(width)}  (${leadsTo}) ${counts}${notes.map((note) => `; ${note}`).join('')}`;
}
