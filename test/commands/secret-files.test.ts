/** Secrets by the path of a file: the same as given themselves, and refused with their name and path, never their text. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { withNewSecrets, withSecretFiles } from '../../src/commands/secret-files.ts';
import type { Io } from '../../src/options.ts';

const SECRET = 'ghs_notForLogs';
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-secrets-'));
  writeFileSync(join(folder, 'token'), ` ${SECRET}\n`);
  writeFileSync(join(folder, 'empty'), '\n');
  writeFileSync(join(folder, 'large'), SECRET.repeat(10_000));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function ioOf(env: Readonly<Record<string, string>>, said: string[] = []): Io {
  const say = (text: string): void => void said.push(text);
  return { env, folder, out: say, err: say, isTerminal: false, signal: new AbortController().signal };
}

test.each(['TRANCHE_GIT_TOKEN', 'TRANCHE_FORGE_TOKEN', 'TRANCHE_APP_KEY', 'TRANCHE_STATUS_KEY'])('%s', (name) => {
  for (const path of ['token', join(folder, 'token')])
    expect(withSecretFiles(ioOf({ [`${name}_FILE`]: path, NO_SHARE: '/' })).env).toEqual({
      [`${name}_FILE`]: path,
      [name]: SECRET,
      NO_SHARE: '/',
    });
});

test('without such a path the environment is as it is', () => {
  const io = ioOf({ TRANCHE_GIT_TOKEN: SECRET, TRANCHE_APP_KEY_FILE: '' });
  expect(withSecretFiles(io)).toBe(io);
});

test('a secret that was exchanged is seen once, and a file that is gone is an error', () => {
  const path = join(folder, 'exchanged');
  writeFileSync(path, 'one');
  const io = ioOf({ TRANCHE_GIT_TOKEN_FILE: path });
  const first = withSecretFiles(io);
  expect(withNewSecrets(io, first)).toBeUndefined();
  writeFileSync(path, 'two\n');
  const second = withNewSecrets(io, first);
  expect(second?.env['TRANCHE_GIT_TOKEN']).toBe('two');
  expect(withNewSecrets(io, second!)).toBeUndefined();
  rmSync(path);
  expect(() => withNewSecrets(io, second!)).toThrow('exchanged cannot be read (ENOENT)');
});

describe('nothing is run, and the secret is not said', () => {
  test.each([
    [{ TRANCHE_GIT_TOKEN_FILE: './none' }, /TRANCHE_GIT_TOKEN_FILE: .*none cannot be read \(ENOENT\)/],
    [{ TRANCHE_GIT_TOKEN_FILE: SECRET }, /what TRANCHE_GIT_TOKEN_FILE holds is no file.*wanted the path of one/],
    [{ TRANCHE_STATUS_KEY_FILE: `tranche-private-${SECRET}` }, /what TRANCHE_STATUS_KEY_FILE holds is no file/],
    [
      { TRANCHE_APP_KEY_FILE: `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}/x\n` },
      /what TRANCHE_APP_KEY_FILE holds is no file.*give the secret itself as TRANCHE_APP_KEY/,
    ],
    [{ TRANCHE_GIT_TOKEN_FILE: '.' }, /cannot be read \(EISDIR\)/],
    [{ TRANCHE_GIT_TOKEN_FILE: 'empty' }, /empty is empty, wanted a secret/],
    [{ TRANCHE_GIT_TOKEN_FILE: 'large' }, /large has more than 64 KiB/],
    [{ TRANCHE_GIT_TOKEN_FILE: 'token', TRANCHE_GIT_TOKEN: SECRET }, /are both given, wanted one of them/],
  ])('%o', async (env, says) => {
    const said: string[] = [];
    expect(await runProgram(['status', '--repo', folder], ioOf(env, said))).toBe(2);
    expect(said.join('')).toMatch(says);
    expect(said.join('')).not.toContain(SECRET);
  });
});
