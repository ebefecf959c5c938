/** A kube-apiserver with its etcd, in a folder of its own, for tests that are given both programs. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { JsonObject } from '../../src/api/json.ts';

const ADMIN = 'admin-of-the-tests';
/** The token of an administrator in the group that the admission policy leaves alone. */
export const BREAK_GLASS = 'break-glass-of-the-tests';

export type Answer = { readonly status: number; readonly body: JsonObject & { readonly message?: string } };

export type RealApiServer = {
  readonly url: string;
  /** The certificate that it made for itself. */
  readonly ca: string;
  /** What the administrator of the cluster asks; `token`: somebody else. */
  ask(method: string, path: string, body?: JsonObject, token?: string): Promise<Answer>;
  stop(): Promise<void>;
};

/** Starts both, and resolves once the API server says that it is ready. Stop it in the test that started it. */
export async function startApiServer(programs: {
  readonly server: string;
  readonly etcd: string;
}): Promise<RealApiServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-api-'));
  const at = (name: string): string => join(folder, name);
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
  const tokens = [
    `${ADMIN},admin,admin,system:masters`,
    `${BREAK_GLASS},ada,ada,"system:masters,tranche.dev:break-glass"`,
  ];
  writeFileSync(at('tokens.csv'), `${tokens.join('\n')}\n`);
  execFileSync('openssl', ['genrsa', '-out', at('accounts.key'), '2048'], { stdio: 'ignore' });
  const etcd = `http://127.0.0.1:${client}`;
  const own = `http://127.0.0.1:${peer}`;
  const running = [
    spawn(programs.etcd, [
      `--data-dir=${at('etcd')}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=${own}`,
      `--initial-advertise-peer-urls=${own}`,
      `--initial-cluster=default=${own}`,
    ]),
    spawn(programs.server, [
      `--etcd-servers=${etcd}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${at('certificates')}`,
      `--token-auth-file=${at('tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://tests.invalid',
      `--service-account-key-file=${at('accounts.key')}`,
      `--service-account-signing-key-file=${at('accounts.key')}`,
      '--service-cluster-ip-range=10.0.0.0/24',
      '--disable-admission-plugins=ServiceAccount',
    ]),
  ];
  let log = '';
  for (const child of running) child.stderr?.on('data', (text: Buffer) => (log += text.toString()));
  const stop = async (): Promise<void> => {
    await Promise.all(running.toReversed().map(ended));
    rmSync(folder, { recursive: true, force: true });
  };
  const ask = (method: string, path: string, body?: JsonObject, token = ADMIN): Promise<Answer> =>
    asked({ method, path, port, ca: at('certificates/apiserver.crt') }, { body, token });
  try {
    await vi.waitFor(
      async () => {
        if (running.some(({ exitCode }) => exitCode !== null)) return;
        expect((await ask('GET', '/readyz')).status).toBe(200);
      },
      { timeout: 300_000, interval: 500 },
    );
    expect(running.map(({ exitCode }) => exitCode)).toEqual([null, null]);
  } catch (error) {
    await stop();
    throw new Error(log.slice(-4000), { cause: error });
  }
  return { url: `https://127.0.0.1:${port}`, ca: readFileSync(at('certificates/apiserver.crt'), 'utf8'), ask, stop };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}

type Where = { readonly method: string; readonly path: string; readonly port: number; readonly ca: string };

/** The certificate is read anew: the server makes it as it starts. */
async function asked(
  { method, path, port, ca }: Where,
  { body, token }: { readonly body: JsonObject | undefined; readonly token: string },
): Promise<Answer> {
  const trusted = readFileSync(ca, 'utf8');
  return await new Promise((resolve, reject) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const call = request({ host: '127.0.0.1', port, method, path, ca: trusted, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () => {
        const isJson = response.headers['content-type']?.includes('json') === true;
        resolve({
          status: response.statusCode ?? 0,
          body: (isJson ? JSON.parse(text) : { message: text }) as Answer['body'],
        });
      });
    });
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
