/** What `tranche analyze --check` says: a line a metric, and what would put it right. */

import type { Analysis } from '../api/analysis.ts';
import type { Instant } from '../api/time.ts';
import type { Checked } from '../reconcile/analysis/check.ts';
import type { AlertChecked } from '../rollout/analysis/alerts.ts';
import type { MetricChecked } from '../rollout/analysis/check.ts';
import type { GatewayChecked } from '../rollout/analysis/gateway-check.ts';
import type { Counts } from '../rollout/analysis/odds.ts';
import { unusableWhy } from '../rollout/analysis/seen.ts';

type Form = Pick<Analysis, 'windowSeconds' | 'match'> & { readonly print: (at: Instant) => string };

/** The lines below the name of a Rollout and its Analysis. */
export function checkText(said: Checked, { windowSeconds, match, print }: Form): string {
  if (said.kind === 'unasked') return '  nothing was checked: the provider was not asked\n';
  if (said.kind !== 'checked') return `  nothing was checked: ${said.why}\n`;
  const { grid, pods, metrics, labels, buckets, ofGateway, withoutGateway, isShared, alerts = [] } = said;
  const width = Math.max(...[...metrics, ...ofGateway].map(({ name }) => name.length));
  const isMissing = metrics.some(({ unusable }) => unusable.some(({ kind }) => kind === 'SeriesMissing'));
  return [
    `  ${pods.length} leaders (${pods.join(' ')}), from ${print(grid.start)} to ${print(grid.end)}`,
    ...metrics.map((metric) => `  ${metric.name.padEnd(width)}  ${metricText(metric, windowSeconds)}`),
    ...ofGateway.map((metric) => `  ${metric.name.padEnd(width)}  ${gatewayText(metric, isShared)}`),
    ...(withoutGateway.length === 0
      ? []
      : [
          `  ${withoutGateway.join(', ')}: a gateway counts them, and no requests are shared by Services here: they say nothing`,
        ]),
    ...alerts.map((alert) => `  alert ${alert.name}: ${alertText(alert, match)}`),
    ...(isMissing ? [`  ${labelText(labels, pods.length)}`] : []),
    ...Object.entries(buckets).map(([name, all]) =>
      all.length === 0
        ? `  ${name} has no bucket that all leaders have`
        : `  ${name}: all leaders have the buckets ${all.join(', ')}`,
    ),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function metricText({ unusable, traffic, power, unit }: MetricChecked, windowSeconds: number): string {
  const [first] = unusable;
  if (first !== undefined) {
    const others = unusable.length === 1 ? '' : `; and so do ${unusable.length - 1} others`;
    return `${first.kind}: ${unusableWhy(first)}${others}`;
  }
  if (traffic === undefined) return 'no leader has a whole window: samples are missing, or a counter fell';
  const { requests, bad, leaders } = traffic;
  const share = requests === 0 ? '–' : ((bad / requests) * 100).toFixed(2);
  const seen = `${Math.round(requests)} ${unit} an hour and leader, ${share} % bad`;
  if (unit !== 'requests') return seen;
  if (power === undefined)
    return requests === 0
      ? `${seen}: without requests nothing is found`
      : `${seen}: one group has no other to be compared with`;
  const { worseFrom, passesAfter } = power;
  const told = worseFrom === undefined ? 'no rise is found' : `a rise to ${(worseFrom * 100).toFixed(2)} % is found`;
  const passes =
    passesAfter === undefined
      ? 'equal versions stay inconclusive'
      : `equal versions pass after ${minutes(passesAfter * windowSeconds)}`;
  return `${seen}; with one group of ${leaders} ${told}, ${passes}`;
}

function gatewayText({ unusable, counts, of }: GatewayChecked, isShared: boolean): string {
  if (unusable !== undefined) return `${unusable.kind}: ${unusableWhy(unusable)}`;
  if (counts === undefined) return 'a gateway has no whole window: samples are missing, or a counter fell';
  const stable = `${hourText(counts.stable)} of ${of.stable}`;
  return isShared
    ? `${stable}, ${hourText(counts.canary)} of ${of.canary}: they are apart`
    : `${stable}; whether it tells ${of.canary} apart shows with the first share`;
}

function hourText({ n, x }: Counts): string {
  return `${Math.round(n)} requests an hour (${n === 0 ? '–' : ((x / n) * 100).toFixed(2)} % bad)`;
}

function alertText({ seen, lacks }: AlertChecked, match: Analysis['match']): string {
  const wanted = Object.keys(match);
  const external = 'Prometheus adds no external label to what it is asked itself';
  if (lacks.length > 0)
    return `it was there without ${lacks.map((label) => `${label}="${match[label]}"`).join(', ')} of match, so that it holds nothing; ${external}: let the rule set it`;
  if (seen > 0) return 'it was pending or firing in the last day, with every label of match';
  const labels = wanted.length === 0 ? '' : `; it has to have ${wanted.join(', ')} by its rule, as ${external}`;
  return `neither pending nor firing in the last day, so that nobody knows whether the server has its rule${labels}`;
}

function minutes(seconds: number): string {
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function labelText(labels: Extract<Checked, { readonly kind: 'checked' }>['labels'], wanted: number): string {
  if (labels === undefined)
    return 'no series of these names has the name of a leader in any label: is the engine scraped, and does match fit?';
  const { pod, namespace, leaders } = labels;
  const space = namespace === undefined ? 'no label has their namespace' : `namespace: ${namespace}`;
  return `the label ${pod} has the names of ${leaders} of ${wanted} leaders: labels: {${namespace === undefined ? '' : `${space}, `}pod: ${pod}}${namespace === undefined ? `; ${space}` : ''}`;
}
