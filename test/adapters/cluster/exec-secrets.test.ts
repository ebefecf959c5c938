/** What the command of a kubeconfig gets of us, and which file may not name one. */

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { execCredentials } from '../../../src/adapters/cluster/exec-credential.ts';
import { forbidProgramsInside } from '../../../src/adapters/cluster/kubeconfig-rules.ts';
import { systemClock } from '../../../src/adapters/system/clock.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'exec-secrets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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

test.each<readonly [what: string, file: string, user: object, refused: boolean]>([
  ['a command, inside', 'checkout/ci/kubeconfig', { exec: { command: 'x' } }, true],
  ['an auth-provider, inside', 'checkout/kubeconfig', { authProvider: { name: 'oidc', config: {} } }, true],
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
