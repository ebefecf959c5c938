/** Rollouts by pull requests, on a simulated GitHub over a real repository: every merge is git's own. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order as giveOrder } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { releaseMoves } from '../../src/rollout/edits/release-moves.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, APP, type ForgeWorld, forgeWorld, messagesOf, reasonsOf, STALE } from '../support/forge-world.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: production
spec:
  promotion: pullRequest
`;

let forge: SimulatedForge;
let count = 0;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());
afterEach(() => {
  forge.fault = () => undefined;
  expect(forge.violations).toEqual([]);
});

/** A workload that is taken over, a request in its file, and a policy that wants someone for each step. */
async function requested(more: Readonly<Record<string, string>> = {}, policy = POLICY): Promise<ForgeWorld> {
  count += 1;
  const world = await forgeWorld(forge, `gitops-${count}`, { ...VLLM_FILES, ...more });
  await world.pass();
  await world.sync();
  const asked = (await world.text(LWS_FILE)).replaceAll(OLD, NEW);
  await world.repository.git.commit('main', { [LWS_FILE]: asked, 'policies/production.yaml': policy }, 'v0.10.1');
  await world.sync();
  return world;
}

/** The same with the pull request of its first step. */
async function proposed(more: Readonly<Record<string, string>> = {}, policy = POLICY): Promise<ForgeWorld> {
  const world = await requested(more, policy);
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  return world;
}

/** As someone orders it. */
async function propose(world: ForgeWorld): Promise<void> {
  const at = { target: { name: 'vllm', namespace: '' }, overrides: NO_OVERRIDES, by: 'ada' };
  const done = await giveOrder(world.ports(), at, ({ snapshot }) =>
    planIntent({ kind: 'propose' }, { snapshot, digestOf: factsDigest }),
  );
  expect(done.kind).toBe('written');
}

async function order(world: ForgeWorld, annotation: string): Promise<void> {
  await world.edit(ROLLOUT_FILE, '  namespace: llm\n', `  namespace: llm\n  annotations:\n    ${annotation}\n`);
}

test('a pull request has the labels and the reviewers that policies name, and says whom the forge does not take', async () => {
  const named = '  pullRequestLabels: [rollout, "area: llm"]\n  pullRequestReviewers: [ada, nobody]\n';
  const world = await proposed({}, `${POLICY}${named}`);
  expect([world.pull.labels, world.pull.requested]).toEqual([['area: llm', 'rollout'], ['ada']]);
  world.pull.requested = [];
  const said = messagesOf(await world.pass());
  expect(said).toEqual([expect.stringMatching(/; not asked for a review: nobody \(Reviews may only be requested/)]);
  expect(world.pull.requested).toEqual([]);
});

test('cut off before it has its labels and reviewers, or once they were asked: in the end once each, and nobody is overruled', async () => {
  const named = '  pullRequestLabels: [rollout]\n  pullRequestReviewers: [ada]\n';
  for (const when of ['before', 'after'] as const) {
    const world = await requested({}, `${POLICY}${named}`);
    forge.fault = ({ path }) => (/labels|requested_reviewers/.test(path) ? { kind: 'drop', when } : undefined);
    await world.pass();
    await world.git('update-ref', '-d', 'refs/heads/tranche-status');
    forge.fault = () => undefined;
    await world.pass();
    expect([world.pull.labels, world.pull.requested]).toEqual([['rollout'], ['ada']]);
    [world.pull.labels, world.pull.requested] = [[], []];
    await world.git('update-ref', '-d', 'refs/heads/tranche-status');
    await world.pass();
    expect([world.pull.labels, world.pull.requested]).toEqual([[], []]);
  }
});

const STEP_1 = 'rollout(llm/vllm): step 1/3, partition 1000000 → 3';

test('someone merges every step, each in another way, and a second pass changes nothing', async () => {
  const world = await proposed();
  for (const method of ['squash', 'rebase', 'merge'] as const) {
    if (method !== 'squash') await world.until('ProposalOpen');
    await world.repository.merge(world.pull.number, ADA, method, 'By someone\n\nCo-authored-by: x <x@example.com>');
    await world.pass();
    await world.sync();
  }
  for (let round = 0; round < 5; round += 1) {
    world.tick(30);
    await world.pass();
    await world.sync();
  }
  expect((await world.subjects()).filter((subject) => subject.startsWith('rollout(llm/vllm): s'))).toEqual([
    STEP_1,
    'rollout(llm/vllm): step 2/3, partition 3 → 2',
    'rollout(llm/vllm): step 3/3, partition 2 → 0',
    'rollout(llm/vllm): step 3/3, locked, partition 0 → 1000000',
    'rollout(llm/vllm): settled',
  ]);
  const trailers = await world.git(
    'log',
    '--first-parent',
    '--reverse',
    '--format=%(trailers:key=Rollout-Reason,valueonly)',
    'main',
  );
  expect(trailers.split('\n').filter((reason) => !/^(Adopted)?$/.test(reason))).toEqual(releaseMoves('alone', 3));
  expect(world.repository.pulls.map(({ title, state }) => `${title}: ${state}`)).toEqual([
    'llm/vllm 1/3: 0 → 1 of 4 groups on v0.10.1 (default): merged',
    'llm/vllm 2/3: 1 → 2 of 4 groups on v0.10.1 (default): merged',
    'llm/vllm 3/3: 2 → 4 of 4 groups on v0.10.1 (default): merged',
  ]);
  expect(
    world.repository.pulls.map(({ comments }) => comments.map(({ body }) => body.split('\n').slice(1, 3))),
  ).toEqual([
    [[expect.stringMatching(/^` step 1\/3 ` of .*: its groups are ready/), expect.stringMatching(/^Next: .*\/2$/)]],
    [[expect.stringMatching(/^` step 2\/3 ` of .*: its groups are ready/), expect.stringMatching(/^Next: .*\/3$/)]],
    [[expect.stringMatching(/^` settled ` of .*: the delivery is over/), expect.anything()]],
  ]);
  expect(world.repository.pull(3).body).toContain('| steps before | #1, #2 |');
  expect(await world.branches()).toEqual([]);
  const before = await world.git('for-each-ref');
  await world.pass();
  expect(await world.git('for-each-ref')).toBe(before);
});

test('what people read of it', async () => {
  const links = 'links: {dashboard: "https://grafana.example/d/llm?var-name={name}"}\n';
  const world = await proposed({ 'tranche.yaml': links });
  const { title, body } = world.pull;
  expect(title).toBe('llm/vllm 1/3: 0 → 1 of 4 groups on v0.10.1 (default)');
  expect(body).toContain('Merging this approves ` step 1/3 `');
  expect(body).toContain('| stable | ` vllm/vllm-openai:v0.10.0 ` |');
  expect(body).toContain('-      partition: 1000000\n+      partition: 3\n');
  expect(body).toMatch(/\| change \| [0-9a-f]{40} ` v0\.10\.1 ` by ` .* ` \|/);
  expect(body).toMatch(/\+ .*\.image: "vllm\/vllm-openai:v0\.10\.1"/);
  expect(body).toMatch(/\| as of \| ` 20\d\d-.*Z ` \|/);
  expect(body).toContain('[dashboard](https://grafana.example/d/llm?var-name=vllm)');
  expect(body.split('\n').filter((line) => line.startsWith('| Stage'))).toEqual([
    '| Stage1 | 1000000 | 4 | ○ | ○ | ○ | ○ | Before rolling update |',
    '| Stage2 | 3 | 4 | ○ | ○ | ○ | ~ | Partition changes from 1000000 to 3 |',
    '| Stage3 | 3 | 4 | ○ | ○ | ○ | ● |  |',
  ]);
});

describe('while it is open', () => {
  test('nothing changes, whatever main does elsewhere, and a pass asks the forge little', async () => {
    const world = await proposed();
    await world.pass();
    const branches = await world.git('for-each-ref', 'refs/heads/tranche');
    await world.repository.git.commit('main', { 'README.md': 'elsewhere\n' }, 'elsewhere');
    const asked = forge.calls.length;
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    expect(forge.calls.length - asked).toBeLessThanOrEqual(3);
    expect(await world.git('for-each-ref', 'refs/heads/tranche')).toBe(branches);
    expect(world.repository.pulls).toHaveLength(1);
  });

  test('its text is written again where more than the hour has changed, and then once', async () => {
    const world = await proposed();
    const { body } = world.pull;
    const writes = async (): Promise<readonly string[]> => {
      const asked = forge.calls.length;
      world.tick(300);
      await world.pass();
      return forge.calls.slice(asked).flatMap(({ call }) => (/^(PATCH|POST) .*pulls/.test(call) ? [call] : []));
    };
    expect([await writes(), world.pull.body]).toEqual([[], body]);
    await world.repository.git.commit('main', { 'tranche.yaml': 'links: {board: "https://x.example/"}\n' }, 'links');
    expect(await writes()).toHaveLength(1);
    expect(world.pull.body).toContain('[board](https://x.example/)');
    expect(await writes()).toEqual([]);
    // Without a record nobody knows what it says.
    await world.git('update-ref', '-d', 'refs/heads/tranche-status');
    expect(await writes()).toHaveLength(1);
    expect(await writes()).toEqual([]);
  });

  test('a merge of main into its branch leaves what it changes alone', async () => {
    const world = await proposed();
    await world.repository.git.commit('main', { 'README.md': 'elsewhere\n' }, 'elsewhere');
    const { branch } = world.pull;
    const tree = await world.repository.mergedTree('main', branch);
    const [main, head] = [await world.git('rev-parse', 'main'), await world.git('rev-parse', branch)];
    const merge = await world.git('commit-tree', tree ?? '', '-p', head, '-p', main, '-m', 'Update branch');
    await world.git('update-ref', `refs/heads/${branch}`, merge);
    await world.pass();
    await world.repository.merge(world.pull.number, ADA, 'squash');
    await world.pass();
    expect((await world.subjects()).at(-1)).toBe(STEP_1);
  });

  test('a check run has the numbers, written where they are others, and says which gate is shut', async () => {
    const world = await proposed();
    const run = () => world.repository.checks.get(world.pull.head)?.[0]?.written;
    const writes = async (seconds: number): Promise<number> => {
      const asked = forge.calls.length;
      world.tick(seconds);
      await world.pass();
      return forge.calls.slice(asked).filter(({ call }) => /^(POST|PATCH) .*check-runs/.test(call)).length;
    };
    expect(run()?.title).toBe('4 of 4 groups ready, 0 on the release; every gate but yours is open');
    expect([await writes(30), await writes(400)]).toEqual([0, 0]);
    await world.edit(ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
    expect(await writes(30)).toBe(1);
    expect(run()?.title).toBe('4 of 4 groups ready, 0 on the release; not now: Paused');
    expect(run()?.summary).toMatch(/\n\n- ` Paused `: ` .* `\n\nThis check/);
    expect(world.repository.checks.get(world.pull.head)).toHaveLength(1);
  });

  test.each([
    ['without the permission', 'answer', 1],
    ['where the forge does not answer', 'drop', 0],
  ] as const)('no check run %s: said once, and nothing waits for it', async (_, kind, times) => {
    const world = await requested();
    forge.fault = ({ path }) =>
      !path.endsWith('/check-runs')
        ? undefined
        : kind === 'drop'
          ? { kind, when: 'before' }
          : {
              kind,
              when: 'before',
              answer: { status: 403, body: { message: 'Resource not accessible by integration' } },
            };
    for (let round = 0; round < 3; round += 1) expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    expect(world.log.filter((line) => /no check run/.test(line))).toHaveLength(times);
    expect(world.repository.statuses.get(world.pull.head)?.map(({ state }) => state)).toEqual(['success']);
    forge.fault = () => undefined;
    await world.pass();
    expect(world.repository.checks.get(world.pull.head) ?? []).toHaveLength(1 - times);
  });

  test('a gate that shuts fails its status, and opens it again', async () => {
    const world = await proposed();
    await world.edit(ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
    expect(reasonsOf(await world.pass())).toEqual(['Paused']);
    const { head } = world.pull;
    const states = (): readonly string[] =>
      (world.repository.statuses.get(head) ?? []).map(({ state, description }) => `${state}: ${description}`);
    expect(states()).toEqual(['failure: not now: Paused']);
    await world.edit(ROLLOUT_FILE, '    paused: true\n', '');
    await world.pass();
    expect(states()).toEqual(['success: every gate but yours is open']);
  });

  test('a gate that stays shut withdraws it where no rule wants its status, and it comes again when it opens', async () => {
    const world = await proposed();
    await world.edit(ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
    await world.pass();
    expect(reasonsOf(await world.pass())).toEqual(['Paused']);
    expect(world.repository.pulls.map(({ state }) => state)).toEqual(['closed']);
    expect(world.repository.pull(1).comments.at(-1)?.body).toContain('it is proposed again once it is');
    await world.edit(ROLLOUT_FILE, '    paused: true\n', '');
    expect(reasonsOf(await world.pass())).toEqual(['PausedForApproval']);
    world.tick(660);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    expect(world.repository.pulls.map(({ state }) => state)).toEqual(['closed', 'open']);
  });

  test('while the forge does not say whether a rule wants its status, that fails and the pull request stays', async () => {
    const world = await proposed();
    await world.edit(ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
    forge.fault = ({ path }) => (path.includes('graphql') ? { kind: 'drop', when: 'before' } : undefined);
    for (let round = 0; round < 3; round += 1) expect(reasonsOf(await world.pass())).toEqual(['Paused']);
    expect(world.repository.pulls.map(({ state }) => state)).toEqual(['open']);
    expect(world.repository.statuses.get(world.pull.head)?.map(({ state }) => state)).toEqual(['failure']);
  });

  test('where a rule wants its status, that fails and the pull request stays', async () => {
    const world = await proposed();
    const parameters = {
      strict_required_status_checks_policy: false,
      required_status_checks: [{ context: 'tranche/gate', integration_id: APP.id }],
    };
    const bypass = [APP.login];
    const rules = [{ type: 'required_status_checks', parameters }];
    world.repository.enforce([{ id: 1, name: 'gate', branches: ['main'], rules, bypass }]);
    const text = await world.text(ROLLOUT_FILE);
    world.repository.enforce([]);
    await world.repository.git.commit('main', {
      [ROLLOUT_FILE]: text.replace('strategy:\n', 'strategy:\n    paused: true\n'),
    });
    world.repository.enforce([{ id: 1, name: 'gate', branches: ['main'], rules, bypass }]);
    await world.pass();
    await world.pass();
    expect(world.repository.pulls.map(({ state }) => state)).toEqual(['open']);
    expect(world.repository.statuses.get(world.pull.head)?.map(({ state }) => state)).toEqual(['failure']);
  });

  test('somebody pushes to its branch', async () => {
    const world = await proposed();
    await world.repository.edit(world.pull.number, { 'README.md': 'mine\n' });
    const result = await world.pass();
    expect(messagesOf(result)).toEqual([
      expect.stringMatching(/^The branch of .* holds commits that are not of tranche/),
    ]);
    const said = () => world.repository.pull(1).comments.map(({ body }) => body.split('\n')[1]?.slice(0, 36).trim());
    expect(said()).toEqual(['Someone has pushed to this branch. I']);
    const asked = forge.calls.length;
    await world.pass();
    expect(forge.calls.slice(asked).filter(({ call }) => /comments/.test(call))).toEqual([]);
    const warning = '> Someone has pushed to this branch. It no longer holds what is described below';
    expect(world.pull.body).toContain(warning);
    await world.git('update-ref', `refs/heads/${world.pull.branch}`, `${world.pull.branch}^`);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    expect(world.pull.body).not.toContain(warning);
    expect(said()).toEqual(['This branch again holds exactly what']);
  });

  test('tranche approve counts, and its branch goes with the commit of the step', async () => {
    const world = await proposed();
    const release = world.pull.branch.split('/').at(-1)?.split('-')[0];
    await order(world, `tranche.dev/approve: "0@${release}#1000000"`);
    await world.pass();
    expect((await world.subjects()).at(-1)).toBe(STEP_1);
    expect(await world.branches()).toEqual([]);
    expect(world.repository.pulls.map(({ state }) => state)).toEqual(['closed']);
  });
});

describe('between opening and merging', () => {
  test('the plan was edited: what was merged approves nothing, and the other commit is proposed', async () => {
    const world = await proposed();
    await world.edit(ROLLOUT_FILE, '25%', '50%');
    await world.repository.merge(world.pull.number, ADA);
    const result = await world.pass();
    expect(reasonsOf(result)).toEqual(['ProposalOpen']);
    expect(await world.text(LWS_FILE)).toContain('partition: 1000000');
    expect(world.repository.pulls.map(({ title, state }) => `${title}: ${state}`)).toEqual([
      'llm/vllm 1/3: 0 → 1 of 4 groups on v0.10.1 (default): merged',
      'llm/vllm 1/3: 0 → 2 of 4 groups on v0.10.1 (default): open',
    ]);
  });

  test('the same, seen before: it is closed, and the other one waits a while', async () => {
    const world = await proposed();
    await world.edit(ROLLOUT_FILE, '25%', '50%');
    expect(reasonsOf(await world.pass())).toEqual(['PausedForApproval']);
    expect(world.repository.pull(1).state).toBe('closed');
    expect(world.repository.pull(1).comments.at(-1)?.body).toContain('another change by now');
    expect(await world.branches()).toEqual([]);
    world.tick(660);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    expect(world.pull.title).toContain('0 → 2 of 4');
  });

  test('the request was replaced: a merge of the old word goes nowhere', async () => {
    const world = await proposed();
    const old = world.pull.number;
    await world.edit(LWS_FILE, NEW, 'vllm/vllm-openai:v0.11.0');
    await world.repository.merge(old, ADA);
    await world.sync();
    await world.pass();
    expect(await world.text(LWS_FILE)).toContain('partition: 1000000');
    expect(world.pull.title).toContain('on v0.11.0');
  });

  test('a gate shuts: the word waits for it, and counts when it opens', async () => {
    const world = await proposed();
    await world.edit(ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
    await world.repository.merge(world.pull.number, ADA);
    expect(reasonsOf(await world.pass())).toEqual(['Paused']);
    await world.edit(ROLLOUT_FILE, '    paused: true\n', '');
    await world.pass();
    expect((await world.subjects()).at(-1)).toBe(STEP_1);
  });

  test('an abort takes its branch away in the push that goes back', async () => {
    const world = await proposed();
    await world.repository.merge(world.pull.number, ADA);
    await world.pass();
    await world.sync();
    await world.until('ProposalOpen');
    const second = world.pull;
    const release = second.branch.split('/').at(-1)?.split('-')[0];
    await world.edit(ROLLOUT_FILE, '  annotations:\n', `  annotations:\n    tranche.dev/abort: "${release}"\n`);
    const asked = forge.calls.length;
    await world.pass();
    expect(forge.calls.length).toBe(asked);
    expect((await world.subjects()).at(-1)).toBe('rollout(llm/vllm): rollback');
    expect(await world.branches()).toEqual([]);
    expect(second.state).toBe('closed');
    await world.sync();
    await world.until('Soaking', 6).catch(() => undefined);
    expect((await world.subjects()).at(-1)).toContain('rolled back');
  });

  test('an abort goes to main alone where a rule keeps the branch', async () => {
    const world = await proposed();
    world.repository.enforce([
      { id: 1, name: 'keep', branches: ['tranche/*'], rules: [{ type: 'deletion' }], bypass: [] },
    ]);
    const release = world.pull.branch.split('/').at(-1)?.split('-')[0];
    await order(world, `tranche.dev/abort: "${release}"`);
    await world.pass();
    expect((await world.subjects()).at(-1)).toBe('rollout(llm/vllm): withdraw');
    expect(await world.branches()).toHaveLength(1);
    await world.pass();
    expect(world.repository.pull(1).state).toBe('closed');
  });
});

describe('people say no', () => {
  test('someone closes it: held by that name, not opened again, until the plan is another', async () => {
    const world = await proposed();
    world.repository.close(1, ADA);
    const vetoed = await world.pass();
    expect(messagesOf(vetoed)).toEqual([
      expect.stringMatching(
        /^Step 1\/3 as it is planned was turned down: .* was closed by ada\. To go on, open it again/,
      ),
    ]);
    world.tick(3600);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalVetoed']);
    expect(world.repository.pulls).toHaveLength(1);
    await world.edit(ROLLOUT_FILE, '25%', '50%');
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    expect(world.repository.pulls).toHaveLength(2);
  });

  test('a veto outlives the record', async () => {
    const world = await proposed();
    world.repository.close(1, ADA);
    await world.git('update-ref', '-d', 'refs/heads/tranche-status');
    expect(reasonsOf(await world.pass())).toEqual(['ProposalVetoed']);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalVetoed']);
    expect(world.repository.pulls).toHaveLength(1);
  });

  test('tranche propose takes a no back, and the next no counts again', async () => {
    const world = await proposed();
    for (const number of [1, 2]) {
      world.repository.close(number, ADA);
      expect(reasonsOf(await world.pass())).toEqual(['ProposalVetoed']);
      await propose(world);
      expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    }
    await world.repository.merge(3, ADA);
    await world.pass();
    expect((await world.subjects()).at(-1)).toBe(STEP_1);
  });

  test('tranche propose brings back what a revert took, whatever the merge left behind', async () => {
    const world = await proposed();
    await world.repository.merge(1, ADA, 'merge');
    await world.repository.revert(1);
    await world.pass();
    expect(reasonsOf(await world.pass())).toEqual(['ProposalReverted']);
    await propose(world);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    await world.repository.merge(2, ADA, 'merge');
    await world.pass();
    expect((await world.subjects()).at(-1)).toBe(STEP_1);
  });

  test('tranche propose takes the place of a branch that somebody pushed to', async () => {
    const world = await proposed();
    await world.repository.edit(1, { 'README.md': 'mine\n' });
    expect(reasonsOf(await world.pass())).toEqual(['ProposalChanged']);
    await propose(world);
    await world.pass();
    expect(world.repository.pull(1).state).toBe('closed');
    world.tick(660);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    expect(await world.text('README.md', world.pull.branch).catch(() => 'none')).not.toContain('mine');
  });

  test('who opens it again takes the no back', async () => {
    const world = await proposed();
    world.repository.close(1, ADA);
    await world.pass();
    world.repository.pull(1).state = 'open';
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    await world.repository.merge(1, ADA);
    await world.pass();
    expect((await world.subjects()).at(-1)).toBe(STEP_1);
  });

  test('who opens an old one again while another is next: the old one is closed', async () => {
    const world = await proposed();
    world.repository.close(1, ADA);
    await world.pass();
    await world.edit(ROLLOUT_FILE, '25%', '50%');
    world.tick(660);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    world.repository.pull(1).state = 'open';
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    expect(world.repository.pulls.map(({ state }) => state)).toEqual(['closed', 'open']);
    expect(await world.branches()).toEqual([world.pull.branch]);
  });

  test('someone gives it another base: none of ours there, held by name; it counts on the branch, or is proposed again', async () => {
    const world = await proposed();
    Object.assign(world.repository.pull(1), { base: 'elsewhere' });
    expect(messagesOf(await world.pass()).join()).toMatch(/not open for this branch.*another base.*open it for this/);
    Object.assign(world.repository.pull(1), { base: 'main' });
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    Object.assign(world.repository.pull(1), { base: 'elsewhere' });
    await propose(world);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  });

  test('a bot closes it', async () => {
    const world = await proposed();
    world.repository.close(1, STALE);
    expect(messagesOf(await world.pass())).toEqual([
      expect.stringMatching(/was closed by stale\[bot\], and not by someone/),
    ]);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalClosed']);
  });

  test('its merge is reverted before the step is written: said, and not done', async () => {
    const world = await proposed();
    await world.repository.merge(1, ADA);
    await world.repository.revert(1);
    await world.pass();
    expect(messagesOf(await world.pass())).toEqual([
      expect.stringMatching(/A revert withdraws the approval; groups that were.*tranche abort vllm$/),
    ]);
    expect(await world.text(LWS_FILE)).toContain('partition: 1000000');
  });
});

describe('the world fails', () => {
  test('the forge answers nothing, before and after the effect: one pull request in the end', async () => {
    for (const when of ['before', 'after'] as const) {
      const world = await requested();
      forge.fault = ({ method }) => (method === 'POST' ? { kind: 'drop', when } : undefined);
      const first = await world.pass();
      expect([['ForgeUnavailable'], ['ProposalOpen']]).toContainEqual(reasonsOf(first));
      forge.fault = () => undefined;
      expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
      expect(world.repository.pulls.map(({ state }) => state)).toEqual(['open']);
      expect(await world.branches()).toHaveLength(1);
    }
  });

  test('two runners at once', async () => {
    const world = await requested();
    await Promise.all([world.pass(), world.pass()]);
    expect(world.repository.pulls).toHaveLength(1);
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  });

  test('the record is lost: the pull request that is there is found', async () => {
    const world = await proposed();
    await world.git('update-ref', '-d', 'refs/heads/tranche-status');
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    expect(world.repository.pulls).toHaveLength(1);
  });

  test("the branch is somebody else's", async () => {
    const world = await proposed();
    const { branch } = world.pull;
    world.repository.pulls.splice(0);
    await world.git('update-ref', '-d', 'refs/heads/tranche-status');
    await world.git('update-ref', `refs/heads/${branch}`, 'refs/heads/main');
    expect(messagesOf(await world.pass())).toEqual([
      expect.stringMatching(
        /^The branch tranche\/default\/llm\/vllm\/.* holds something else than what would be proposed/,
      ),
    ]);
  });

  test('no permission to open pull requests: which one, and who may say yes until then', async () => {
    const world = await requested();
    for (const [token, given] of forge.tokens)
      forge.tokens.set(token, { ...given, permissions: { contents: 'write', pull_requests: 'read' } });
    expect(messagesOf(await world.pass())).toEqual([
      expect.stringMatching(/^The forge opens no pull request for step 1\/3: .*tranche approve vllm$/),
    ]);
  });

  test.each([
    ['ours', APP, /^As many pull requests are open as maxProposals/],
    ['of somebody who may push there', ADA, /^Step 1\/3 is proposed/],
  ])('no more than maxProposals are open, and one is: %s', async (_what, by, said) => {
    const world = await requested({ 'tranche.yaml': 'maxProposals: 1\n' });
    const head = await world.git('rev-parse', 'main');
    const other = `tranche/default/llm/other/${'1'.repeat(32)}.1-0-${'2'.repeat(32)}`;
    await world.git('update-ref', `refs/heads/${other}`, head);
    await world.repository.git.commit(other, { 'x.md': 'x\n' });
    world.repository.open({ by, branch: other, base: 'main', title: 'x', body: '', head });
    expect(messagesOf(await world.pass())).toEqual([expect.stringMatching(said)]);
  });
});
