/**
 * Deliveries of all four kinds, measured by a server on loopback that says too little, too much, or what cannot be: nothing goes
 * on by it, and nothing goes back, whatever it says of the new version; once it is well again, it does.
 */

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openMetrics } from '../../src/adapters/metrics/open-metrics.ts';
import { type Measured, sharedFiles, started, until } from '../support/measured.ts';

type Series = { readonly metric: Record<string, string>; values: [number, string][] };
type Asked = { readonly series: readonly Series[]; readonly start: number; readonly isNew: (one: Series) => boolean };
/** What it does with a good answer. */
type Fault = (response: ServerResponse, asked: Asked) => void;

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

function say(response: ServerResponse, result: readonly object[], more: object = {}): void {
  response.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result }, ...more }));
}

/** A server whose counters say that the new version is as good as the other, or very bad; with one fault at a time. */
async function servedBy(ofNew: string) {
  const isCanary = (pod: string): boolean => pod.startsWith(ofNew);
  const state: { fault: Fault | undefined; perThousand: number } = { fault: undefined, perThousand: 10 };
  const http = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    const [start = 0, end = 0, step = 1] = ['start', 'end', 'step'].map((key) => Number(query.get(key)));
    const pods = /pod=~"([^"]*)"/.exec(query.get('query') ?? '')?.[1]?.split('|') ?? [];
    const instants = Array.from({ length: (end - start) / step + 1 }, (_, at) => start + at * step);
    const series = pods.flatMap((pod) => {
      const bad = isCanary(pod) ? state.perThousand : 10;
      return (['stop', 'error'] as const).map((reason): Series => {
        const share = reason === 'error' ? bad : 1000 - bad;
        const metric = {
          __name__: 'vllm:request_success_total',
          namespace: 'llm',
          pod,
          finished_reason: reason,
          engine: '0',
        };
        return { metric, values: instants.map((at) => [at, String(Math.floor(((at % 1e7) * 10 * share) / 1000))]) };
      });
    });
    const { fault } = state;
    if (fault === undefined) say(response, series);
    else fault(response, { series, start, isNew: ({ metric }) => isCanary(metric['pod'] ?? '') });
  });
  servers.push(http);
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const env = { TRANCHE_METRICS_PROD: url, TRANCHE_METRICS_ALLOW_PRIVATE: 'true' };
  const limits = { deadlineMs: 400, bytesMost: 8 * 1024 * 1024, roundMs: 2000 };
  return { state, provider: openMetrics({ env, authorities: async () => undefined }, limits) };
}

/** Each value of each series becomes another. */
const each =
  (value: (old: string, at: number) => string): Fault =>
  (response, { series }) =>
    say(
      response,
      series.map((one) => ({ ...one, values: one.values.map(([at, old], place) => [at, value(old, place)]) })),
    );
const listed =
  (change: (series: readonly Series[], asked: Asked) => readonly object[]): Fault =>
  (response, asked) =>
    say(response, change(asked.series, asked));
const answers =
  (status: number, headers: Record<string, string> = {}): Fault =>
  (response) =>
    response.writeHead(status, headers).end('secret');

const FAULTS: Readonly<Record<string, Fault>> = {
  NaN: each(() => 'NaN'),
  'infinite numbers': each(() => '+Inf'),
  fractions: each((old) => `${old}.5`),
  'negative numbers': each((old) => `-${old}`),
  'counters that fall each time': each((_, at) => String(1_000_000 - at)),
  'numbers beyond all counters': each(() => '1e300'),
  'native histograms': listed((series) => series.map(({ metric }) => ({ metric, histograms: [] }))),
  'no series': listed(() => []),
  'no series of the new version': listed((series, { isNew }) => series.filter((one) => !isNew(one))),
  'no series of the stable version': listed((series, { isNew }) => series.filter(isNew)),
  'each series twice': listed((series) => [
    ...series,
    ...series.map((one) => ({ ...one, metric: { ...one.metric, prometheus: 'b' } })),
  ]),
  '10,000 series': listed((series) => Array.from({ length: 10_000 }, () => series[0] ?? {})),
  'samples of the future': listed((series, { start }) =>
    series.map((one) => ({ ...one, values: [...one.values, [start + 1e9, '9']] })),
  ),
  'samples between the windows': listed((series) =>
    series.map((one) => ({ ...one, values: one.values.map(([at, old]) => [at + 7, old]) })),
  ),
  'labels with control characters': listed((series) =>
    series.map((one) => ({ ...one, metric: { ...one.metric, engine: 'a\u001b[31m\n' } })),
  ),
  'labels that are objects': listed((series) =>
    series.map((one) => ({ ...one, metric: { ...one.metric, engine: {} } })),
  ),
  warnings: (response, { series }) => say(response, series, { warnings: ['a store is down'] }),
  'a warning that is no list': (response, { series }) => say(response, series, { warnings: 'a store is down' }),
  'a partial answer': (response, { series }) => say(response, series, { isPartial: true }),
  'an error with data': (response, { series }) => say(response, series, { status: 'error' }),
  HTML: (response) => response.end('<html>'),
  'an empty answer': (response) => response.end(),
  '9 MB': (response) => response.end(`"${'x'.repeat(9 * 1024 * 1024)}"`),
  'a drip': (response) => void response.write('{'),
  'a cut': (response) => response.destroy(),
  'a redirect to itself': answers(302, { location: '/api/v1/query_range?query=up' }),
  401: answers(401),
  422: answers(422),
  503: answers(503),
};

const NAMES = ['vllm-without-requests', 'vllm-service', 'vllm-routed'] as const;
const BLOB = /chat@([0-9a-f]{12})/;

/** By its first verdict on, with leave to go back by itself: where the second step would follow. */
async function measured(ofNew: string, parts: readonly string[] | undefined) {
  const { state, provider } = await servedBy(ofNew);
  const files = parts === undefined ? {} : { files: sharedFiles(...NAMES, ...parts) };
  const of = await started('  onAnalysisFailure: rollback\n', { ...files, provider });
  const analysis = await until20(of, /Analysing/);
  expect(analysis).toMatch(/^hold .*Analysing/);
  const blob = BLOB.exec(
    of.world.repository
      .log('main')
      .map(({ message }) => message)
      .join('\n'),
  )?.[1];
  expect(blob).toBeDefined();
  of.world.edit(
    'rollouts/vllm.yaml',
    'metadata:\n',
    `metadata:\n  annotations: {tranche.dev/analysed: chat@${blob}}\n`,
  );
  return { ...of, state };
}

/** Passes a minute apart. */
async function until20(of: Pick<Measured, 'pass'>, said: RegExp): Promise<string> {
  let last = '';
  for (let round = 0; round < 20 && !said.test((last = await of.pass())); round += 1);
  return last;
}

test.each<readonly [what: string, ofNew: string, parts: readonly string[] | undefined]>([
  ['partition', 'vllm-3', undefined],
  ['partition with routes', 'vllm-3', ['partition-routed-steps']],
  ['canary', 'vllm-canary', ['canary-steps']],
  ['blueGreen', 'vllm-green', ['blue-green-steps']],
])('%s: nothing that cannot be used moves anything', async (_, ofNew, parts) => {
  const { state, world, pass } = await measured(ofNew, parts);
  const wrong: string[] = [];
  for (const [what, fault] of Object.entries(FAULTS))
    for (const perThousand of parts === undefined ? [10, 600] : [600]) {
      Object.assign(state, { fault, perThousand });
      world.tick(700);
      const before = world.repository.head('main');
      const said = await pass();
      if (world.repository.head('main') !== before || !/^hold .*(Metrics|Series|Analysis|Analysing)/.test(said))
        wrong.push(`${what}, ${perThousand} of 1000 bad: ${said}`);
    }
  expect(wrong).toEqual([]);
  Object.assign(state, { fault: undefined, perThousand: 600 });
  expect(await until({ world, pass }, /^(rollback|hold .*Failed)/, 3)).toMatch(/^rollback/);
});
