/** Policies that want the forge to show who approved a step, on a simulated GitHub over a real repository. */

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order as giveOrder } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES } from '../../src/reconcile/pass.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, APP, BOB, type ForgeWorld, forgeWorld, messagesOf, reasonsOf, STALE } from '../support/forge-world.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

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

/** A workload whose first step is proposed, under a policy that asks for these approvals; `word`: that is there before. */
async function asking(asks = '    - people: 1\n', word?: string): Promise<ForgeWorld> {
  count += 1;
  const policy = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: production
spec:
  approvals:
${asks}`;
  const world = await forgeWorld(forge, `approvals-${count}`, VLLM_FILES);
  await world.pass();
  await world.sync();
  const asked = (await world.text(LWS_FILE)).replaceAll(OLD, NEW);
  await world.repository.git.commit('main', { [LWS_FILE]: asked, 'policies/production.yaml': policy }, 'v0.10.1');
  await world.sync();
  if (word !== undefined) await order(world, `tranche.dev/approve: ${word}`);
  expect(reasonsOf(await world.pass())).toEqual([word === undefined ? 'ProposalOpen' : 'ApprovalUnproven']);
  return world;
}

function propose(world: ForgeWorld) {
  const of = { target: { name: 'vllm', namespace: 'llm' }, by: 'ada', overrides: NO_OVERRIDES };
  return giveOrder(world.ports(), of, ({ snapshot }) =>
    planIntent({ kind: 'propose' }, { snapshot, digestOf: factsDigest }),
  );
}

async function order(world: ForgeWorld, annotation: string): Promise<void> {
  await world.edit(ROLLOUT_FILE, '  namespace: llm\n', `  namespace: llm\n  annotations:\n    ${annotation}\n`);
}

/** The token of tranche may read members of teams. */
function letSeeTeams(): void {
  for (const [token, given] of forge.tokens)
    forge.tokens.set(token, { ...given, permissions: { ...given.permissions, members: 'read' } });
}

const CAROL = { login: 'carol', id: 3, type: 'User' } as const;
const STEP_1 = 'rollout(llm/vllm): step 1/3, partition 1000000 → 3';

test('someone merges: that is one', async () => {
  const world = await asking();
  await world.repository.merge(1, ADA, 'squash');
  await world.pass();
  expect((await world.subjects()).at(-1)).toBe(STEP_1);
  const { approved } = JSON.parse(
    await world.repository.git.git('show', 'tranche-status:rollouts/default/llm/vllm.json'),
  );
  expect(approved).toMatchObject({ step: '1/3', by: ADA.login, at: expect.stringMatching(/^https?:.*\/1$/) });
});

test('a bot merges: held, until someone with a right to write approves what was merged', async () => {
  const world = await asking();
  world.repository.permissions.set('bob', 'read');
  await world.repository.merge(1, STALE, 'squash');
  world.repository.review(1, BOB, 'APPROVED');
  world.repository.review(1, ADA, 'APPROVED', 'b'.repeat(40));
  expect(messagesOf(await world.pass())).toEqual([
    expect.stringMatching(
      /^RolloutPolicy production .* approved by someone .* stale\[bot\] \(merge, .* bob \(review, does not count: no right/,
    ),
  ]);
  expect(reasonsOf(await world.pass())).toEqual(['ApprovalUnproven']);
  expect(world.repository.pulls).toHaveLength(1);
  world.repository.review(1, ADA, 'APPROVED');
  await world.pass();
  expect((await world.subjects()).at(-1)).toBe(STEP_1);
});

test('the same word by hand counts for nothing, with the pull request open or not', async () => {
  const world = await asking();
  const { branch } = world.pull;
  const [, word = ''] = /approve: (\S+)/.exec(await world.text(ROLLOUT_FILE, branch)) ?? [];
  await order(world, `tranche.dev/approve: ${word}`);
  expect(messagesOf(await world.pass())).toEqual([expect.stringMatching(/no merged pull request of tranche has/)]);
  expect(await world.text(LWS_FILE)).toContain('partition: 1000000');
});

test('a branch of its name that held something else proves nothing', async () => {
  const world = await asking();
  const { branch } = world.pull;
  const [, word = ''] = /approve: (\S+)/.exec(await world.text(ROLLOUT_FILE, branch)) ?? [];
  world.repository.close(1, APP);
  await world.git('update-ref', `refs/heads/${branch}`, 'refs/heads/main');
  const head = await world.repository.git.commit(branch, { 'README.md': 'harmless' });
  world.repository.open({ by: ADA, branch, base: 'main', title: 'docs', body: '', head });
  await world.repository.merge(2, ADA);
  await order(world, `tranche.dev/approve: ${word}`);
  expect(messagesOf(await world.pass())).toEqual([expect.stringMatching(/no merged pull request of tranche has/)]);
});

test('a pull request of somebody else proves nothing, whatever its branch holds', async () => {
  const world = await asking();
  const { branch, head } = world.pull;
  world.repository.close(1, APP);
  world.repository.open({ by: BOB, branch, base: 'main', title: 'step 1', body: '', head });
  await world.repository.merge(2, ADA);
  expect(messagesOf(await world.pass())).toEqual([expect.stringMatching(/no merged pull request of tranche has/)]);
  expect(await world.text(LWS_FILE)).toContain('partition: 1000000');
});

test('our pull request at a commit that somebody has added to proves nothing', async () => {
  const world = await asking();
  await world.repository.git.commit(world.pull.branch, { 'README.md': 'not ours' });
  await world.repository.merge(1, ADA);
  expect(messagesOf(await world.pass())).toEqual([expect.stringMatching(/no merged pull request of tranche has/)]);
  expect(await world.text(LWS_FILE)).toContain('partition: 1000000');
});

test.each(['merge', 'squash', 'rebase'] as const)(
  'an approval that a revert took back is none, though somebody writes it again (%s)',
  async (method) => {
    const world = await asking();
    const [, word = ''] = /approve: (\S+)/.exec(await world.text(ROLLOUT_FILE, world.pull.branch)) ?? [];
    await world.repository.merge(1, ADA, method);
    await world.repository.revert(1);
    await order(world, `tranche.dev/approve: ${word}`);
    // Between two commits that have it: whoever looks at some only sees it in all.
    for (const text of ['one', 'two', 'three']) await world.repository.git.commit('main', { 'README.md': text });
    expect(messagesOf(await world.pass())).toEqual([
      expect.stringMatching(/, or main has lost it since\. .*propose vllm$/),
    ]);
    expect(await world.text(LWS_FILE)).toContain('partition: 1000000');
    expect((await propose(world)).kind).toBe('written');
    expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
    await world.repository.merge(2, ADA, method);
    await world.repository.git.commit('main', { 'README.md': 'four' });
    await world.pass();
    expect((await world.subjects()).at(-1)).toBe(STEP_1);
  },
);

test('an approval by hand before anything is proposed: tranche propose takes it out, as the hold says', async () => {
  const twin = await asking();
  const [, word = ''] = /approve: (\S+)/.exec(await twin.text(ROLLOUT_FILE, twin.pull.branch)) ?? [];
  const world = await asking('    - people: 1\n', word);
  expect(messagesOf(await world.pass())).toEqual([expect.stringMatching(/To propose it: tranche propose vllm$/)]);
  expect((await propose(world)).kind).toBe('written');
  expect(await world.text(ROLLOUT_FILE)).not.toContain('approve');
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
});

test('who made the change does not count, nor who merged it; another person does', async () => {
  const world = await asking('    - notAuthor: true\n');
  const by = await world.git('log', '-1', '--format=%ae', 'main');
  await world.repository.merge(1, ADA, 'squash');
  expect(messagesOf(await world.pass())).toEqual([expect.stringMatching(/came by no pull request and is not signed/)]);
  const change = await world.git('rev-parse', 'main^');
  world.repository.signed.set(change, undefined);
  expect(messagesOf(await world.pass())).toEqual([expect.stringMatching(/has no account there/)]);
  world.repository.addresses.set(by, 'ada');
  expect(messagesOf(await world.pass())).toEqual([
    expect.stringMatching(/ada \(merge, does not count: made the change/),
  ]);
  world.repository.addresses.set(by, 'carol');
  // The author is what the one who signed has written there.
  world.repository.signed.set(change, 'ada');
  expect(messagesOf(await world.pass())).toEqual([
    expect.stringMatching(/ada \(merge, does not count: made the change/),
  ]);
  world.repository.signed.set(change, 'dave');
  await world.pass();
  expect((await world.subjects()).at(-1)).toBe(STEP_1);
});

test('a team is read again each time, and one that cannot be read holds', async () => {
  const world = await asking('    - {people: 2, team: team/sre}\n    - {distinct: true}\n');
  expect(world.pull.body).toContain('- ` approval 2 of 2: 2 people of the team team/sre with a right to write `');
  for (const login of ['bob', 'carol']) world.repository.permissions.set(login, 'write');
  await world.repository.merge(1, ADA, 'squash');
  for (const by of [BOB, CAROL]) world.repository.review(1, by, 'APPROVED');
  expect(messagesOf(await world.pass())).toEqual([
    expect.stringMatching(
      /team\/sre could not be read, Resource not .*\. Correct its name, or give the App the right Members: read/,
    ),
  ]);
  letSeeTeams();
  expect(messagesOf(await world.pass())).toEqual([
    expect.stringMatching(/seen is nobody who counts: the team team\/sre could not be read, there is none of/),
  ]);
  world.repository.teams.set(
    'team/sre',
    new Map([
      ['ada', 'active'],
      ['bob', 'active'],
      ['carol', 'pending'],
    ]),
  );
  await world.pass();
  expect((await world.subjects()).at(-1)).toBe(STEP_1);
});

test('who has left the team since counts no more, and a tightened policy asks again', async () => {
  const world = await asking();
  await world.edit(ROLLOUT_FILE, 'strategy:', 'strategy:\n    paused: true');
  letSeeTeams();
  await world.repository.merge(1, ADA, 'squash');
  expect(reasonsOf(await world.pass())).toEqual(['Paused']);
  await world.edit(ROLLOUT_FILE, 'paused: true', 'paused: false');
  await world.edit('policies/production.yaml', 'people: 1', 'people: 1\n      team: team/sre');
  world.repository.teams.set('team/sre', new Map([['bob', 'active']]));
  const held = await world.pass();
  expect(messagesOf(held)).toEqual([expect.stringMatching(/ada \(merge, does not count: not in the team team\/sre\)/)]);
  expect(held.outcomes[0]?.plan?.record.holds[0]?.lines).toEqual([
    expect.stringMatching(/^approval 1 of 1 is missing: someone of the team team\/sre/),
  ]);
  world.repository.teams.set('team/sre', new Map([['ada', 'active']]));
  await world.pass();
  expect((await world.subjects()).at(-1)).toBe(STEP_1);
});

test('the forge does not answer: held', async () => {
  const world = await asking();
  await world.repository.merge(1, ADA);
  forge.fault = () => ({ kind: 'drop', when: 'before' });
  expect(reasonsOf(await world.pass())).toEqual(['ApprovalUnproven']);
  expect(await world.text(LWS_FILE)).toContain('partition: 1000000');
  forge.fault = () => undefined;
  await world.pass();
  expect((await world.subjects()).at(-1)).toBe(STEP_1);
});

test('what was merged is on no server any more: held, and the pass ends', async () => {
  const world = await asking();
  await world.repository.merge(1, ADA, 'squash');
  const { git } = world.repository;
  const refs = (await git.git('for-each-ref', '--format=%(refname)'))
    .split('\n')
    .filter((ref) => /tranche\/|pull/.test(ref));
  for (const ref of refs) await git.git('update-ref', '-d', ref);
  await git.git('gc', '-q', '--prune=now');
  expect(reasonsOf(await world.pass())).toEqual(['ApprovalUnproven']);
});
