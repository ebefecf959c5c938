/** What the command of a kubeconfig gets of us, and which file may not name one. */

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { execCredentials } from '../../../src/adapters/cluster/exec-credential.ts';
import { connect } from '../../../src/adapters/cluster/kubeconfig.ts';
import { forbidProgramsInside } from '../../../src/adapters/cluster/kubeconfig-rules.ts';
import { systemClock } from '../../../src/adapters/system/clock.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'exec-secrets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PROVIDER = { 'auth-provider': { name: 'tokenFile', config: { tokenFile: path.join(folder, 'temp/secret') } } };

const SECRETS = [
  'TRANCHE_GIT_TOKEN',
  'TRANCHE_FORGE_TOKEN',
  'TRANCHE_APP_KEY',
  'TRANCHE_STATUS_KEY',
  'TRANCHE_NOTIFY_PROD',
  'INPUT_TOKEN',
  'GITHUB_TOKEN',
];

test('the command of a kubeconfig is told none of our secrets, and all else of the environment', async () => {
  const [command, said] = [path.join(folder, 'login'), path.join(folder, 'environment')];
  writeFileSync(command, `#!/bin/sh\nenv > ${said}\necho '{"status":{"token":"t"}}'\n`);
  chmodSync(command, 0o755);
  for (const name of [...SECRETS, 'TEST_EXEC_REGION']) process.env[name] = `value of ${name}`;
  try {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command, env: [{ name: 'PROFILE', value: 'prod' }] };
    await execCredentials({ exec, cluster: () => undefined, clock: systemClock }).now();
  } finally {
    for (const name of [...SECRETS, 'TEST_EXEC_REGION']) delete process.env[name];
  }
  const environment = readFileSync(said, 'utf8');
  for (const name of SECRETS) expect(environment).not.toContain(name);
  expect(environment).toContain('TEST_EXEC_REGION=value of TEST_EXEC_REGION');
  expect(environment).toContain('PROFILE=prod');
  expect(environment).toContain('KUBERNETES_EXEC_INFO=');
});

/** What the command that this name leads to says as its token, where PATH has these folders. */
async function found(command: string, folders: readonly string[], workspace: string): Promise<string | undefined> {
  const { PATH: before, GITHUB_WORKSPACE: workspaceBefore } = process.env;
  process.env['PATH'] = [...folders, before].join(path.delimiter);
  process.env['GITHUB_WORKSPACE'] = workspace;
  try {
    return (await execCredentials({ exec: { command }, cluster: () => undefined, clock: systemClock }).now()).token;
  } finally {
    process.env['PATH'] = before;
    if (workspaceBefore === undefined) delete process.env['GITHUB_WORKSPACE'];
    else process.env['GITHUB_WORKSPACE'] = workspaceBefore;
  }
}

test('a command of a kubeconfig that is a name is no program of the clone, nor is one that it calls', async () => {
  const [clone, bin] = [path.join(folder, 'clone'), path.join(folder, 'bin')];
  const theirs = path.join(clone, 'node_modules/.bin');
  const program = (at: string, text: string): void => {
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, `#!/bin/sh\n${text}\n`);
    chmodSync(at, 0o755);
  };
  const says = (token: string): string => `echo '{"status":{"token":"${token}"}}'`;
  mkdirSync(path.join(clone, '.git'), { recursive: true });
  program(path.join(theirs, 'login'), says('theirs'));
  program(path.join(theirs, 'only-theirs'), says('theirs'));
  program(path.join(theirs, 'ask'), says('theirs'));
  program(path.join(bin, 'login'), 'ask');
  program(path.join(bin, 'ask'), says('ours'));
  symlinkSync(theirs, path.join(folder, 'link'));
  for (const first of [theirs, path.join(folder, 'link')]) {
    expect(await found('login', [first, bin], clone)).toBe('ours');
    await expect(found('only-theirs', [first, bin], clone)).rejects.toThrow(
      /cannot be started \(ENOENT\): one that lies in the clone .* is found by its path alone/,
    );
  }
  // Whoever names the path means it.
  expect(await found(path.join(theirs, 'login'), [bin], clone)).toBe('theirs');
  expect(await found('login', [theirs, bin], path.join(folder, 'elsewhere'))).toBe('theirs');
});

test.each<readonly [what: string, file: string, user: object, refused: boolean]>([
  ['a command, inside', 'checkout/ci/kubeconfig', { exec: { command: 'x' } }, true],
  ['an auth-provider, inside', 'checkout/kubeconfig', { authProvider: { name: 'oidc', config: {} } }, true],
  ['a command, in a folder that starts with two dots', 'checkout/..ci/kubeconfig', { exec: { command: 'x' } }, true],
  ['a command, above', 'kubeconfig', { exec: { command: 'x' } }, false],
  ['a token, inside', 'checkout/kubeconfig', {}, false],
  ['a token in a file, inside', 'checkout/kubeconfig', { authProvider: { name: 'tokenFile', config: {} } }, false],
  ['a command, next to it', 'temp/kubeconfig', { exec: { command: 'x' } }, false],
])('in a job, %s: %s', (_, file, user, refused) => {
  for (const one of ['checkout/ci', 'temp']) mkdirSync(path.join(folder, one), { recursive: true });
  const asked = (): void =>
    forbidProgramsInside(path.join(folder, 'checkout'), [path.join(folder, file)], { name: 'u', ...user });
  if (refused) expect(asked).toThrow(/wants to run a command, and the file is inside of the checkout/);
  else expect(asked).not.toThrow();
  expect(() => forbidProgramsInside(undefined, [file], { name: 'u', ...user })).not.toThrow();
});

test.each<readonly [what: string, file: string, user: object, cluster: object, refused: boolean]>([
  ['a token of the runner, inside', 'checkout/kubeconfig', { tokenFile: '../temp/secret' }, {}, true],
  ['one behind a link, inside', 'checkout/kubeconfig', { tokenFile: 'link' }, {}, true],
  ['one by an auth-provider, inside', 'checkout/kubeconfig', PROVIDER, {}, true],
  ['a certificate, inside', 'checkout/kubeconfig', { 'client-certificate': '../temp/secret' }, {}, true],
  ['a key, inside', 'checkout/kubeconfig', { 'client-key': '../temp/secret' }, {}, true],
  ['an authority, inside', 'checkout/kubeconfig', {}, { 'certificate-authority': '../temp/secret' }, true],
  ['a token of the checkout, inside', 'checkout/kubeconfig', { tokenFile: 'token' }, {}, false],
  ['a token of the runner, next to it', 'temp/kubeconfig', { tokenFile: 'secret' }, {}, false],
])('in a job, %s: %s', (_, file, user, cluster, refused) => {
  for (const one of ['checkout', 'temp']) mkdirSync(path.join(folder, one), { recursive: true });
  for (const one of ['temp/secret', 'checkout/token']) writeFileSync(path.join(folder, one), 'secret');
  rmSync(path.join(folder, 'checkout/link'), { force: true });
  symlinkSync('../temp/secret', path.join(folder, 'checkout/link'));
  const kubeconfig = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:1', ...cluster } }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(path.join(folder, file), JSON.stringify(kubeconfig));
  const asked = (): unknown =>
    connect({
      source: { kind: 'files', paths: [path.join(folder, file)], mayRunCommands: true },
      context: '',
      repositoryPath: undefined,
      checkout: path.join(folder, 'checkout'),
      serviceAccountFolder: folder,
      network: { env: {}, authorities: async () => undefined },
      clock: systemClock,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  if (refused) expect(asked).toThrow(/is inside of the checkout and takes .*, which is not/);
  else expect(asked).not.toThrow();
});
