/** What `tranche analyze` says: a line a metric, with the counts of both versions. */

import type { Instant } from '../api/time.ts';
import type { Analysed } from '../reconcile/metrics-reader.ts';
import type { MetricJudged } from '../rollout/analysis/judge.ts';
import { ANSWERS, countsText } from '../rollout/analysis/metric-text.ts';
import { unusableWhy } from '../rollout/analysis/seen.ts';

type Said = Analysed | { readonly kind: 'nothing' | 'unread'; readonly why: string };

/** Whether something is to be looked at: a metric has failed, or was not read. What is early or at rest is not. */
export function hasFailed(said: Said): boolean {
  if (said.kind !== 'judged') return said.kind !== 'nothing' && said.kind !== 'early';
  return said.metrics.some((metric) => metric.said.kind !== 'judged' || metric.said.answer === 'failed');
}

/** The lines below the name of a Rollout and its Analysis. */
export function analysedText(said: Said, print: (at: Instant) => string): string {
  if (said.kind === 'early') return `  too early: the first window starts after the warm-up, at ${print(said.from)}\n`;
  if (said.kind === 'unasked') return '  nothing is compared: this pass has asked as often as it may\n';
  if (said.kind === 'nothing') return `  nothing is compared: ${said.why}\n`;
  if (said.kind === 'unread') return `  nothing is compared: ${said.why}\n`;
  if (said.kind !== 'judged') return `  ${said.kind}: ${said.why}; nothing is judged\n`;
  const { start, end, step } = said.grid;
  const head = `  windows of ${step} s from ${print(start)} to ${print(end)}`;
  const width = Math.max(...said.metrics.map(({ name }) => name.length));
  return [head, ...said.metrics.map((metric) => metricLine(metric, { width, print }))]
    .map((line) => `${line}\n`)
    .join('');
}

type Form = { readonly width: number; readonly print: (at: Instant) => string };

function metricLine({ name, leadsTo, said }: MetricJudged, { width, print }: Form): string {
  const head = `  ${name.padEnd(width)}  `;
  if (said.kind !== 'judged') return `${head}${said.kind}: ${unusableWhy(said)}`;
  const { verdict } = said;
  const counts = [
    `new ${countsText(verdict.canary)}`,
    ...(verdict.stable.n === 0 ? [] : [`stable ${countsText(verdict.stable)}`]),
  ];
  const at = verdict.at === undefined ? '' : ` at ${print(verdict.at)}`;
  const notes = [
    ...(said.ruledOut === undefined ? [] : [`×${said.ruledOut.toFixed(2)} or more is ruled out`]),
    ...(verdict.lnWorse === undefined
      ? []
      : [`evidence ${verdict.lnWorse.toFixed(2)} of ${verdict.lnWorseWanted.toFixed(2)}`]),
    ...(said.excuse === undefined ? [] : [excuseText(said.excuse)]),
    ...said.cautions.map((caution) => CAUTIONS[caution]),
    ...(said.voided === 0 ? [] : [`${said.voided} windows of leaders were void`]),
    ...(said.unlike === 0 ? [] : [`${said.unlike} windows had other prompts or load`]),
  ];
  return `${head}${ANSWERS[said.answer]}${at} (${leadsTo}): ${counts.join(', ')}${notes.map((note) => `; ${note}`).join('')}`;
}

const CAUTIONS = {
  fewStableGroups: 'fewer than 3 stable groups',
  littleHistory: 'less than a day of history of the stable groups',
  byService: 'a gateway does not tell groups apart',
} as const;

function excuseText(excuse: NonNullable<Extract<MetricJudged['said'], { readonly kind: 'judged' }>['excuse']>): string {
  return excuse.kind === 'BothSidesBad'
    ? 'BothSidesBad: stable breaks the bound as well'
    : `GroupOutlier: without ${excuse.pod} it has not failed`;
}
