/** Which windows of a provider's answer an Analysis judges a step by. */

import { expect, test } from 'vitest';
import { type Analysis, parseAnalysis } from '../../src/api/analysis.ts';
import { analyse } from '../../src/reconcile/analysis/analyse.ts';
import { metricsReader } from '../../src/reconcile/metrics-reader.ts';
import type { Sides } from '../../src/rollout/analysis/counting.ts';
import { SimulatedMetrics } from '../support/simulated-metrics.ts';

const ANALYSIS: Analysis = parseAnalysis({
  apiVersion: 'tranche.dev/v1alpha1',
  kind: 'Analysis',
  metadata: { name: 'chat' },
  spec: { provider: 'prod', metrics: [{ use: 'vllm/errors' }] },
}).analysis!;
const FROM = 1_750_000_200;
const STABLE = ['s-0', 's-1', 's-2', 's-3'].map((pod) => ({ pod, from: FROM - 20 * 86_400 }));

/** The one metric, so many seconds after the step was ready. */
async function answered(metrics: SimulatedMetrics, sides: Sides, seconds: number) {
  const reader = metricsReader(metrics.port(), { judged: new Map(), pasts: new Map() });
  const said = await analyse(reader, {
    analysis: ANALYSIS,
    namespace: 'llm',
    sides,
    steps: 3,
    now: FROM + seconds,
    blob: '',
  });
  if (said.kind !== 'judged') return { kind: said.kind };
  const [metric] = said.metrics;
  return metric?.said.kind === 'judged' ? { ...metric.said, kind: metric.said.answer, grid: said.grid } : metric!.said;
}

const HOURS = 6 * 3600;

test('counts from the last leader of the new version that came: what those of the step before counted is over', async () => {
  const canary = [
    { pod: 'c-0', from: FROM },
    { pod: 'c-1', from: FROM + HOURS },
  ];
  const sides = { canary, stable: STABLE };
  expect(await answered(new SimulatedMetrics(), { canary: canary.slice(0, 1), stable: STABLE }, HOURS)).toMatchObject({
    kind: 'passed',
  });
  expect(await answered(new SimulatedMetrics(), sides, HOURS + 60)).toEqual({ kind: 'early' });
  expect(await answered(new SimulatedMetrics(), sides, HOURS + 1800)).toMatchObject({ grid: { start: FROM + HOURS } });
});
