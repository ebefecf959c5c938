/** Credentials that end while a process goes on: where better ones are looked for, and where they are not. */

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { resources } from '../../../src/api/resources.ts';
import { whole } from '../../support/fake-cluster.ts';
import { type ScriptedServer, scriptedServer } from '../../support/scripted-server.ts';
import { openedBy, pods, writeKubeconfig } from './kubeconfig-file.ts';

const warnings: string[] = [];
const log = { info: () => {}, warn: (line: string) => void warnings.push(line), error: () => {} };
const clock = { now: () => 0, sleep: async () => {} };
const servers: ScriptedServer[] = [];
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'renewing-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const kubeconfig = (name: string, of: { readonly server: string; readonly user: object }): string =>
  writeKubeconfig(folder, name, of);
const opened = (kubeconfigPath: string) => openedBy(kubeconfigPath, { clock, log });

/** Accepts one token and no other. */
async function accepting(token: () => string): Promise<ScriptedServer> {
  const server = await scriptedServer(({ headers }) =>
    headers.authorization === `Bearer ${token()}`
      ? { body: { metadata: { resourceVersion: '1' }, items: [] } }
      : { status: 401, body: { kind: 'Status', reason: 'Unauthorized' } },
  );
  servers.push(server);
  return server;
}

test('a credential without a date is asked for again when the server refuses it, once for reads that go on together', async () => {
  let valid = 1;
  const server = await accepting(() => `t${valid}`);
  const count = path.join(folder, 'undated-runs');
  writeFileSync(count, '');
  const command = path.join(folder, 'login');
  const token = `$(wc -c < ${count} | tr -d ' ')`;
  writeFileSync(command, `#!/bin/sh\nprintf x >> ${count}; printf '{"status":{"token":"t%s"}}' ${token}\n`);
  chmodSync(command, 0o755);
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command };
  const cluster = await opened(kubeconfig('undated', { server: server.url, user: { exec } }));
  const runs = async (times: number): Promise<readonly [string, readonly string[]]> => {
    const lists = Array.from({ length: times }, () => cluster.list(resources.pods, pods, whole));
    const kinds = (await Promise.all(lists)).map(({ kind }) => kind);
    return [readFileSync(count, 'utf8'), kinds];
  };
  expect(await runs(3)).toEqual(['x', ['known', 'known', 'known']]);
  valid = 2;
  expect(await runs(3), 'the token has ended').toEqual(['xx', ['known', 'known', 'known']]);
  valid = 9;
  expect(await runs(1), 'no other is any better: no more than one try').toEqual(['xxx', ['unknown']]);
});

test('a token that somebody has written again into the file is used, and another server in it is not', async () => {
  const [server, other] = [await accepting(() => 'new'), await accepting(() => 'new')];
  const file = kubeconfig('rewritten', { server: server.url, user: { token: 'old' } });
  const cluster = await opened(file);
  const kinds = async () => {
    const lists = [cluster.list(resources.pods, pods, whole), cluster.list(resources.lws, pods, whole)];
    return (await Promise.all(lists)).map(({ kind }) => kind);
  };
  expect(await kinds()).toEqual(['unknown', 'unknown']);
  expect(server.seen, 'the file is as it was').toHaveLength(2);
  kubeconfig('rewritten', { server: server.url, user: { token: 'new' } });
  expect(await kinds()).toEqual(['known', 'known']);
  kubeconfig('rewritten', { server: other.url, user: { token: 'new' } });
  expect(await kinds(), 'nothing is read again that is accepted').toEqual(['known', 'known']);
  const away = await opened(kubeconfig('away', { server: server.url, user: { token: 'old' } }));
  kubeconfig('away', { server: other.url, user: { token: 'new' } });
  expect(await away.list(resources.pods, pods, whole)).toMatchObject({ kind: 'unknown' });
  expect(other.seen).toEqual([]);
  expect(warnings.at(-1)).toContain(`the kubeconfig names ${other.url} now`);
});
