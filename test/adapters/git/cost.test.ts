/** What a pass costs in requests and bytes over smart HTTP, and that it follows the paths and not the repository. */

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGit } from '../../../src/adapters/git/open.ts';
import { fetchRequest } from '../../../src/adapters/git/protocol.ts';
import type { Oid } from '../../../src/ports/git.ts';
import { onlyChanges } from '../../../src/reconcile/history/only-changes.ts';
import { readConfig } from '../../../src/reconcile/observe/read-settings.ts';
import { NO_OVERRIDES } from '../../../src/reconcile/pass.ts';
import { newCommit } from '../../support/fake-git.ts';
import { bareRepository, type GitServer, pipeToGit, startGitServer } from '../../support/git-server.ts';
import { PATIENT } from '../../support/patient-git.ts';
import { generatedRoot, generateRepository, serviceFolder } from '../../support/repository-generator.ts';
import { update } from './contract.ts';

const app = serviceFolder(7, 1);
const rollout = 'rollouts/vllm.yaml';
const extra = {
  'tranche.yaml': `paths: [${app}, rollouts]\n`,
  [rollout]: 'kind: Rollout\n',
  [`${app}/lws.yaml`]: 'kind: LeaderWorkerSet\nspec:\n  replicas: 4\n',
};

let server: GitServer;

beforeAll(async () => {
  server = await startGitServer();
  for (const files of [250, 5000]) await generateRepository(join(server.folder, `${files}.git`), { files, extra });
});
afterAll(() => server.stop());

type Cost = { readonly requests: readonly string[]; readonly sent: number; readonly received: number };

async function costOf(call: () => Promise<unknown>): Promise<Cost> {
  const { sent, received } = server.bytes;
  server.requests.length = 0;
  await call();
  return {
    requests: server.requests.map(({ kind }) => kind),
    sent: server.bytes.sent - sent,
    received: server.bytes.received - received,
  };
}

/** Reads main and its configured paths, moves one file, and records it on a new status branch. */
async function pass(files: number): Promise<void> {
  const git = openGit({ location: `${server.url}/${files}.git`, limits: PATIENT });
  const [main, status] = await git.heads(['main', 'tranche-status']);
  const tree = await git.readAt(main!, { paths: ['tranche.yaml', 'rollouts', app], suffixes: ['.yaml'], markers: [] });
  expect(tree.files.map(({ path }) => path)).toContain(`${app}/lws.yaml`);
  const result = await git.push([
    update('main', main, [newCommit({ [`${app}/lws.yaml`]: 'kind: LeaderWorkerSet\nspec:\n  replicas: 5\n' })]),
    { ...update('tranche-status', status, [newCommit({ 'rollouts/vllm.json': '{}\n' })]), base: undefined },
  ]);
  expect(result.kind).toBe('pushed');
}

test('a pass with paths: ten requests, a few kilobytes, whatever the size of the repository', async () => {
  const [small, large] = [await costOf(() => pass(250)), await costOf(() => pass(5000))];
  // Commit and root tree; then clusters + rollouts, prod, teams, team-07, service-001; then all files at once.
  const reads = ['ls-refs', 'fetch', 'fetch', 'fetch', 'fetch', 'fetch', 'fetch', 'fetch'];
  expect(small.requests).toEqual([...reads, 'discover-receive', 'receive']);
  expect(large.requests).toEqual(small.requests);
  expect(small.sent).toBeLessThan(7_000);
  expect(small.received).toBeLessThan(5_000);
  // The tree of one team lists its services, 20 times as many: it is read, changed and sent. Nothing else grows.
  expect(large.sent - small.sent).toBeLessThan(2_000);
  expect(large.received - small.received).toBeLessThan(2_000);
});

test('a pass that finds nothing to do: one list of branches and one fetch of the small status tree', async () => {
  const { commit } = bareRepository(join(server.folder, '250.git'));
  await commit('status', {
    'README.md': '# x\n',
    'rollouts/prod/llm/vllm.json': '{}\n',
    'rollouts/prod/llm/other.json': '{}\n',
  });
  const cost = await costOf(async () => {
    const git = openGit({ location: `${server.url}/250.git`, limits: PATIENT });
    const [head] = await git.heads(['status']);
    const tree = await git.readAt(head!, { paths: [''], suffixes: [], markers: [] });
    expect(tree.files).toHaveLength(3);
  });
  expect(cost.requests).toEqual(['ls-refs', 'fetch']);
  expect(cost.sent).toBeLessThan(1_200);
});

test('a second pass of one instance only fetches what changed, and asks for no offer again', async () => {
  const repository = bareRepository(join(server.folder, '5000.git'));
  const git = openGit({ location: `${server.url}/5000.git`, limits: PATIENT });
  const request = { paths: ['rollouts', app], suffixes: ['.yaml'], markers: [] };
  const first = (await git.heads(['main']))[0]!;
  await git.readAt(first, request);
  await git.push([update('main', first, [newCommit({ [rollout]: 'kind: Rollout\n# 1\n' })])]);
  const second = await repository.commit('main', { [rollout]: 'kind: Rollout\n# 2\n' });
  const cost = await costOf(() => git.readAt(second, request));
  // The commit with its root, the changed folder, the changed file.
  expect(cost.requests).toEqual(['fetch', 'fetch', 'fetch']);
  const push = (parent: Oid) => git.push([update('main', parent, [newCommit({ [rollout]: 'kind: Rollout\n# 3\n' })])]);
  expect((await costOf(() => push(second))).requests).toEqual(['receive']);
  expect((await costOf(() => git.readAt(second, request))).requests).toEqual([]);
});

test('the whole tree: one fetch, and a second commit costs what changed', async () => {
  const repository = bareRepository(join(server.folder, '5000.git'));
  const git = openGit({ location: `${server.url}/5000.git`, limits: PATIENT });
  const whole = { paths: [''], suffixes: ['.yaml'], markers: ['kind: Rollout', 'LeaderWorkerSet'] };
  const status = await repository.commit('small', { 'README.md': '# x\n' });
  await git.readAt(status, { paths: [''], suffixes: [], markers: [] });
  const first = (await git.heads(['main']))[0]!;
  const cost = await costOf(async () => {
    const { files, skipped } = await git.readAt(first, whole);
    expect(files.map(({ path, content }) => [path, content.kind])).toEqual([
      [`${app}/lws.yaml`, 'text'],
      [rollout, 'text'],
    ]);
    expect(skipped()).toHaveLength(5001);
  });
  expect(cost.requests).toEqual(['fetch']);
  const second = await repository.commit('main', {
    [`${generatedRoot}/team-03/service-002/ingress.yaml`]: '# kind: Rollout\n',
  });
  const again = await costOf(async () => {
    const { files } = await git.readAt(second, whole);
    expect(files.filter(({ content }) => content.kind === 'text')).toHaveLength(3);
  });
  expect(again.requests.length).toBeLessThan(8);
  expect(again.sent).toBeLessThan(8_000);
  const services = Array.from({ length: 1000 }, (_none, i) => serviceFolder(i % 50, Math.floor(i / 50)));
  const edits = services.flatMap((folder) =>
    ['service', 'ingress', 'deployment'].map((kind) => `${folder}/${kind}.yaml`),
  );
  const third = await repository.commit('main', Object.fromEntries(edits.map((path) => [path, `# new ${path}\n`])));
  expect((await git.readAt(third, whole)).files.filter(({ content }) => content.kind === 'text')).toHaveLength(2);
});

test.each([
  ['the whole tree', [''], ['fetch'], ['fetch']],
  ['some folders', ['rollouts', app], undefined, ['fetch']],
])(
  'read once more for more words: at hand where that was told, else in one request: %s',
  async (_, paths, first, then) => {
    const [markers, more] = [['LeaderWorkerSet'], ['LeaderWorkerSet', 'Rollout']];
    const asked = { paths, suffixes: ['.yaml'] };
    for (const [soon, requests] of [
      [['Rollout'], []],
      [[], then],
    ] as const) {
      const git = openGit({ location: `${server.url}/250.git`, limits: PATIENT });
      const head = (await git.heads(['main']))[0]!;
      const read = async (words: readonly string[], kinds: readonly string[]) =>
        (await git.readAt(head, { ...asked, markers: words, soon: kinds })).files.map(({ path }) => path);
      const once = await costOf(async () => expect(await read(markers, soon)).toEqual([`${app}/lws.yaml`]));
      if (first !== undefined) expect(once.requests).toEqual(first);
      const again = await costOf(async () => expect(await read(more, [])).toEqual([`${app}/lws.yaml`, rollout]));
      expect(again.requests).toEqual(requests);
      // Not by the id of each file that was let go.
      expect(again.received).toBeLessThan(1_000);
    }
  },
);

test('an earlier tranche.yaml behind 1,000 commits: each is looked at, those of one block in one request', async () => {
  const repository = await server.createRepository('earlier.git');
  const folders = Array.from({ length: 20 }, (_, at) => `M 100644 inline folder-${at}/lws.yaml\ndata 2\na\n`);
  const [right, wrong] = ['auditSeconds: 90\n', 'cluster: [eu\n'].map(
    (text) => `M 100644 inline tranche.yaml\ndata ${text.length}\n${text}\n`,
  );
  const commits = Array.from({ length: 1001 }, (_, at) => {
    const who = `committer A <a@b> ${1_700_000_000 + at} +0000`;
    const files = at === 0 ? folders.join('\n') + right : at === 1 ? wrong : '';
    return `commit refs/heads/main\n${who}\ndata 1\nx\n${files}M 100644 inline folder-1/n\ndata 4\n${`${at}`.padEnd(4)}\n`;
  });
  await pipeToGit(repository.path, ['fast-import', '--quiet'], Buffer.from(commits.join('\n')));
  for (const location of [repository.url, repository.path]) {
    const git = openGit({ location, limits: PATIENT });
    const [head] = await git.heads(['main']);
    const cost = await costOf(async () => {
      const { auditSeconds } = await readConfig(git, head!, NO_OVERRIDES);
      expect(auditSeconds).toBe(90);
    });
    expect(cost.requests.length).toBeLessThan(30);
    expect(cost.sent).toBeLessThan(300_000);
  }
});

test('links and submodules in the whole tree are neither followed nor, unless they are named, listed, and cost no second fetch', async () => {
  const { path, git: run } = bareRepository(join(server.folder, '250.git'));
  const blob = async (text: string) => pipeToGit(path, ['hash-object', '-w', '--stdin'], Buffer.from(text));
  const lines = [
    `120000 blob ${await blob('kind: Rollout')}\tlink.yaml`,
    `100755 blob ${await blob('kind: Rollout\n')}\trun.yaml`,
    `100644 blob ${await blob('nothing\n')}\tother.yaml`,
    // As git wrote it until 2005, and reads it today.
    `100664 blob ${await blob('kind: Rollout # old\n')}\told.yaml`,
    `160000 commit ${'c'.repeat(40)}\tmodule.yaml`,
  ];
  const tree = await pipeToGit(path, ['mktree'], Buffer.from(`${lines.join('\n')}\n`));
  const commit = await run('commit-tree', '-m', 'links', tree);
  const more = [...lines, `120000 blob ${await blob('../base')}\tbase`, `120000 blob ${await blob('x')}\tnotes.md`];
  const folder = await pipeToGit(path, ['mktree'], Buffer.from(`${more.join('\n')}\n`));
  const root = await pipeToGit(path, ['mktree'], Buffer.from(`040000 tree ${folder}\tapps\n`));
  const below = await run('commit-tree', '-m', 'links below', root);
  await run('update-ref', 'refs/heads/links', commit);
  await run('update-ref', 'refs/heads/below', below);
  const cost = await costOf(async () => {
    const git = openGit({ location: `${server.url}/250.git`, limits: PATIENT });
    const asked = { paths: [''], suffixes: ['.yaml'], markers: ['kind: Rollout'] };
    const { files, skipped, gaps } = await git.readAt(commit, asked);
    // What a link in a tree that is read whole leads to is read in its own place.
    expect(gaps).toEqual({ absent: [], passedOver: ['module.yaml'] });
    expect(files.map(({ path: name, mode, content }) => [name, mode, content.kind])).toEqual([
      ['old.yaml', '100644', 'text'],
      ['run.yaml', '100755', 'text'],
    ]);
    expect(skipped().map(({ path: name, mode }) => [name, mode])).toEqual([['other.yaml', '100644']]);
    const paths = ['link.yaml', 'module.yaml/apps', 'none.yaml'];
    const named = await git.readAt(commit, { paths, suffixes: ['.yaml'], markers: [] });
    expect(
      named.files.map(({ path: name, content }) => [name, content.kind === 'unreadable' && content.cause]),
    ).toEqual([
      ['link.yaml', 'link'],
      ['module.yaml', 'link'],
    ]);
  });
  expect(cost.requests).toEqual(['fetch']);
  const asked = { paths: ['apps'], suffixes: ['.yaml'], markers: [] };
  const { gaps } = await openGit({ location: `${server.url}/250.git`, limits: PATIENT }).readAt(below, asked);
  expect(gaps?.passedOver).toEqual(['apps/base', 'apps/link.yaml', 'apps/module.yaml']);
});

test('a large file in a large repository is left out by the server, and is unreadable', async () => {
  const { commit } = bareRepository(join(server.folder, '250.git'));
  const head = await commit('large', { 'model.yaml': '0'.repeat(9 * 1024 * 1024), 'r.yaml': 'kind: Rollout\n' });
  const cost = await costOf(async () => {
    const git = openGit({ location: `${server.url}/250.git`, limits: PATIENT });
    const { files } = await git.readAt(head, { paths: [''], suffixes: [], markers: ['kind: Rollout'] });
    expect(files.map(({ path, content }) => [path, content.kind])).toEqual([
      ['model.yaml', 'unreadable'],
      ['r.yaml', 'text'],
    ]);
  });
  expect(cost.requests).toEqual(['fetch', 'fetch']);
});

test.each([
  ['no single objects', 'uploadpack.allowAnySHA1InWant'],
  ['no filter', 'uploadpack.allowFilter'],
])('what is expected is only a hint, also to a server that sends %s', async (_what, setting) => {
  const repository = await server.createRepository(`${setting}.git`);
  await repository.git('config', setting, 'false');
  const before = await repository.commit('main', { 'apps/a/lws.yaml': 'kind: LeaderWorkerSet\n' });
  const head = await repository.commit('main', { 'apps/b/lws.yaml': 'kind: LeaderWorkerSet # b\n' });
  const folders = [[await repository.git('rev-parse', `${before}^{tree}`)], ['2'.repeat(40), 'no id']];
  const git = openGit({ location: repository.url, limits: PATIENT });
  git.expect({ head, since: before, commits: ['3'.repeat(40)], folders, writes: true });
  const tree = await git.readAt(head, { paths: ['apps'], suffixes: ['.yaml'], markers: [] });
  expect(tree.files.map(({ path }) => path)).toEqual(['apps/a/lws.yaml', 'apps/b/lws.yaml']);
  expect(tree.folders.map((level) => level.length)).toEqual([1, 1, 2]);
  const pushed = await git.push([update('main', head, [newCommit({ 'apps/b/lws.yaml': 'a: 1\n' })])]);
  expect(pushed.kind).toBe('pushed');
});

test('a file that an answer with everything leaves out is asked for, not taken for one without a marker', async () => {
  const repository = await server.createRepository('short.git');
  const text = `# ${'x'.repeat(500)}\nkind: Rollout\n`;
  const at = await repository.commit('main', { 'a.yaml': 'a: 1\n', 'r.yaml': text });
  // A real answer, to a question for less.
  const body = fetchRequest({ wants: [at], depth: 1, filter: 'blob:limit=100' });
  const headers = { 'git-protocol': 'version=2', 'content-type': 'application/x-git-upload-pack-request' };
  const answer = await fetch(`${repository.url}/git-upload-pack`, { method: 'POST', headers, body });
  const short = Buffer.from(await answer.arrayBuffer());
  let isFirst = true;
  server.fault = () => {
    if (!isFirst) return undefined;
    isFirst = false;
    return { kind: 'garble', change: () => short };
  };
  const git = openGit({ location: repository.url, limits: PATIENT });
  const { files, skipped } = await git.readAt(at, { paths: [''], suffixes: [], markers: ['kind: Rollout'] });
  expect(isFirst).toBe(false);
  expect(files.map(({ path, content }) => [path, content.kind])).toEqual([['r.yaml', 'text']]);
  expect(skipped().map(({ path }) => path)).toEqual(['a.yaml']);
});

test('two commits compared: the folders on the way to what differs, and no file, whatever the size of the repository', async () => {
  const costs: Cost[] = [];
  for (const size of [250, 5000]) {
    const { commit, git: run } = bareRepository(join(server.folder, `${size}.git`));
    await run('branch', '-f', 'compared', 'main');
    const path = `${app}/compared.yaml`;
    const [base, head] = [
      await commit('compared', { [path]: 'a: 1\n' }),
      await commit('compared', { [path]: 'a: 2\n' }),
    ];
    const git = openGit({ location: `${server.url}/${size}.git`, limits: PATIENT });
    costs.push(
      await costOf(async () => {
        expect(await onlyChanges(git, { base, head, paths: [path] })).toBe(true);
        expect(await onlyChanges(git, { base, head, paths: [] })).toBe(false);
      }),
    );
  }
  const [small, large] = costs;
  // Each commit with its root, then a request for each level below.
  expect(small?.requests.length).toBeLessThan(8);
  expect(large?.requests).toEqual(small?.requests);
  expect(large!.sent - small!.sent).toBeLessThan(2_000);
});
