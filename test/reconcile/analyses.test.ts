/** Passes of a delivery that policies want measured: what is asked when, what goes on, and what a provider may do to it. */

import { expect, test } from 'vitest';
import { ANALYSIS, ANALYSIS_FILE, started, until } from '../support/measured.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

test('a version as good as the one before goes on and settles; one process asks once for a closed window', async () => {
  const of = await started();
  expect(await of.pass()).toMatch(/^hold .*Analysing/);
  expect(of.metrics.asked).toEqual([]);
  // Too few requests to tell anything: two passes within one window ask once, and the past is asked for once.
  of.metrics.requestsPerSecond = 0.1;
  of.world.tick(900);
  expect(await of.pass()).toBe('hold Analysing');
  const once = of.metrics.asked.length;
  expect(once).toBe(3);
  for (let pass = 0; pass < 5; pass += 1) expect(await of.pass()).toBe('hold Analysing');
  expect(of.metrics.asked.length).toBe(once + 1);
  of.metrics.requestsPerSecond = 10;
  await until(of, /^settled/);
  const all = of.metrics.asked.length;
  of.world.sync();
  expect(await of.pass()).toBe('hold ');
  expect(await of.pass()).toBe('hold ');
  expect(of.metrics.asked.length, 'nothing is asked at rest').toBe(all);
});

test('a worse version is held by its counts, and goes on once someone accepts exactly that', async () => {
  const of = await started();
  of.metrics.bad = (pod) => (pod === 'vllm-3' ? 80 : 10);
  expect(await until(of, /AnalysisFailed/)).toBe('hold AnalysisFailed');
  expect(await of.pass()).toBe('hold AnalysisFailed');
});

test.each([
  ['hold', /^hold AnalysisFailed$/],
  ['withdraw', /^hold AnalysisFailed$/],
  ['rollback', /^hold AnalysisFailed$/],
] as const)('onAnalysisFailure %s of an Analysis that the Rollout does not name', async (way, said) => {
  const of = await started(`  onAnalysisFailure: ${way}\n`);
  of.metrics.bad = (pod) => (pod === 'vllm-3' ? 80 : 10);
  expect(await until(of, /AnalysisFailed/)).toMatch(said);
});

test('onAnalysisFailure rollback goes back by itself once the Rollout names the Analysis as its file is', async () => {
  const of = await started('  onAnalysisFailure: rollback\n');
  of.metrics.bad = (pod) => (pod === 'vllm-3' ? 80 : 10);
  await until(of, /AnalysisFailed/);
  const line =
    /chat\/vllm\/errors: failed, new [0-9]+ of [0-9]+ \([0-9.]+ %\), stable [0-9]+ of [0-9]+ \(1\.00 %\), [▁-█]+, to 20/;
  const shown = () => of.world.repository.files('tranche-status')['README.md'] ?? '';
  expect(shown()).toMatch(line);
  const blob = of.world.repository.log('main')[0]?.message.match(/chat@([0-9a-f]{12})/)?.[1];
  expect(blob).toBeDefined();
  of.world.edit(ROLLOUT_FILE, 'metadata:\n', `metadata:\n  annotations: {tranche.dev/analysed: chat@${blob}}\n`);
  expect(await of.pass()).toMatch(/^rollback/);
  const message = of.world.repository.log('main')[0]?.message ?? '';
  expect(message).toContain('Rollout-Reason: Failed');
  expect(message).toMatch(/chat\/vllm\/errors\sfailed:\snew\s[0-9]+\sof\s[0-9]+/);
  // What led back stays shown in the rollback, which asks nobody, and ends though the provider is dead.
  const asked = of.metrics.asked.length;
  of.metrics.mood = 'dead';
  expect(shown()).toMatch(line);
  await until(of, /^rolled back/);
  await of.pass();
  expect(shown()).not.toContain('chat/vllm/errors');
  expect(of.metrics.asked.length).toBe(asked);
});

test.each([
  ['dead', 'MetricsUnreadable'],
  ['warns', 'MetricsUnreadable'],
  ['hostile', 'MetricsUnreadable|SeriesMissing'],
  ['missing', 'SeriesMissing'],
  ['partial', 'SeriesMissing'],
] as const)(
  'a provider that is %s moves nothing, in neither direction, and what comes after it goes on',
  async (mood, hold) => {
    const of = await started('  onAnalysisFailure: rollback\n');
    of.metrics.mood = mood;
    for (let round = 0; round < 4; round += 1) {
      of.world.tick(1800);
      expect(await of.pass()).toMatch(new RegExp(`^hold (${hold})`));
    }
    of.metrics.mood = 'well';
    expect(await until(of, /^step 2\//, 4)).toMatch(/^step 2\//);
  },
);

test('samples that are late leave their windows open, and change no verdict once they have come', async () => {
  const of = await started();
  of.world.tick(1200);
  of.metrics.silentFrom = of.world.now - 500;
  const early = await of.pass();
  of.metrics.silentFrom = undefined;
  expect(early).toMatch(/^(hold Analysing|step 2)/);
  await until(of, /^step 2\/|^settled/, 4);
});

test('a step goes on by its own evidence, and never by that of the step before it', async () => {
  const of = await started();
  await until(of, /^step 2\//);
  // Its group is ready with the next passes; its warm-up and its first window are not over.
  for (let pass = 0; pass < 8; pass += 1) expect(await of.pass()).toMatch(/^hold .*(GroupsNotReady|Analysing)/);
  expect(await of.pass()).toBe('hold Analysing');
  await until(of, /^step 3\//, 4);
});

test('an Analysis that no file has holds from the start; what is edited counts from the next pass on', async () => {
  const of = await started('', { analysis: '' });
  expect(await of.pass()).toMatch(/^hold AnalysisMissing, failed/);
  of.world.repository.commit('main', { writes: [{ path: ANALYSIS_FILE, text: ANALYSIS }], message: 'add it' });
  expect(await of.pass()).toMatch(/^step 1\//);
  await of.pass();
  of.world.edit(ANALYSIS_FILE, 'vllm/errors', 'vllm/erors');
  expect(await of.pass()).toMatch(/AnalysisMissing/);
});

test('an Analysis outside of policyPaths does not count, and takes nothing from one of its name inside', async () => {
  const others = { 'tranche.yaml': 'policyPaths: [policies]\n', 'teams/chat.yaml': ANALYSIS };
  const of = await started('', { analysis: '', others });
  expect(await of.pass()).toMatch(/^hold AnalysisMissing/);
  expect(of.metrics.asked).toEqual([]);
  of.world.repository.commit('main', { writes: [{ path: ANALYSIS_FILE, text: ANALYSIS }], message: 'add it' });
  expect(await of.pass()).toMatch(/^step 1\//);
  // Of two inside neither counts: nobody knows which is meant.
  of.world.repository.commit('main', { writes: [{ path: 'policies/more.yaml', text: ANALYSIS }], message: 'twin' });
  expect(await of.pass()).toMatch(/AnalysisMissing/);
});

test('an Analysis that a policy names no more is a policy that is gone', async () => {
  const of = await started();
  const blob = /chat@[0-9a-f]{12}/.exec(of.world.repository.log('main')[0]?.message ?? '')?.[0];
  expect(blob).toBeDefined();
  of.world.edit('policies/measured.yaml', '  analyses: [chat]\n', '  soakSeconds: 1\n');
  of.world.tick(600);
  expect(await of.pass()).toBe('hold PolicyGone');
});

test('what leads back is written before anybody is asked, whose Rollout it may be; they are asked after it', async () => {
  const [lws, file] = ['apps/llama/lws.yaml', 'rollouts/llama.yaml'];
  const others = {
    [lws]: (VLLM_FILES[LWS_FILE] ?? '').replace('name: vllm', 'name: llama'),
    [file]: (VLLM_FILES[ROLLOUT_FILE] ?? '').replaceAll('name: vllm', 'name: llama'),
  };
  const { world, metrics, pass } = await started('', { others });
  world.edit(lws, OLD, NEW);
  for (let round = 0; round < 3; round += 1) await pass();
  metrics.mood = 'dead';
  world.tick(1800);
  const release = /tranche\.dev\/release: (\S+)/.exec(world.repository.text('main', lws) ?? '')?.[1];
  world.edit(file, 'metadata:\n', `metadata:\n  annotations: {tranche.dev/abort: ${release}}\n`);
  const before = metrics.asked.length;
  await pass();
  expect(world.subject()).toMatch(/^rollout\(llm\/llama\): rollback/);
  expect(metrics.asked.length).toBe(before);
  for (let round = 0; round < 4 && metrics.asked.length === before; round += 1) await pass();
  expect(metrics.asked.length).toBeGreaterThan(before);
});

test('alerts are asked for once a pass while a step waits, and not at rest; who answers nothing of them moves nothing', async () => {
  const of = await started('', { analysis: `${ANALYSIS}  alerts: [{alertname: VllmDown}]\n` });
  const asked = () =>
    of.metrics.asked.filter(({ query }) => query === 'ALERTS{alertname=~"VllmDown",alertstate="firing"}');
  of.metrics.firing.add('VllmDown');
  of.world.tick(1800);
  const before = asked().length;
  for (let pass = 1; pass < 4; pass += 1) {
    expect(await of.pass()).toBe('hold AlertFiring');
    expect(asked().length).toBe(before + pass);
  }
  const { start = 0, end = 0, step } = asked().at(-1) ?? {};
  expect([end % 60, end - start, step, of.world.now - end < 60]).toEqual([0, 60, 60, true]);
  of.metrics.mood = 'dead';
  expect(await of.pass()).toBe('hold MetricsUnreadable, failed');
  of.metrics.mood = 'well';
  expect(await of.pass()).toBe('hold AlertFiring');
  of.metrics.firing.clear();
  expect(await of.pass()).toMatch(/^step 2\//);
  await until(of, /^settled/);
  const all = asked().length;
  of.metrics.firing.add('VllmDown');
  of.world.sync();
  for (let pass = 0; pass < 3; pass += 1) expect(await of.pass()).toBe('hold ');
  expect(asked().length, 'nothing is asked at rest').toBe(all);
});
