/** What a whole pass costs in requests and bytes: what moves, and not how much there is. */

import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appFolder, configFile, rolloutFile } from '../../bench/place.ts';
import { type Heads, type Moments, playStory } from '../../bench/story.ts';
import { openGit } from '../../src/adapters/git/open.ts';
import { type Memory, NO_OVERRIDES, newMemory, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import type { Cluster as Model } from '../../src/simulator/cluster-model.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { bareRepository, type GitServer, startGitServer } from '../support/git-server.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { PATIENT } from '../support/patient-git.ts';
import { generateRepository } from '../support/repository-generator.ts';
import { resigned, signaturesOf, statusKeysText } from '../support/status-key.ts';
import { LWS_TEXT, ROLLOUT_TEXT } from '../support/vllm.ts';

type World = { readonly files: number; readonly model: Model; readonly moments: Moments };

let server: GitServer;
let small: World;
let large: World;

beforeAll(async () => {
  server = await startGitServer();
  // Whatever is asked for at once has come before the first of it is answered.
  server.fault = () => turns(50);
  small = await makeWorld(250);
  large = await makeWorld(5000);
});
afterAll(() => server.stop());

async function makeWorld(files: number, folder = appFolder): Promise<World> {
  const repository = join(server.folder, `${files}.git`);
  const lwsFile = `${folder}/lws.yaml`;
  const extra = {
    [configFile]: `paths: [${folder}, rollouts]\n${statusKeysText()}`,
    [rolloutFile]: ROLLOUT_TEXT,
    [lwsFile]: LWS_TEXT,
  };
  await generateRepository(repository, { files, extra });
  const { cluster, moments } = await playStory({ repository, url: `${server.url}/${files}.git`, lwsFile, configFile });
  return { files, model: cluster, moments };
}

/** So often everything that waits in this process gets on. */
async function turns(count: number): Promise<undefined> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
  return undefined;
}

type Cost = {
  readonly result: PassResult;
  readonly requests: readonly string[];
  /** How many of them had to wait for one another. */
  readonly rounds: number;
  readonly sent: number;
  readonly received: number;
  readonly clusterCalls: readonly string[];
  /** How often it was said that the cluster is going to be asked. */
  readonly clusterExpected: number;
  /** The first question to the cluster was sent before the files were parsed. */
  readonly clusterFirst: boolean;
};

/** A pass by somebody who remembers what is in `memory`, and what the adapter kept. */
async function costOf(world: World, remembered = newProcess(world)): Promise<Cost> {
  const clusterCalls: string[] = [];
  const { sent, received } = server.bytes;
  server.requests.length = 0;
  server.rounds.ended = 0;
  const parsedWhenSent: boolean[] = [];
  let clusterExpected = 0;
  const cluster = fakeCluster({
    model: world.model,
    fault: ({ resource }) => {
      clusterCalls.push(`list ${resource.plural}`);
      setImmediate(() => parsedWhenSent.push(remembered.memory.desired !== undefined));
      return undefined;
    },
  });
  const silent = () => undefined;
  const ports = {
    git: remembered.git,
    cluster: { ...cluster, expect: () => void (clusterExpected += 1) },
    clock: { now: () => world.model.nowSeconds, sleep: async () => undefined },
    log: { info: silent, warn: silent, error: silent },
    signatures: signaturesOf(),
  };
  const result = await runPass(ports, remembered.memory, { overrides: NO_OVERRIDES, write: true, only: [] });
  const requests = server.requests.map(({ kind }) => kind);
  return {
    result,
    requests,
    rounds: Math.max(0, ...server.requests.map(({ round }) => round)),
    sent: server.bytes.sent - sent,
    received: server.bytes.received - received,
    clusterCalls,
    clusterExpected,
    clusterFirst: parsedWhenSent[0] === false,
  };
}

type Remembered = { readonly git: ReturnType<typeof openGit>; readonly memory: Memory };

function newProcess({ files }: World): Remembered {
  return { git: openGit({ location: `${server.url}/${files}.git`, limits: PATIENT }), memory: newMemory() };
}

async function reset({ files }: World, { main, status }: Heads): Promise<void> {
  const { git } = bareRepository(join(server.folder, `${files}.git`));
  await git('update-ref', 'refs/heads/main', main);
  await git('update-ref', 'refs/heads/tranche-status', status);
}

async function costFrom(world: World, from: Heads): Promise<Cost> {
  await reset(world, from);
  return costOf(world);
}

test('a pass that moves a rollout: five rounds and a few kilobytes, whatever the size of the repository', async () => {
  const [few, many] = [await costFrom(small, small.moments.moving), await costFrom(large, large.moments.moving)];
  for (const { result } of [few, many]) expect(result.outcomes[0]?.plan?.commit?.subject).toContain('step 2/3');
  // The status; main and the stable commit with their roots, all folders of both, what a push may use; the files of both.
  expect(few.requests).toEqual(['ls-refs', 'fetch', 'fetch', 'fetch', 'discover-receive', 'fetch', 'receive']);
  expect(many.requests).toEqual(few.requests);
  expect([few.rounds, many.rounds]).toEqual([5, 5]);
  expect(few.sent).toBeLessThan(12_000);
  expect(few.received).toBeLessThan(12_000);
  // The tree of a team lists its services, 20 times as many: read in two commits and written in one.
  expect(many.sent - few.sent).toBeLessThan(3_000);
  expect(many.received - few.received).toBeLessThan(2_000);
  expect(few.clusterCalls.toSorted()).toEqual([
    'list controllerrevisions',
    'list horizontalpodautoscalers',
    'list leaderworkersets',
    'list pods',
    'list scaledobjects',
    'list statefulsets',
  ]);
  expect(few).toMatchObject({ clusterExpected: 1, clusterFirst: true });
});

test.each([3, 8])('folders %i deep cost no round more', async (depth) => {
  const folder = Array.from({ length: depth }, (_none, at) => `level-${at}`).join('/');
  const world = await makeWorld(100 + depth, folder);
  const cost = await costFrom(world, world.moments.moving);
  expect(cost.result.outcomes[0]?.plan?.commit?.subject).toContain('step 2/3');
  expect(cost.rounds).toBe(5);
});

test('a pass that finds everything settled: the list of branches, the status, its configuration, and nothing of the cluster', async () => {
  const cost = await costFrom(large, large.moments.settled);
  expect(cost.result.quiet).toBe(true);
  // The status; main with its root, and its configuration: whether it names the key that has signed the status.
  expect(cost.requests).toEqual(['ls-refs', 'fetch', 'fetch', 'fetch']);
  expect(cost.sent).toBeLessThan(6_000);
  expect(cost).toMatchObject({ clusterCalls: [], clusterExpected: 0 });
});

test('the next pass of the same process finds the same by the list of branches alone', async () => {
  await reset(large, large.moments.settled);
  const process = newProcess(large);
  await costOf(large, process);
  const again = await costOf(large, process);
  expect(again.result.quiet).toBe(true);
  expect(again.requests).toEqual(['ls-refs']);
  expect(again.sent).toBeLessThan(300);
  expect(again.clusterCalls).toEqual([]);
});

test('without configured paths: folders, and files of interest, in as few rounds as with them', async () => {
  await reset(large, large.moments.movingWithoutPaths);
  const { git } = bareRepository(join(server.folder, '5000.git'));
  const readAt = async () => JSON.parse(await git('show', 'tranche-status:index.json')).marked.readAt;
  const before = await readAt();
  const cost = await costOf(large);
  // What it builds on was read then, and does not get younger.
  expect([await readAt(), before < large.model.nowSeconds]).toEqual([before, true]);
  expect(cost.result.outcomes[0]?.plan?.commit?.subject).toContain('step 2/3');
  // The status; folders of main, its files of interest, main and the stable commit with their roots, the folders of the
  // stable template; that text.
  const fetches = ['fetch', 'fetch', 'fetch', 'fetch', 'fetch', 'fetch'];
  expect(cost.requests.toSorted()).toEqual(['discover-receive', ...fetches, 'ls-refs', 'receive']);
  expect(cost.rounds).toBe(5);
  expect(cost.sent).toBeLessThan(300_000);
});

/** As if every file had been read then, and that had been signed. */
function saidAt(text: string, readAt: number): string {
  return resigned(text, (index) => ({ ...index, marked: { ...Object(index['marked']), readAt } }));
}

test.each<[string, (text: string) => string]>([
  ['was edited by hand', (text) => text.replace(/"blobs": \[[^\]]*\]/, '"blobs": []')],
  ['is of another commit', (text) => text.replace(/"main": "[^"]*"/, `"main": "${large.moments.settled.main}"`)],
  ['is signed by another key', (text) => resigned(text, (index) => index, 2)],
  ['is signed for another cluster', (text) => resigned(text, (index) => ({ ...index, cluster: 'other' }))],
  ['is no news any more', (text) => saidAt(text, large.model.nowSeconds - 3600)],
  ['is dated ahead', (text) => saidAt(text, large.model.nowSeconds + 1)],
  ['is not there', (text) => resigned(text, ({ marked: _none, ...index }) => index)],
])('what the last pass said of files %s: all of them come', async (_what, edit) => {
  await reset(large, large.moments.movingWithoutPaths);
  const { commit, git } = bareRepository(join(server.folder, '5000.git'));
  const text = await git('show', 'tranche-status:index.json');
  expect(edit(text)).not.toBe(text);
  await commit('tranche-status', { 'index.json': `${edit(text)}\n` });
  const cost = await costOf(large);
  const { plan } = cost.result.outcomes[0] ?? {};
  // The number of the record is signed in a file of its own: the record counts, and its pause is over.
  expect(plan?.commit?.subject).toContain('step 2/3');
  expect(cost.rounds).toBe(5);
  expect(cost.sent).toBeGreaterThan(1_000_000);
});

test('what was said of files by a key that main names no more: all of them come', async () => {
  await reset(large, large.moments.movingWithoutPaths);
  const { commit } = bareRepository(join(server.folder, '5000.git'));
  await commit('main', { [configFile]: statusKeysText(2) });
  const cost = await costOf(large);
  expect(cost.result.outcomes[0]?.plan?.holds.map(({ reason }) => reason)).toContain('StatusKeyMissing');
  expect(cost.sent).toBeGreaterThan(1_000_000);
});

test('while something waits, all files are read again once, and that is said', async () => {
  await reset(large, large.moments.movingWithoutPaths);
  const { commit, git } = bareRepository(join(server.folder, '5000.git'));
  // The next step, its record, and nothing more to say.
  for (let pass = 0; pass < 3; pass += 1) await costOf(large);
  const text = await git('show', 'tranche-status:index.json');
  await commit('tranche-status', { 'index.json': `${saidAt(text, large.model.nowSeconds - 3600)}\n` });
  const [first, then] = [await costOf(large), await costOf(large)];
  expect(first.sent).toBeGreaterThan(1_000_000);
  expect(first.requests).toContain('receive');
  expect(then.sent).toBeLessThan(300_000);
  expect(then.requests).not.toContain('receive');
});

test('without paths, main has moved: what differs comes in the same round, and a new file is seen', async () => {
  await reset(large, large.moments.movingWithoutPaths);
  const { commit } = bareRepository(join(server.folder, '5000.git'));
  await commit('main', { 'clusters/prod/other.yaml': 'a: 1\n' });
  await commit('main', { 'clusters/new/rollout.yaml': ROLLOUT_TEXT.replaceAll('name: vllm', 'name: other') });
  const cost = await costOf(large);
  expect(cost.result.outcomes.map(({ key }) => key.name)).toEqual(['other', 'vllm']);
  // One more looks for the text before the new one, unless the folders that it is in have come by then to be compared.
  // Where everything is read, there are three more again.
  expect(cost.rounds).toBeLessThanOrEqual(6);
  expect(cost.sent).toBeLessThan(300_000);
});

test('main has moved since the last pass: what differs comes in the same round, and nothing else of it', async () => {
  await reset(large, large.moments.moving);
  const { commit } = bareRepository(join(server.folder, '5000.git'));
  await commit('main', { [`${appFolder}/notes.txt`]: 'for people\n' });
  await commit('main', { 'clusters/prod/other.yaml': 'a: 1\n' });
  const cost = await costOf(large);
  expect(cost.result.outcomes[0]?.plan?.commit?.subject).toContain('step 2/3');
  expect(cost.rounds).toBe(5);
  expect(cost.sent).toBeLessThan(20_000);
});

test('the next passes of the same process: the list of branches where they wait, one push more where they move', async () => {
  await reset(large, large.moments.moving);
  const process = newProcess(large);
  const first = await costOf(large, process);
  expect(first.result.outcomes[0]?.plan?.commit?.subject).toContain('step 2/3');
  const second = await costOf(large, process);
  expect(second.result.outcomes[0]?.plan?.commit).toBeUndefined();
  expect(second.requests.filter((kind) => kind !== 'receive')).toEqual(['ls-refs']);
});

test('Services and routes come with all else once a pass has told that they are read', async () => {
  const world = { ...small, files: 260 };
  const extra = Object.fromEntries(ladderFiles(ladderRollout('canary', ['replicas: 100%'])));
  await generateRepository(join(server.folder, '260.git'), { files: 250, extra });
  const first = await costOf(world);
  expect(first.result.outcomes[0]?.plan).toBeDefined();
  const told = await costOf(world);
  const { commit, git } = bareRepository(join(server.folder, '260.git'));
  const index = await git('cat-file', 'blob', 'tranche-status:index.json');
  await commit('tranche-status', { 'index.json': index.replace(/"traffic": \[[^\]]+\]/, '"traffic": [7]') });
  const untold = await costOf(world);
  expect(untold.result).toEqual(told.result);
  expect(told.requests).toHaveLength(untold.requests.length - 1);
  expect(told.sent).toBeLessThan(untold.sent);
});

test.each([
  ['ids that are not there', (text: string) => text.replaceAll(/"[0-9a-f]{40}"/g, `"${'1'.repeat(40)}"`)],
  ['no ids at all', (text: string) => text.replace(/"folders": \[[^{}]*?\](?=,\s+"overrides")/, '"folders": 7')],
])('a wrong hint on the status branch costs requests, and nothing else: %s', async (_what, change) => {
  await reset(large, large.moments.moving);
  const { commit, git } = bareRepository(join(server.folder, '5000.git'));
  const index = await git('cat-file', 'blob', 'tranche-status:index.json');
  expect(change(index)).not.toBe(index);
  await commit('tranche-status', { 'index.json': resigned(change(index), (told) => told) });
  const cost = await costOf(large);
  expect(cost.result.outcomes[0]?.plan?.commit?.subject).toContain('step 2/3');
});
