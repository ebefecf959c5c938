/** A repository that we make is one that git takes for its own. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGit } from '../../../src/adapters/git/open.ts';
import { createRepository } from '../../../src/demo/create-repository.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'create-repository-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
}

test('git finds it empty, bare and whole, and our first commit in it', async () => {
  const path = join(folder, 'new.git');
  createRepository(path, 'trunk');
  expect(git('-C', path, 'rev-parse', '--is-bare-repository')).toBe('true');
  expect(git('-C', path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/trunk');
  expect(await openGit({ location: path }).heads(['trunk'])).toEqual([undefined]);
  const signature = { name: 'Ana Ortiz', email: 'ana@example.com', atSeconds: 1_750_000_000 };
  const writes = [{ path: 'apps/a.yaml', text: 'a: 1\n' }];
  const commits = [{ writes, message: 'first', signature }];
  expect(
    await openGit({ location: path }).push([{ branch: 'trunk', expectedOld: undefined, base: undefined, commits }]),
  ).toMatchObject({
    kind: 'pushed',
  });
  expect(git('-C', path, 'log', '--format=%an %s')).toBe('Ana Ortiz first');
  expect(git('-C', path, 'fsck', '--strict')).toBe('');
  git('clone', '-q', path, 'clone');
  expect(git('-C', join(folder, 'clone'), 'ls-files')).toBe('apps/a.yaml');
});

test('what is there already is left alone', () => {
  expect(() => createRepository(folder, 'main')).toThrow('exists already');
});
