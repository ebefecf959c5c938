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
const FROM = 1_755_000_000;
const STABLE = ['s-0', 's-1', 's-2', 's-3'].map((pod) => ({ pod, from: FROM - 20 * 86_400 }));

/** The one metric, so many seconds after the first leader had warmed up; `since`: when Git got the step. */
async function answered(metrics: SimulatedMetrics, sides: Sides, seconds: number, since?: number) {
  const reader = metricsReader(metrics.port(), { judged: new Map(), pasts: new Map() });
  const said = await analyse(reader, {
    analysis: ANALYSIS,
    namespace: 'llm',
    sides,
    steps: 3,
    now: FROM + seconds,
    blob: '',
    since,
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

const HALF = 1800;
/** Four leaders of one step, half an hour apart; the stable ones go one by one. */
const SLOW: Sides = { canary: [0, 1, 2, 3].map((at) => ({ pod: `c-${at}`, from: FROM + at * HALF })), stable: STABLE };
const STEP = FROM - 600;

test('a slow step fails by its first leaders, long before the newest has warmed up; and passes by all of them alone', async () => {
  const bad = new SimulatedMetrics();
  bad.bad = (pod) => (pod.startsWith('c-') ? 500 : 10);
  // Three of four have warmed up, one of them alone for half an hour.
  expect(await answered(bad, SLOW, 3 * HALF, STEP)).toMatchObject({ kind: 'failed', excuse: undefined });
  expect(await answered(new SimulatedMetrics(), SLOW, 3 * HALF, STEP)).toMatchObject({ kind: 'waiting' });
  expect(await answered(new SimulatedMetrics(), SLOW, 3 * HALF + 3600, STEP)).toMatchObject({ kind: 'passed' });
});

test('a leader that has come again takes nothing back of what the others have failed by', async () => {
  const bad = new SimulatedMetrics();
  bad.bad = (pod) => (pod.startsWith('c-') ? 500 : 10);
  const again = [...SLOW.canary.slice(0, 3), { pod: 'c-3', from: FROM + 4 * HOURS }];
  const seconds = 4 * HOURS + 60;
  expect(await answered(bad, { canary: again, stable: STABLE }, seconds, STEP)).toMatchObject({ kind: 'failed' });
  expect(await answered(new SimulatedMetrics(), { canary: again, stable: STABLE }, seconds, STEP)).toMatchObject({
    kind: 'waiting',
  });
});

test('one of several that has counted alone so far is an outlier, and speaks for no other', async () => {
  const bad = new SimulatedMetrics();
  bad.bad = (pod) => (pod === 'c-0' ? 500 : 10);
  expect(await answered(bad, SLOW, HALF, STEP)).toMatchObject({
    kind: 'failed',
    excuse: { kind: 'GroupOutlier', pod: 'c-0' },
  });
});

test('what was counted before Git got the step is no evidence of it; where nobody knows when, its newest leader says', async () => {
  const bad = new SimulatedMetrics();
  // Bad until the step came.
  bad.bad = (pod, at) => (pod.startsWith('c-') && at < FROM + 6 * HALF ? 500 : 10);
  const canary = SLOW.canary.slice(0, 2);
  const at = 12 * HALF;
  expect(await answered(bad, { canary, stable: STABLE }, at, STEP)).toMatchObject({ kind: 'failed' });
  expect(await answered(bad, { canary, stable: STABLE }, at, FROM + 6 * HALF)).not.toMatchObject({ kind: 'failed' });
  expect(await answered(bad, { canary, stable: STABLE }, at)).toMatchObject({ grid: { start: FROM + HALF } });
});

const CANARY = ['c-0', 'c-1'].map((pod) => ({ pod, from: FROM }));
const SIDES: Sides = { canary: CANARY, stable: STABLE };

/** No samples of these pods, or of any, from so many seconds after the start. */
function silent(seconds: number, pods?: readonly string[]): SimulatedMetrics {
  const metrics = new SimulatedMetrics();
  metrics.silentFrom = FROM + seconds;
  metrics.silentPods = pods;
  return metrics;
}

test('a window counts with all leaders of the new version: nothing passes or fails by a part of them', async () => {
  expect(await answered(new SimulatedMetrics(), SIDES, HOURS)).toMatchObject({ kind: 'passed' });
  expect(await answered(silent(0, ['c-0']), SIDES, 2 * 3600)).toMatchObject({
    kind: 'waiting',
    verdict: { windows: 0 },
  });
  const bad = silent(0, ['c-0']);
  bad.bad = (pod) => (pod === 'c-1' ? 500 : 10);
  expect(await answered(bad, SIDES, 2 * 3600)).toMatchObject({ kind: 'waiting', excuse: undefined });
  expect(await answered(silent(0, ['c-0']), SIDES, 48 * 3600)).toMatchObject({ kind: 'inconclusive' });
});

test.each<readonly [what: string, pods: readonly string[] | undefined]>([
  ['all', undefined],
  ['the new version', ['c-0', 'c-1']],
  ['a part of the new version', ['c-1']],
  ['the stable version', STABLE.map(({ pod }) => pod)],
])('a verdict ends with the samples of %s, whichever it was, and returns with them', async (_, pods) => {
  for (const [bad, kind] of [
    [10, 'passed'],
    [500, 'failed'],
  ] as const) {
    const metrics = silent(3600, pods);
    metrics.bad = (pod) => (pod.startsWith('c-') ? bad : 10);
    expect(await answered(metrics, SIDES, 3600)).toMatchObject({ kind });
    const later = await answered(metrics, SIDES, 2 * 3600);
    expect(later).toMatchObject({ kind: 'waiting', excuse: undefined });
    expect(await answered(metrics, SIDES, 48 * 3600)).toMatchObject({ kind: 'inconclusive', excuse: undefined });
    metrics.silentFrom = undefined;
    expect(await answered(metrics, SIDES, 2 * 3600)).toMatchObject({ kind });
  }
});

test('stable groups that no sample came of are none by which a failure is sure', async () => {
  const metrics = silent(0, ['s-2', 's-3']);
  metrics.bad = (pod) => (pod.startsWith('c-') ? 500 : 10);
  expect(await answered(metrics, SIDES, HOURS)).toMatchObject({ kind: 'failed', cautions: ['fewStableGroups'] });
  metrics.silentFrom = undefined;
  expect(await answered(metrics, SIDES, HOURS)).toMatchObject({ kind: 'failed', cautions: [] });
});
