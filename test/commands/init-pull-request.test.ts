/** `tranche init --pull-request`: the files come by a pull request, which is found again, and nothing else of the repository changes. */

import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { runProgram } from '../../src/commands/program.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, FORGE_TOKEN, type ForgeWorld, forgeWorld } from '../support/forge-world.ts';
import { LWS_FILE, VLLM_FILES } from '../support/vllm.ts';

let forge: SimulatedForge;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());
afterEach(() => vi.useRealTimers());

const TOKENS = { TRANCHE_GIT_TOKEN: FORGE_TOKEN, TRANCHE_FORGE_TOKEN: FORGE_TOKEN };
const WORKLOAD = { [LWS_FILE]: VLLM_FILES[LWS_FILE] ?? '' };

async function init(world: ForgeWorld, line = '', env: Readonly<Record<string, string>> = TOKENS) {
  vi.useFakeTimers({ toFake: ['Date'], now: world.cluster.nowSeconds * 1000 });
  let [out, err] = ['', ''];
  const code = await runProgram(['init', ...line.split(' ').filter((word) => word !== '')], {
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

test('opened, found again, merged: then the workload is adopted, and there is nothing to add', async () => {
  const world = await forgeWorld(forge, 'init', WORKLOAD);
  const before = await world.git('rev-parse', 'main');
  const opened = await init(world, '--pull-request --run workflow');
  expect(opened).toMatchObject({ code: 0, err: '' });
  const { pull } = world;
  expect(opened.out).toContain(
    `pull request ${world.url}/pull/${pull.number}: nothing happens before it is merged\ntranche lint finds nothing wrong with them`,
  );
  expect(await world.git('rev-parse', 'main'), 'main is as it was').toBe(before);
  expect(await world.git('diff', '--name-status', 'main', pull.head)).toBe(
    ['.github/workflows/tranche.yaml', 'policies/default.yaml', 'rollouts/vllm.yaml', 'tranche.yaml']
      .map((path) => `A\t${path}`)
      .join('\n'),
  );
  expect(await world.git('log', '-1', '--format=%an %cn', pull.head)).toBe('octocat tranche');
  expect({ title: pull.title, body: pull.body }).toMatchInlineSnapshot(`
    {
      "body": "This pull request adds files for tranche, and changes no other file. Groups keep their version: the first pass after the merge locks each workload on the template that it has.

    - \` rollouts/vllm.yaml \`: Rollout of llm/vllm (apps/vllm/lws.yaml): 4 groups in 3 steps, 1, 50%, 100%
    - \` tranche.yaml \`: configuration: where policies are
    - \` policies/default.yaml \`: policy: For every Rollout: one group first, never more than half of them in a step, and a minute that they have to stay ready.
    - \` .github/workflows/tranche.yaml \`: workflow: makes a pass when main moves and every ten minutes

    **Before the merge**, replace the examples in these lines: \` .github/workflows/tranche.yaml \` 28, 31.",
      "title": "Deliver llm/vllm with tranche",
    }
  `);

  const again = await init(world, '--pull-request --run workflow');
  expect(again.out).toContain(`pull request ${world.url}/pull/${pull.number}:`);
  expect(world.pull.number, 'no second one').toBe(pull.number);

  await world.repository.merge(pull.number, ADA, 'squash');
  await world.repository.settle();
  expect((await init(world, '--pull-request --run workflow')).out).toContain('nothing to add');
  await world.pass();
  expect(await world.text(LWS_FILE)).toContain('tranche.dev/stable');
});

test('a branch of that name with something else is left alone; without a forge the branch is there', async () => {
  const world = await forgeWorld(forge, 'init-branch', WORKLOAD);
  const alone = await init(world, '--pull-request --run none --policy none', {
    TRANCHE_GIT_TOKEN: FORGE_TOKEN,
    TRANCHE_FORGE: 'none',
  });
  const [, branch = ''] = /^branch (tranche-init\/\S+): open a pull request from it/m.exec(alone.out) ?? [];
  expect(alone.code).toBe(0);
  expect(await world.git('diff', '--name-only', 'main', branch)).toBe('rollouts/vllm.yaml\ntranche.yaml');
  await world.repository.git.commit(branch, { 'apps/other.yaml': 'kind: Other\n' }, 'something else');
  const refused = await init(world, '--pull-request --run none --policy none');
  expect(refused).toMatchObject({ code: 1, err: '' });
  expect(refused.out).toContain(
    `not proposed: the branch ${branch} holds something else. Delete it, then call this again`,
  );
});

test('what cannot be: with --write, and a repository that takes no push', async () => {
  const world = await forgeWorld(forge, 'init-refused', WORKLOAD);
  expect(await init(world, '--write --pull-request')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--write and --pull-request: wanted one of them'),
  });
  world.repository.enforce([
    { id: 1, name: 'all', branches: ['tranche-init/*'], rules: [{ type: 'creation' }], bypass: [] },
  ]);
  const refused = await init(world, '--pull-request');
  expect(refused.code).toBe(1);
  expect(refused.out).toContain('not proposed: the push of the branch was refused');
});
