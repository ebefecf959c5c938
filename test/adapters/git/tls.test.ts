/** Git over https, with a certificate that nobody knows, and behind a proxy: real servers on loopback. */

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openGit } from '../../../src/adapters/git/open.ts';
import { readAuthorities } from '../../../src/adapters/network/certificates.ts';
import type { Environment } from '../../../src/adapters/network/proxy.ts';
import { newCommit } from '../../support/fake-git.ts';
import { type GitServer, type ServedRepository, startGitServer } from '../../support/git-server.ts';
import { manualTimers } from '../../support/manual-timers.ts';
import { update } from './contract.ts';

const tls = join(import.meta.dirname, '../../../fixtures/tls');
const certificate = join(tls, 'localhost.crt');
const pair = { cert: readFileSync(certificate), key: readFileSync(join(tls, 'localhost.key')) };

let git: GitServer;
let repository: ServedRepository;
let secure: Server;
let address = '';
let head = '';
const stops: (() => void)[] = [];

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  git = await startGitServer();
  repository = await git.createRepository('r.git');
  head = await repository.commit('main', { a: '1\n' });
  const inner = new URL(git.url);
  // TLS in front of the plain server: bytes are passed on as they are.
  secure = createSecureServer(pair);
  secure.on('secureConnection', (socket: Socket) => {
    const onward = connect(Number(inner.port), inner.hostname);
    for (const end of [socket, onward]) end.on('error', () => undefined);
    socket.pipe(onward).pipe(socket);
  });
  secure.removeAllListeners('request');
  address = `https://localhost:${await listen(secure)}/r.git`;
});
afterAll(async () => {
  secure.closeAllConnections();
  secure.close();
  await git.stop();
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A proxy that opens tunnels to where it is told, whatever the name; `answer` replaces that. */
async function startProxy(answer?: string) {
  const asked: { readonly target: string; readonly authorization: string | undefined }[] = [];
  const open = new Set<Socket>();
  const server = createServer();
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    open.add(socket);
    if (answer !== undefined) {
      socket.end(answer);
      return;
    }
    const onward = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    open.add(onward);
    for (const end of [socket, onward]) end.on('error', () => undefined);
  });
  const port = await listen(server);
  stops.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { asked, at: `127.0.0.1:${port}` };
}

const opened = (env: Environment, more: { readonly caFile?: string; readonly location?: string } = {}) => {
  const authorities = async () =>
    readAuthorities({ env, folder: tls, caFile: more.caFile, gitCaFile: env['TEST_GIT_CA'] });
  const timers = manualTimers();
  timers.skipPauses();
  return openGit({ location: more.location ?? address, network: { env, authorities }, timers });
};

describe('certificates', () => {
  test.each<readonly [string, Environment, string | undefined]>([
    ['--ca-file', {}, certificate],
    ['--ca-file, from the folder', {}, 'localhost.crt'],
    ['GIT_SSL_CAINFO', { GIT_SSL_CAINFO: certificate }, undefined],
    ['http.sslCAInfo', { TEST_GIT_CA: '~/localhost.crt', HOME: tls }, undefined],
    ['SSL_CERT_FILE', { SSL_CERT_FILE: certificate }, undefined],
  ])('of %s is trusted', async (_what, env, caFile) => {
    expect(await opened(env, caFile === undefined ? {} : { caFile }).heads(['main'])).toEqual([head]);
  });

  test('that nobody knows: the remedy is named, and nothing is tried again', async () => {
    await expect(opened({}).heads(['main'])).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/self-signed certificate/),
      hint: expect.stringMatching(/--ca-file, GIT_SSL_CAINFO, http\.sslCAInfo or SSL_CERT_FILE/),
    });
  });

  test('for another name, and no TLS at all: said so', async () => {
    const elsewhere = address.replace('localhost', '127.0.0.1');
    await expect(opened({}, { caFile: certificate, location: elsewhere }).heads(['main'])).rejects.toMatchObject({
      retryable: false,
      hint: expect.stringMatching(/the name that the certificate/),
    });
    const plain = repository.url.replace('http:', 'https:');
    await expect(opened({}, { location: plain }).heads(['main'])).rejects.toMatchObject({
      retryable: false,
      hint: expect.stringMatching(/an http port in an https URL/),
    });
  });

  test.each([
    ['missing', 'none.crt', /ENOENT/],
    ['no certificate', 'localhost.key', /holds no certificate in PEM/],
  ])('a file that is %s is named', async (_what, caFile, why) => {
    await expect(opened({}, { caFile }).heads(['main'])).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(why),
    });
  });
});

describe('a proxy', () => {
  test('is asked for a tunnel, with its password; reading and pushing go through it', async () => {
    const proxy = await startProxy();
    const through = opened({ HTTPS_PROXY: `http://me:p%40ss@${proxy.at}`, SSL_CERT_FILE: certificate });
    expect(await through.heads(['main'])).toEqual([head]);
    const pushed = await through.push([update('side', undefined, [newCommit({ s: '1' })])]);
    expect(pushed.kind).toBe('pushed');
    expect(proxy.asked.length).toBeGreaterThan(0);
    expect(proxy.asked[0]).toEqual({
      target: new URL(address).host,
      authorization: `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
    });
  });

  test('is not asked for what NO_PROXY excepts', async () => {
    const proxy = await startProxy();
    const env = { HTTPS_PROXY: proxy.at, NO_PROXY: 'localhost', SSL_CERT_FILE: certificate };
    expect(await opened(env).heads(['main'])).toEqual([head]);
    expect(proxy.asked).toEqual([]);
  });

  test('the certificate is that of the server, not of the proxy', async () => {
    const proxy = await startProxy();
    await expect(opened({ HTTPS_PROXY: proxy.at }).heads(['main'])).rejects.toMatchObject({
      hint: expect.stringContaining('--ca-file'),
    });
  });

  test.each([
    ['refuses', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', /the proxy 127\.0\.0\.1:\d+: answered HTTP 407/],
    ['breaks off', '', /the proxy 127\.0\.0\.1:\d+: socket hang up/],
  ])('that %s is named, without its password', async (_what, answer, message) => {
    const proxy = await startProxy(answer);
    const call = opened({ HTTPS_PROXY: `http://me:secret@${proxy.at}` }).heads(['main']);
    await expect(call).rejects.toMatchObject({ message: expect.stringMatching(message) });
    await expect(call).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
  });

  test('that never answers is not waited for beyond the deadline', async () => {
    const timers = manualTimers();
    const server = createServer().on('connect', () => timers.advance(20));
    const port = await listen(server);
    stops.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const env = { HTTPS_PROXY: `127.0.0.1:${port}` };
    const through = openGit({ location: address, network: { env, authorities: async () => undefined }, timers });
    await expect(through.heads(['main'])).rejects.toMatchObject({ message: expect.stringMatching(/nothing for 20 s/) });
  });

  test('of a kind that is not spoken is refused', async () => {
    const call = opened({ HTTPS_PROXY: 'socks5://127.0.0.1:1' }).heads(['main']);
    await expect(call).rejects.toMatchObject({ retryable: false, message: expect.stringContaining('socks5') });
  });
});
