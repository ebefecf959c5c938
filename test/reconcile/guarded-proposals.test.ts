/** Pull requests that are the step itself, where the rules of the branch guard them; every merge is git's own. */

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { factsDigest } from '../../src/reconcile/documents/digests.ts';
import { order as giveOrder } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES, type PassResult } from '../../src/reconcile/pass.ts';
import { planIntent } from '../../src/rollout/orders/intent.ts';
import { type SimulatedForge, startForge } from '../support/forge/start-forge.ts';
import { ADA, APP, type ForgeWorld, forgeWorld, reasonsOf } from '../support/forge-world.ts';
import { golden } from '../support/golden-pulls.ts';
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

/** `app`: whose status counts; `any`: anyone who sets one. */
type Guard = { readonly isStrict?: boolean; readonly contexts?: readonly string[]; readonly app?: number | 'any' };

/** What keeps a pull request from being merged late: our status, and the newest commit of the branch. */
function guard(world: ForgeWorld, { isStrict = true, contexts = ['tranche/gate'], app }: Guard = {}): void {
  const parameters = {
    strict_required_status_checks_policy: isStrict,
    required_status_checks: contexts.map((context) => ({
      context,
      ...(app === 'any' ? {} : { integration_id: app ?? APP.id }),
    })),
  };
  const rules = [{ type: 'required_status_checks', parameters }];
  world.repository.enforce([{ id: 1, name: 'gate', branches: ['main'], rules, bypass: [APP.login] }]);
}

/** A commit of people, past the rules as those of an administrator. */
async function change(world: ForgeWorld, path: string, from: string, to: string): Promise<void> {
  const { rulesets } = world.repository;
  world.repository.enforce([]);
  await world.edit(path, from, to);
  world.repository.enforce(rulesets);
}

async function proposed(rules?: Parameters<typeof guard>[1]): Promise<ForgeWorld> {
  count += 1;
  const world = await forgeWorld(forge, `guarded-${count}`, VLLM_FILES);
  await world.pass();
  await world.sync();
  const asked = (await world.text(LWS_FILE)).replaceAll(OLD, NEW);
  await world.repository.git.commit('main', { [LWS_FILE]: asked, 'policies/production.yaml': POLICY }, 'v0.10.1');
  await world.sync();
  guard(world, rules);
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  return world;
}

function messages({ outcomes }: PassResult): readonly string[] {
  return outcomes.flatMap(({ plan }) => plan?.holds.map(({ message }) => message) ?? []);
}

function gateOf(world: ForgeWorld): readonly string[] {
  return (world.repository.statuses.get(world.pull.head) ?? []).map(({ state }) => state);
}

/** "Update branch", as the forge makes it, or with another message or first parent. */
async function bringUpToDate(
  world: ForgeWorld,
  files: Readonly<Record<string, string>> = {},
  other: { readonly message?: string; readonly first?: string } = {},
): Promise<void> {
  const { branch } = world.pull;
  const [main, head] = [await world.git('rev-parse', 'main'), await world.git('rev-parse', branch)];
  const tree = await world.repository.mergedTree(main, head);
  const message = other.message ?? `Merge branch 'main' into ${branch}`;
  const merge = await world.git('commit-tree', tree ?? '', '-p', other.first ?? head, '-p', main, '-m', message);
  await world.git('update-ref', `refs/heads/${branch}`, merge);
  if (Object.keys(files).length > 0) await world.repository.edit(world.pull.number, files);
}

test('someone merges every step, each in another way: what was merged is the step, and a second pass changes nothing', async () => {
  const world = await proposed();
  await golden('guarded', [world.pull]);
  expect(world.pull.body).toContain('Merging this releases the groups of ` step 1/3 `');
  expect(world.pull.branch).toMatch(/-0-[0-9a-f]{32}-fields$/);
  for (const method of ['squash', 'rebase', 'merge'] as const) {
    if (method !== 'squash') await world.until('ProposalOpen');
    expect(gateOf(world)).toEqual(['success']);
    await world.repository.merge(world.pull.number, ADA, method, 'By someone\n\nCo-authored-by: x <x@example.com>');
    await world.pass();
    await world.sync();
  }
  for (let round = 0; round < 5; round += 1) {
    world.tick(30);
    await world.pass();
    await world.sync();
  }
  expect((await world.subjects()).slice(-5)).toEqual([
    'By someone',
    'rollout(llm/vllm): step 2/3, partition 3 → 2',
    'By someone',
    'rollout(llm/vllm): step 3/3, locked, partition 0 → 1000000',
    'rollout(llm/vllm): settled',
  ]);
  expect(world.repository.pulls.map(({ title, state }) => `${title}: ${state}`)).toEqual([
    'llm/vllm 1/3: 0 → 1 of 4 groups on v0.10.1 (default): merged',
    'llm/vllm 2/3: 1 → 2 of 4 groups on v0.10.1 (default): merged',
    'llm/vllm 3/3: 2 → 4 of 4 groups on v0.10.1 (default): merged',
  ]);
  expect(await world.branches()).toEqual([]);
  const before = await world.git('for-each-ref');
  await world.pass();
  expect(await world.git('for-each-ref')).toBe(before);
  expect(await world.git('log', '--format=%B', 'tranche-status')).not.toContain('Rebuilt');
});

test.each<readonly [what: string, rules: Guard, because: string]>([
  ['the rules do not wait for our status', { contexts: [] }, 'no rule of the branch requires our status'],
  [
    'they take our status from anybody',
    { app: 'any' },
    'the rule that requires our status accepts it from others than our App',
  ],
  [
    'they take it from another App',
    { app: 15_368 },
    'the rule that requires our status accepts it from others than our App',
  ],
  ['they take what is behind', { isStrict: false }, 'no rule of the branch requires pull requests to be up to date'],
])('%s: the approval is proposed, and not the step', async (_, rules, because) => {
  const world = await proposed(rules);
  expect(world.pull.branch).not.toContain('-fields');
  expect(world.pull.body).toContain(`does not contain the step itself, because ${because}`);
  expect(messages(await world.pass())).toEqual([expect.stringContaining(`approves the step, because ${because}`)]);
});

test('the rules let no commit of ours past: nothing starts, for nothing could lock it or go back', async () => {
  const world = await proposed();
  world.repository.close(1, APP);
  await world.git('update-ref', '-d', 'refs/heads/tranche-status');
  const rulesets = world.repository.rulesets.map((ruleset) => ({ ...ruleset, bypass: [] }));
  world.repository.enforce(rulesets);
  world.tick(660);
  const result = await world.pass();
  expect(reasonsOf(result)).toEqual(['NoDirectPush']);
  expect(messages(result)[0]).toMatch(/^The rules of main refuse commits of tranche/);
  expect(world.repository.pulls).toHaveLength(1);
});

test('a policy accepts that: the step is merged, and whatever ends it is brought in by people', async () => {
  const world = await proposed();
  world.repository.close(1, APP);
  await world.git('update-ref', '-d', 'refs/heads/tranche-status');
  const accepted = '  withoutDirectPush: Accept\n';
  await change(
    world,
    'policies/production.yaml',
    '  promotion: pullRequest\n',
    `  promotion: pullRequest\n${accepted}`,
  );
  world.repository.enforce(world.repository.rulesets.map((ruleset) => ({ ...ruleset, bypass: [] })));
  world.tick(660);
  const proposing = await world.pass();
  expect(proposing.outcomes[0]?.plan?.holds[0]?.lines).toEqual([
    expect.stringMatching(
      /^RolloutPolicy production \(policies\/production\.yaml:\d+\) accepts that commits of tranche do not/,
    ),
  ]);
  expect(messages(proposing)).toEqual([
    expect.stringMatching(/merging it is the step, because a policy accepts that tranche cannot push/),
  ]);
  expect(world.pull.body).toMatch(
    /^> \[!CAUTION\]\n> tranche cannot push to this branch, and ` RolloutPolicy production \(/,
  );
  expect(world.pull.body).not.toContain('tranche abort');
  await golden('without-push', [world.pull]);
  const release = world.pull.branch.split('/').at(-1)?.split('-')[0];
  await world.repository.merge(world.pull.number, ADA, 'squash');
  const merged = await world.text(LWS_FILE);
  await world.pass();
  await world.sync();
  await change(
    world,
    ROLLOUT_FILE,
    '  namespace: llm\n',
    `  namespace: llm\n  annotations:\n    tranche.dev/abort: "${release}"\n`,
  );
  const refused = await world.pass();
  expect(reasonsOf(refused)).toContain('PushRefused');
  expect(messages(refused)[0]).toMatch(
    /GH013.*by a pull request of your own what it would write: tranche plan --only vllm$/,
  );
  expect(await world.text(LWS_FILE)).toBe(merged);
  // The template of before, and nothing else, as people may write it.
  await change(world, LWS_FILE, NEW, OLD);
  await world.sync();
  world.tick(60);
  await world.sync();
  const pods = JSON.stringify(world.cluster.objects.list('pods', 'llm'));
  expect([pods.includes(OLD), pods.includes(NEW)]).toEqual([true, false]);
});

test('the rules are not known: nothing is proposed in either form, and the next pass asks again', async () => {
  const world = await proposed();
  world.repository.close(1, APP);
  await world.git('update-ref', '-d', 'refs/heads/tranche-status');
  world.tick(660);
  forge.fault = ({ path }) => (path.includes('/rules/') ? { kind: 'drop', when: 'before' } : undefined);
  expect(reasonsOf(await world.pass())).toEqual(['ForgeUnavailable']);
  expect(world.repository.pulls).toHaveLength(1);
  forge.fault = () => undefined;
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  expect(world.pull.branch).toMatch(/-fields$/);
});

test('the rules change while it is open: withdrawn, and the word is proposed', async () => {
  const world = await proposed();
  guard(world, { isStrict: false });
  await world.pass();
  expect(world.repository.pull(1).state).toBe('closed');
  expect(world.repository.pull(1).comments.at(-1)?.body).toContain('are others by now');
  world.tick(660);
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  expect(world.pull.branch).not.toContain('-fields');
});

test('brought up to date with main: the same change, so our status is set at the new head', async () => {
  const world = await proposed();
  await change(world, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    # a note\n');
  const waits = await world.pass();
  expect(messages(waits)).toEqual([expect.stringContaining('its branch to be brought up to date')]);
  await bringUpToDate(world);
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  expect(gateOf(world)).toEqual(['success']);
  await world.repository.merge(world.pull.number, ADA, 'squash');
  await world.sync();
  await world.until('ProposalOpen');
  expect(world.pull.title).toContain('2/3');
});

test('brought up to date with something as well: its status fails, and nothing of it counts', async () => {
  const world = await proposed();
  await change(world, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    # a note\n');
  await world.pass();
  await bringUpToDate(world, { CODEOWNERS: '* @somebody\n' });
  expect(reasonsOf(await world.pass())).toEqual(['ProposalChanged']);
  expect(gateOf(world)).toEqual(['failure']);
  const asked = forge.calls.length;
  await world.pass();
  expect(forge.calls.length - asked).toBeLessThanOrEqual(3);
});

/** The change on the newest main by a commit of its own, as a rebase makes it, with this message. */
async function rebased(world: ForgeWorld, message: (ours: string) => string): Promise<void> {
  const { branch } = world.pull;
  const [main, head] = [await world.git('rev-parse', 'main'), await world.git('rev-parse', branch)];
  const tree = await world.repository.mergedTree(main, head);
  const ours = await world.git('log', '-1', '--format=%B', branch);
  const commit = await world.git('commit-tree', tree ?? '', '-p', main, '-m', message(ours));
  await world.git('update-ref', `refs/heads/${branch}`, commit);
}

/** Somebody else's commit on top of ours, whose other file the merge above it takes out again. */
async function between(world: ForgeWorld): Promise<string> {
  const { branch, number } = world.pull;
  const ours = await world.git('rev-parse', branch);
  await world.repository.edit(number, { 'apps/other/lws.yaml': 'kind: Nothing\n' });
  const theirs = await world.git('rev-parse', branch);
  await world.git('update-ref', `refs/heads/${branch}`, ours);
  return theirs;
}

const FORGED_MESSAGE =
  'rollout(llm/vllm): step 3/3\n\nRollout: default/llm/vllm\nRollout-Step: 3/3\nRollout-Reason: StepReady';

const behind = async (): Promise<ForgeWorld> => {
  const world = await proposed();
  await change(world, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    # a note\n');
  await world.pass();
  return world;
};

test.each<readonly [what: string, bring: (world: ForgeWorld) => Promise<void>, reason: string]>([
  ['by a rebase', (world) => rebased(world, (ours) => ours), 'ProposalOpen'],
  [
    'twice',
    async (world) => {
      await bringUpToDate(world);
      await change(world, ROLLOUT_FILE, '# a note\n', '# another note\n');
      await bringUpToDate(world);
    },
    'ProposalOpen',
  ],
  [
    'by git pull',
    (world) => bringUpToDate(world, {}, { message: `Merge branch 'main' of https://github.com/team/x into mine` }),
    'ProposalOpen',
  ],
  [
    'by a merge with the trailers of a step',
    (world) => bringUpToDate(world, {}, { message: FORGED_MESSAGE }),
    'ProposalChanged',
  ],
  [
    'by a merge that says more than git does',
    (world) => bringUpToDate(world, {}, { message: `Merge branch 'main' into x\n\n${FORGED_MESSAGE}` }),
    'ProposalChanged',
  ],
  ['by a rebase with another message', (world) => rebased(world, () => FORGED_MESSAGE), 'ProposalChanged'],
  [
    'by a rebase with another subject',
    (world) => rebased(world, (ours) => ours.replace('step 1/3', 'step 3/3')),
    'ProposalChanged',
  ],
  [
    'by a merge onto a commit of somebody else',
    async (world) => bringUpToDate(world, {}, { first: await between(world) }),
    'ProposalChanged',
  ],
])('brought up to date with main %s', async (_, bring, reason) => {
  const world = await behind();
  await bring(world);
  expect(reasonsOf(await world.pass())).toEqual([reason]);
  expect(gateOf(world)).toEqual([reason === 'ProposalOpen' ? 'success' : 'failure']);
});

test('a gate shuts: its status fails and it stays; once it opens, it may be merged', async () => {
  const world = await proposed();
  await change(world, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
  for (let round = 0; round < 3; round += 1) await world.pass();
  expect(gateOf(world)).toEqual(['failure']);
  await change(world, ROLLOUT_FILE, '    paused: true\n', '');
  await world.pass();
  expect(gateOf(world)).toEqual(['success']);
  expect(world.repository.pulls).toHaveLength(1);
});

test('the record is lost: the pull request that is there is found, in its form', async () => {
  const world = await proposed();
  await world.git('update-ref', '-d', 'refs/heads/tranche-status');
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  expect(world.repository.pulls.map(({ state }) => state)).toEqual(['open']);
});

test('the record is lost, or there was none yet: a branch of that name which holds more never gets our status', async () => {
  const world = await proposed();
  const text = (await world.text(LWS_FILE, world.pull.branch)).replace('partition: 3', 'partition: 0');
  await world.git('update-ref', '-d', 'refs/heads/tranche-status');
  await world.repository.edit(world.pull.number, { [LWS_FILE]: text });
  for (let round = 0; round < 2; round += 1) {
    expect(reasonsOf(await world.pass())).toEqual(['ProposalChanged']);
    expect(gateOf(world)).toEqual(['failure']);
  }
  // Nor after a pass that saw it while a gate was shut, and wrote down where its head was.
  await world.git('update-ref', '-d', 'refs/heads/tranche-status');
  await change(world, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
  await world.pass();
  await change(world, ROLLOUT_FILE, '    paused: true\n', '');
  expect(reasonsOf(await world.pass())).toEqual(['ProposalChanged']);
  expect(gateOf(world)).toEqual(['failure']);
});

test('the record is lost while a gate is shut: its status fails, and a merge past the rules is put back', async () => {
  const world = await proposed();
  expect(gateOf(world)).toEqual(['success']);
  await change(world, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
  await world.git('update-ref', '-d', 'refs/heads/tranche-status');
  expect(reasonsOf(await world.pass())).toEqual(['Paused']);
  expect(gateOf(world)).toEqual(['failure']);
  await world.repository.merge(1, ADA, 'squash');
  expect(reasonsOf(await world.pass())).toContain('LateMerge');
});

test('cut off between the branch and its pull request: the branch is taken for what it is', async () => {
  const world = await proposed();
  world.repository.close(1, APP);
  await world.git('update-ref', '-d', 'refs/heads/tranche-status');
  world.tick(660);
  expect(reasonsOf(await world.pass())).toEqual(['ProposalOpen']);
  expect(world.repository.pulls.map(({ state }) => state)).toEqual(['closed', 'open']);
});

test('closed by someone: a no to this commit in every form', async () => {
  const world = await proposed();
  world.repository.close(1, ADA);
  expect(reasonsOf(await world.pass())).toEqual(['ProposalVetoed']);
  guard(world, { isStrict: false });
  world.tick(3600);
  expect(reasonsOf(await world.pass())).toEqual(['ProposalVetoed']);
  expect(world.repository.pulls).toHaveLength(1);
});

test('its merge is reverted: held by that name', async () => {
  const world = await proposed();
  const text = await world.text(LWS_FILE);
  await world.repository.merge(1, ADA, 'squash');
  await world.pass();
  world.repository.enforce([]);
  await world.repository.git.commit('main', { [LWS_FILE]: text }, 'Revert');
  guard(world);
  const result = await world.pass();
  expect(reasonsOf(result)).toContain('ProposalReverted');
});

test('merged past the rules while paused: put back, and it waits for someone', async () => {
  const world = await proposed();
  await change(world, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
  await world.repository.merge(1, ADA, 'squash');
  const result = await world.pass();
  expect(reasonsOf(result)).toContain('LateMerge');
  expect((await world.subjects()).at(-1)).toBe('rollout(llm/vllm): step 1/3, partition 3 → 1000000');
  await world.sync();
  await change(world, ROLLOUT_FILE, '    paused: true\n', '');
  const held = await world.pass();
  expect(reasonsOf(held)).toEqual(['LateMerge']);
  const at = { target: { name: 'vllm', namespace: '' }, overrides: NO_OVERRIDES, by: 'ada' };
  const done = await giveOrder(world.ports(), at, ({ snapshot }) =>
    planIntent({ kind: 'approve', step: undefined, hold: 'LateMerge' }, { snapshot, digestOf: factsDigest }),
  );
  expect(done.kind).toBe('written');
  await world.pass();
  expect((await world.subjects()).at(-1)).toBe('rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  await world.sync();
  await world.until('ProposalOpen');
  expect(world.pull.title).toContain('2/3');
});

/** The first step merged and ready, and the second one proposed. */
async function secondProposed(): Promise<ForgeWorld> {
  const world = await proposed();
  await world.repository.merge(1, ADA, 'squash');
  await world.until('ProposalOpen');
  expect(world.pull.title).toContain('2/3');
  return world;
}

async function abort(world: ForgeWorld): Promise<void> {
  const release = world.pull.branch.split('/').at(-1)?.split('-')[0];
  await change(
    world,
    ROLLOUT_FILE,
    '  namespace: llm\n',
    `  namespace: llm\n  annotations:\n    tranche.dev/abort: "${release}"\n`,
  );
}

test('an abort takes its branch away in the push that goes back, and does not ask the forge', async () => {
  const world = await secondProposed();
  await abort(world);
  const asked = forge.calls.length;
  await world.pass();
  expect(forge.calls.length).toBe(asked);
  expect((await world.subjects()).at(-1)).toBe('rollout(llm/vllm): rollback');
  expect([world.repository.pull(2).state, await world.branches()]).toEqual(['closed', []]);
});

test('an abort goes to main alone where a rule keeps the branch, and the pull request is closed after it', async () => {
  const world = await secondProposed();
  const keep = { id: 2, name: 'keep', branches: ['tranche/*'], rules: [{ type: 'deletion' }], bypass: [] };
  world.repository.enforce([...world.repository.rulesets, keep]);
  await abort(world);
  await world.pass();
  expect((await world.subjects()).at(-1)).toBe('rollout(llm/vllm): rollback');
  expect([world.repository.pull(2).state, await world.branches()]).toEqual(['open', [world.pull.branch]]);
  await world.sync();
  await world.pass();
  expect(world.repository.pull(2).state).toBe('closed');
});

test('merged though it was aborted a moment ago: nothing of it stays, and the rollback goes on', async () => {
  const world = await secondProposed();
  const { number } = world.pull;
  const keep = { id: 2, name: 'keep', branches: ['tranche/*'], rules: [{ type: 'deletion' }], bypass: [] };
  world.repository.enforce([...world.repository.rulesets, keep]);
  await abort(world);
  await world.pass();
  const back = await world.text(LWS_FILE);
  await expect(world.repository.merge(number, ADA, 'merge')).rejects.toThrow('conflicts');
  expect(await world.text(LWS_FILE)).toBe(back);
});

test('a newer request: the pull request of the one before goes with the commit that answers it, or is closed', async () => {
  const world = await secondProposed();
  await change(world, LWS_FILE, NEW, 'vllm/vllm-openai:v0.11.0');
  await world.pass();
  await world.sync();
  expect((await world.subjects()).at(-1)).toMatch(/: step 1\/3/);
  expect(world.repository.pull(2).state).toBe('closed');
  expect(await world.branches()).not.toContain(world.repository.pull(2).branch);
});

/** A branch of the name that tranche is about to use, with its change and message, and these entries next to it. */
async function squatted(
  world: ForgeWorld,
  entries: readonly { readonly mode: string; readonly path: string; readonly oid: string }[],
): Promise<void> {
  const { branch, head } = world.pull;
  await world.git('read-tree', head);
  for (const { mode, path, oid } of entries)
    await world.git('update-index', '--add', '--cacheinfo', `${mode},${oid},${path}`);
  const tree = await world.git('write-tree');
  const message = await world.git('log', '-1', '--format=%B', head);
  const commit = await world.git('commit-tree', tree, '-p', `${head}^`, '-m', message);
  world.repository.close(world.pull.number, APP);
  await world.git('update-ref', `refs/heads/${branch}`, commit);
  await world.git('update-ref', '-d', 'refs/heads/tranche-status');
  world.tick(660);
}

test.each([
  ['a file', '100644', `main:${LWS_FILE}`, 'apps/other.yaml'],
  ['a link', '120000', `main:${LWS_FILE}`, 'apps/more.yaml'],
  ['a submodule', '160000', 'main', 'apps/more'],
])(
  'a branch of that name was there first, with our change and %s next to it: held, and no pull request of ours',
  async (_what, mode, from, path) => {
    const world = await proposed();
    await squatted(world, [{ mode, path, oid: await world.git('rev-parse', from) }]);
    for (let round = 0; round < 2; round += 1) expect(reasonsOf(await world.pass())).toEqual(['BranchTaken']);
    expect(world.repository.pulls.map(({ state }) => state)).toEqual(['closed']);
  },
);
