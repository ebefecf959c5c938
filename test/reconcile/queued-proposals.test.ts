/** Pull requests under the rules of a branch: a merge queue, and a button that obeys; every merge is git's own. */

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { enqueue, press, takeTurn } from '../support/forge/merging.ts';
import type { Ruleset } from '../support/forge/repository.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, APP, type ForgeWorld, forgeWorld, reasonsOf } from '../support/forge-world.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

let forge: SimulatedForge;
let count = 0;
beforeAll(async () => {
  forge = await startForge();
});
afterAll(() => forge.stop());
afterEach(() => expect(forge.violations).toEqual([]));

const QUEUED: Ruleset['rules'] = [{ type: 'merge_queue' }];
const checks = (...contexts: readonly string[]): Ruleset['rules'][number] => ({
  type: 'required_status_checks',
  parameters: {
    strict_required_status_checks_policy: true,
    required_status_checks: contexts.map((context) => ({
      context,
      ...(context === 'tranche/gate' ? { integration_id: APP.id } : {}),
    })),
  },
});
const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata:
  name: production
spec:
  promotion: pullRequest
`;

/** A first step that is proposed under these rules, which let the App past. */
async function proposed(rules: Ruleset['rules'], policy = POLICY): Promise<ForgeWorld> {
  count += 1;
  const world = await forgeWorld(forge, `queued-${count}`, VLLM_FILES);
  await world.pass();
  await world.sync();
  const asked = (await world.text(LWS_FILE)).replaceAll(OLD, NEW);
  await world.repository.git.commit('main', { [LWS_FILE]: asked, 'policies/production.yaml': policy }, 'v0.10.1');
  await world.sync();
  world.repository.enforce([{ id: 1, name: 'main', branches: ['main'], rules, bypass: [APP.login] }]);
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  return world;
}

/** The job of `verify` at a commit. */
function verified(world: ForgeWorld, oid: string): void {
  world.repository.checks.set(oid, [{ name: 'verify', status: 'COMPLETED', conclusion: 'SUCCESS' }]);
}

test('a queue merges the word, and the step follows', async () => {
  const world = await proposed([...QUEUED, checks('verify')]);
  const { number, head } = world.pull;
  expect(world.pull.branch).not.toContain('-fields');
  await expect(press(world.repository, { number, by: ADA })).rejects.toThrow('through the merge queue');
  await expect(enqueue(world.repository, number)).rejects.toThrow('rule violations');
  verified(world, head);
  const group = await enqueue(world.repository, number);
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  verified(world, group.head);
  expect(await takeTurn(world.repository, group)).toBe(true);
  await world.pass();
  expect((await world.subjects()).slice(-2)).toEqual([
    `llm/vllm 1/3: 0 → 1 of 4 groups on v0.10.1 (default) (#${number})`,
    'rollout(llm/vllm): step 1/3, partition 1000000 → 3',
  ]);
});

test('a queue that waits for our status merges nothing: it is never set at what would be merged', async () => {
  const world = await proposed([...QUEUED, checks('tranche/gate')]);
  const group = await enqueue(world.repository, world.pull.number);
  for (let round = 0; round < 2; round += 1) await world.pass();
  expect(await takeTurn(world.repository, group)).toBe(false);
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  expect(world.repository.pulls.map(({ state }) => state)).toEqual(['open']);
});

test('a queue is no person: where a policy asks for one, a review at the head is what counts', async () => {
  const world = await proposed(QUEUED, `${POLICY.trimEnd()}\n  approvals:\n    - people: 1\n`);
  const { number, head } = world.pull;
  expect(await takeTurn(world.repository, await enqueue(world.repository, number))).toBe(true);
  expect(reasonsOf(await world.pass())).toEqual(['ApprovalUnproven']);
  world.repository.review(number, ADA, 'APPROVED', head);
  await world.pass();
  expect((await world.subjects()).at(-1)).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
});

test('an abort takes it out of the queue, with the branch that goes in the same push', async () => {
  const world = await proposed(QUEUED);
  const group = await enqueue(world.repository, world.pull.number);
  const release = world.pull.branch.split('/').at(-1)?.split('-')[0];
  const text = await world.text(ROLLOUT_FILE);
  const order = `  namespace: llm\n  annotations:\n    tranche.dev/abort: "${release}"\n`;
  await world.repository.git.commit('main', { [ROLLOUT_FILE]: text.replace('  namespace: llm\n', order) });
  await world.pass();
  expect((await world.subjects()).at(-1)).toBe('rollout(llm/vllm): withdraw');
  expect(await takeTurn(world.repository, group)).toBe(false);
  expect([world.repository.pull(1).state, await world.branches()]).toEqual(['closed', []]);
});

test('where our status is wanted on an up-to-date branch, nothing else is merged, and the step itself is', async () => {
  const world = await proposed([checks('tranche/gate')]);
  const { number } = world.pull;
  expect(world.pull.branch).toMatch(/-fields$/);
  const at = { number, by: ADA, method: 'squash' } as const;
  // Of the same line of main as what follows, which the hook of the rules would refuse.
  const { rulesets } = world.repository;
  world.repository.enforce([]);
  await world.edit(ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
  world.repository.enforce(rulesets);
  await expect(press(world.repository, at)).rejects.toThrow('out of date');
  await world.pass();
  await expect(press(world.repository, at)).rejects.toThrow('rule violations');
  world.repository.enforce([]);
  await world.edit(ROLLOUT_FILE, '    paused: true\n', '');
  world.repository.enforce(rulesets);
  await world.pass();
  await expect(press(world.repository, at)).rejects.toThrow('out of date');
  const tree = await world.repository.mergedTree('main', world.pull.head);
  const said = `Merge branch 'main' into ${world.pull.branch}`;
  const update = await world.git('commit-tree', tree ?? '', '-p', world.pull.head, '-p', 'main', '-m', said);
  await world.git('update-ref', `refs/heads/${world.pull.branch}`, update);
  await world.repository.settle();
  await expect(press(world.repository, at)).rejects.toThrow('rule violations');
  await world.pass();
  await press(world.repository, at);
  await world.pass();
  await world.sync();
  await world.until('ProposalOpen');
  expect(world.pull.title).toContain('2/3');
});
