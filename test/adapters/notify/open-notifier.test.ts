/** What leaves the machine: to which address, with what, and that nothing of the answer or the address is told. */

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../src/adapters/network/addresses.ts';
import { lazyNotifier } from '../../../src/adapters/notify/lazy-notifier.ts';

const servers: Server[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done)))));

type Got = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

async function listen(status: number, headers: Readonly<Record<string, string>> = {}) {
  const got: Got[] = [];
  const server = createServer((request, answer) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString('utf8')));
    request.on('end', () => {
      got.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      answer.writeHead(status, headers).end('secret words of the target');
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/T0?x=1` };
}

const open = (env: Readonly<Record<string, string>>) => lazyNotifier({ env, authorities: async () => undefined });
const message = { to: 'prod-eu', body: '{"text":"x"}', key: 'prod/llm/vllm 9c41d2e09c41d2e09c41d2e09c41d2e0.7 step 2' };

describe('a target of the environment', () => {
  test('gets the body as it is, with the key and its credential', async () => {
    const { got, url } = await listen(200);
    const notifier = open({
      TRANCHE_NOTIFY_PROD_EU: url,
      TRANCHE_NOTIFY_PROD_EU_TOKEN: 't0ken',
      TRANCHE_NOTIFY_ALLOW_PRIVATE: 'true',
    });
    expect(notifier?.targets).toEqual(['prod-eu']);
    expect(await notifier?.send(message)).toEqual({ kind: 'sent' });
    expect(got).toMatchObject([
      {
        method: 'POST',
        url: '/hook/T0?x=1',
        body: '{"text":"x"}',
        headers: {
          authorization: 'Bearer t0ken',
          'content-type': 'application/json; charset=utf-8',
          'idempotency-key': 'prod/llm/vllm%209c41d2e09c41d2e09c41d2e09c41d2e0.7%20step%202',
        },
      },
    ]);
  });

  test.each<readonly [what: string, status: number, headers: Readonly<Record<string, string>>, why: string]>([
    ['that refuses', 403, {}, 'it answered 403'],
    ['that fails', 500, {}, 'it answered 500'],
    ['that leads elsewhere is not followed', 307, { location: 'http://127.0.0.1:1/x' }, 'it answered 307'],
  ])('%s: told by its number alone', async (_, status, headers, why) => {
    const { got, url } = await listen(status, headers);
    const notifier = open({ TRANCHE_NOTIFY_PROD_EU: url, TRANCHE_NOTIFY_ALLOW_PRIVATE: 'true' });
    expect(await notifier?.send(message)).toEqual({ kind: 'failed', why });
    expect(got).toHaveLength(1);
  });

  test.each<readonly [what: string, address: string, allow: string, why: RegExp]>([
    ['of this machine', 'https://127.0.0.1/x', '', /^TRANCHE_NOTIFY_PROD_EU leads to an address that is not public/],
    ['of this machine, by name', 'https://localhost/x', '', /not public/],
    ['of this machine, spelled otherwise', 'https://0x7f.1/x', '', /not public/],
    ['of this machine, as IPv6', 'https://[::ffff:127.0.0.1]/x', '', /not public/],
    ['of the cloud', 'https://169.254.169.254/latest', '', /not public/],
    ['without https', 'http://203.0.113.9/x', '', /^TRANCHE_NOTIFY_PROD_EU is not https$/],
    ['of another kind', 'file:///etc/passwd', 'true', /is not https/],
    ['that is none', 'prod', 'true', /is no address/],
    ['where nobody listens', 'http://127.0.0.1:1/hush', 'true', /^ECONNREFUSED$/],
  ])('an address %s is not called, and not told', async (_, address, allow, why) => {
    const sent = await open({ TRANCHE_NOTIFY_PROD_EU: address, TRANCHE_NOTIFY_ALLOW_PRIVATE: allow })?.send(message);
    expect(sent).toEqual({ kind: 'failed', why: expect.stringMatching(why) });
    expect(JSON.stringify(sent)).not.toContain('hush');
  });

  test('who needs a proxy is told that none is used', async () => {
    const env = { TRANCHE_NOTIFY_PROD_EU: 'http://127.0.0.1:1/hush', TRANCHE_NOTIFY_ALLOW_PRIVATE: 'true' };
    expect(await open({ ...env, https_proxy: 'http://proxy:3128' })?.send(message)).toEqual({
      kind: 'failed',
      why: 'ECONNREFUSED, straight and not by the proxy of the environment, which would decide where it goes',
    });
  });

  test('is what is left of the environment without credentials and settings', () => {
    expect(open({ TRANCHE_NOTIFY_ALLOW_PRIVATE: 'true', TRANCHE_NOTIFY_A_TOKEN: 'x', HOME: '/' })).toBeUndefined();
    expect(open({ TRANCHE_NOTIFY_B: 'x', TRANCHE_NOTIFY_A_C: 'y', TRANCHE_NOTIFY_D: '' })?.targets).toEqual([
      'a-c',
      'b',
    ]);
  });
});

test.each<readonly [address: string, isPublic: boolean]>([
  ['8.8.8.8', true],
  ['172.15.255.255', true],
  ['172.16.0.1', false],
  ['172.31.255.255', false],
  ['172.32.0.1', true],
  ['10.1.2.3', false],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['100.128.0.1', true],
  ['169.254.169.254', false],
  ['127.0.0.53', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['2606:4700::1111', true],
  ['::1', false],
  ['::', false],
  ['fe80::1', false],
  ['fd00::1', false],
  ['ff02::1', false],
  ['::ffff:10.0.0.1', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::1', false],
  ['2001:db8::1', false],
  ['localhost', false],
])('%s is public: %s', (address, isPublic) => expect(isPublicAddress(address)).toBe(isPublic));
