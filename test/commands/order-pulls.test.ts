/** Orders by pull request, where main takes no push: what is opened, that nothing happens before the merge, and all after it. */

import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, FORGE_TOKEN, type ForgeWorld, forgeWorld, reasonsOf } from '../support/forge-world.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, ROLLOUT_TEXT, VLLM_FILES } from '../support/vllm.ts';

let forge: SimulatedForge;
let made = 0;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());
afterEach(() => vi.useRealTimers());

const FILES = { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replace('{duration: 0}', '{}') };
const RULE = { id: 1, name: 'main', branches: ['main'], rules: [{ type: 'pull_request' }], bypass: [] };
const TOKENS = { TRANCHE_GIT_TOKEN: FORGE_TOKEN, TRANCHE_FORGE_TOKEN: FORGE_TOKEN };

/** Step 1 is done and waits for someone. From then on main takes pull requests alone, tranche's own pushes as well. */
async function paused(): Promise<ForgeWorld> {
  made += 1;
  const world = await forgeWorld(forge, `orders-${made}`, { ...FILES, 'tranche.yaml': 'promotion: commit\n' });
  await world.pass();
  await world.sync();
  await world.edit(LWS_FILE, OLD, NEW);
  await world.sync();
  await world.until('PausedForApproval');
  world.repository.enforce([RULE]);
  return world;
}

async function run(world: ForgeWorld, line: string, env: Readonly<Record<string, string>> = TOKENS) {
  vi.useFakeTimers({ toFake: ['Date'], now: world.cluster.nowSeconds * 1000 });
  let [out, err] = ['', ''];
  const code = await runProgram(line.split(' '), {
    env: { TRANCHE_REPO: `${world.url}.git`, GITHUB_ACTOR: 'octocat', ...env },
    folder: '/',
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    isTerminal: false,
    signal: new AbortController().signal,
  });
  await world.repository.settle();
  return { code, out, err };
}

test('an abort: refused with the way, opened, inert until it is merged, and carried out after that', async () => {
  const world = await paused();
  const refused = await run(world, 'abort vllm');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('Give the order again with --pull-request, or allow the push');
  const before = await world.git('rev-parse', 'main');

  const opened = await run(world, 'abort vllm --pull-request');
  expect(opened).toMatchObject({ code: 0, err: '' });
  const { pull } = world;
  expect(opened.out).toContain(`pull request ${world.url}/pull/${pull.number}: nothing happens before it is merged\n`);
  expect(pull.title).toBe('rollout(llm/vllm): abort 0e241605.2');
  expect(pull.body).toMatchInlineSnapshot(`
    "This pull request is an order for tranche. Nothing happens before it is merged: the rollout goes on as it is.

    After the merge, the next pass of tranche carries the order out.

    \`\`\`
    rollout(llm/vllm): abort 0e241605.2
    \`\`\`

    It changes \` rollouts/vllm.yaml \` and nothing else.

    It was ordered by \` octocat \`, as far as the environment says: this proves nothing.

    To take the order back, close this pull request."
  `);
  expect(await world.git('rev-parse', 'main'), 'main is as it was').toBe(before);
  expect(await world.git('diff', '--stat', 'main', pull.head), 'one file').toMatch(
    /^rollouts\/vllm.yaml \| 2 \+\+\n 1 file/,
  );
  expect(await world.git('log', '-1', '--format=%an %cn', pull.head)).toBe('octocat tranche');
  const judged = await run(world, `lint --ref ${pull.branch} --base main`);
  expect(judged, 'verify lets it through').toMatchObject({ code: 0 });
  expect(judged.out).not.toContain('error');
  expect(reasonsOf(await world.pass())).toContain('PausedForApproval');

  await world.repository.merge(pull.number, ADA, 'squash');
  world.repository.enforce([]);
  await world.repository.settle();
  for (let round = 0; round < 6; round += 1) {
    await world.sync();
    world.tick(60);
    await world.pass();
  }
  expect((await world.subjects()).join('\n')).toContain('rollback');
  expect(await world.text(LWS_FILE)).toContain(OLD);
  expect(await world.text(LWS_FILE)).not.toContain('tranche.dev/step');
  const subjects = await world.subjects();
  await world.pass();
  expect(await world.subjects(), 'a second pass changes nothing').toEqual(subjects);
});

test('an undo of what has settled: one file, inert until it is merged, and the earlier template is back without a step', async () => {
  made += 1;
  const free = { ...VLLM_FILES, [ROLLOUT_FILE]: ROLLOUT_TEXT.replaceAll('pause: {}', 'pause: {duration: 0}') };
  const world = await forgeWorld(forge, `orders-${made}`, { ...free, 'tranche.yaml': 'promotion: commit\n' });
  const round = async (): Promise<void> => {
    await world.sync();
    world.tick(60);
    await world.pass();
  };
  await round();
  await round();
  await world.edit(LWS_FILE, OLD, NEW);
  for (let count = 0; count < 30 && (await world.subjects()).at(-1) !== 'rollout(llm/vllm): settled'; count += 1)
    await round();
  world.repository.enforce([RULE]);
  const refused = await run(world, 'undo vllm');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('Give the order again with --pull-request');
  const before = await world.git('rev-parse', 'main');
  const opened = await run(world, 'undo vllm --pull-request');
  expect(opened).toMatchObject({ code: 0, err: '' });
  const { pull } = world;
  expect(opened.out).toContain(`pull request ${world.url}/pull/${pull.number}: nothing happens before it is merged\n`);
  expect(pull.title).toMatch(/^rollout\(llm\/vllm\): undo 0e241605\.2, back to [0-9a-f]{8}\.1$/);
  expect(await world.git('diff', '--name-only', 'main', pull.head), 'one file').toBe(ROLLOUT_FILE);
  await round();
  expect(await world.git('rev-parse', 'main'), 'main is as it was').toBe(before);

  await world.repository.merge(pull.number, ADA, 'squash');
  world.repository.enforce([]);
  await world.repository.settle();
  const steps = (await world.subjects()).filter((subject) => subject.includes(': step ')).length;
  for (let count = 0; count < 6; count += 1) await round();
  const subjects = await world.subjects();
  expect(subjects.at(-1)).toBe('rollout(llm/vllm): rolled back, partition 0 → 1000000');
  expect(subjects.filter((subject) => subject.includes(': step '))).toHaveLength(steps);
  expect(await world.text(LWS_FILE)).toContain(OLD);
  await round();
  expect(await world.subjects(), 'a second pass changes nothing').toEqual(subjects);
});

test('the same order again finds its pull request; another one has its own', async () => {
  const world = await paused();
  const first = await run(world, 'abort vllm --pull-request');
  const again = await run(world, 'abort vllm --pull-request');
  expect(again).toEqual(first);
  expect(world.repository.pulls).toHaveLength(1);
  const stop = await run(world, 'stop --why incident --pull-request');
  expect(stop).toMatchObject({ code: 0, err: '' });
  expect(world.repository.pulls.map(({ title }) => title)).toEqual([
    'rollout(llm/vllm): abort 0e241605.2',
    'rollouts: stop, no step starts until tranche go',
  ]);
});

test('a branch of that name with other content is left alone, and named', async () => {
  const world = await paused();
  await run(world, 'abort vllm --pull-request');
  const branch = world.pull.branch;
  await world.repository.git.commit(branch, { [ROLLOUT_FILE]: ROLLOUT_TEXT }, 'by somebody else');
  const refused = await run(world, 'abort vllm --pull-request');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain(`the branch ${branch} holds something else. Delete it, then call this again`);
});

test('a branch of that name that brings something else next to the order is left alone', async () => {
  const world = await paused();
  await run(world, 'abort vllm --pull-request');
  const branch = world.pull.branch;
  await world.repository.git.commit(branch, { 'apps/other.yaml': 'a: 1\n' }, 'by somebody else');
  const refused = await run(world, 'abort vllm --pull-request');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain(`the branch ${branch} holds something else. Delete it, then call this again`);
});

/** The commit of an order, made once more by somebody else: with entries next to it, another message, another parent. */
async function remade(
  world: ForgeWorld,
  of: { readonly entry?: string; readonly message?: string; readonly parents?: readonly string[] },
): Promise<void> {
  const { head } = world.pull;
  await world.git('read-tree', head);
  if (of.entry !== undefined) await world.git('update-index', '--add', '--cacheinfo', of.entry);
  const tree = await world.git('write-tree');
  const message = of.message ?? (await world.git('log', '-1', '--format=%B', head));
  const parents = [`${head}^`, ...(of.parents ?? [])].flatMap((parent) => ['-p', parent]);
  const commit = await world.git('commit-tree', tree, ...parents, '-m', message);
  await world.git('update-ref', `refs/heads/${world.pull.branch}`, commit);
}

test.each<readonly [string, (world: ForgeWorld, head: string) => Promise<Parameters<typeof remade>[1]>]>([
  [
    'a link next to the order',
    async (world, head) => ({ entry: `120000,${await world.git('rev-parse', `${head}:${LWS_FILE}`)},apps/more.yaml` }),
  ],
  ['a submodule next to the order', async (_world, head) => ({ entry: `160000,${head},apps/more` })],
  [
    'what else it merges',
    async (world) => ({ parents: [await world.repository.git.commit('side', { [LWS_FILE]: 'x: 1\n' }, 'a template')] }),
  ],
  [
    'a message that orders something else',
    async (world, head) => ({
      message: (await world.git('log', '-1', '--format=%B', head)).replace('abort', 'promote'),
    }),
  ],
  [
    'a message that tells a step next to the order',
    async (world, head) => ({
      message: `${await world.git('log', '-1', '--format=%B', head)}\n\nRollout: default/llm/vllm\nPlanned-From: ${head}`,
    }),
  ],
])('a branch of that name with %s is left alone', async (_what, forged) => {
  const world = await paused();
  await run(world, 'abort vllm --pull-request');
  const { branch, head } = world.pull;
  await remade(world, await forged(world, head));
  const refused = await run(world, 'abort vllm --pull-request');
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain(`the branch ${branch} holds something else. Delete it, then call this again`);
});

test('the same order by somebody else finds it as well, also from a newer main', async () => {
  const world = await paused();
  const first = await run(world, 'abort vllm --pull-request');
  world.repository.enforce([]);
  await world.repository.git.commit('main', { 'docs/notes.md': 'hello\n' }, 'notes');
  await world.repository.settle();
  world.repository.enforce([RULE]);
  const again = await run(world, 'abort vllm --pull-request', { ...TOKENS, GITHUB_ACTOR: 'ada' });
  expect(again).toEqual(first);
  expect(world.repository.pulls).toHaveLength(1);
});

test('without a forge the branch is there, and the text says what is left to do', async () => {
  const world = await paused();
  const pushed = await run(world, 'abort vllm --pull-request --forge none');
  expect(pushed).toMatchObject({ code: 0, err: '' });
  expect(pushed.out).toMatch(/^branch tranche-order\/\S+: open a pull request from it\. Nothing happens before that/m);
  expect(world.repository.pulls).toHaveLength(0);
});

test('a branch whose name keeps every order from being made: the refusal says to delete it, and then it goes', async () => {
  const world = await paused();
  await world.git('branch', 'tranche-order', 'main');
  const refused = await run(world, 'abort vllm --pull-request');
  expect([refused.code, world.repository.pulls]).toEqual([1, []]);
  expect(refused.out + refused.err).toMatch(
    /the push of the branch was refused: .*tranche-order.*\. Delete that branch/s,
  );
  await world.git('branch', '-D', 'tranche-order');
  expect(await run(world, 'abort vllm --pull-request')).toMatchObject({ code: 0, err: '' });
  expect(world.repository.pulls).toHaveLength(1);
});

test('a forge that refuses: the branch is there, exit code 1, with its reason', async () => {
  const world = await paused();
  const given = forge.tokens.get(FORGE_TOKEN)!;
  forge.tokens.set(FORGE_TOKEN, { ...given, permissions: { contents: 'write', pull_requests: 'read' } });
  const failed = await run(world, 'abort vllm --pull-request');
  forge.tokens.set(FORGE_TOKEN, given);
  expect(failed.code).toBe(1);
  expect(failed.out).toContain('branch tranche-order/');
  expect(failed.err).toMatch(/^the pull request was not opened: .*pull_requests: write/);
});
