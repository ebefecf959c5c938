/** `tranche analyze` on a step in progress, against a server of metrics on loopback: counts, faults, and nothing written. */

import { afterEach, expect, test } from 'vitest';
import { analyze } from '../../src/commands/analyze.ts';
import { metricsServer, stopMetricsServers } from '../support/metrics-server.ts';
import { byOwnClock, CHAT } from '../support/own-clock.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';

afterEach(async () => {
  stopMetricsServers();
  await stopSites();
});

/** The first step is done, and an hour has passed. */
async function stepped(files: Readonly<Record<string, string>> = {}) {
  const site = await startSite({ files: { ...VLLM_FILES, 'policies/chat.yaml': CHAT, ...files } });
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

/** `tranche analyze vllm`. */
function analysed(site: Site, env: Readonly<Record<string, string>>) {
  return byOwnClock(site, env, (common, ports, io) =>
    analyze({ ...common, name: 'vllm', namespace: '', analyses: [] }, ports, io),
  );
}

test('at rest nothing is asked, and no Analysis is no question', async () => {
  const site = await startSite({ files: { ...VLLM_FILES, 'policies/chat.yaml': CHAT } });
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
  const site = await startSite({ files: { ...VLLM_FILES, 'policies/chat.yaml': CHAT.replace('errors', 'erors') } });
  const lint = await site.run('lint');
  expect(lint.code).toBe(1);
  expect(lint.out).toMatch(
    /^policies\/chat\.yaml:7: Analysis chat: spec\.metrics\[0\]\.use is "vllm\/erors", wanted one of: .*Did you mean vllm\/errors\?/,
  );
  expect(await site.run('analyze vllm')).toMatchObject({ code: 1 });
});
