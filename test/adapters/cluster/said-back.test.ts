/** An API server, or what answers in its place, that says our credentials back: a hold and the status branch repeat its words, and never those. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { clusterLimits } from '../../../src/adapters/cluster/limits.ts';
import { openCluster } from '../../../src/adapters/cluster/open-cluster.ts';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';
import { resources } from '../../../src/api/resources.ts';
import { whole } from '../../support/fake-cluster.ts';
import { type ScriptedServer, scriptedServer } from '../../support/scripted-server.ts';

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.s3cretOfTheCluster';
const PASSWORD = 'pa55wordOfTheCluster';
const folder = mkdtempSync(join(tmpdir(), 'said-back-'));
afterAll(() => rmSync(folder, { recursive: true }));

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
});

const USERS: readonly (readonly [what: string, user: object, secrets: readonly string[]])[] = [
  ['a token', { token: TOKEN }, [TOKEN]],
  ['a password', { username: 'me', password: PASSWORD }, [PASSWORD, btoa(`me:${PASSWORD}`)]],
];
const FORMS: readonly (readonly [what: string, said: (secret: string) => string])[] = [
  ['as it is', (secret) => `bad ${secret} here`],
  ['with a colour inside', (secret) => `bad ${secret.slice(0, 9)}\u001b[31m${secret.slice(9)} here`],
  ['with a line end inside', (secret) => `bad ${secret.slice(0, 9)}\n${secret.slice(9)} here`],
  ['behind many words', (secret) => `${'x'.repeat(290)}${secret}`],
];
const STATUSES = [400, 403, 404, 429, 500, 503] as const;

/** All that is said of one question, to a log as well. */
async function said(user: object, answer: (secret: string) => { readonly status: number; readonly body: unknown }) {
  server = await scriptedServer(({ headers }) => answer((headers.authorization ?? '').replace(/^\w+ /, '')));
  const file = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'dev',
    clusters: [{ name: 'c', cluster: { server: server.url } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const cluster = await openCluster({
    kubeconfigPath: file,
    context: '',
    inCluster: false,
    repositoryPath: undefined,
    limits: clusterLimits,
    network: plainNetwork,
    clock: { now: () => 0, sleep: async () => undefined },
    log: { info: log, warn: log, error: log },
  });
  const found = await cluster.list(resources.pods, { namespace: 'llm', labelSelector: '' }, whole);
  expect(found.kind === 'unknown' || found.kind === 'absent', JSON.stringify(found)).toBe(true);
  return `${JSON.stringify(found)} ${lines.join(' ')}`;
}

/** Eight letters at either end are enough to say that it is there. */
const leaked = (text: string, secret: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- what a terminal does not show
  [secret.slice(0, 12), secret.slice(-12)].some((part) => text.replace(/\\u001b\[[0-9;]*m|\s/g, '').includes(part));

const CASES = USERS.flatMap(([user, ...how]) =>
  STATUSES.flatMap((status) => FORMS.map(([form, put]) => [user, status, form, how, put] as const)),
);

test.each(CASES)('%s, HTTP %i, in its Status %s', async (_user, status, _form, [user, secrets], put) => {
  const text = await said(user, (sent) => ({
    status,
    body: { kind: 'Status', reason: 'Other', message: put(sent), details: { name: sent } },
  }));
  for (const secret of secrets) expect(leaked(text, secret), text).toBe(false);
});

test.each(USERS)('%s, decoded, in the words of a webhook', async (_, user, secrets) => {
  const text = await said(user, () => ({
    status: 403,
    body: { kind: 'Status', message: `admission webhook "w" denied the request: ${secrets[0]}` },
  }));
  for (const secret of secrets) expect(leaked(text, secret), text).toBe(false);
});

test.each(USERS)('%s, in a list that cannot be read', async (_, user, secrets) => {
  for (const body of [(sent: string) => ({ items: sent }), (sent: string) => `{"items": [${sent}`]) {
    const text = await said(user, (sent) => ({ status: 200, body: body(sent) }));
    for (const secret of secrets) expect(leaked(text, secret), text).toBe(false);
    await server?.close();
  }
});
