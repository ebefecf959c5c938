/** The files of a folder as they lie there, read through the port of Git: committed or not, without what is ignored. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workingTreeAt } from '../../../src/adapters/git/clone-root.ts';
import { ignoreRules, isIgnored } from '../../../src/adapters/git/ignore-rules.ts';
import { zeroOid } from '../../../src/adapters/git/names.ts';
import { openGit } from '../../../src/adapters/git/open.ts';
import { openWorkingTree } from '../../../src/adapters/git/working-tree.ts';
import type { ReadRequest } from '../../../src/ports/git.ts';
import { newCommit } from '../../support/fake-git.ts';
import { bareRepository, createBareRepository } from '../../support/git-server.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-tree-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const YAML: ReadRequest = { paths: [''], suffixes: ['.yaml'], markers: [], names: [] };

async function clone(name: string, files: Readonly<Record<string, string>>) {
  const bare = join(folder, `${name}.git`);
  await createBareRepository(bare);
  await bareRepository(bare).commit('main', files);
  const root = join(folder, name);
  await bareRepository(bare).git('clone', '-q', bare, root);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = openGit({ location: root });
  const opened = (limits = {}) => openWorkingTree({ root, git, limits });
  const texts = async (request: Partial<ReadRequest> = {}): Promise<Readonly<Record<string, string>>> => {
    const { files: found } = await opened().readAt(zeroOid, { ...YAML, ...request });
    return Object.fromEntries(
      found.map(({ path, content }) => [path, content.kind === 'text' ? content.text : content.kind]),
    );
  };
  return { root, write, git, opened, texts };
}

describe('a working tree', () => {
  test('edited, new and removed files count; what .gitignore names does not, unless it is committed', async () => {
    const { root, write, texts } = await clone('edits', {
      'a.yaml': 'a: 1\n',
      'gone.yaml': 'g: 1\n',
      'build/kept.yaml': 'k: 1\n',
      '.gitignore': 'node_modules/\nbuild\n*.tmp.yaml\n!keep.tmp.yaml\n',
    });
    write('a.yaml', 'a: 2\n');
    write('apps/new.yaml', 'n: 1\n');
    write('build/new.yaml', 'b: 1\n');
    write('node_modules/x/y.yaml', 'x: 1\n');
    write('x.tmp.yaml', 'x: 1\n');
    write('keep.tmp.yaml', 'x: 2\n');
    write('.git/info/exclude', 'private.yaml\n');
    write('apps/private.yaml', 'p: 1\n');
    unlinkSync(join(root, 'gone.yaml'));
    expect(await texts()).toEqual({
      'a.yaml': 'a: 2\n',
      'apps/new.yaml': 'n: 1\n',
      'build/kept.yaml': 'k: 1\n',
      'keep.tmp.yaml': 'x: 2\n',
    });
    expect(await texts({ paths: ['apps', 'a.yaml', 'none'] })).toEqual({
      'a.yaml': 'a: 2\n',
      'apps/new.yaml': 'n: 1\n',
    });
    expect(await texts({ markers: ['n: 1'] })).toEqual({ 'apps/new.yaml': 'n: 1\n' });
  });

  test('links, other repositories and what is no file are passed over; a large or garbled file is named', async () => {
    const { root, write, opened } = await clone('odd', { 'a.yaml': 'a: 1\n' });
    write('sub/.git', 'gitdir: ../x\n');
    write('sub/s.yaml', 's: 1\n');
    write('large.yaml', 'x'.repeat(200));
    writeFileSync(join(root, 'garbled.yaml'), Buffer.from([0xff, 0xfe, 0x41]));
    symlinkSync('/etc', join(root, 'etc'));
    symlinkSync('/etc/passwd', join(root, 'passwd.yaml'));
    symlinkSync('a.yaml', join(root, 'b.yaml'));
    const { files, gaps } = await opened({ fileBytes: 100 }).readAt(zeroOid, YAML);
    expect(gaps).toEqual({ absent: [], passedOver: ['sub'] });
    expect(
      files.map(({ path, content }) => [path, content.kind, content.kind === 'unreadable' ? content.why : '']),
    ).toEqual([
      ['a.yaml', 'text', ''],
      ['garbled.yaml', 'unreadable', 'it is not UTF-8'],
      ['large.yaml', 'unreadable', 'it has 200 bytes, over the limit of 100'],
    ]);
  });

  test('a link or another repository in the place of what is asked for by its path is told, never missing', async () => {
    const { root, write, opened } = await clone('named', { 'a.yaml': 'a: 1\n' });
    write('sub/.git', 'gitdir: ../x\n');
    symlinkSync('a.yaml', join(root, 'b.yaml'));
    symlinkSync('/etc', join(root, 'apps'));
    write('more/x/.git', 'gitdir: ../x\n');
    for (const name of ['base', 'policy.yaml', 'notes.md']) symlinkSync('../base', join(root, 'more', name));
    const paths = ['b.yaml', 'sub', 'apps/vllm', 'none.yaml', 'more', 'more/y', 'a.yaml/b'];
    const { files, gaps } = await opened().readAt(zeroOid, { ...YAML, paths });
    expect(gaps?.passedOver).toEqual(['more/base', 'more/policy.yaml', 'more/x']);
    expect(gaps?.absent.map(({ path, folder: at }) => [path, at])).toEqual([
      ['none.yaml', ''],
      ['more/y', 'more'],
      ['a.yaml/b', ''],
    ]);
    expect(files.map(({ path, content }) => [path, content.kind === 'unreadable' && content.cause])).toEqual([
      ['apps', 'link'],
      ['b.yaml', 'link'],
      ['sub', 'link'],
    ]);
  });

  test('limits of depth and number are held, and named', async () => {
    const { write, opened } = await clone('deep', { 'a.yaml': 'a: 1\n' });
    write('1/2/3/4.yaml', 'x: 1\n');
    const { files } = await opened({ treeDepth: 2 }).readAt(zeroOid, YAML);
    expect(files.map(({ path, content }) => [path, content.kind])).toEqual([
      ['1/2/3', 'unreadable'],
      ['a.yaml', 'text'],
    ]);
    await expect(opened({ treeEntries: 3 }).readAt(zeroOid, YAML)).rejects.toThrow('more than 3 folders and files');
  });

  test('everything else is the repository: other branches, commits, the history; nothing is pushed', async () => {
    const { write, git, opened, root } = await clone('rest', { 'a.yaml': 'a: 1\n' });
    write('a.yaml', 'a: 2\n');
    const tree = opened();
    const [main] = await git.heads(['main']);
    expect(await tree.heads(['HEAD', 'main', 'none'])).toEqual([zeroOid, main, undefined]);
    const same = await tree.readAt(main!, YAML);
    expect(same.files[0]?.content).toEqual({ kind: 'text', text: 'a: 1\n' });
    expect((await tree.history(zeroOid, undefined, 5)).map(({ oid }) => oid)).toEqual([main]);
    expect((await tree.readAt(zeroOid, YAML)).files[0]?.mode).toBe('100644');
    chmodSync(join(root, 'a.yaml'), 0o755);
    expect((await tree.readAt(zeroOid, YAML)).files[0]?.mode).toBe('100755');
    const update = { branch: 'main', expectedOld: main, base: main, commits: [newCommit({ 'b.yaml': 'b' })] };
    await expect(tree.push([update])).rejects.toThrow('never pushed');
  });

  test('ids are those of git, so that a file that was read before is known', async () => {
    const { git, opened } = await clone('ids', { 'a.yaml': 'a: 1\n' });
    const [main] = await git.heads(['main']);
    expect((await opened().readAt(zeroOid, YAML)).files).toEqual((await git.readAt(main!, YAML)).files);
  });

  test('the root is found from a folder below it; a bare repository has none', async () => {
    const { root, write } = await clone('below', { 'a.yaml': 'a: 1\n' });
    write('apps/vllm/x.yaml', 'x: 1\n');
    expect(workingTreeAt(join(root, 'apps/vllm'))).toBe(root);
    expect(workingTreeAt(join(folder, 'below.git'))).toBeUndefined();
    // Somebody means another repository: this one is not read in its place.
    expect(workingTreeAt(join(root, 'github.com/team/models'))).toBeUndefined();
  });

  test('a commit that is checked out, and one before the first', async () => {
    const { root, write, opened } = await clone('detached', { 'a.yaml': 'a: 1\n' });
    await bareRepository(join(root, '.git'))
      .git('checkout', '-q', '--detach')
      .catch(() => undefined);
    write('.git/HEAD', 'ref: refs/heads/unborn\n');
    expect(await opened().history(zeroOid, undefined, 5)).toEqual([]);
    expect(Object.keys((await opened().readAt(zeroOid, YAML)).files)).toHaveLength(1);
  });
});

describe('patterns of .gitignore', () => {
  test.each<[pattern: string, path: string, ignored: boolean]>([
    ['a', 'a', true],
    ['a', 'x/a', true],
    ['/a', 'x/a', false],
    ['x/a', 'x/a', true],
    ['x/a', 'y/x/a', false],
    ['**/a', 'x/y/a', true],
    ['x/**', 'x/y/a', true],
    ['x/**/a', 'x/a', true],
    ['*.yaml', 'x/b.yaml', true],
    ['*.yaml', 'x/b.yml', false],
    ['b?r', 'bar', true],
    ['[ab]', 'a', true],
    ['[!ab]', 'a', false],
    ['a.b', 'axb', false],
    ['(a|b)+', 'a', false],
    ['\\#a', '#a', true],
    ['\\!a', '!a', true],
    ['# a', 'a', false],
    ['a/', 'a', false],
    ['a ', 'a', true],
    ['a\\d', 'ad', true],
    ['a\\d', 'a1', false],
    ['**', 'x/y', true],
    // Fifty stars, and a path that almost fits: an expression would try every way to divide it.
    ['*a'.repeat(50), 'a'.repeat(200), true],
    [`${'*a'.repeat(50)}b`, 'a'.repeat(200), false],
    [`/${'**/a/'.repeat(30)}b`, 'a/'.repeat(60).slice(0, -1), false],
    [`a${' '.repeat(200_000)}b`, 'a', false],
  ])('%s and %s: %s', (pattern, path, ignored) => {
    expect(isIgnored(ignoreRules(`${pattern}\n`, ''), path, 'file')).toBe(ignored);
  });

  test('a folder, a deeper file of rules, and the last word', () => {
    const rules = [...ignoreRules('logs/\n*.yaml\n', ''), ...ignoreRules('!b.yaml\n', 'x')];
    expect(isIgnored(rules, 'logs', 'folder')).toBe(true);
    expect(isIgnored(rules, 'x/a.yaml', 'file')).toBe(true);
    expect(isIgnored(rules, 'x/b.yaml', 'file')).toBe(false);
    expect(isIgnored(rules, 'b.yaml', 'file')).toBe(true);
  });
});
