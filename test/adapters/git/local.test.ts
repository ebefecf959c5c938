/** The contract of Git on a folder, and what only a folder has: packs, worktrees, alternates, locks, reflogs. */

import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findLayout } from '../../../src/adapters/git/local-layout.ts';
import { swapHeads } from '../../../src/adapters/git/local-refs.ts';
import { openGit } from '../../../src/adapters/git/open.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { newCommit } from '../../support/fake-git.ts';
import { bareRepository, createBareRepository } from '../../support/git-server.ts';
import { gitContract, textsOf, update } from './contract.ts';
import { onDisk } from './on-disk.ts';

let folder = '';
let made = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-local-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function newRepository() {
  made += 1;
  const path = join(folder, `r${made}.git`);
  await createBareRepository(path);
  return { ...bareRepository(path), open: () => openGit({ location: path }) };
}

/** A normal repository with a checked-out main and a branch `side`. */
async function newWorktree() {
  const bare = await newRepository();
  await bare.commit('main', { a: '1\n' });
  await bare.commit('side', { s: '1\n' });
  const path = bare.path.replace(/\.git$/, '');
  await bare.git('clone', '-q', bare.path, path);
  const repository = bareRepository(path);
  await repository.git('branch', 'side', 'origin/side');
  return { ...repository, open: () => openGit({ location: path }) };
}

gitContract(
  'a folder',
  async () => {
    const { path, open } = await newRepository();
    const disk = onDisk(path);
    // Hooks are not run on a folder, so what refuses here is the other rule there is: a checked-out branch.
    const refuse = async (branch: string) => {
      mkdirSync(join(path, 'worktrees', 'GH006: Protected branch'), { recursive: true });
      writeFileSync(join(path, 'worktrees', 'GH006: Protected branch', 'HEAD'), `ref: refs/heads/${branch}\n`);
    };
    return { git: open(), another: open, ...disk, refuse };
  },
  async () => undefined,
);

const all = { paths: [''], suffixes: [], markers: [] };

test('a hook that guards main is not run on a folder, as docs/access.md says', async () => {
  const { commit, open, hook } = await newRepository();
  const old = await commit('main', { a: '1\n' });
  hook('pre-receive', 'exit 1');
  expect((await open().push([update('main', old, [newCommit({ a: '2\n' })])])).kind).toBe('pushed');
});

describe('objects on the disk', () => {
  const many = (version: string) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_none, i) => [
        `team-${i % 7}/service-${i}.yaml`,
        `${'kind: Deployment\nspec:\n  replicas: 3\n'.repeat(20)}# ${i} ${i < 30 ? version : ''}\n`,
      ]),
    );

  test('deltas in packs, packed refs and what came after them are all read', async () => {
    const { git, commit, open } = await newRepository();
    const old = await commit('main', many('one'));
    await commit('main', many('two'));
    await git('repack', '-adfq', '--depth=50', '--window=50');
    await git('pack-refs', '--all');
    const local = open();
    const before = await local.readAt(old, all);
    expect(textsOf(before)).toEqual(many('one'));
    const later = await commit('main', { 'team-0/service-0.yaml': 'later\n' });
    expect(await local.heads(['main'])).toEqual([later]);
    expect(textsOf(await local.readAt(later, all))).toEqual({ ...many('two'), 'team-0/service-0.yaml': 'later\n' });
    await git('gc', '-q', '--prune=now');
    expect(textsOf(await local.readAt(later, { ...all, paths: ['team-0'] }))['team-0/service-0.yaml']).toBe('later\n');
    expect((await local.push([update('main', later, [newCommit({ x: '1\n' })])])).kind).toBe('pushed');
    await git('fsck', '--strict', '--no-dangling');
  });

  test.each(['loose', 'packed'])(
    'a file over the limit of an object is named, the others are read (%s)',
    async (kind) => {
      const { path, git, commit } = await newRepository();
      const text = (bytes: number) => `# ${'kind: LeaderWorkerSet\n'.repeat(bytes / 20)}`;
      const head = await commit('main', {
        'a/huge.yaml': text(300_000),
        'a/small.yaml': 'a: 1\n',
        'b.yaml': text(90_000),
      });
      await commit('main', { 'a/huge.yaml': `${text(300_000)}# changed\n` });
      if (kind === 'packed') await git('repack', '-adfq');
      const local = openGit({ location: path, limits: { objectBytes: 100_000, fileBytes: 50_000 } });
      const { files } = await local.readAt(head, all);
      expect(files.map((file) => [file.path, file.content.kind])).toEqual([
        ['a/huge.yaml', 'unreadable'],
        ['a/small.yaml', 'text'],
        ['b.yaml', 'unreadable'],
      ]);
      expect((await local.push([update('side', undefined, [newCommit({ x: '1' })])])).kind).toBe('pushed');
      const main = await git('rev-parse', 'main');
      expect((await local.push([update('main', main, [newCommit({ 'a/small.yaml': 'a: 2\n' })])])).kind).toBe('pushed');
    },
  );

  test('a branch that is packed goes for good, and all else that is packed stays', async () => {
    const { path, git, commit } = await newRepository();
    const head = await commit('main', { a: '1\n' });
    await git('branch', 'step', head);
    await git('tag', '-a', '-m', 'x', 'v1', head);
    await git('pack-refs', '--all');
    const before = (await git('show-ref', '-d')).split('\n');
    const later = await commit('step', { a: '2\n' });
    const local = openGit({ location: path });
    expect((await local.push([{ branch: 'step', expectedOld: later, isDeleted: true }])).kind).toBe('pushed');
    expect(await local.heads(['step', 'main'])).toEqual([undefined, head]);
    expect((await git('show-ref', '-d')).split('\n')).toEqual(before.filter((line) => !line.endsWith('/step')));
    expect(await git('fsck', '--no-dangling')).toBe('');
  });

  test('alternates and linked worktrees', async () => {
    const origin = await newRepository();
    const head = await origin.commit('main', { a: '1\n' });
    const shared = `${origin.path}.shared`;
    await origin.git('clone', '-q', '--shared', '--bare', origin.path, shared);
    expect(textsOf(await openGit({ location: shared }).readAt(head, all))).toEqual({ a: '1\n' });
    const linked = `${origin.path}.linked`;
    await origin.git('worktree', 'add', '-q', '-b', 'linked', linked, 'main');
    const git = openGit({ location: linked });
    expect(await git.heads(['main', 'linked'])).toEqual([head, head]);
    expect(await git.push([update('linked', head, [newCommit({ a: '2\n' })])])).toMatchObject({ kind: 'refused' });
    expect(await git.push([update('main', head, [newCommit({ a: '2\n' })])])).toMatchObject({ kind: 'pushed' });
  });

  test('a damaged object is an error when read, and is replaced when written again', async () => {
    const { path, git, commit, open } = await newRepository();
    const base = await commit('main', { a: 'before\n' });
    const oid = await git('rev-parse', 'main:a');
    const file = join(path, 'objects', oid.slice(0, 2), oid.slice(2));
    expect(existsSync(file)).toBe(true);
    rmSync(file);
    writeFileSync(file, 'garbage');
    await expect(open().readAt(base, all)).rejects.toThrow(PortError);
    const result = await open().push([update('main', base, [newCommit({ b: 'before\n' })])]);
    expect(result.kind).toBe('pushed');
    expect(await git('cat-file', 'blob', 'main:a')).toBe('before');
  });

  test('a shallow clone says where its history stops and what to do', async () => {
    const origin = await newRepository();
    await origin.commit('main', { a: '1\n' });
    const head = await origin.commit('main', { a: '2\n' });
    const shallow = `${origin.path}.shallow`;
    await origin.git('clone', '-q', '--bare', '--depth=1', `file://${origin.path}`, shallow);
    const git = openGit({ location: `file://${shallow}` });
    expect(textsOf(await git.readAt(head, all))).toEqual({ a: '2\n' });
    await expect(git.history(head, undefined, 5)).rejects.toMatchObject({ retryable: false, hint: /URL/ });
  });
});

describe('locks and names', () => {
  test("a lock that stays is an error with the lock's path, and no other branch has moved", async () => {
    const { path, commit, git, open } = await newRepository();
    const main = await commit('main', { a: '1\n' });
    const status = await commit('status', { s: '1\n' });
    const lock = join(path, 'refs/heads/status.lock');
    writeFileSync(lock, '');
    const push = open().push([
      update('main', main, [newCommit({ a: '2\n' })]),
      update('status', status, [newCommit({ s: '2\n' })]),
    ]);
    await expect(push).rejects.toMatchObject({ port: 'git', retryable: true, hint: expect.stringContaining(lock) });
    expect(await git('rev-parse', 'main')).toBe(main);
    expect(existsSync(join(path, 'refs/heads/main.lock'))).toBe(false);
    expect(existsSync(lock)).toBe(true);
  });

  test.each([
    ['loose', false],
    ['packed', true],
  ])('a branch below a branch, and above one, is refused by name (%s)', async (_kind, isPacked) => {
    const { commit, git, open } = await newRepository();
    const base = await commit('tranche', { a: '1\n' });
    await commit('deep/er/branch', { a: '1\n' });
    if (isPacked) await git('pack-refs', '--all', '--prune');
    const push = (branch: string) => open().push([update(branch, undefined, [newCommit({ a: '2\n' })])]);
    expect(await push('tranche/x')).toMatchObject({
      kind: 'refused',
      rule: expect.stringMatching(/'refs\/heads\/tranche' exists/),
    });
    expect(await push('deep')).toMatchObject({ kind: 'refused', branch: 'deep' });
    await git('update-ref', '-d', 'refs/heads/deep/er/branch');
    expect(await push('deep')).toMatchObject({ kind: 'pushed' });
    expect(await git('rev-parse', 'tranche')).toBe(base);
  });
});

describe('two branches at once', () => {
  async function twoBranches() {
    const repository = await newRepository();
    const main = await repository.commit('main', { a: '1\n' });
    const status = await repository.commit('status', { s: '1\n' });
    return { ...repository, main, status };
  }

  // A log that is a folder: that branch cannot be moved, anyone who asks.
  test.each([
    ['main', ['main', 'status']],
    ['status', ['status']],
  ])('one that breaks off at %s leaves the status behind main, never before it', async (breaks, stay) => {
    const { path, git, main, status, open } = await twoBranches();
    mkdirSync(join(path, 'logs/refs/heads', breaks), { recursive: true });
    const push = open().push([
      update('main', main, [newCommit({ a: '2\n' })]),
      update('status', status, [newCommit({ s: '2\n' })]),
    ]);
    await expect(push).rejects.toThrow(PortError);
    const before = { main, status };
    for (const branch of ['main', 'status'] as const)
      expect([branch, (await git('rev-parse', branch)) === before[branch]]).toEqual([branch, stay.includes(branch)]);
    expect(existsSync(join(path, 'refs/heads/status.lock'))).toBe(false);
  });

  test.each([0, 1])('under the locks each is looked at again: branch %i has moved since', async (moved) => {
    const { path, git, main, status, commit } = await twoBranches();
    const later = await commit(moved === 0 ? 'main' : 'status', { x: '2\n' });
    const moves = [
      { branch: 'main', from: main, to: status, who: 'Ada <ada@example.com> 1 +0000' },
      { branch: 'status', from: status, to: main, who: 'Ada <ada@example.com> 1 +0000' },
    ];
    expect(await swapHeads(findLayout(path), moves)).toEqual({ kind: 'moved' });
    expect([await git('rev-parse', 'main'), await git('rev-parse', 'status')]).toEqual(
      moved === 0 ? [later, status] : [main, later],
    );
  });
});

describe('a normal repository', () => {
  test('its checked-out branch is refused, unless git would allow it; others move and are logged', async () => {
    const { path, git, open } = await newWorktree();
    const [main, side] = [await git('rev-parse', 'main'), await git('rev-parse', 'side')];
    const refused = await open().push([
      update('side', side, [newCommit({ s: '2\n' })]),
      update('main', main, [newCommit({ a: '2\n' })]),
    ]);
    expect(refused).toMatchObject({
      kind: 'refused',
      branch: 'main',
      advice: expect.stringContaining('receive.denyCurrentBranch'),
    });
    expect(await git('rev-parse', 'side')).toBe(side);
    const moved = await open().push([update('side', side, [newCommit({ s: '2\n' })])]);
    expect(moved.kind).toBe('pushed');
    expect(await git('reflog', 'show', '--format=%H %gs', 'side')).toContain(`${await git('rev-parse', 'side')} push`);
    appendFileSync(join(path, '.git/config'), '[receive]\n\tdenyCurrentBranch = ignore ; said on purpose\n');
    expect((await open().push([update('main', main, [newCommit({ a: '2\n' })])])).kind).toBe('pushed');
    await git('fsck', '--strict');
  });
});

describe('what is no repository for us', () => {
  const rows: readonly (readonly [string, (path: string) => void, RegExp])[] = [
    ['a folder without git', (path) => rmSync(join(path, 'HEAD')), /is not a Git repository/],
    [
      'sha256',
      (path) => appendFileSync(join(path, 'config'), '[extensions]\n\tobjectFormat = sha256\n'),
      /sha256, wanted sha1/,
    ],
    [
      'reftable',
      (path) => appendFileSync(join(path, 'config'), '[extensions]\n\trefStorage = reftable\n'),
      /reftable, wanted files/,
    ],
    [
      'a branch that is a link to a secret, which is not said',
      (path) => {
        writeFileSync(join(path, 'secret'), 'secret\n');
        rmSync(join(path, 'refs/heads/main'));
        symlinkSync(join(path, 'secret'), join(path, 'refs/heads/main'));
      },
      /refs\/heads\/main holds no object id(?!.*secret)/s,
    ],
    [
      'an extension nobody knows',
      (path) => appendFileSync(join(path, 'config'), '[core]\nrepositoryFormatVersion = 1\n[extensions]\n\tnovel\n'),
      /extensions\.novel/,
    ],
  ];
  test.each(rows)('%s', async (_what, spoil, message) => {
    const { path, commit } = await newRepository();
    await commit('main', { a: '1\n' });
    spoil(path);
    await expect(openGit({ location: path }).heads(['main'])).rejects.toThrow(message);
    await expect(openGit({ location: path }).heads(['main'])).rejects.toBeInstanceOf(PortError);
  });
});
