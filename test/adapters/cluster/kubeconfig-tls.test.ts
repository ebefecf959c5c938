/** How a server is trusted, and which proxy stands before it. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, connect as connectTo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';
import { resources } from '../../../src/api/resources.ts';
import { whole } from '../../support/fake-cluster.ts';
import { type ConfigOf, openedBy as opened, pods, writeKubeconfig } from './kubeconfig-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kubeconfig-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const kubeconfig = (name: string, config: ConfigOf): string => writeKubeconfig(folder, name, config);

describe('TLS', () => {
  let server: https.Server;
  // Made for these tests and trusted by nothing else; valid for a hundred years.
  const fixture = (name: string) => fileURLToPath(new URL(`../../../fixtures/tls/${name}`, import.meta.url));
  const ca = fixture('localhost.crt');
  beforeAll(async () => {
    server = https.createServer(
      {
        key: readFileSync(fixture('localhost.key')),
        cert: readFileSync(ca),
        ca: readFileSync(ca),
        requestCert: true,
        rejectUnauthorized: false,
      },
      ({ socket }, response) => {
        const items = socket instanceof TLSSocket && socket.authorized ? ['certified'] : [];
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ metadata: {}, items }));
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  test.each([
    ['its own authority', 'localhost', () => ({ 'certificate-authority': ca }), { kind: 'known', value: [] }],
    ['no verification', '127.0.0.1', () => ({ 'insecure-skip-tls-verify': true }), { kind: 'known', value: [] }],
    ['an unknown authority', 'localhost', () => ({}), { kind: 'unknown', why: expect.stringContaining('self-signed') }],
    [
      'another host',
      '127.0.0.1',
      () => ({ 'certificate-authority': ca }),
      { kind: 'unknown', why: expect.stringContaining('for another host') },
    ],
    [
      'another host, named',
      '127.0.0.1',
      () => ({ 'certificate-authority': ca, 'tls-server-name': 'localhost' }),
      { kind: 'known', value: [] },
    ],
  ])('the server is checked: %s', async (_, host, cluster, wanted) => {
    const { port } = server.address() as AddressInfo;
    const reader = await opened(kubeconfig('tls', { server: `https://${host}:${port}`, cluster: cluster() }));
    expect(await reader.list(resources.pods, pods, whole)).toEqual(wanted);
  });

  test.each([
    [
      'an unknown authority',
      'localhost',
      {},
      /self-signed .*; put the certificate .* certificate-authority-data of the/,
    ],
    ['another host', '127.0.0.1', { 'certificate-authority': ca }, /for another host .*; .* as tls-server-name$/],
  ])('a failure names the remedy: %s', async (_, host, cluster, why) => {
    const { port } = server.address() as AddressInfo;
    const reader = await opened(kubeconfig('tls', { server: `https://${host}:${port}`, cluster }));
    expect(await reader.list(resources.pods, pods, whole)).toEqual({
      kind: 'unknown',
      why: expect.stringMatching(why),
    });
  });

  test('without an authority in the kubeconfig, those of the environment count; with one, that alone', async () => {
    const { port } = server.address() as AddressInfo;
    const authorities = async () => [readFileSync(ca, 'utf8')];
    const at = (cluster: object) => kubeconfig('tls', { server: `https://localhost:${port}`, cluster });
    const network = { env: {}, authorities };
    const trusting = await opened(at({}), { network });
    expect(await trusting.list(resources.pods, pods, whole)).toEqual({ kind: 'known', value: [] });
    const strict = await opened(at({ 'certificate-authority': ca }), {
      network: { env: {}, authorities: async () => [] },
    });
    expect(await strict.list(resources.pods, pods, whole)).toEqual({ kind: 'known', value: [] });
  });

  describe('through a proxy', () => {
    const asked: string[] = [];
    let proxy: http.Server;
    let answer = '';
    beforeAll(async () => {
      proxy = http.createServer();
      proxy.on('connect', (request: http.IncomingMessage, socket: Socket) => {
        asked.push(request.url ?? '');
        socket.on('error', () => undefined);
        if (answer !== '') {
          socket.end(answer);
          return;
        }
        const onward = connectTo((server.address() as AddressInfo).port, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
          socket.pipe(onward).pipe(socket);
        });
        onward.on('error', () => undefined);
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => {
      proxy.close();
    });
    const address = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const none = { 'certificate-authority': ca, 'tls-server-name': 'localhost' };

    test.each<readonly [string, () => { readonly env: Record<string, string>; readonly url?: string }, string[]]>([
      ['of the environment', () => ({ env: { HTTPS_PROXY: address() } }), ['api.example:443']],
      ['of the kubeconfig', () => ({ env: {}, url: address() }), ['api.example:443']],
      [
        'of the kubeconfig before that of the environment, whatever NO_PROXY says',
        () => ({ env: { HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '*' }, url: address() }),
        ['api.example:443'],
      ],
    ])('%s, with the client certificate', async (_, given, targets) => {
      asked.length = 0;
      answer = '';
      const { env, url } = given();
      const cluster = { ...none, ...(url === undefined ? {} : { 'proxy-url': url }) };
      const user = { 'client-certificate': ca, 'client-key': fixture('localhost.key') };
      const file = kubeconfig('proxied', { server: 'https://api.example', cluster, user });
      const reader = await opened(file, { network: { ...plainNetwork, env } });
      expect(await reader.list(resources.pods, pods, whole)).toEqual({ kind: 'known', value: ['certified'] });
      expect(asked).toEqual(targets);
    });

    test('that refuses is quoted, and what to change is said', async () => {
      answer = 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n';
      const file = kubeconfig('proxied', { server: 'https://api.example', cluster: none });
      const reader = await opened(file, { network: { ...plainNetwork, env: { HTTPS_PROXY: address() } } });
      expect(await reader.list(resources.pods, pods, whole)).toEqual({
        kind: 'unknown',
        why: expect.stringMatching(
          /: the proxy 127\.0\.0\.1:\d+: answered HTTP 407 .*; check proxy-url in the kubeconfig, or/,
        ),
      });
    });

    test.each([
      'ftp://x',
      'proxy',
      'http://proxy:3128/path',
      'http://ada:hush%zz@proxy:3128',
      'socks5://ada:hush%zz@proxy:1',
      'SOCKS5://proxy:1',
    ])('that is no address is refused where it stands, and nothing of it is shown: %s', async (url) => {
      const file = kubeconfig('proxied', { server: 'https://api.example', cluster: { ...none, 'proxy-url': url } });
      const error = await opened(file).then(
        (reader) => reader.list(resources.pods, pods, whole),
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({
        message: expect.stringContaining('proxy-url of cluster c is no http, https or socks address'),
        hint: expect.stringContaining('Correct it in the kubeconfig: http://'),
      });
      expect(JSON.stringify([String(error), error])).not.toContain('hush');
    });

    test('that is empty is none, as in kubectl', async () => {
      [asked.length, answer] = [0, ''];
      const { port } = server.address() as AddressInfo;
      const user = { 'client-certificate': ca, 'client-key': fixture('localhost.key') };
      const cluster = { 'certificate-authority': ca, 'proxy-url': '' };
      const reader = await opened(kubeconfig('proxied', { server: `https://localhost:${port}`, cluster, user }));
      expect(await reader.list(resources.pods, pods, whole)).toEqual({ kind: 'known', value: ['certified'] });
      expect(asked).toEqual([]);
    });

    test('that says its own password back is quoted without it', async () => {
      answer = 'HTTP/1.1 407 Basic YWRhOmh1c2gtaHVzaA== of ada:hush-hush\r\n\r\n';
      const url = address().replace('//', '//ada:hush-hush@');
      const file = kubeconfig('proxied', { server: 'https://api.example', cluster: { ...none, 'proxy-url': url } });
      const said = JSON.stringify(await (await opened(file)).list(resources.pods, pods, whole));
      expect(said).toContain('answered HTTP 407');
      expect(said).not.toMatch(/hush|YWRh/);
    });
  });

  test('a client certificate reaches the server', async () => {
    const { port } = server.address() as AddressInfo;
    const user = { 'client-certificate': ca, 'client-key': fixture('localhost.key') };
    const cluster = { 'certificate-authority': ca };
    const reader = await opened(kubeconfig('mutual', { server: `https://localhost:${port}`, cluster, user }));
    expect(await reader.list(resources.pods, pods, whole)).toEqual({ kind: 'known', value: ['certified'] });
  });
});
