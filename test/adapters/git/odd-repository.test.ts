/** What somebody puts into a repository next to its branches: what is read of main is what main has, byte for byte. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openGit } from '../../../src/adapters/git/open.ts';
import type { Git } from '../../../src/ports/git.ts';
import { type GitServer, pipeToGit, type ServedRepository, startGitServer } from '../../support/git-server.ts';
import { LWS_FILE, LWS_TEXT, NEW, OLD, VLLM_FILES } from '../../support/vllm.ts';

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server.stop());

type Odd = (repository: ServedRepository, main: string) => Promise<void>;

/** A commit on a branch of its own with another image and another history. */
async function evil(repository: ServedRepository): Promise<string> {
  await repository.git('update-ref', '-d', 'refs/heads/evil');
  const oid = await repository.commit('evil', { [LWS_FILE]: LWS_TEXT.replaceAll(OLD, 'evil/image:v1') }, 'evil');
  await repository.git('update-ref', '-d', 'refs/heads/evil');
  return oid;
}

const ref =
  (name: string): Odd =>
  async (repository) =>
    void (await repository.git('update-ref', name, await evil(repository)));

const ODD: Readonly<Record<string, Odd>> = {
  'a tag that is called main': ref('refs/tags/main'),
  'a tag that is called as the status branch': ref('refs/tags/tranche-status'),
  'a branch that is called as the full name of main': ref('refs/heads/refs/heads/main'),
  'a ref that is called main': ref('refs/main'),
  'a branch that is called as the commit of main': async (repository, main) =>
    ref(`refs/heads/${main}`)(repository, main),
  'a commit that replaces that of main': async (repository, main) => ref(`refs/replace/${main}`)(repository, main),
  'a file that replaces that of main': async (repository) => {
    const other = await pipeToGit(repository.path, ['hash-object', '-w', '--stdin'], Buffer.from('evil: true\n'));
    const file = await repository.git('rev-parse', `main:${LWS_FILE}`);
    await repository.git('update-ref', `refs/replace/${file}`, other);
  },
  'a tree that replaces that of main': async (repository) => {
    const other = await repository.git('rev-parse', `${await evil(repository)}^{tree}`);
    await repository.git('update-ref', `refs/replace/${await repository.git('rev-parse', 'main^{tree}')}`, other);
  },
  'attributes that change what a checkout has': async (repository) => {
    await repository.git('config', 'filter.evil.smudge', 'sed s/v0.10.1/evil/');
    await repository.git('config', 'core.autocrlf', 'true');
  },
};

/** Git gives main another past, for as long as that file is there. */
async function graft(repository: ServedRepository, main: string): Promise<void> {
  mkdirSync(join(repository.path, 'info'), { recursive: true });
  writeFileSync(join(repository.path, 'info', 'grafts'), `${main} ${await evil(repository)}\n`);
}

const ATTRIBUTES = '* text eol=crlf ident filter=evil export-subst working-tree-encoding=UTF-16\n';
const TEXT = `# $Id$ $Format:%H$\n${LWS_TEXT}`;

/** A repository with two commits on main, the way that it is opened, and what is read of it. */
async function opened(name: string): Promise<ServedRepository> {
  const repository = await server.createRepository(`${name}.git`);
  await repository.commit('main', { ...VLLM_FILES, '.gitattributes': ATTRIBUTES, [LWS_FILE]: TEXT }, 'first');
  await repository.commit('main', { [LWS_FILE]: TEXT.replaceAll(OLD, NEW) }, 'second');
  return repository;
}

async function read(git: Git, main: string) {
  git.begin();
  const [head, status] = await git.heads(['main', 'tranche-status']);
  const { files } = await git.readAt(main, { paths: [''], suffixes: ['.yaml'], markers: ['LeaderWorkerSet'] });
  const lines = await git.history(main, undefined, 10);
  return {
    heads: [head, status],
    files: files.map(({ path, content }) => [path, content.kind === 'text' ? content.text : content.why]),
    history: lines.map(({ oid, message, parents }) => [oid, message, parents]),
  };
}

const WAYS = {
  'on a disk': ({ path }: ServedRepository) => openGit({ location: path }),
  'over http': ({ url }: ServedRepository) => openGit({ location: url }),
};

describe.each(Object.entries(WAYS))('%s', (way, open) => {
  test.each(Object.entries(ODD))('%s', async (what, odd) => {
    const repository = await opened(`${way}-${what}`.replace(/[^a-z]/g, '-'));
    const main = await repository.git('rev-parse', 'refs/heads/main');
    const before = await read(open(repository), main);
    expect(before.files).toContainEqual([LWS_FILE, TEXT.replaceAll(OLD, NEW)]);
    expect(before.heads).toEqual([main, undefined]);
    expect(before.history.map(([, message]) => message)).toEqual(['second', 'first']);
    await odd(repository, main);
    expect(await read(open(repository), main)).toEqual(before);
    // What is written stands on main, and on main alone.
    const signature = { name: 'a', email: 'a@b', atSeconds: 1 };
    const commits = [{ writes: [{ path: 'apps/new.yaml', text: 'a: 1\n' }], message: 'new', signature }];
    const done = await open(repository).push([{ branch: 'main', expectedOld: main, base: main, commits }]);
    expect(done.kind).toBe('pushed');
    expect(await repository.git('--no-replace-objects', 'log', '-1', '--format=%s %P', 'refs/heads/main')).toBe(
      `new ${main}`,
    );
  });
});

test('grafts: on a disk nobody looks at them; a server that has some hides a past, which is said, and gives no other one', async () => {
  const repository = await opened('grafts');
  const main = await repository.git('rev-parse', 'refs/heads/main');
  const before = await read(WAYS['on a disk'](repository), main);
  await graft(repository, main);
  expect(await read(WAYS['on a disk'](repository), main)).toEqual(before);
  await expect(read(WAYS['over http'](repository), main)).rejects.toThrow(/stops at \w+, whose parent was not sent/);
});
