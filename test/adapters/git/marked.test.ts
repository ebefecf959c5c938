/** A whole tree by what was said of another commit reads as the whole tree does, whatever lies between. Against the real git. */

import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultGitLimits, type GitLimits } from '../../../src/adapters/git/limits.ts';
import { openGit } from '../../../src/adapters/git/open.ts';
import type { Marked, Oid, ReadRequest, Tree } from '../../../src/ports/git.ts';
import {
  type GitServer,
  gitEnvironment,
  pipeToGit,
  type ServedRepository,
  type ServerRequest,
  startGitServer,
} from '../../support/git-server.ts';
import { PATIENT } from '../../support/patient-git.ts';
import { outputOf } from '../../support/programs.ts';

let server: GitServer;

beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.stop());

const MARKER = 'kind: Rollout';
const request: ReadRequest = { paths: [''], suffixes: ['.yaml'], markers: [MARKER], names: ['kustomization.yaml'] };

/** What is at a path: a text with a mode, or a submodule. */
type Entry = { readonly mode: '100644' | '100755' | '120000' | '160000'; readonly text: string };
type Files = Readonly<Record<string, Entry>>;

const texts = [`${MARKER}\n`, `${MARKER} # b\n`, 'a: 1\n', 'a: 2\n', `# ${'x'.repeat(300)}\n`];
const paths = ['a.yaml', 'b.yaml', 'off/a.yaml.off', 'x/a.yaml', 'x/y/b.yaml', 'z/y/b.yaml', 'x/kustomization.yaml'];
const entries = fc.record({
  mode: fc.constantFrom('100644', '100644', '100644', '100755', '120000', '160000'),
  text: fc.constantFrom(...texts),
});
const states = fc.dictionary(fc.constantFrom(...paths, 'notes.md'), entries, { minKeys: 1, noNullPrototype: true });

/** One commit after another on main, each with these files and no others. */
async function commitAll(repository: ServedRepository, all: readonly Files[]): Promise<readonly Oid[]> {
  const stream = all.map((files, at) => {
    const lines = Object.entries(files).map(([name, { mode, text }]) =>
      mode === '160000'
        ? `M 160000 ${'c'.repeat(40)} ${name}\n`
        : `M ${mode} inline ${name}\ndata ${text.length}\n${text}\n`,
    );
    const from = at === 0 ? '' : `from :${at}\n`;
    const who = `committer A <a@example.com> ${1_700_000_000 + at} +0000`;
    return `commit refs/heads/main\nmark :${at + 1}\n${who}\ndata 1\nx\n${from}deleteall\n${lines.join('')}\n`;
  });
  await pipeToGit(repository.path, ['fast-import', '--quiet', '--force'], Buffer.from(stream.join('')));
  // As forges keep theirs: a server knows at once what a whole history holds.
  await repository.git('repack', '-adbq');
  return (await repository.git('rev-list', '--reverse', 'main')).split('\n').filter((oid) => oid !== '');
}

type Read = { readonly tree: Tree; readonly told: readonly string[]; readonly requests: number };

/** By a new process that is told this of another commit. */
async function read(url: string, commit: Oid, marked?: Marked, limits: Partial<GitLimits> = {}): Promise<Read> {
  const told: string[] = [];
  const log = { info: (line: string) => void told.push(line), warn: console.warn, error: console.error };
  const git = openGit({ location: url, log, limits: { ...defaultGitLimits, ...PATIENT, ...limits } });
  git.expect({ head: undefined, since: commit, commits: [], folders: [], marked, writes: false });
  server.requests.length = 0;
  const tree = await git.readAt(commit, request);
  return { tree, told, requests: server.requests.length };
}

/** All that a pass makes of a tree. */
function said({ files, skipped, gaps, marked, commit, folders }: Tree) {
  return { files, skipped: skipped(), gaps, marked, commit, folders };
}

test('of any two commits, the one by the other is what it is by itself', async () => {
  const repository = await server.createRepository('any.git');
  const sampled = fc.sample(states, { numRuns: 11 });
  // What was once and came back is in the history of both.
  const commits = await commitAll(repository, [...sampled, ...sampled.slice(0, 2)]);
  const whole: Tree[] = [];
  // The longest of the texts is too large.
  const limits = { fileBytes: 200 };
  for (const commit of commits) whole.push((await read(repository.url, commit, undefined, limits)).tree);
  const pairs = commits
    .flatMap((_commit, i) => commits.map((__, j) => [i, j] as const))
    .filter(([i, j]) => (i + 2 * j) % 4 === 0);
  for (const [i, j] of pairs) {
    const { tree, told } = await read(repository.url, commits[j] ?? '', whole[i]?.marked, limits);
    expect({ pair: [i, j], ...said(tree) }).toEqual({ pair: [i, j], ...said(whole[j] ?? tree) });
    expect(told).toEqual([]);
  }
  for (const list of ['blobs', 'large'] as const)
    expect(whole.filter(({ marked }) => (marked?.[list].length ?? 0) > 0).length).toBeGreaterThan(4);
});

/** A commit with one file that is of interest, what is said of it, and one after it. */
async function twoCommits(name: string, second: Files): Promise<readonly [ServedRepository, Oid, Oid, Marked]> {
  const repository = await server.createRepository(name);
  const plain = (text: string): Entry => ({ mode: '100644', text });
  const first = { 'a.yaml': plain(`${MARKER}\n`), 'b.yaml': plain('a: 1\n') };
  const [one = '', two = ''] = await commitAll(repository, [first, { ...first, ...second }]);
  const { marked } = (await read(repository.url, one)).tree;
  if (marked === undefined) throw new Error('nothing was said');
  return [repository, one, two, marked];
}

const changed: Files = { 'c.yaml': { mode: '100644', text: `${MARKER} # c\n` } };

test('of the same commit nothing is asked but its folders and those files', async () => {
  const [{ url }, one, , marked] = await twoCommits('same.git', changed);
  const { tree, requests } = await read(url, one, marked);
  expect(tree.files.map(({ path }) => path)).toEqual(['a.yaml']);
  // With the commit by itself, which anyone who reads the configuration waits for.
  expect(requests).toBe(3);
});

test('it is believed: a file that it does not name, and that has not changed, is not read', async () => {
  const [{ url }, , two, marked] = await twoCommits('believed.git', changed);
  const { tree } = await read(url, two, { ...marked, blobs: [] });
  expect(tree.files.map(({ path }) => path)).toEqual(['c.yaml']);
  expect(tree.skipped().map(({ path }) => path)).toEqual(['a.yaml', 'b.yaml']);
});

test.each<[string, (marked: Marked) => Marked, boolean]>([
  ['a commit that the server does not know', (marked) => ({ ...marked, commit: '1'.repeat(40) }), true],
  ['a file that the server does not have', (marked) => ({ ...marked, blobs: ['2'.repeat(40)] }), true],
  ['other markers', (marked) => ({ ...marked, sought: 'others' }), false],
  ['no id', (marked) => ({ ...marked, blobs: ['a.yaml'] }), false],
  [
    'too many files',
    (marked) => ({ ...marked, blobs: Array.from({ length: 1001 }, (_none, i) => `${i}`.padStart(40, '0')) }),
    false,
  ],
])('%s: everything is read', async (what, change, isTold) => {
  const [{ url }, , two, marked] = await twoCommits(`${what.replaceAll(' ', '-')}.git`, changed);
  const { tree, told } = await read(url, two, change(marked));
  expect(tree.files.map(({ path }) => path)).toEqual(['a.yaml', 'c.yaml']);
  expect(tree.marked?.blobs).toHaveLength(2);
  expect(told.length > 0).toBe(isTold);
});

/** Git's own answer to another request: of a server that reads some line otherwise. */
function misread(path: string, change: (body: string) => string) {
  return async ({ kind, body }: ServerRequest) => {
    const text = body.toString('latin1');
    if (kind !== 'fetch' || !text.includes('shallow ')) return undefined;
    const env = { ...gitEnvironment, GIT_PROTOCOL: 'version=2' };
    const args = ['upload-pack', '--stateless-rpc', path];
    const answer = await outputOf({ command: 'git', args, env }, Buffer.from(change(text), 'latin1'));
    return { kind: 'garble', change: () => answer } as const;
  };
}

test.each<[string, (body: string, head: Oid) => string, number]>([
  ['as asked', (body) => body, 3],
  ['but for what history held before', (body) => body.replace(/0035shallow .*\n/, ''), 4],
  [
    'but for all that it has',
    (body, head) => body.replace(/have .*/, `have ${head}`).replace('000edeepen 16\n', ''),
    4,
  ],
  ['and all else', (body) => body.replace(/0032have .*\n/, ''), 3],
])('a file that is back again is read where the server sends what has changed %s', async (what, change, requests) => {
  const there: Files = {
    'a.yaml': { mode: '100644', text: `${MARKER}\n` },
    'b.yaml': { mode: '100644', text: 'b: 1\n' },
  };
  const { 'a.yaml': _gone, ...away } = there;
  const repository = await server.createRepository(`${what.replaceAll(' ', '-')}.git`);
  const [, two = '', three = ''] = await commitAll(repository, [there, away, there]);
  const { marked } = (await read(repository.url, two)).tree;
  const whole = (await read(repository.url, three)).tree;
  server.fault = misread(repository.path, (body) => change(body, three));
  const by = await read(repository.url, three, marked);
  server.fault = () => undefined;
  expect(marked?.blobs).toEqual([]);
  expect(said(by.tree)).toEqual(said(whole));
  expect(by.requests).toBe(requests);
});

test('a server that sends no usable pack of what has changed is asked for each of those files', async () => {
  const [{ url }, , two, marked] = await twoCommits('no-pack.git', changed);
  const cut = (body: Buffer) => Buffer.concat([body.subarray(0, body.length - 9), Buffer.from('x0000')]);
  server.fault = ({ body }) => (body.includes('shallow ') ? { kind: 'garble', change: cut } : undefined);
  const { tree, requests } = await read(url, two, marked);
  server.fault = () => undefined;
  expect(tree.files.map(({ path }) => path)).toEqual(['a.yaml', 'c.yaml']);
  expect([tree.marked?.blobs.length, requests]).toEqual([2, 5]);
});

test('a file that was read for its name alone is not said to have a marker', async () => {
  const named: Files = { 'kustomization.yaml': { mode: '100644', text: 'a: 9\n' } };
  const [{ url }, , two, marked] = await twoCommits('named.git', named);
  const git = openGit({ location: url, limits: PATIENT });
  git.expect({ head: undefined, since: two, commits: [], folders: [], marked, writes: false });
  await git.readAt(two, { ...request, paths: ['kustomization.yaml'] });
  const tree = await git.readAt(two, request);
  expect(tree.files.map(({ path }) => path)).toEqual(['a.yaml', 'kustomization.yaml']);
  expect(tree.marked?.blobs).toEqual(marked.blobs);
});

test('what is said of a commit is as old as the whole reading that it builds on', async () => {
  const [{ url }, one, two, marked] = await twoCommits('aged.git', changed);
  expect(marked.readAt).toBeUndefined();
  for (const commit of [one, two]) {
    const { tree } = await read(url, commit, { ...marked, readAt: 7 });
    expect(tree.marked?.readAt).toBe(7);
  }
  const others = await read(url, two, { ...marked, readAt: 7, sought: 'others' });
  expect(others.tree.marked).toMatchObject({ commit: two, readAt: undefined });
});

test.each(['uploadpack.allowAnySHA1InWant', 'uploadpack.allowFilter'])(
  'a server that lacks %s: everything is read',
  async (setting) => {
    const [repository, , two, marked] = await twoCommits(`${setting}.git`, changed);
    await repository.git('config', setting, 'false');
    const { tree } = await read(repository.url, two, marked);
    expect(tree.files.map(({ path }) => path)).toEqual(['a.yaml', 'c.yaml']);
  },
);

test('a file that is too large is told of, and never asked for again', async () => {
  const large = { 'c.yaml': { mode: '100644', text: 'c'.repeat(2000) } } as const;
  const limits = { fileBytes: 1000 };
  const [{ url }, one, two] = await twoCommits('large.git', large);
  const before = (await read(url, one, undefined, limits)).tree.marked;
  const { tree, requests } = await read(url, two, before, limits);
  const kinds = (of: Tree) => of.files.map(({ path, content }) => [path, content.kind]);
  expect(kinds(tree)).toEqual([
    ['a.yaml', 'text'],
    ['c.yaml', 'unreadable'],
  ]);
  expect([tree.marked?.large.length, requests]).toEqual([1, 4]);
  server.bytes.sent = 0;
  const again = await read(url, two, tree.marked, limits);
  expect(kinds(again.tree)).toEqual(kinds(tree));
  expect(again.tree.marked).toEqual(tree.marked);
  expect(server.bytes.sent).toBeLessThan(1000);
});

test('what cannot be asked at all is no reason to ask for more', async () => {
  const [{ url }, , two, marked] = await twoCommits('away.git', changed);
  server.fault = () => ({ kind: 'answer', status: 403 });
  await expect(read(url, two, marked)).rejects.toThrow('403');
  server.fault = () => undefined;
});
