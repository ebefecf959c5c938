/** Reads what metrics said of a step from the published JSON of `status`. */

import { at, isRecord } from '../../api/json.ts';
import { list, number, text } from './json-parts.ts';

export type CountsShown = { readonly requests: number; readonly bad: number };

type MetricShown = {
  readonly name: string;
  readonly answer: string;
  readonly new: CountsShown;
  readonly stable: CountsShown;
  readonly until: string;
  readonly line: string;
};

export type MetricsShown = { readonly step: string; readonly metrics: readonly MetricShown[] };

/** Of one Rollout of the published JSON; undefined: nothing was judged. */
export function metricsIn(one: unknown): MetricsShown | undefined {
  const found = at(one, ['metrics']);
  if (!isRecord(found)) return undefined;
  const metrics = list(found, 'list').map((metric) => ({
    name: text(metric, 'name'),
    answer: text(metric, 'answer'),
    new: countsIn(metric, 'new'),
    stable: countsIn(metric, 'stable'),
    until: text(metric, 'until'),
    line: text(metric, 'line'),
  }));
  return { step: text(found, 'step'), metrics };
}

function countsIn(metric: unknown, side: 'new' | 'stable'): CountsShown {
  return { requests: number(metric, side, 'requests') ?? 0, bad: number(metric, side, 'bad') ?? 0 };
}
