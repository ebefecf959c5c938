/** Trees and commits have the bytes that git and isomorphic-git give them; the fake has their ids. */

import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { log as isoLog, listFiles } from 'isomorphic-git';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MalformedObject } from '../../../src/adapters/git/git-error.ts';
import { branchNameFault, writePathFault } from '../../../src/adapters/git/names.ts';
import {
  decodeCommit,
  decodeTree,
  encodeCommit,
  encodeEntries,
  oidOf,
  placeOf,
  type TreeEntry,
} from '../../../src/adapters/git/objects.ts';
import { openGit } from '../../../src/adapters/git/open.ts';
import { FakeRepository, newCommit } from '../../support/fake-git.ts';
import { createBareRepository, gitEnvironment } from '../../support/git-server.ts';
import { update } from './contract.ts';

let folder = '';
let path = '';

beforeAll(async () => {
  folder = fs.mkdtempSync(join(tmpdir(), 'tranche-objects-'));
  path = join(folder, 'r.git');
  await createBareRepository(path);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function git(args: readonly string[], input: string | Buffer = ''): string {
  return execFileSync('git', ['-C', path, ...args], { env: gitEnvironment, input, stdio: ['pipe', 'pipe', 'ignore'] })
    .toString()
    .trim();
}

describe('trees and commits', () => {
  test('git mktree gives the same ids, however the names sort', () => {
    const name = fc.stringMatching(/^[a-z.é-]{1,4}$/u).filter((text) => !/^\.+$/.test(text) && text !== '.git');
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 8 }), fc.infiniteStream(fc.boolean()), (names, folders) => {
        const entries = names.map((text) => {
          const isFolder = folders.next().value === true;
          return {
            mode: isFolder ? '40000' : '100644',
            name: Buffer.from(text).toString('latin1'),
            oid: 'a'.repeat(40),
            text,
          };
        });
        const lines = entries.map(
          ({ mode, oid, text }) => `${mode.padStart(6, '0')} ${mode === '40000' ? 'tree' : 'blob'} ${oid}\t${text}\0`,
        );
        const sorted: TreeEntry[] = [];
        for (const entry of entries) sorted.splice(placeOf(entry, sorted), 0, entry);
        const tree = encodeEntries(sorted);
        expect(oidOf(tree)).toBe(git(['mktree', '--missing', '-z'], lines.join('')));
        expect(decodeTree(tree.bytes)).toHaveLength(entries.length);
      }),
      { numRuns: 40 },
    );
  });

  test('git hash-object takes our commits, and names and messages cannot break out of them', () => {
    const tree = git(['mktree']);
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string({ maxLength: 200 }), (name, email, message) => {
        const signature = { name, email, atSeconds: 1_700_000_000 };
        const commit = encodeCommit({ tree, parents: ['b'.repeat(40)], signature, message });
        expect(git(['hash-object', '-t', 'commit', '--stdin', '-w', '--literally'], commit.bytes)).toBe(oidOf(commit));
        const back = decodeCommit(oidOf(commit), commit.bytes);
        expect(back).toMatchObject({ tree, parents: ['b'.repeat(40)], author: { atSeconds: 1_700_000_000 } });
        expect(back.message).toBe(message.replaceAll('\0', '').replace(/\n+$/, ''));
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    ['a cut tree', Buffer.from('100644 name\0short')],
    ['no mode', Buffer.from('\0')],
    ['no name', Buffer.concat([Buffer.from('100644 \0'), Buffer.alloc(20)])],
  ])('%s is malformed', (_what, bytes) => {
    expect(() => decodeTree(bytes)).toThrow(MalformedObject);
  });
});

test('what is not written is copied byte for byte: order, old modes, bytes that are no text, names twice', async () => {
  const oid = Buffer.alloc(20, 7);
  const entry = (mode: string, name: string) => Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), oid]);
  const entries = [
    entry('100664', 'z\\\u0001'),
    entry('040000', '\xff'),
    entry('100644', 'b'),
    entry('120000', 'b'),
    entry('100644', 'a\nb'),
  ];
  const repository = FakeRepository.withFiles({});
  const root = { type: 'tree' as const, bytes: Buffer.concat(entries) };
  const signature = { name: 'a', email: 'a', atSeconds: 1 };
  const commit = encodeCommit({ tree: oidOf(root), parents: [], signature, message: 'odd' });
  for (const object of [root, commit]) repository.objects.set(oidOf(object), object);
  repository.setHead('main', oidOf(commit));
  const push = (files: Readonly<Record<string, string>>) =>
    repository.open().push([update('main', repository.head('main'), [newCommit(files)])]);
  expect(await push({ b: 'which?' })).toMatchObject({ kind: 'refused', rule: expect.stringContaining('twice') });
  expect(await push({ zz: 'new\n' })).toMatchObject({ kind: 'pushed' });
  const pushed = repository.objects.get(repository.head('main')!)!;
  const after = repository.objects.get(decodeCommit(repository.head('main')!, pushed.bytes).tree)!;
  const kept = decodeTree(after.bytes).filter(({ name }) => name !== 'zz');
  expect(encodeEntries(kept).bytes).toEqual(root.bytes);
});

test('isomorphic-git reads what we wrote, and the fake gives the same ids for the same writes', async () => {
  const fresh = join(folder, 'fresh.git');
  await createBareRepository(fresh);
  const local = openGit({ location: fresh });
  const fake = FakeRepository.withFiles({});
  fake.setHead('main', undefined);
  const updates = [
    update('main', undefined, [
      newCommit(
        { 'a/b/c.yaml': 'kind: LeaderWorkerSet\n', 'a.b': '1\n', 'é/x': '2\n' },
        { message: 'one\n\nRollout: x' },
      ),
      newCommit({ 'a/b/c.yaml': 'kind: Rollout\n', 'a.b': undefined, 'a/d': 'new\n' }),
    ]),
  ];
  const [onDisk, inMemory] = [await local.push(updates), await fake.open().push(updates)];
  expect(inMemory).toEqual(onDisk);
  const head = onDisk.kind === 'pushed' ? onDisk.heads[0]! : '';
  const common = { fs, gitdir: fresh, cache: {} };
  const log = await isoLog({ ...common, ref: 'main' });
  expect(log.map(({ oid, commit }) => [oid, commit.message])).toEqual([
    [head, 'change\n'],
    [expect.any(String), 'one\n\nRollout: x\n'],
  ]);
  expect(await listFiles({ ...common, ref: 'main' })).toEqual(['a/b/c.yaml', 'a/d', 'é/x']);
  expect(git(['-C', fresh, 'fsck', '--strict', '--no-dangling'])).toBe('');
});

test('the fake makes thousands of commits a second', async () => {
  const repository = FakeRepository.withFiles({ 'apps/a.yaml': '0\n', 'rollouts/r.yaml': '0\n' });
  const git2 = repository.open();
  const started = performance.now();
  const commits = 2000;
  for (let i = 0; i < commits; i += 1) {
    const [head] = await git2.heads(['main']);
    await git2.push([update('main', head, [newCommit({ 'apps/a.yaml': `${i}\n` })])]);
  }
  expect(repository.log('main')).toHaveLength(commits + 1);
  // Ten times slower than measured: only a change of the kind of cost fails here.
  expect(performance.now() - started).toBeLessThan(4000);
});

test('branch names are judged as git check-ref-format does', () => {
  const names = [
    'main',
    'a/b',
    'a..b',
    '-x',
    'x.lock',
    'a/.b',
    'a//b',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{b',
    'a.',
    '/a',
    'a/',
    'é',
    'tranche/prod/llm/vllm/9c41d2e0.7-2',
    'a\u007f',
    'a\nb',
    'a.lock/b',
  ];
  const accepted = (name: string): boolean => {
    try {
      git(['check-ref-format', '--branch', name]);
      return true;
    } catch {
      return false;
    }
  };
  for (const name of names) expect([name, branchNameFault(name) === undefined]).toEqual([name, accepted(name)]);
});

test.each([
  ['apps/my app/lws.yaml', true],
  ['.github/workflows/x.yaml', true],
  ['a/../b', false],
  ['/a', false],
  ['a/', false],
  ['', false],
  ['.git/config', false],
  ['a/.GIT', false],
  ['a/git~1/x', false],
  ['a/.git /x', false],
  ['a/.git::$INDEX_ALLOCATION/x', false],
  ['a/.g\u200cit/x', false],
  ['a\\b', false],
  ['a\0b', false],
])('the path %j may be written: %s', (path2, expected) => {
  expect(writePathFault(path2) === undefined).toBe(expected);
});
