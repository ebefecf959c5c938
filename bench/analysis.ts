/** Measures a verdict alone: ten metrics of a step with as many windows as one answer has, looked at in both ways. */

import { type Analysis, parseAnalysis } from '../src/api/analysis.ts';
import type { MetricSeries } from '../src/api/metric-answer.ts';
import { judge } from '../src/rollout/analysis/judge.ts';
import { WINDOWS_MOST } from '../src/rollout/analysis/metric-query.ts';
import { atMost, type Row } from './rows.ts';

const STEP = 300;
const METRICS = 10;
/** Per window. */
const [REQUESTS, BAD] = [14_000, 160];
/** What each pod has of both. */
const PARTS = { 'c-0': 0.25, 'c-1': 0.25, 's-0': 0.5 } as const;
const STRETCHES = 5;

/** The first verdict of a process, and the median of those after it; leaders of the new version come one after the other. */
export function analysisRows(): readonly Row[] {
  const { analysis, series } = counted();
  const grid = { start: 0, end: WINDOWS_MOST * STEP, step: STEP };
  const canary = [0, 1].map((at) => ({ pod: `c-${at}`, from: (at * grid.end) / 4 }));
  const sides = { canary, stable: [{ pod: 's-0', from: 0 }] };
  const times = Array.from({ length: STRETCHES }, () => {
    const start = performance.now();
    const said = judge({ grid, series }, [], { analysis, sides, steps: 3 });
    if (said.some((one) => one.said.kind !== 'judged')) throw new Error('every metric is to be judged');
    return performance.now() - start;
  });
  const [first = 0, ...rest] = times;
  const median = rest.sort((a, b) => a - b)[Math.floor(rest.length / 2)] ?? 0;
  const of = `${METRICS} metrics, ${WINDOWS_MOST} windows, ${BAD} bad`;
  return [
    atMost({ name: `first verdict of ${of}`, unit: 'ms', value: first }, 300),
    atMost({ name: `verdict of ${of}`, unit: 'ms', value: median }, 300),
  ];
}

function counted(): { readonly analysis: Analysis; readonly series: readonly MetricSeries[] } {
  const names = Array.from({ length: METRICS }, (_, at) => `m${at}`);
  const metrics = names.map((name) => ({ name, bad: { metric: `${name}_bad` }, of: { metric: `${name}_all` } }));
  const head = { apiVersion: 'tranche.dev/v1alpha1', kind: 'Analysis', metadata: { name: 'bench' } };
  const { analysis } = parseAnalysis({ ...head, spec: { provider: 'prod', metrics } });
  if (analysis === undefined) throw new Error('the Analysis of the bench is wrong');
  const counter = (name: string, pod: string, perWindow: number): MetricSeries => ({
    name,
    labels: { pod, namespace: 'llm' },
    samples: new Map(Array.from({ length: WINDOWS_MOST + 1 }, (_, at) => [at * STEP, at * perWindow])),
  });
  const series = names.flatMap((name) =>
    Object.entries(PARTS).flatMap(([pod, part]) => [
      counter(`${name}_bad`, pod, BAD * part),
      counter(`${name}_all`, pod, REQUESTS * part),
    ]),
  );
  return { analysis, series };
}
