/** Which kubeconfig counts, what it may do, and how its credentials reach the server. */

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { configSource } from '../../../src/adapters/cluster/config-source.ts';
import { connect } from '../../../src/adapters/cluster/kubeconfig.ts';
import { lazyCluster } from '../../../src/adapters/cluster/open-cluster.ts';
import { plainNetwork } from '../../../src/adapters/network/proxy.ts';
import { resources } from '../../../src/api/resources.ts';
import { startApiServer } from '../../../src/demo/api-server/start-api-server.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { whole } from '../../support/fake-cluster.ts';
import { type ScriptedServer, scriptedServer } from '../../support/scripted-server.ts';
import { restingCluster } from '../../support/simulated-cluster.ts';
import { type ConfigOf, openedBy, pods, writeKubeconfig } from './kubeconfig-file.ts';

const nothing = {
  kubeconfigPath: undefined,
  inCluster: false,
  home: '/home/me',
  serviceHost: undefined,
  servicePort: undefined,
};
const pod = { serviceHost: '10.0.0.1', servicePort: '443' };
const inPod = { kind: 'inCluster', host: '10.0.0.1', port: '443' };

test.each([
  ['named', { kubeconfigPath: '/a' }, { kind: 'files', paths: ['/a'], mayRunCommands: true }],
  ['several', { kubeconfigPath: '/a::/b' }, { kind: 'files', paths: ['/a', '/b'], mayRunCommands: true }],
  ['named, in a pod', { kubeconfigPath: '/a', ...pod }, { kind: 'files', paths: ['/a'], mayRunCommands: true }],
  ['in a pod', pod, inPod],
  ['in-cluster asked for', { inCluster: true, ...pod }, inPod],
  ['in-cluster beats a named file', { inCluster: true, kubeconfigPath: '/a', ...pod }, inPod],
  [
    'in-cluster without a pod',
    { inCluster: true },
    { kind: 'none', why: 'in-cluster was asked for, but KUBERNETES_SERVICE_HOST and _PORT are not set' },
  ],
  ['found at home', {}, { kind: 'files', paths: ['/home/me/.kube/config'], mayRunCommands: false }],
  ['empty', { kubeconfigPath: '' }, { kind: 'files', paths: ['/home/me/.kube/config'], mayRunCommands: false }],
  ['homeless', { home: undefined }, { kind: 'none', why: 'no kubeconfig was named and there is no home directory' }],
])('source: %s', (_, options, wanted) => {
  expect(configSource({ ...nothing, ...options })).toEqual(wanted);
});

const log = { info: () => {}, warn: (line: string) => void warnings.push(line), error: () => {} };
const clock = { now: () => 0, sleep: async () => {} };
const warnings: string[] = [];
const servers: ScriptedServer[] = [];
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'kubeconfig-'));
});
afterEach(async () => {
  warnings.length = 0;
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const kubeconfig = (name: string, config: ConfigOf): string => writeKubeconfig(folder, name, config);
const opened = (kubeconfigPath: string, more: object = {}) => openedBy(kubeconfigPath, { clock, log, ...more });

async function echo(): Promise<ScriptedServer> {
  const server = await scriptedServer(() => ({ body: { metadata: { resourceVersion: '1' }, items: [] } }));
  servers.push(server);
  return server;
}

/** `exec` of a kubeconfig with a command named login. */
function execScript(body: string): { readonly apiVersion: string; readonly command: string } {
  const command = path.join(mkdtempSync(path.join(folder, 'bin-')), 'login');
  writeFileSync(command, `#!/bin/sh\n${body}\n`);
  chmodSync(command, 0o755);
  return { apiVersion: 'client.authentication.k8s.io/v1', command };
}

describe('credentials', () => {
  test.each([
    ['token', { token: 't0ken' }, { authorization: 'Bearer t0ken' }],
    ['password', { username: 'me', password: 'pw' }, { authorization: `Basic ${btoa('me:pw')}` }],
    ['none', {}, {}],
    ['a token in a file next to it', { tokenFile: 'beside' }, { authorization: 'Bearer f1le' }],
    ['impersonation', { token: 't0ken', as: 'other' }, { authorization: 'Bearer t0ken', 'impersonate-user': 'other' }],
  ])('%s, over http on loopback', async (_, user, headers) => {
    const server = await echo();
    writeFileSync(path.join(folder, 'beside'), 'f1le\n');
    const cluster = await opened(kubeconfig('plain', { server: server.url, user }));
    expect(await cluster.list(resources.pods, pods, whole)).toEqual({ kind: 'known', value: [] });
    expect(server.seen[0]!.headers).toMatchObject({ ...headers, accept: 'application/json', 'user-agent': 'tranche' });
    if (!('authorization' in headers)) expect(server.seen[0]!.headers.authorization).toBeUndefined();
  });

  test('of a file as people write it, with anchors, a merge key and words that YAML 1.1 reads otherwise', async () => {
    const server = await echo();
    const file = path.join(folder, 'by-hand');
    const text = `apiVersion: v1
kind: Config
current-context: on
clusters:
  - name: dev
    cluster: {server: '${server.url}', insecure-skip-tls-verify: false}
users:
  - name: base
    user: &base {token: 0b1_2023-01-01}
  - name: me
    user:
      <<: *base
      as: no
contexts:
  - name: on
    context: {cluster: dev, user: me}
`;
    writeFileSync(file, text);
    const cluster = await opened(file);
    await cluster.list(resources.pods, pods, whole);
    const wanted = { authorization: 'Bearer 0b1_2023-01-01', 'impersonate-user': 'no' };
    expect(server.seen[0]!.headers).toMatchObject(wanted);
  });

  test('a command, when the file was named: it gets KUBERNETES_EXEC_INFO', async () => {
    const server = await echo();
    const command = path.join(folder, 'login');
    writeFileSync(
      command,
      `#!/bin/sh\ncase "$KUBERNETES_EXEC_INFO" in *ExecCredential*) token=fresh;; *) token=blind;; esac\nprintf '{"status":{"token":"%s"}}' $token\n`,
    );
    chmodSync(command, 0o755);
    const user = { exec: { apiVersion: 'client.authentication.k8s.io/v1', command } };
    const cluster = await opened(kubeconfig('exec', { server: server.url, user }));
    await cluster.list(resources.pods, pods, whole);
    expect(server.seen[0]!.headers.authorization).toBe('Bearer fresh');
  });

  test.each([
    [
      'fails',
      'echo "Bearer s3cr3t" >&2; echo s3cr3t; exit 7',
      {},
      'failed with exit code 7; run it by hand on this machine to see why',
    ],
    ['is ended', 'echo s3cr3t >&2; kill -9 $$', {}, 'was ended by SIGKILL; run it by hand on this machine to see why'],
    ['prints something else', 'echo s3cr3t', {}, 'ended well, but printed no ExecCredential'],
    ['wants someone', 'echo s3cr3t', { interactiveMode: 'Always' }, 'wants a terminal (interactiveMode: Always)'],
    [
      'is not there',
      undefined,
      { command: '/nowhere/s3cr3t/login' },
      'cannot be started (ENOENT); run it by hand on this machine to see why',
    ],
  ])('a command that %s: only its name and its end are told', async (_, script, more, how) => {
    const server = await echo();
    const user = { exec: { ...execScript(script ?? ''), args: ['--password', 's3cr3t'], ...more } };
    const cluster = await opened(kubeconfig('failing', { server: server.url, user }));
    expect(await cluster.list(resources.pods, pods, whole)).toEqual({
      kind: 'unknown',
      why: `list pods in llm at ${server.url}: no credentials: command login of the kubeconfig ${how}`,
    });
    expect(server.seen).toEqual([]);
  });

  test('a command that wants to know the cluster is told it', async () => {
    const server = await echo();
    const said = path.join(folder, 'info');
    const exec = { ...execScript(`printf '%s' "$KUBERNETES_EXEC_INFO" > ${said}; echo '{"status":{"token":"t"}}'`) };
    const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'llm' } }];
    const file = kubeconfig('informed', {
      server: server.url,
      cluster: { 'certificate-authority-data': btoa('authority'), extensions },
      user: { exec: { ...exec, provideClusterInfo: true } },
    });
    await (await opened(file)).list(resources.pods, pods, whole);
    expect(JSON.parse(readFileSync(said, 'utf8'))).toEqual({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: {
          server: server.url,
          'insecure-skip-tls-verify': false,
          'certificate-authority-data': btoa('authority'),
          config: { audience: 'llm' },
        },
      },
    });
  });

  test('a command runs again when its credential has expired, not before', async () => {
    const server = await echo();
    const count = path.join(folder, 'count');
    writeFileSync(count, '');
    const exec = execScript(
      `printf x >> ${count}; echo '{"status":{"token":"t","expirationTimestamp":"1970-01-01T00:01:40Z"}}'`,
    );
    let now = 0;
    const cluster = await opened(kubeconfig('expiring', { server: server.url, user: { exec } }), {
      clock: { ...clock, now: () => now },
    });
    for (now of [0, 99, 100, 100]) await cluster.list(resources.pods, pods, whole);
    expect(readFileSync(count, 'utf8')).toBe('xxx');
  });

  test('the service account of a pod, its token read from the file', async () => {
    mkdirSync(path.join(folder, 'account'));
    writeFileSync(path.join(folder, 'account', 'token'), 'p0d');
    writeFileSync(path.join(folder, 'account', 'ca.crt'), '');
    const options = {
      context: '',
      repositoryPath: undefined,
      serviceAccountFolder: path.join(folder, 'account'),
      network: plainNetwork,
      clock,
      log,
    };
    const { server, options: request } = connect({
      source: { kind: 'inCluster', host: 'fd00::1', port: '443' },
      ...options,
    });
    expect(server.href).toBe('https://[fd00::1]/');
    expect((await request()).headers).toMatchObject({ Authorization: 'Bearer p0d' });
  });
});

test('the simulated API server, by the kubeconfig that it hands out', async () => {
  const server = await startApiServer({ model: restingCluster(), port: 0, kinds: undefined, interfere: undefined });
  const file = path.join(folder, 'simulated');
  writeFileSync(file, server.kubeconfig);
  const cluster = await opened(file, { context: 'simulated' });
  expect(await cluster.list(resources.lws, pods, whole)).toMatchObject({
    kind: 'known',
    value: [{ metadata: { name: 'vllm' } }],
  });
  await server.close();
});

describe('what a kubeconfig may not do', () => {
  const spy = () => path.join(folder, 'ran');
  const exec = () => ({ exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'touch', args: [spy()] } });
  const provider = { 'auth-provider': { name: 'oidc', config: {} } };

  test.each([
    ['exec in a file at home', 'home', exec],
    ['an auth-provider in a file at home', 'home', () => provider],
    ['exec in a file inside the repository, even when named', 'repository', exec],
    ['a token, too, in a file inside the repository', 'repository', () => ({ token: 'x' })],
  ])('%s', async (_, where, user) => {
    const file = kubeconfig(`${where}/.kube/config`, { user: user() });
    const options = { context: '', serviceAccountFolder: '', network: plainNetwork, clock, log };
    const source = { kind: 'files', paths: [file], mayRunCommands: where === 'repository' } as const;
    const repositoryPath = where === 'repository' ? path.join(folder, 'repository') : undefined;
    const opening = () => connect({ source, ...options, repositoryPath });
    expect(opening).toThrow(PortError);
    expect(opening).toThrow(
      expect.objectContaining({ retryable: false, hint: expect.stringContaining('--kubeconfig') }),
    );
    expect(() => readFileSync(spy())).toThrow();
  });

  test.each([
    [
      { name: 'gcp', config: { 'cmd-path': 'touch', 'cmd-args': 'x' } },
      'user u of the kubeconfig uses auth-provider gcp, which Kubernetes clients no longer support',
    ],
    [{ name: 'oidc' }, 'auth-provider oidc of user u has no config'],
  ])('an auth-provider that runs commands, or cannot work: %j', async (authProvider, message) => {
    const opening = opened(kubeconfig('provider', { user: { 'auth-provider': authProvider } }));
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toMatchObject({ hint: expect.stringContaining('(exec)') });
  });

  test('reading a token from a file is not running a program', () => {
    const file = kubeconfig('home/tokens', { user: { tokenFile: 'beside' } });
    const source = { kind: 'files', paths: [file], mayRunCommands: false } as const;
    const options = {
      context: '',
      serviceAccountFolder: '',
      repositoryPath: path.join(folder, 'nowhere'),
      network: plainNetwork,
      clock,
      log,
    };
    expect(connect({ source, ...options }).server.href).toBe('http://127.0.0.1:1/');
  });

  test('send credentials unencrypted to another machine', async () => {
    await expect(opened(kubeconfig('far', { server: 'http://10.1.2.3:8080' }))).rejects.toThrow(
      'would travel unencrypted',
    );
  });

  test('switch verification off in silence', async () => {
    await opened(kubeconfig('blind', { server: 'https://127.0.0.1:1', cluster: { 'insecure-skip-tls-verify': true } }));
    expect(warnings).toEqual([
      'cluster: context dev does not verify the certificate of 127.0.0.1:1 (insecure-skip-tls-verify)',
    ]);
  });
});

describe('files that are wrong', () => {
  test.each([
    ['missing', () => path.join(folder, 'nowhere'), {}, /cannot read .*nowhere: ENOENT/],
    [
      'empty',
      () => (writeFileSync(path.join(folder, 'empty'), ''), path.join(folder, 'empty')),
      {},
      /cannot read .*empty/,
    ],
    [
      'not YAML',
      () => (writeFileSync(path.join(folder, 'bad'), 'a: [s3cr3t\nb: }'), path.join(folder, 'bad')),
      {},
      /cannot read .*bad/,
    ],
    [
      'too large',
      () => (writeFileSync(path.join(folder, 'big'), '#'.repeat(2 ** 20 + 1)), path.join(folder, 'big')),
      {},
      /1048577 bytes, at most 1048576/,
    ],
    [
      'another context',
      () => kubeconfig('one', {}),
      { context: 'prod' },
      /no context "prod" with a cluster; it has dev/,
    ],
    ['no current context', () => kubeconfig('two', { context: '' }), {}, /names no current context; it has dev/],
    ['an address that is none', () => kubeconfig('three', { server: 'ftp://x' }), {}, /no http or https address/],
    ['a password alone', () => kubeconfig('pw', { server: 'https://:pw@x' }), {}, /without a user and a password/],
  ])('%s', async (_, file, more, message) => {
    const opening = opened(file(), more);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toMatchObject({ name: 'PortError', port: 'cluster', retryable: false });
    await expect(opening).rejects.not.toThrow('s3cr3t');
  });

  // The library quotes what it cannot read, and messages reach the status branch.
  test.each(['token: >s3cr3t', '? > token: s3cr3t', 'token: *s3cr3t', 'token: &s3cr3t [*s3cr3t]', '- {token: s3cr3t'])(
    'is told without a word of it: %s',
    async (text) => {
      const file = path.join(folder, 'quoted');
      writeFileSync(file, `a: 1\nusers:\n  ${text}\n`);
      await expect(opened(file)).rejects.toThrow(/cannot read .*quoted: it is not YAML \(|names no current context/);
      await expect(opened(file)).rejects.not.toThrow('s3cr3t');
    },
  );

  test('of two files the first names the context, the second may bring it', async () => {
    const server = await echo();
    const second = kubeconfig('second', { server: server.url, context: 'other' });
    const first = path.join(folder, 'first');
    writeFileSync(first, JSON.stringify({ 'current-context': 'dev', clusters: [], users: [], contexts: [] }));
    const cluster = await opened(`${first}:${second}`);
    expect(await cluster.list(resources.pods, pods, whole)).toEqual({ kind: 'known', value: [] });
  });
});

describe('a lazy cluster', () => {
  test('opens at the first read, once', async () => {
    let openings = 0;
    const inner = { list: async () => ({ kind: 'absent' }) as const };
    const cluster = lazyCluster(async () => {
      openings += 1;
      return inner;
    });
    expect(openings).toBe(0);
    await Promise.all([cluster.list(resources.pods, pods, whole), cluster.list(resources.lws, pods, whole)]);
    expect(openings).toBe(1);
  });

  test('is opened early where it is going to be read, and again where that failed', async () => {
    let openings = 0;
    const inner = { list: async () => ({ kind: 'absent' }) as const };
    const cluster = lazyCluster(async () => {
      openings += 1;
      if (openings === 1) throw new TypeError('ours');
      return inner;
    });
    cluster.expect?.();
    expect(openings).toBe(1);
    await new Promise((done) => setImmediate(done));
    cluster.expect?.();
    await cluster.list(resources.pods, pods, whole);
    expect(openings).toBe(2);
  });

  test('what cannot be opened cannot be read', async () => {
    const cluster = lazyCluster(() => opened(path.join(folder, 'nowhere')));
    const why = expect.stringMatching(/^cluster: cannot read .*nowhere: ENOENT.*Name a kubeconfig/);
    expect(await cluster.list(resources.pods, pods, whole)).toEqual({ kind: 'unknown', why });
  });

  test('one that could not be opened is opened by a later read: the file is there now', async () => {
    const server = await echo();
    const file = path.join(folder, 'late');
    const cluster = lazyCluster(() => opened(file));
    expect(await cluster.list(resources.pods, pods, whole)).toMatchObject({ kind: 'unknown' });
    writeFileSync(file, readFileSync(kubeconfig('in-time', { server: server.url })));
    expect(await cluster.list(resources.pods, pods, whole)).toEqual({ kind: 'known', value: [] });
  });

  test('our own faults are not swallowed', async () => {
    const cluster = lazyCluster(() => Promise.reject(new TypeError('ours')));
    await expect(cluster.list(resources.pods, pods, whole)).rejects.toThrow('ours');
  });
});
