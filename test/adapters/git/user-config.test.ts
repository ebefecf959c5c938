/** Settings of the machine and of the person, in git's order. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readUserConfig } from '../../../src/adapters/git/user-config.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'tranche-home-'));
  mkdirSync(join(home, '.config/git'), { recursive: true });
  writeFileSync(join(home, 'system'), '[user]\n\tname = system\n\temail = system@example.com\n');
  writeFileSync(join(home, '.config/git/config'), '[user]\n\tname = xdg\n[http]\n\tsslCAInfo = /xdg.pem\n');
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = home\n');
  writeFileSync(join(home, 'own'), '[user]\n\tname = own\n');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each([
  [{}, ['home', 'system@example.com', '/xdg.pem']],
  [{ GIT_CONFIG_NOSYSTEM: '1' }, ['home', undefined, '/xdg.pem']],
  [{ GIT_CONFIG_GLOBAL: 'own' }, ['own', 'system@example.com', undefined]],
  [{ XDG_CONFIG_HOME: '/nonexistent' }, ['home', 'system@example.com', undefined]],
])('with %j', (given, wanted) => {
  const global = 'GIT_CONFIG_GLOBAL' in given ? { GIT_CONFIG_GLOBAL: join(home, 'own') } : {};
  const config = readUserConfig({ HOME: home, GIT_CONFIG_SYSTEM: join(home, 'system'), ...given, ...global });
  expect(['user.name', 'user.email', 'http.sslcainfo'].map((key) => config.get(key))).toEqual(wanted);
});

test('nobody has settings without a home', () => {
  expect(readUserConfig({ GIT_CONFIG_NOSYSTEM: '1' })).toEqual(new Map());
});
