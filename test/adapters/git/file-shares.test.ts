/** Which files a read gives back of a tree that has more than one pass may take in, and what stands for the others. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fairFiles } from '../../../src/adapters/git/file-shares.ts';
import { defaultGitLimits } from '../../../src/adapters/git/limits.ts';
import { namedTogether } from '../../../src/adapters/git/tree-stand-ins.ts';
import type { TreeFile } from '../../../src/ports/git.ts';

const fileAt = (path: string): TreeFile => ({
  path,
  oid: 'a'.repeat(40),
  mode: '100644',
  content: { kind: 'text', text: path },
});

const filesIn = (folder: string, count: number): readonly TreeFile[] =>
  [...Array(count).keys()].map((at) => fileAt(`${folder}/${at}.yaml`));

function read(files: readonly TreeFile[], treeFiles: number): readonly string[] {
  return fairFiles(files, { ...defaultGitLimits, treeFiles }).map(({ path, content }) =>
    content.kind === 'text' ? path : `${path}: ${content.why}`,
  );
}

const paths = (files: readonly TreeFile[]): readonly string[] => files.map(({ path }) => path);

describe('more files than one pass may take in', () => {
  test('as many as there may be are all read', () => {
    const files = filesIn('apps/a', 100);
    expect(read(files, 100)).toEqual(paths(files));
  });

  test('a folder next to one with too many is read, and that one is named', () => {
    const own = filesIn('apps/own/x', 30);
    const lines = read([...filesIn('apps/bomb', 500), ...own], 100);
    expect(lines).toEqual([
      ...paths(own),
      'apps/bomb: 500 files in it are left out, because more is for tranche to read than a pass takes in (100 files, or 64 MiB)',
    ]);
  });

  test('a folder that is divided itself is read as far as its part goes', () => {
    const lines = read([...filesIn('bomb/a', 20), ...filesIn('bomb/b', 20), ...filesIn('bomb/c', 400)], 100);
    expect(lines.slice(0, -1)).toHaveLength(40);
    expect(lines.at(-1)).toMatch(/^bomb\/c: 400 files/);
  });

  test('a long file counts as many short ones, and a folder next to some is read', () => {
    const long: TreeFile = { ...fileAt('apps/bomb/a.yaml'), content: { kind: 'text', text: 'a'.repeat(64_001) } };
    const own = filesIn('apps/own', 30);
    const lines = read([long, ...own], 100);
    expect(lines).toHaveLength(31);
    expect(lines.at(-1)).toMatch(/^apps\/bomb: 1 files in it are left out/);
  });

  test('the root has no name: nothing is read', () => {
    expect(() =>
      read(
        filesIn('x', 101).map(({ path }) => fileAt(path.slice(2))),
        100,
      ),
    ).toThrow('more than 100, or 64 MiB, that are in no folder');
  });

  test('no more than may be, every folder its equal part, and nothing looks empty', () => {
    const folder = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(folder, { minLength: 40, maxLength: 200 }), fc.nat({ max: 30 }), (folders, more) => {
        const most = 40 + more;
        const files = folders.map((parts, at) => fileAt(`${parts.join('/')}/${at}.yaml`));
        fc.pre(files.length > most);
        const given = fairFiles(files, { ...defaultGitLimits, treeFiles: most });
        const there = given.filter(({ content }) => content.kind === 'text');
        expect(there.length).toBeLessThanOrEqual(most);
        const standing = given.filter(({ content }) => content.kind !== 'text').map(({ path }) => `${path}/`);
        const isRead = new Set(paths(there));
        for (const { path } of files)
          expect(isRead.has(path) || standing.some((prefix) => path.startsWith(prefix)), path).toBe(true);
        for (const name of ['a', 'b', 'c']) {
          const own = files.filter(({ path }) => path.startsWith(`${name}/`));
          if (own.length <= Math.floor(most / 3)) for (const { path } of own) expect(isRead.has(path)).toBe(true);
        }
      }),
    );
  });
});

describe('what stands for folders that are left out', () => {
  const of = (...prefixes: readonly string[]) => prefixes.map((prefix) => ({ oid: 'a', prefix, many: 0 }));
  const named = (...prefixes: readonly string[]) =>
    namedTogether(of(...prefixes)).map(({ prefix, many }) => [prefix, many]);
  const count = (many: number, prefixAt: (at: number) => string) => [...Array(many).keys()].map(prefixAt);

  test('a few are named, many of one folder are named by that', () => {
    expect(named('a/x/', 'b/y/')).toEqual([
      ['a/x/', 0],
      ['b/y/', 0],
    ]);
    expect(named('b/y/', ...count(10, (at) => `a/${at}/`))).toEqual([
      ['b/y/', 0],
      ['a/', 10],
    ]);
    expect(named(...count(10, (at) => `${at}/`))).toHaveLength(10);
  });

  test('with very many the deepest are named further up, and what is next to them stays', () => {
    const chain = (folder: string) => count(60, (at) => `${folder}/${'9/'.repeat(at)}8/`);
    expect(named(...chain('apps/bomb'), ...chain('apps/other'), 'apps/z/y/').map(([prefix]) => prefix)).toContain(
      'apps/z/y/',
    );
    const all = named(...chain('apps/bomb'), ...chain('apps/other'));
    expect(all.length).toBeLessThanOrEqual(100);
    expect(all.every(([prefix]) => /^apps\/(bomb|other)\//.test(String(prefix)))).toBe(true);
    expect(named(...count(300, (at) => `team${at}/x/`))).toHaveLength(300);
  });
});
