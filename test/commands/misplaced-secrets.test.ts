/** A secret in the place of a host, a number, a name or a path: no error says it, and what is none is said as before. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { withoutMisplaced } from '../../src/commands/secret-files.ts';
import type { Io } from '../../src/options.ts';

const SECRETS: Readonly<Record<string, string>> = {
  'a token of GitHub': 'ghp_0123456789abcdefghijABCDEFGHIJ456789',
  'a token of an App': 'ghs_notForLogs',
  'a fine-grained token': 'github_pat_11ABCDEFG0notForLogs_x',
  'a token of GitLab': 'glpat-notForLogs12345.01.abc',
  'a signed token': 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.notForLogs',
  'a key in PEM': '-----BEGIN RSA PRIVATE KEY-----\nnotForLogs\n-----END RSA PRIVATE KEY-----\n',
  'a private half': 'tranche-private-notForLogsButSecret',
  'random base64': 'q83vEjRWeJCrze8SNFZ4/AAB+EjRWeJA=',
  'random hex': '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c',
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-misplaced-'));
  writeFileSync(join(folder, 'Authorities2026Production'), 'no certificate');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Env = Readonly<Record<string, string>>;

function ioOf(env: Env, said: string[] = []): Io {
  const say = (text: string): void => void said.push(text);
  return { env, folder, out: say, err: say, isTerminal: false, signal: new AbortController().signal };
}

const URL = 'https://127.0.0.1:1/team/gitops';
const AT_URL = ['status', '--repo', URL];
const TOKEN = { TRANCHE_GIT_TOKEN: 'x' };

/** What is called, and what the error says in the place of the secret. */
const PLACES: Readonly<Record<string, readonly [argv: readonly string[], env: Env, says: RegExp]>> = {
  TRANCHE_GIT_HOST: [AT_URL, TOKEN, /TRANCHE_GIT_HOST is not-shown-as-it-may-be-a-secret\. Write 127/],
  TRANCHE_GIT_TIMEOUT: [AT_URL, {}, /is not-shown-as-it-may-be-a-secret, wanted whole seconds/],
  TRANCHE_FORGE: [AT_URL, TOKEN, /--forge is no plain http\(s\) URL/],
  TRANCHE_REPO: [['status'], {}, /not-shown-as-it-may-be-a-secret is not a Git repository/],
  GIT_SSL_CAINFO: [AT_URL, {}, /certificates of GIT_SSL_CAINFO cannot be read from .*not-shown-as-it-may-be-a-secret/],
  SSL_CERT_FILE: [AT_URL, {}, /certificates of SSL_CERT_FILE cannot be read from .*not-shown-as-it-may-be-a-secret/],
  HTTPS_PROXY: [['status', '--repo', 'https://git.invalid/team/gitops'], {}, /not-shown-as-it-may-be-a-secret/],
};

test.each(Object.keys(PLACES))('%s', async (name) => {
  const [argv, env, says] = PLACES[name]!;
  for (const [what, secret] of Object.entries(SECRETS)) {
    const said: string[] = [];
    expect(await runProgram(argv, ioOf({ ...env, [name]: secret }, said)), what).not.toBe(0);
    expect(said.join(''), what).toMatch(says);
    for (const piece of [secret, secret.toLowerCase(), 'notForLogs', 'notforlogs'])
      expect(said.join(''), what).not.toContain(piece);
  }
});

/** What looks random may be a name that people have made up: of a program, of an author, of hosts. */
const isRandom = (what: string): boolean => what.startsWith('random');

test.each([
  ...['KUBECONFIG', 'NODE_EXTRA_CA_CERTS', 'ALL_PROXY'].map((name) => [name, SECRETS] as const),
  ...['TRANCHE_KUSTOMIZE', 'GIT_AUTHOR_NAME', 'NO_PROXY'].map(
    (name) => [name, Object.fromEntries(Object.entries(SECRETS).filter(([what]) => !isRandom(what)))] as const,
  ),
])('%s, which is said later', (name, secrets) => {
  for (const [what, secret] of Object.entries(secrets))
    expect(withoutMisplaced(ioOf({ [name]: secret })).env[name], what).toBe('not-shown-as-it-may-be-a-secret');
});

test.each<Env>([
  { TRANCHE_GIT_HOST: '0123456789ABCDEF0123456789abcdef.gr7.us-east-1.example' },
  { TRANCHE_GIT_HOST: 'gitea-http-service-v1-of-the-platform-team' },
  { TRANCHE_GIT_HOST: '[2001:db8::1]:3000' },
  { TRANCHE_GIT_TIMEOUT: '3600' },
  { TRANCHE_REPO: 'https://github.com/Acme-Platform-2026/GitOps' },
  { TRANCHE_REPO: '/srv/Repositories2026/GitOpsOfAcme' },
  { KUBECONFIG: '/home/ada/.kube/config:/home/ada/.kube/Staging2026' },
  { TRANCHE_KUSTOMIZE: './bin/KustomizeForLinux64Bit' },
  { GIT_SSL_CAINFO: 'Authorities2026Production' },
  { GIT_AUTHOR_NAME: 'Ada Lovelace 1815', GIT_AUTHOR_EMAIL: '12345678+AdaLovelace@users.noreply.github.com' },
  { HTTPS_PROXY: 'http://Proxy2026.example:3128' },
  { TRANCHE_KUSTOMIZE: 'KustomizeV5LinuxAmd64' },
  { GIT_AUTHOR_NAME: 'TrancheRolloutBot-Prod2' },
  { HTTPS_PROXY: 'http://svc:ghp_0123456789abcdefghijABCDEFGHIJ456789@proxy.example:3128' },
  { https_proxy: 'svc:eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrIn0.notForLogs@proxy.example:3128' },
  { ALL_PROXY: 'http://tranche-private-notForLogs:x@proxy.example' },
  { TRANCHE_REPO: 'https://x-access-token:ghs_notForLogs@github.com/team/gitops' },
])('what is none is kept: %o', (env) => {
  const io = ioOf(env);
  expect(withoutMisplaced(io)).toBe(io);
});

test('a token in the URL of the repository, by its variable: said as by its option, without it', async () => {
  const url = 'https://x-access-token:ghs_notForLogs@github.com/team/gitops';
  const said: string[] = [];
  expect(await runProgram(['status'], ioOf({ TRANCHE_REPO: url }, said))).not.toBe(0);
  expect(said.join('')).toContain('the URL of github.com/team/gitops has credentials in it');
  expect(said.join('')).not.toContain('notForLogs');
});
