/** What a server of metrics is asked and how; that nothing of its address, token or answer is ever told. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openMetrics } from '../../../src/adapters/metrics/open-metrics.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(answer: (response: ServerResponse) => void) {
  const got: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    got.push(request);
    answer(response);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prom/` };
}

type Env = Readonly<Record<string, string>>;
const PRIVATE = { TRANCHE_METRICS_ALLOW_PRIVATE: 'true' };
const LIMITS = { deadlineMs: 300, bytesMost: 1000, roundMs: 20_000 };
const open = (env: Env) => openMetrics({ env, authorities: async () => undefined }, LIMITS).round();
const question = { provider: 'prod-eu', query: '{pod="a b&c"}', start: 300, end: 900, step: 300 };
const json = (value: unknown) => (response: ServerResponse) => response.end(JSON.stringify(value));

test('asks for the range alone, with token and tenant, below its own path', async () => {
  const { got, url } = await listen(json({ status: 'success' }));
  const metrics = open({
    ...PRIVATE,
    TRANCHE_METRICS_PROD_EU: url,
    TRANCHE_METRICS_PROD_EU_TOKEN: 't0ken',
    TRANCHE_METRICS_PROD_EU_TENANT: 'llm',
  });
  expect(await metrics.range(question)).toEqual({ kind: 'answered', body: { status: 'success' } });
  expect(got).toHaveLength(1);
  expect(got[0]).toMatchObject({
    method: 'GET',
    url: '/prom/api/v1/query_range?query=%7Bpod%3D%22a+b%26c%22%7D&start=300&end=900&step=300',
  });
  expect(got[0]?.headers).toMatchObject({ authorization: 'Bearer t0ken', 'x-scope-orgid': 'llm' });
});

describe('a server that does not answer as it should', () => {
  test.each<readonly [string, (response: ServerResponse) => void, string, boolean]>([
    ['401', (response) => response.writeHead(401).end('secret'), 'it answered 401', false],
    ['422', (response) => response.writeHead(422).end('secret'), 'it answered 422', false],
    ['503', (response) => response.writeHead(503).end('secret'), 'it answered 503', false],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'it answered 302',
      false,
    ],
    ['HTML', (response) => response.end('<html>secret</html>'), 'its answer is no JSON', false],
    ['too much', (response) => response.end(`"${'x'.repeat(2000)}"`), 'its answer has more than 1000 bytes', false],
    ['nothing', () => {}, 'no answer in time', true],
    ['a drip', (response) => response.write('{'), 'no answer in time', true],
    ['a cut', (response) => response.destroy(), 'ECONNRESET', true],
  ])('%s: told by its number or its name alone', async (_, answer, why, isUnreached) => {
    const { got, url } = await listen(answer);
    const said = { kind: 'failed', why, ...(isUnreached ? { isUnreached } : {}) };
    expect(await open({ ...PRIVATE, TRANCHE_METRICS_PROD_EU: url }).range(question)).toEqual(said);
    expect(got).toHaveLength(1);
  });
});

test.each<readonly [string, Env, RegExp]>([
  ['is not set', {}, /^TRANCHE_METRICS_PROD_EU is not set$/],
  ['is none', { TRANCHE_METRICS_PROD_EU: 'prod' }, /is no address/],
  ['is of this machine', { TRANCHE_METRICS_PROD_EU: 'https://localhost/x' }, /leads to an address that is not public/],
  ['is of the cloud', { TRANCHE_METRICS_PROD_EU: 'https://169.254.169.254/' }, /not public/],
  ['is not https', { TRANCHE_METRICS_PROD_EU: 'http://203.0.113.9/' }, /is not https$/],
  [
    'has a token of two lines',
    { TRANCHE_METRICS_PROD_EU: 'https://localhost/', TRANCHE_METRICS_PROD_EU_TOKEN: 'a\nb: c' },
    /^TRANCHE_METRICS_PROD_EU_TOKEN is no token/,
  ],
])('an address that %s is not asked', async (_, env, why) => {
  const said = await open(env).range(question);
  expect(said.kind === 'failed' && said.why).toMatch(why);
});
