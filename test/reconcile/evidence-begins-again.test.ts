/** What makes the evidence of a step begin again: nothing that was counted before is asked for, or leads anywhere. */

import { expect, test } from 'vitest';
import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { type Intent, planIntent } from '../../src/rollout/orders/intent.ts';
import { type Measured, sharedFiles, started, until } from '../support/measured.ts';

const WARM_UP = 300;
const badOn = (name: string) => (pod: string) => (pod.startsWith(name) ? 80 : 10);

async function ordered({ world }: Measured, intent: Intent): Promise<void> {
  const at = { target: { name: 'vllm', namespace: 'llm' }, overrides: NO_OVERRIDES, by: 'ada' };
  const done = await order(world.ports(), at, (scene) => planIntent(intent, { ...scene, digestOf: factsDigest }));
  expect(done.kind).not.toBe('refused');
}

/** Since when the new version was asked for last: no longer than a step takes, so that it is none of the time before it. */
function askedSince({ metrics }: Measured): number {
  const found = metrics.asked.filter(({ step, end, start }) => step === 300 && end - start < 86_400).at(-1);
  return found?.start ?? Number.NaN;
}

/** When main got its newest commit of this step. */
function committedAt({ world }: Measured, what: RegExp): number {
  return world.repository.log('main').find(({ message }) => what.test(message))?.committedAt ?? Number.NaN;
}

test('a release that is ordered again begins with nothing: what it failed by is over', async () => {
  const of = await started();
  of.metrics.bad = badOn('vllm-3');
  await until(of, /AnalysisFailed/);
  const first = askedSince(of);
  await ordered(of, { kind: 'abort', keepNewer: false });
  await until(of, /^rolled back/);
  // It was the model store.
  of.metrics.bad = () => 10;
  await ordered(of, { kind: 'retry', release: undefined });
  const before = of.metrics.asked.length;
  for (let pass = 0; pass < 6; pass += 1) expect(await of.pass()).not.toMatch(/Failed/);
  expect(await of.pass()).toBe('hold Analysing');
  expect(of.metrics.asked.length, 'nobody is asked before the warm-up is over').toBe(before);
  expect(await until(of, /^step 2\//)).toMatch(/^step 2\//);
  expect(askedSince(of)).toBeGreaterThan(first);
  expect(askedSince(of)).toBeGreaterThanOrEqual(committedAt(of, /step 1\/3/) + WARM_UP);
});

test('a share that was taken away and is given again begins with nothing', async () => {
  const parts = ['vllm-without-requests', 'vllm-service', 'vllm-routed', 'canary-steps'];
  const of = await started('  onAnalysisFailure: withdraw\n', { files: sharedFiles(...parts) });
  of.metrics.bad = badOn('vllm-canary');
  await until(of, /traffic withdrawn/);
  const first = askedSince(of);
  of.metrics.bad = () => 10;
  for (let pass = 0; pass < 6; pass += 1) await of.pass();
  await ordered(of, { kind: 'approve', step: undefined, hold: 'TrafficWithdrawn' });
  await until(of, /^(step 2\/|promote)/);
  const given = committedAt(of, /step 1\/2, traffic: – →/);
  expect(given).toBeGreaterThan(first + WARM_UP);
  const since = of.metrics.asked.filter(
    ({ step, end, start }) => step === 300 && end - start < 86_400 && start > first,
  );
  expect(since.length).toBeGreaterThan(0);
  for (const { start } of since) expect(start).toBeGreaterThanOrEqual(given + WARM_UP);
});

test('a leader whose container was restarted counts from when it is ready again, though no counter has fallen', async () => {
  const of = await started();
  // Too few to tell anything.
  of.metrics.requestsPerSecond = 0.1;
  of.world.tick(3600);
  expect(await of.pass()).toBe('hold Analysing');
  const first = askedSince(of);
  const leader = { namespace: 'llm', name: 'vllm', group: 3, pods: 'leader' } as const;
  of.world.cluster.setPods(leader, { kind: 'unready' });
  of.world.tick(30);
  of.world.cluster.setPods(leader, { kind: 'ready' });
  const ready = of.world.now;
  const before = of.metrics.asked.length;
  expect(await of.pass()).toBe('hold Analysing');
  expect(of.metrics.asked.length, 'nothing before it is asked for').toBe(before);
  of.world.tick(1800);
  expect(await of.pass()).toBe('hold Analysing');
  expect(askedSince(of)).toBeGreaterThanOrEqual(ready + WARM_UP);
  expect(askedSince(of)).toBeGreaterThan(first);
});

test('while the clock of the machine is wrong nobody is asked, and nothing goes on or back', async () => {
  const of = await started('  onAnalysisFailure: rollback\n');
  of.world.tick(3600);
  const [asked, main] = [of.metrics.asked.length, of.world.subject()];
  const clock = { now: () => of.world.now, sleep: async () => undefined, offSeconds: () => 600 };
  const ports = of.world.ports({ metrics: of.metrics.port(), clock });
  const { outcomes, failed } = await runPass(ports, of.memory, { overrides: NO_OVERRIDES, write: true, only: [] });
  const held = outcomes[0]?.plan?.holds.find(({ reason }) => reason === 'MetricsUnreadable');
  expect(held?.message).toContain('the clock of this machine is wrong, so no window is known to be over');
  expect([of.metrics.asked.length, of.world.subject(), failed]).toEqual([asked, main, true]);
  expect(await until(of, /^step 2\//, 4)).toMatch(/^step 2\//);
});

test('what the metrics said of a window stays the same bytes, whoever asks, whenever, and without a record', async () => {
  const of = await started();
  of.metrics.requestsPerSecond = 0.3;
  of.world.tick(5400);
  const judged = async (memory: Measured['memory'], write = false): Promise<string> => {
    const ports = of.world.ports({ metrics: of.metrics.port() });
    const { outcomes } = await runPass(ports, memory, { overrides: NO_OVERRIDES, write, only: [] });
    const [analysis] = outcomes[0]?.snapshot?.analyses ?? [];
    expect(analysis?.said?.kind).toBe('judged');
    return JSON.stringify(analysis?.said);
  };
  const first = await judged(of.memory, true);
  const wrong: string[] = [];
  const same = async (what: string, memory: Measured['memory']): Promise<void> => {
    if ((await judged(memory)) !== first) wrong.push(what);
  };
  await same('the same process again', of.memory);
  await same('a fresh process', of.world.memory());
  of.world.tick(60);
  await same('a minute later, in the same window', of.memory);
  of.world.repository.setHead('tranche-status', undefined);
  await same('without a record', of.world.memory());
  expect(wrong).toEqual([]);
});
