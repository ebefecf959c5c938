/** `tranche analyze --check`: what is there of each leader, under which labels, with which buckets, and what a step could tell. */

import { afterEach, expect, test } from 'vitest';
import { analyzeCheck } from '../../src/commands/analyze-check.ts';
import { byOwnClock, CHAT } from '../support/own-clock.ts';
import { seriesStore } from '../support/series-store.ts';
import { type Site, startSite, stopSites } from '../support/site.ts';
import { VLLM_FILES } from '../support/vllm.ts';

afterEach(stopSites);

async function atRest(metrics: string): Promise<Site> {
  const chat = CHAT.replace('    - use: vllm/errors\n', metrics);
  const site = await startSite({ files: { ...VLLM_FILES, 'policies/chat.yaml': chat } });
  await site.run('reconcile');
  await site.settle();
  site.model.tick(21 * 86_400);
  return site;
}

const ERRORS = '    - use: vllm/errors\n';
const TTFT = '    - {use: vllm/ttft, overSeconds: 2.5}\n';
const PODS = ['vllm-0', 'vllm-1', 'vllm-2', 'vllm-3'];

type Shape = {
  readonly pod?: string;
  readonly namespace?: string;
  readonly pods?: readonly string[];
  readonly bad?: number;
};

/** Ten requests a second and leader; `bad` of a thousand. */
function requests({ pod = 'pod', namespace = 'namespace', pods = PODS, bad = 10 }: Shape = {}) {
  return pods.flatMap((name) =>
    [
      ['stop', 1000 - bad],
      ['error', bad],
    ].map(([reason, share]) => ({
      labels: {
        __name__: 'vllm:request_success_total',
        [namespace]: 'llm',
        [pod]: name,
        finished_reason: String(reason),
      },
      at: (second: number) => Math.floor(((second % 1e7) * 10 * Number(share)) / 1000),
    })),
  );
}

function latency(buckets: (pod: string) => readonly string[]) {
  const common = (name: string, pod: string, more = {}) => ({ __name__: name, namespace: 'llm', pod, ...more });
  const at = (second: number) => (second % 1e7) * 10;
  return PODS.flatMap((pod) => [
    ...buckets(pod).map((le) => ({ labels: common('vllm:time_to_first_token_seconds_bucket', pod, { le }), at })),
    ...[
      'vllm:time_to_first_token_seconds_count',
      'vllm:request_prompt_tokens_sum',
      'vllm:request_prompt_tokens_count',
    ].map((name) => ({ labels: common(name, pod), at })),
  ]);
}

test.each([
  [
    'all is there',
    ERRORS,
    requests(),
    0,
    /\n {2}vllm\/errors {2}36000 requests an hour and leader, 1\.00 % bad; with one group of 4 a rise to 1\.75 % is found, equal versions pass after 5 min\n$/,
  ],
  [
    'nothing was bad yet',
    ERRORS,
    requests({ bad: 0 }),
    0,
    /, 0\.00 % bad; with one group of 4 a rise to 0\.50 % is found, equal versions stay inconclusive/,
  ],
  [
    'one leader is not scraped',
    ERRORS,
    requests({ pods: PODS.slice(0, 3) }),
    1,
    /SeriesMissing: vllm-3 has no series .*\n {2}the label pod has the names of 3 of 4 leaders: labels: \{namespace: namespace, pod: pod\}\n$/,
  ],
  [
    'under other labels',
    ERRORS,
    requests({ pod: 'kubernetes_pod_name', namespace: 'kubernetes_namespace' }),
    1,
    /SeriesMissing: vllm-0 has .*; and so do 3 others\n {2}the label kubernetes_pod_name has the names of 4 of 4 leaders: labels: \{namespace: kubernetes_namespace, pod: kubernetes_pod_name\}\n$/,
  ],
  ['nowhere', ERRORS, [], 1, /no series of these names has the name of a leader in any label: is the engine scraped/],
  [
    'no such bucket',
    TTFT,
    latency((pod) => (pod === 'vllm-1' ? ['1.0', '5.0', '+Inf'] : ['0.5', '1.0', '5.0', '10.0', '+Inf'])),
    1,
    /SeriesUnusable: vllm-0 has no bucket le="2\.5" .*\n {2}vllm:time_to_first_token_seconds_bucket: all leaders have the buckets 1\.0, 5\.0\n$/,
  ],
] as const)('%s', async (_, metric, series, code, text) => {
  const site = await atRest(metric);
  const store = seriesStore(series);
  const head = await site.head();
  const said = await byOwnClock(site, {}, (common, ports, io) =>
    analyzeCheck({ ...common, name: 'vllm', namespace: '', analyses: [] }, { ...ports, metrics: store.metrics }, io),
  );
  expect(said.out).toMatch(text);
  expect(said).toMatchObject({ code, err: '' });
  expect(said.out).toContain('  4 leaders (vllm-0 vllm-1 vllm-2 vllm-3), from ');
  expect(await site.head()).toBe(head);
});
