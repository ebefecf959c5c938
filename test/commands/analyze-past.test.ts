/** `tranche analyze --backtest` and `--enable`: groups of one version compared with each other, and what may be written by that. */

import { afterEach, expect, test } from 'vitest';
import { analyzePast, enableAnalysis } from '../../src/commands/analyze-past.ts';
import { newMemory } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { metricsServer, stopMetricsServers } from '../support/metrics-server.ts';
import { byOwnClock, CHAT } from '../support/own-clock.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(async () => {
  stopMetricsServers();
  await stopSites();
});

const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: measured}
spec:
  rollouts: ['*']
  analyses: [chat]
`;
const FILES = { ...VLLM_FILES, 'policies/chat.yaml': CHAT, 'policies/measured.yaml': POLICY };

async function atRest(files: Readonly<Record<string, string>> = FILES): Promise<Site> {
  const site = await startSite({ files });
  await site.run('reconcile');
  await site.settle();
  // The pods have a past of three weeks.
  site.model.tick(21 * 86_400);
  return site;
}

type How = { readonly days?: number; readonly env?: Readonly<Record<string, string>> };

async function asked(verb: 'backtest' | 'enable', site: Site, url: string, { days = 3, env = {} }: How = {}) {
  const metrics = { TRANCHE_METRICS_PROD: url, TRANCHE_METRICS_ALLOW_PRIVATE: 'true' };
  return byOwnClock(site, { ...metrics, ...env }, (common, ports, io) => {
    const options = { ...common, name: 'vllm', namespace: '', analyses: [], days };
    return verb === 'backtest'
      ? analyzePast(options, ports, io)
      : enableAnalysis({ ...options, by: 'ana', pullRequest: false }, ports, io);
  });
}

const annotation = async (site: Site): Promise<string | undefined> =>
  /tranche\.dev\/analysed: "?([^"\n]*)/.exec(await site.text(ROLLOUT_FILE))?.[1];

test('groups that are alike are never called worse, and then the order is written once', async () => {
  const { url, asked: questions } = await metricsServer(() => 10);
  const site = await atRest();
  const before = await site.head();
  const said = await asked('backtest', site, url);
  expect(said).toMatchObject({ code: 0, err: '' });
  expect(said.out).toMatch(
    /^llm\/vllm in default, Analysis chat\n {2}72 stretches of 3600 s from .*; in each of them each of 4 groups played the new version\n {2}vllm\/errors {2}\(rollback\) 0 failed, 288 passed, 0 not decided; dispersion 1\.00; groups differ by 0\.00 of the log odds\n {2}no group was called worse\. /,
  );
  // Hours of ten days, and windows of four: a question for each 288 of them.
  expect(questions.map((query) => Number(query.get('step')))).toEqual([3600, 300, 300, 300, 300]);
  expect(await site.head()).toBe(before);
  const enabled = await asked('enable', site, url);
  expect(enabled).toMatchObject({ code: 0, err: '' });
  expect(await annotation(site)).toMatch(/^chat@[0-9a-f]{12}$/);
  const after = await site.head();
  expect((await asked('enable', site, url)).out).toContain('said already, nothing to write');
  expect(await site.head()).toBe(after);
});

test('a stretch is as long as the median of the steps that its Rollout went through', async () => {
  const { url } = await metricsServer(() => 10);
  const { 'policies/measured.yaml': _, ...files } = FILES;
  const paused = ROLLOUT_TEXT.replaceAll(/pause: .*/g, 'pause: {duration: 1500}');
  const site = await atRest({ ...files, [ROLLOUT_FILE]: paused });
  await site.edit(LWS_FILE, OLD, NEW);
  for (let pass = 0; pass < 12 && !(await site.subject()).includes('settled'); pass += 1) {
    await byOwnClock(site, {}, async ({ overrides }, ports) => {
      await runPass(ports, newMemory(), { overrides, write: true, only: [] });
      return 0;
    });
    await site.settle();
    site.model.tick(600);
  }
  site.model.tick(21 * 86_400);
  const said = await asked('backtest', site, url, { days: 1 });
  expect(said.out).toMatch(/^ {2}32 stretches of 2700 s, by the median of 3 steps that it went through, from /m);
});

test.each<readonly [what: string, bad: (pod: string) => number, days: number, why: string]>([
  [
    'a group that is worse anyway',
    (pod) => (pod === 'vllm-2' ? 100 : 10),
    3,
    'vllm/errors called a group worse 72 times',
  ],
  ['too few stretches', () => 10, 2, 'vllm/errors was judged in 48 stretches, wanted at least 50'],
])('%s: refused, and nothing is written', async (_, bad, days, why) => {
  const { url } = await metricsServer(bad);
  const site = await atRest();
  const before = await site.head();
  const said = await asked('enable', site, url, { days });
  expect(said.code).toBe(1);
  expect(said.err).toContain(why);
  expect(await site.head()).toBe(before);
});

test('nothing is tried without data, and nothing is written where no policy names the Analysis', async () => {
  const site = await atRest();
  const { url } = await metricsServer(() => 10, { isPartial: true });
  const said = await asked('enable', site, url);
  expect(said).toMatchObject({ code: 1, err: 'refused: it says isPartial, so it lacks data\n' });
  const { 'policies/measured.yaml': _, ...others } = FILES;
  const free = await atRest(others);
  const good = await metricsServer(() => 10);
  const unnamed = await asked('enable', free, good.url);
  expect(unnamed.code).toBe(1);
  expect(unnamed.err).toContain('no RolloutPolicy of vllm names chat in analyses');
  expect(await annotation(free)).toBeUndefined();
});

test('days that are none', async () => {
  const site = await startSite({ files: FILES });
  for (const days of ['0d', '29d', '7', 'd'])
    expect(await site.run(`analyze vllm --backtest ${days}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('wanted days as 7d, at most 28d'),
    });
});
