/** Mode verify while a delivery is measured: it asks no server of metrics, and tells a change of an Analysis apart from others. */

import { afterEach, expect, test } from 'vitest';
import { newMemory } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { metricsServer, stopMetricsServers } from '../support/metrics-server.ts';
import { byOwnClock, CHAT } from '../support/own-clock.ts';
import { type Files, pullRequest } from '../support/pull-request.ts';
import { act, commands } from '../support/runner.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

afterEach(async () => {
  stopMetricsServers();
  await stopSites();
});

const CHAT_FILE = 'policies/chat.yaml';
const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: measured}
spec:
  rollouts: ['*']
  analyses: [chat]
`;
const FILES = {
  ...VLLM_FILES,
  [ROLLOUT_FILE]: ROLLOUT_TEXT.replaceAll(/pause: .*/g, 'pause: {duration: 1}'),
  [CHAT_FILE]: CHAT,
  'policies/measured.yaml': POLICY,
};

/** Its second step has been written by what metrics said of the first. */
async function measured(): Promise<{ readonly site: Site; readonly asked: readonly URLSearchParams[] }> {
  const { url, asked } = await metricsServer(() => 10);
  const site = await startSite({ files: FILES });
  await site.run('reconcile');
  await site.settle();
  site.model.tick(9 * 86_400);
  await site.edit(LWS_FILE, OLD, NEW);
  const env = { TRANCHE_METRICS_PROD: url, TRANCHE_METRICS_ALLOW_PRIVATE: 'true' };
  for (let pass = 0; pass < 12 && !(await site.subject()).includes('step 2/3'); pass += 1) {
    await byOwnClock(site, env, async ({ overrides }, ports) => {
      await runPass(ports, newMemory(), { overrides, write: true, only: [] });
      return 0;
    });
    await site.settle();
    site.model.tick(1800);
  }
  expect(await site.repository.git('log', '-1', '--format=%B', 'main')).toMatch(
    /Rollout-Analysis: chat\/vllm\/errors passed /,
  );
  return { site, asked };
}

test('of a measured delivery it judges files alone, and the history that metrics have led is borne out', async () => {
  const { site, asked } = await measured();
  const before = asked.length;
  const judged = async (files: Files, from = 'main') => {
    const ran = await act(site, { mode: 'verify', kubeconfig: '', token: '' }, await pullRequest(site, files, from));
    return [ran.code, ...commands(ran.out)];
  };
  expect(await judged({ 'README.md': 'new\n' })).toEqual([0]);
  // A change of the Analysis alone waits for nobody: it counts once it is merged.
  expect(await judged({ [CHAT_FILE]: `${CHAT}  windowSeconds: 600\n` })).toEqual([0]);
  expect(await judged({ [CHAT_FILE]: CHAT.replace('vllm/errors', 'vllm/erors') })).toEqual([
    1,
    expect.stringMatching(/^::error file=policies\/chat.yaml,line=\d+,title=UnknownPreset::/),
  ]);
  // Its policy asks for it still.
  expect(await judged({ [CHAT_FILE]: 'kind: List\n' })).toEqual([
    1,
    expect.stringMatching(/^::error file=policies\/measured.yaml,line=6,title=AnalysisMissing::/),
  ]);
  const locked = await site.text(LWS_FILE);
  const both = {
    [LWS_FILE]: locked.replaceAll(NEW, 'vllm/vllm-openai:v0.10.2'),
    [CHAT_FILE]: `${CHAT}  lagSeconds: 5\n`,
  };
  const told = await judged(both);
  expect(told[0]).toBe(0);
  expect(told.join('\n')).toContain(
    `title=LocksAndEditsPolicy::the change locks a release of llm/vllm and edits Analysis chat (${CHAT_FILE}), which governs it`,
  );
  expect(asked.length, 'verify asks nobody').toBe(before);
  const history = await site.run('verify-history');
  expect(history).toMatchObject({ code: 0, err: '' });
});
