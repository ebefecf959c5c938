/** `tranche analyze` on a step in progress, against a server of metrics on loopback: counts, faults, and nothing written. */

import { afterEach, expect, test } from 'vitest';
import { analyze } from '../../src/commands/analyze.ts';
import { commonOptions } from '../../src/options.ts';
import { openPorts } from '../../src/wiring.ts';
import { metricsServer, stopMetricsServers } from '../support/metrics-server.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

afterEach(async () => {
  stopMetricsServers();
  await stopSites();
});

const ANALYSIS = `apiVersion: tranche.dev/v1alpha1
kind: Analysis
metadata: {name: chat}
spec:
  provider: prod
  metrics:
    - use: vllm/errors
`;

/** The first step is done, and an hour has passed. */
async function stepped(files: Readonly<Record<string, string>> = {}) {
  const site = await startSite({ files: { ...VLLM_FILES, 'policies/chat.yaml': ANALYSIS, ...files } });
  await site.run('reconcile');
  await site.settle();
  await site.edit(LWS_FILE, OLD, NEW);
  for (let pass = 0; pass < 2; pass += 1) {
    await site.settle();
    await site.run('reconcile');
  }
  await site.settle();
  return site;
}

/**
 * `tranche analyze vllm` by the clock of the cluster alone: Node dates the answers of its servers once in a second of the
 * machine, and hours pass here within one.
 */
async function analysed(site: Site, env: Readonly<Record<string, string>>) {
  let [out, err] = ['', ''];
  const io = {
    env: { TRANCHE_REPO: site.repository.path, KUBECONFIG: site.kubeconfig, ...env },
    folder: site.folder,
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  };
  const common = commonOptions({}, io);
  const clock = { now: () => site.model.nowSeconds, sleep: async () => undefined };
  const world = { ...openPorts(common, io), clock };
  const code = await analyze({ ...common, name: 'vllm', namespace: '', analyses: [] }, world, io);
  return { code, out, err };
}

test('at rest nothing is asked, and no Analysis is no question', async () => {
  const site = await startSite({ files: { ...VLLM_FILES, 'policies/chat.yaml': ANALYSIS } });
  await site.run('reconcile');
  const said = await site.run('analyze vllm');
  expect(said).toMatchObject({ code: 0, err: '' });
  expect(said.out).toMatch(/^llm\/vllm in default, Analysis chat\n {2}nothing is compared: no step is in progress/);
  const plain = await startSite();
  expect(await plain.run('analyze vllm')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^there is no Analysis: the files have none/),
  });
  expect(await site.run('analyze vllm --analysis chta')).toMatchObject({
    code: 1,
    err: 'there is no Analysis chta; there is: chat\n',
  });
});

test('in a step both versions are compared by what they counted after the warm-up, and nothing is written', async () => {
  const { asked, url } = await metricsServer((pod) => (pod === 'vllm-3' ? 50 : 10));
  const site = await stepped();
  const env = { TRANCHE_METRICS_PROD: url, TRANCHE_METRICS_ALLOW_PRIVATE: 'true' };
  expect((await analysed(site, env)).out).toContain('too early: the first window starts after the warm-up');
  expect(asked).toEqual([]);
  site.model.tick(3600);
  const before = await site.head();
  const said = await analysed(site, env);
  expect(said.out).toMatch(
    /\n {2}vllm\/errors {2}failed at .* \(rollback\): new [0-9]+ of [0-9]+ \(5\.00 %\), stable [0-9]+ of [0-9]+ \(1\.00 %\); /,
  );
  expect(said).toMatchObject({ code: 1, err: '' });
  expect(asked.map((query) => Number(query.get('step')))).toEqual([300, 300, 3600]);
  expect(asked[0]?.get('query')).toContain('namespace="llm",pod=~"vllm-3|');
  expect(await site.head()).toBe(before);
  // The same windows give the same bytes.
  expect((await analysed(site, env)).out).toBe(said.out);
});

test.each<readonly [string, object, Readonly<Record<string, string>>, RegExp]>([
  [
    'warns',
    { warnings: ['a store is down'] },
    {},
    /MetricsUnreadable: it has warnings, so it may lack data; nothing is judged/,
  ],
  [
    'is private, and nobody allows that',
    {},
    { TRANCHE_METRICS_ALLOW_PRIVATE: '' },
    /MetricsUnreadable: TRANCHE_METRICS_PROD is not https; /,
  ],
])('of a server that %s nothing is judged', async (_, more, env, text) => {
  const { url } = await metricsServer(() => 900, more);
  const site = await stepped();
  site.model.tick(3600);
  const said = await analysed(site, {
    TRANCHE_METRICS_PROD: url,
    TRANCHE_METRICS_ALLOW_PRIVATE: 'true',
    ...env,
  });
  expect(said.code).toBe(1);
  expect(said.out).toMatch(text);
  expect(said.out).not.toContain('127.0.0.1');
});

test('what is wrong with an Analysis is said by lint too, with its line', async () => {
  const site = await startSite({ files: { ...VLLM_FILES, 'policies/chat.yaml': ANALYSIS.replace('errors', 'erors') } });
  const lint = await site.run('lint');
  expect(lint.code).toBe(1);
  expect(lint.out).toMatch(
    /^policies\/chat\.yaml:7: Analysis chat: spec\.metrics\[0\]\.use is "vllm\/erors", wanted one of: .*Did you mean vllm\/errors\?/,
  );
  expect(await site.run('analyze vllm')).toMatchObject({ code: 1 });
});
