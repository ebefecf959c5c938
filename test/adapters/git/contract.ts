/** What every Git must do, whatever it talks to: the same tests run on the fake, on smart HTTP and on a disk. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BranchUpdate, Git, NewCommit, Oid, ReadRequest, Tree } from '../../../src/ports/git.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { newCommit } from '../../support/fake-git.ts';

/** One repository under test, and how somebody else sees and changes it. */
export type Subject = {
  readonly git: Git;
  /** Another process on the same repository. */
  another(): Git;
  commit(branch: string, files: Readonly<Record<string, string | Buffer | undefined>>): Promise<Oid>;
  head(branch: string): Promise<Oid | undefined>;
  /** The text at a branch, by whatever reads independently of the adapter. */
  text(branch: string, path: string): Promise<string | undefined>;
  /** Makes the repository refuse every push to this branch. */
  refuse(branch: string): Promise<void>;
};

const all: ReadRequest = { paths: [''], suffixes: [], markers: [] };

export function gitContract(name: string, open: () => Promise<Subject>, close: () => Promise<void>): void {
  describe(`${name} as a Git`, () => {
    let subject: Subject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(close);
    readingTests(() => subject);
    historyTests(() => subject);
    pushTests(() => subject);
    chainTests(() => subject);
    baseTests(() => subject);
    deletionTests(() => subject);
    raceTests(() => subject);
  });
}

function readingTests(subject: () => Subject): void {
  const files = {
    'tranche.yaml': 'cluster: prod\n',
    'apps/vllm/lws.yaml': '\ufeffkind: LeaderWorkerSet\r\nname: é\r\n',
    'apps/vllm/notes.md': 'kind: none\n',
    'apps/other/deep/er/lws.yaml': 'kind: LeaderWorkerSet\n',
    'apps.txt': 'sorts between\n',
    'binary.yaml': Buffer.from([0x6b, 0xff, 0xfe, 0x00]),
    'large.yaml': `# ${'x'.repeat(1024 * 1024)}\n`,
    'ünï/côdé.yaml': 'kind: Rollout\n',
    'empty.yaml': '',
  };

  const rows: readonly (readonly [string, Partial<ReadRequest>, Readonly<Record<string, string>>])[] = [
    ['a file', { paths: ['tranche.yaml'] }, { 'tranche.yaml': files['tranche.yaml'] }],
    ['a missing path', { paths: ['nothing', 'apps/none/lws.yaml', 'tranche.yaml/below'] }, {}],
    [
      'a folder, with byte order mark and line ends',
      { paths: ['apps/vllm'] },
      { 'apps/vllm/lws.yaml': files['apps/vllm/lws.yaml'], 'apps/vllm/notes.md': files['apps/vllm/notes.md'] },
    ],
    [
      'one suffix',
      { paths: ['apps/vllm'], suffixes: ['.yaml', '.yml'] },
      { 'apps/vllm/lws.yaml': files['apps/vllm/lws.yaml'] },
    ],
    [
      'nested and repeated paths, once',
      { paths: ['apps/other', 'apps/other/deep', 'apps/other/deep/er/lws.yaml'] },
      { 'apps/other/deep/er/lws.yaml': files['apps/other/deep/er/lws.yaml'] },
    ],
    ['names beyond ASCII', { paths: ['ünï'] }, { 'ünï/côdé.yaml': files['ünï/côdé.yaml'] }],
    ['no path', { paths: [] }, {}],
    ['an empty file', { paths: ['empty.yaml'] }, { 'empty.yaml': '' }],
  ];
  test.each(rows)('reads %s', async (_what, request, wanted) => {
    const commit = await subject().commit('reading', files);
    const tree = await subject().git.readAt(commit, { ...all, ...request });
    expect(tree.commit).toBe(commit);
    expect(textsOf(tree)).toEqual(wanted);
  });

  test('names the paths that are not there, and what is next to them', async () => {
    const commit = await subject().commit('reading', files);
    const asked = [
      'ünn',
      'apps',
      'apps/vlm/lws.yaml',
      'apps/vllm/none',
      'tranche.yaml/below',
      'empty.yaml',
      'ünï/côdé.yaml',
    ];
    const { gaps } = await subject().git.readAt(commit, { ...all, paths: asked });
    const beside = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''))].sort();
    const shown = gaps?.absent.map((one) => ({ ...one, beside: [...one.beside].sort() }));
    expect(shown?.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { path: 'apps/vllm/none', folder: 'apps/vllm', beside: ['lws.yaml', 'notes.md'] },
      { path: 'apps/vlm/lws.yaml', folder: 'apps', beside: ['other', 'vllm'] },
      { path: 'tranche.yaml/below', folder: '', beside },
      { path: 'ünn', folder: '', beside },
    ]);
    expect((await subject().git.readAt(commit, all)).gaps).toEqual({ absent: [], passedOver: [] });
  });

  test('a folder in more than 64 others cannot be read; all else can', async () => {
    const deep = 'a/'.repeat(65);
    const commit = await subject().commit('nested', { [`${deep}b.yaml`]: 'x', 'a/c.yaml': 'y' });
    const { files: read } = await subject().git.readAt(commit, { ...all, suffixes: ['.yaml'] });
    expect(read.filter(({ path }) => path.startsWith('a/')).map(({ path, content }) => [path, content])).toEqual([
      [deep.slice(0, -1), { kind: 'unreadable', cause: 'folder', why: 'folders are nested deeper than 64' }],
      ['a/c.yaml', { kind: 'text', text: 'y' }],
    ]);
  });

  test('reads the whole tree: sorted, with what is skipped and unreadable and why', async () => {
    const commit = await subject().commit('reading', files);
    const tree = await subject().git.readAt(commit, {
      paths: [''],
      suffixes: ['.yaml'],
      markers: ['Rollout', 'LeaderWorkerSet'],
    });
    const shown = tree.files.map(({ path, content }) => `${path} ${content.kind}`);
    expect(shown).toEqual([
      'apps/other/deep/er/lws.yaml text',
      'apps/vllm/lws.yaml text',
      'large.yaml unreadable',
      'ünï/côdé.yaml text',
    ]);
    expect(tree.skipped().map(({ path }) => path)).toEqual(['binary.yaml', 'empty.yaml', 'tranche.yaml']);
  });

  test('which files there are, and nothing of what is in them', async () => {
    const commit = await subject().commit('reading', files);
    const names = ['tranche.yaml'];
    const tree = await subject().git.readAt(commit, { ...all, suffixes: ['.yaml'], names, pathsAlone: true });
    expect(tree.files).toEqual([]);
    const wanted = Object.keys(files).filter((path) => path.endsWith('.yaml'));
    expect(tree.skipped().map(({ path }) => path)).toEqual(wanted.toSorted());
    expect(textsOf(await subject().git.readAt(commit, { ...all, paths: ['tranche.yaml'] }))).toEqual({
      'tranche.yaml': files['tranche.yaml'],
    });
  });

  test('files of some names keep their text without a marker, wherever they are', async () => {
    const commit = await subject().commit('reading', {
      ...files,
      'kustomization.yaml': 'images: []\n',
      'apps/kustomization.yaml': 'resources: []\n',
      'apps/my-kustomization.yaml': 'resources: [a]\n',
    });
    const names = ['kustomization.yaml', 'large.yaml'];
    for (const paths of [[''], ['apps', 'kustomization.yaml', 'large.yaml']]) {
      const tree = await subject().git.readAt(commit, { paths, suffixes: ['.yaml'], markers: ['Rollout'], names });
      expect(tree.files.map(({ path, content }) => `${path} ${content.kind}`)).toEqual(
        expect.arrayContaining(['apps/kustomization.yaml text', 'kustomization.yaml text', 'large.yaml unreadable']),
      );
      expect(tree.skipped().map(({ path }) => path)).toContain('apps/my-kustomization.yaml');
      expect(tree.files.map(({ path }) => path)).toEqual(tree.files.map(({ path }) => path).toSorted());
    }
  });

  test('the paths at which two commits differ, whatever the files say', async () => {
    const before = await subject().commit('compared', files);
    const after = await subject().commit('compared', {
      'large.yaml': undefined,
      'binary.yaml': Buffer.from([0xff]),
      'apps/new/er/lws.yaml': 'kind: none\n',
      'ünï/côdé.yaml': 'kind: none\n',
    });
    const { git } = subject();
    const differing = ['apps/new/er/lws.yaml', 'binary.yaml', 'large.yaml', 'ünï/côdé.yaml'];
    expect(await git.differences(before, after)).toEqual(differing);
    expect(await git.differences(after, before)).toEqual(differing);
    expect(await git.differences(after, after)).toEqual([]);
    await expect(git.differences(before, 'e'.repeat(40))).rejects.toThrow(PortError);
  });

  test('a file that is not UTF-8 or too large is unreadable', async () => {
    const commit = await subject().commit('reading', files);
    const { files: found } = await subject().git.readAt(commit, { ...all, paths: ['binary.yaml', 'large.yaml'] });
    const whys = found.map(({ content }) => (content.kind === 'unreadable' ? content.why : content.kind));
    expect(whys).toEqual(['it is not UTF-8', expect.stringMatching(/over the limit of 1048576/)]);
    expect(found[0]?.content).toMatchObject({ legible: expect.any(String) });
  });

  test('the same file has the same oid in every commit, and a later commit shows the later text', async () => {
    const first = await subject().commit('reading', { a: 'one\n', 'b/c': 'same\n' });
    const second = await subject().commit('reading', { a: 'two\n' });
    const request = { ...all, paths: ['a', 'b'] };
    const [before, after] = [await subject().git.readAt(first, request), await subject().git.readAt(second, request)];
    expect(textsOf(before)).toEqual({ a: 'one\n', 'b/c': 'same\n' });
    expect(textsOf(after)).toEqual({ a: 'two\n', 'b/c': 'same\n' });
    expect(before.files[1]!.oid).toBe(after.files[1]!.oid);
    expect(before.files[0]!.oid).not.toBe(after.files[0]!.oid);
  });

  test('heads answers in the order asked, undefined for what is missing, and takes no prefix for the name', async () => {
    const head = await subject().commit('feature/one', { a: '1' });
    const other = await subject().commit('feature/one-more', { a: '2' });
    expect(await subject().git.heads(['none', 'feature/one-more', 'feature', 'feature/one'])).toEqual([
      undefined,
      other,
      undefined,
      head,
    ]);
  });

  test('a commit that is not there is a PortError', async () => {
    await subject().commit('reading', { a: '1' });
    await expect(subject().git.readAt('1'.repeat(40), { ...all, paths: ['a'] })).rejects.toThrow(PortError);
  });
}

function historyTests(subject: () => Subject): void {
  test('history is the first-parent line, newest first, to `until` or the limit', async () => {
    const line: Oid[] = [];
    for (let i = 0; i < 40; i += 1) line.unshift(await subject().commit('long', { a: `${i}\n` }));
    const oids = async (until: Oid | undefined, limit: number) =>
      (await subject().git.history(line[0]!, until, limit)).map(({ oid }) => oid);
    expect(await oids(undefined, 3)).toEqual(line.slice(0, 3));
    expect(await oids(line[0], 3)).toEqual(line.slice(0, 1));
    expect(await oids(line[30], 100)).toEqual(line.slice(0, 31));
    expect(await oids('2'.repeat(40), 100)).toEqual(line);
    const [newest] = await subject().git.history(line[0]!, undefined, 1);
    expect(newest).toEqual({
      oid: line[0],
      parents: [line[1]],
      author: { name: 'Ada', email: 'ada@example.com', atSeconds: 1_700_000_000 },
      committedAt: 1_700_000_000,
      message: 'edit',
    });
  });
}

function pushTests(subject: () => Subject): void {
  test('moves two branches together, one of them new and without a parent', async () => {
    const base = await subject().commit('main', { 'apps/a.yaml': 'a: 1\n', 'apps/b.yaml': 'b: 1\n' });
    const result = await subject().git.push([
      update('main', base, [newCommit({ 'apps/a.yaml': 'a: 2\n' }, { message: 'step\n\nRollout: x' })]),
      update('status', undefined, [newCommit({ 'rollouts/x.json': '{}\n' })]),
    ]);
    expect(result.kind).toBe('pushed');
    if (result.kind !== 'pushed') return;
    expect(result.heads).toEqual([await subject().head('main'), await subject().head('status')]);
    expect(result.commits).toEqual(result.heads.map((head) => [head]));
    expect(await subject().text('main', 'apps/a.yaml')).toBe('a: 2\n');
    expect(await subject().text('main', 'apps/b.yaml')).toBe('b: 1\n');
    expect(await subject().text('status', 'rollouts/x.json')).toBe('{}\n');
    const [written] = await subject().another().history(result.heads[0]!, undefined, 1);
    expect(written).toMatchObject({ parents: [base], message: 'step\n\nRollout: x' });
    const [status] = await subject().another().history(result.heads[1]!, undefined, 5);
    expect(status).toMatchObject({ parents: [] });
  });

  test('the same push again, by somebody who does not know, counts as pushed', async () => {
    const base = await subject().commit('again', { a: '1\n' });
    const updates = [update('again', base, [newCommit({ a: '2\n' })])];
    const first = await subject().git.push(updates);
    expect(await subject().another().push(updates)).toEqual(first);
    expect(await subject().git.push(updates)).toEqual(first);
  });

  test('a commit that changes no file is still a commit', async () => {
    const base = await subject().commit('same', { a: '1\n' });
    const result = await subject().git.push([update('same', base, [newCommit({ a: '1\n' })])]);
    expect(result.kind).toBe('pushed');
    expect(await subject().head('same')).not.toBe(base);
  });

  const unwritable: readonly (readonly [string, NewCommit])[] = [
    ['a path that leads out', newCommit({ '../x': '1' })],
    ['a path into .git', newCommit({ 'dir/.GIT/config': '1' })],
    ['a new name with a backslash', newCommit({ 'dir\\new': '1' })],
    ['a file below a file', newCommit({ 'a/b': '1' })],
    ['a folder as a file', newCommit({ dir: '1' })],
  ];
  test.each(unwritable)('%s is refused by name, and nothing is written', async (_what, commit) => {
    const base = await subject().commit('bad', { a: '1\n', 'dir/b': '1\n' });
    const result = await subject().git.push([update('bad', base, [commit])]);
    const [path = ''] = commit.writes.map((write) => write.path);
    const rule = expect.stringContaining(`"${path}"`);
    expect(result).toMatchObject({ kind: 'refused', branch: 'bad', rule, advice: expect.stringMatching(/^[A-Z]/) });
    expect(await subject().head('bad')).toBe(base);
  });

  test('names that we would not choose are copied as they are, and their files may be written', async () => {
    const files = {
      'odd\\name.yaml': '1\n',
      'odd\u0001.yaml': '1\n',
      'odd\u007f/a': '1\n',
      'sub\\dir/a': '1\n',
      z: '1\n',
    };
    const base = await subject().commit('odd', files);
    const changed = { z: '2\n', 'odd\\name.yaml': '2\n', 'sub\\dir/a': '2\n' };
    const result = await subject().git.push([update('odd', base, [newCommit(changed)])]);
    expect(result.kind).toBe('pushed');
    const head = await subject().head('odd');
    expect(textsOf(await subject().another().readAt(head!, all))).toEqual({ ...files, ...changed });
  });

  const faults: readonly (readonly [string, string, NewCommit])[] = [
    ['a branch name that git does not take', 'bad..name', newCommit({ c: '1' })],
    ['a full ref name', 'refs/heads/bad', newCommit({ c: '1' })],
  ];
  test.each(faults)('%s is an error, and nothing is written', async (_what, branch, commit) => {
    const base = await subject().commit('bad', { a: '1\n', 'dir/b': '1\n' });
    await expect(subject().git.push([update(branch, base, [commit])])).rejects.toThrow(PortError);
    expect(await subject().head('bad')).toBe(base);
  });
}

function chainTests(subject: () => Subject): void {
  test('a chain of commits: adds, changes, deletes, and restarts', async () => {
    const base = await subject().commit('chain', { 'a/b/c.yaml': '1\n', 'a/d.yaml': '1\n', e: '1\n' });
    const result = await subject().git.push([
      update('chain', base, [
        newCommit({ 'a/b/c.yaml': '2\n', 'new/deep/file': 'n\n' }),
        newCommit({ 'a/b/c.yaml': undefined, missing: undefined, 'gone/x': undefined }),
        newCommit({ 'new/deep/file': 'm\n', e: undefined }),
      ]),
    ]);
    expect(result.kind).toBe('pushed');
    if (result.kind !== 'pushed') return;
    expect(result.commits[0]).toHaveLength(3);
    const trees = await Promise.all(result.commits[0]!.map((oid) => subject().another().readAt(oid, all)));
    expect(trees.map(textsOf)).toEqual([
      { 'a/b/c.yaml': '2\n', 'a/d.yaml': '1\n', e: '1\n', 'new/deep/file': 'n\n' },
      { 'a/d.yaml': '1\n', e: '1\n', 'new/deep/file': 'n\n' },
      { 'a/d.yaml': '1\n', 'new/deep/file': 'm\n' },
    ]);
    const squashed = await subject().git.push([
      { ...update('chain', result.heads[0], [newCommit({ only: '1\n' })]), base: undefined },
    ]);
    expect(squashed.kind).toBe('pushed');
    if (squashed.kind !== 'pushed') return;
    expect(textsOf(await subject().git.readAt(squashed.heads[0]!, all))).toEqual({ only: '1\n' });
    expect(await subject().git.history(squashed.heads[0]!, undefined, 9)).toHaveLength(1);
  });

  test('the last file of a branch may go: the tree is empty', async () => {
    const base = await subject().commit('emptied', { 'a/b': '1\n' });
    const result = await subject().git.push([update('emptied', base, [newCommit({ 'a/b': undefined })])]);
    expect(result.kind).toBe('pushed');
    const head = await subject().head('emptied');
    expect((await subject().git.readAt(head!, all)).files).toEqual([]);
  });
}

function baseTests(subject: () => Subject): void {
  test('a new branch grows from a commit of another one, in the push that moves that one', async () => {
    const first = await subject().commit('trunk', { 'apps/a.yaml': '1\n', 'apps/b.yaml': '1\n' });
    const head = await subject().commit('trunk', { 'apps/b.yaml': '2\n' });
    const commits = [newCommit({ 'apps/a.yaml': 'one\n' }), newCommit({ 'apps/a.yaml': 'two\n' })];
    const result = await subject().git.push([
      update('trunk', head, [newCommit({ 'apps/b.yaml': '3\n' })]),
      { branch: 'tranche/prod/llm/vllm/step', expectedOld: undefined, base: first, commits },
    ]);
    if (result.kind !== 'pushed') throw new Error(result.kind);
    expect(result.heads).toEqual([await subject().head('trunk'), await subject().head('tranche/prod/llm/vllm/step')]);
    const tree = await subject().another().readAt(result.heads[1]!, all);
    expect(textsOf(tree)).toEqual({ 'apps/a.yaml': 'two\n', 'apps/b.yaml': '1\n' });
    const line = await subject().another().history(result.heads[1]!, undefined, 9);
    expect(line.map(({ oid }) => oid)).toEqual([...result.commits[1]!].reverse().concat(first));
    expect(await subject().text('trunk', 'apps/b.yaml')).toBe('3\n');
  });

  test('the same branch from the same base again counts as pushed; from another it has moved, and all stays', async () => {
    const first = await subject().commit('stem', { a: '1\n' });
    const head = await subject().commit('stem', { b: '1\n' });
    const grown = (base: Oid): BranchUpdate => ({
      branch: 'twig',
      expectedOld: undefined,
      base,
      commits: [newCommit({ a: '2\n' })],
    });
    const result = await subject().git.push([grown(first)]);
    expect(result.kind).toBe('pushed');
    expect(
      await subject()
        .another()
        .push([grown(first)]),
    ).toEqual(result);
    const again = [update('stem', head, [newCommit({ a: '3\n' })]), grown(head)];
    expect(await subject().another().push(again)).toEqual({ kind: 'moved' });
    expect(await subject().head('stem')).toBe(head);
    expect([await subject().head('twig')]).toEqual(result.kind === 'pushed' ? result.heads : []);
  });

  test('a base that is not there is an error, and nothing is written', async () => {
    const base = '3'.repeat(40);
    const commits = [newCommit({ a: '1\n' })];
    await expect(subject().git.push([{ branch: 'nowhere', expectedOld: undefined, base, commits }])).rejects.toThrow(
      PortError,
    );
    expect(await subject().head('nowhere')).toBeUndefined();
  });
}

function deletionTests(subject: () => Subject): void {
  test('a branch goes in the push that moves another', async () => {
    const main = await subject().commit('keeps', { a: '1\n' });
    const gone = await subject().commit('tranche/prod/llm/vllm/gone', { a: '2\n' });
    const result = await subject().git.push([
      update('keeps', main, [newCommit({ a: '3\n' })]),
      { branch: 'tranche/prod/llm/vllm/gone', expectedOld: gone, isDeleted: true },
    ]);
    expect(result).toEqual({
      kind: 'pushed',
      heads: [await subject().head('keeps'), undefined],
      commits: [[await subject().head('keeps')], []],
    });
    expect(await subject().head('tranche/prod/llm/vllm/gone')).toBeUndefined();
    expect(await subject().text('keeps', 'a')).toBe('3\n');
    const again = await subject().git.push([
      update('tranche/prod/llm/vllm/gone', undefined, [newCommit({ a: '4\n' })]),
    ]);
    expect(again.kind).toBe('pushed');
  });

  test('alone, and once only: gone already, it is as wanted', async () => {
    const gone = await subject().commit('alone', { a: '1\n' });
    const deletion: BranchUpdate = { branch: 'alone', expectedOld: gone, isDeleted: true };
    const wanted = { kind: 'pushed', heads: [undefined], commits: [[]] };
    expect(await subject().git.push([deletion])).toEqual(wanted);
    expect(await subject().head('alone')).toBeUndefined();
    expect(await subject().another().push([deletion])).toEqual(wanted);
  });

  test('a branch that somebody has written to since stays, and so does the other one', async () => {
    const main = await subject().commit('stays', { a: '1\n' });
    const seen = await subject().commit('written', { a: '1\n' });
    const theirs = await subject().commit('written', { a: '2\n' });
    const result = await subject().git.push([
      update('stays', main, [newCommit({ a: '3\n' })]),
      { branch: 'written', expectedOld: seen, isDeleted: true },
    ]);
    expect(result).toEqual({ kind: 'moved' });
    expect(await subject().head('written')).toBe(theirs);
    expect(await subject().head('stays')).toBe(main);
  });

  test('a refused deletion names its branch, and holds back the other', async () => {
    const main = await subject().commit('waits', { a: '1\n' });
    const kept = await subject().commit('guarded', { a: '1\n' });
    await subject().refuse('guarded');
    const growth = update('waits', main, [newCommit({ a: '2\n' })]);
    const deletion: BranchUpdate = { branch: 'guarded', expectedOld: kept, isDeleted: true };
    expect(await subject().git.push([growth, deletion])).toMatchObject({ kind: 'refused', branch: 'guarded' });
    expect(await subject().head('guarded')).toBe(kept);
    expect(await subject().head('waits')).toBe(main);
    expect((await subject().git.push([growth])).kind).toBe('pushed');
  });
}

function raceTests(subject: () => Subject): void {
  test('a branch that moved: nothing is written, not on the other branch either', async () => {
    const base = await subject().commit('race', { a: '1\n' });
    const other = await subject().commit('race-status', { s: '1\n' });
    const moved = await subject().commit('race', { a: 'theirs\n' });
    const result = await subject().git.push([
      update('race-status', other, [newCommit({ s: '2\n' })]),
      update('race', base, [newCommit({ a: 'ours\n' })]),
    ]);
    expect(result).toEqual({ kind: 'moved' });
    expect(await subject().head('race')).toBe(moved);
    expect(await subject().head('race-status')).toBe(other);
  });

  test('a branch that should not exist but does, and one that should but does not', async () => {
    const base = await subject().commit('exists', { a: '1\n' });
    expect(await subject().git.push([update('exists', undefined, [newCommit({ a: '2\n' })])])).toEqual({
      kind: 'moved',
    });
    expect(await subject().git.push([update('deleted', base, [newCommit({ a: '2\n' })])])).toEqual({ kind: 'moved' });
    expect(await subject().head('exists')).toBe(base);
    expect(await subject().head('deleted')).toBeUndefined();
  });

  test('of two writers at once exactly one wins', async () => {
    const base = await subject().commit('contested', { a: '1\n' });
    const [one, two] = [subject().git, subject().another()];
    const results = await Promise.all([
      one.push([update('contested', base, [newCommit({ a: 'one\n' })])]),
      two.push([update('contested', base, [newCommit({ a: 'two\n' })])]),
    ]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(['moved', 'pushed']);
  });

  test('a refusal names the branch and the rule, and holds back the other branch', async () => {
    const base = await subject().commit('protected', { a: '1\n' });
    const other = await subject().commit('free', { a: '1\n' });
    await subject().refuse('protected');
    const result = await subject().git.push([
      update('free', other, [newCommit({ a: '2\n' })]),
      update('protected', base, [newCommit({ a: '2\n' })]),
    ]);
    expect(result).toMatchObject({
      kind: 'refused',
      branch: 'protected',
      rule: expect.stringMatching(/GH006: Protected branch/),
    });
    expect(await subject().head('protected')).toBe(base);
    expect(await subject().head('free')).toBe(other);
    const alone = await subject().git.push([update('free', other, [newCommit({ a: '2\n' })])]);
    expect(alone.kind).toBe('pushed');
  });
}

/** One branch that goes on from where it is. */
export function update(branch: string, expectedOld: Oid | undefined, commits: readonly NewCommit[]): BranchUpdate {
  return { branch, expectedOld, base: expectedOld, commits };
}

export function textsOf(tree: Tree): Readonly<Record<string, string>> {
  return Object.fromEntries(
    tree.files.flatMap(({ path, content }) => (content.kind === 'text' ? [[path, content.text]] : [])),
  );
}
