/** Going back where kustomize builds the workload: the earlier template is pinned in our patch, and people's files stay theirs. */

import { expect, test } from 'vitest';
import { type BuiltWorld, COMPONENT, halfDelivered, NEW_TAG, OLD_TAG, PATCH } from '../../support/built-world.ts';

const NEWER_TAG = 'v0.10.2';

/** The same, aborted and back. */
async function pinned(): Promise<BuiltWorld> {
  const world = await halfDelivered();
  const before = world.files();
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  const told: string[] = [];
  for (let step = 0; step < 6; step += 1)
    told.push(`${world.groups('prod-vllm').replaceAll('v0.10.', '')} ${await world.step()}`);
  expect(told).toMatchSnapshot();
  const after = world.files();
  expect(Object.keys(after).filter((file) => after[file] !== before[file])).toEqual([PATCH, 'rollouts/vllm.yaml']);
  return world;
}

test('aborted: the pin alone goes back, and stays while the files say the aborted tag', async () => {
  const world = await pinned();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  expect(world.repository.text('main', PATCH)).toMatchSnapshot();
  const commits = world.repository.log('main').length;
  const told = await world.step();
  expect(told).toContain('ReleaseAborted');
  const [asked] = world.repository.log('main').filter(({ message }) => message === `edit ${COMPONENT}`);
  expect(told).toContain(`What differs from then: ${COMPONENT}:6 (commit ${asked?.oid.slice(0, 12)})`);
  expect(world.repository.log('main').length, 'a second pass writes nothing').toBe(commits);
});

test('people take it back: the pin goes, and nothing restarts', async () => {
  const world = await pinned();
  world.edit(COMPONENT, NEW_TAG, OLD_TAG);
  await world.apply();
  expect(await world.play()).toEqual(['0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): unpin']);
  expect(world.repository.log('main')[0]?.message).toContain('Rollout-Reason: Unpinned\n');
  expect(world.repository.text('main', PATCH)).not.toContain('leaderWorkerTemplate');
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
});

test('a newer tag: unpinned while it is locked, then step 1', async () => {
  const world = await pinned();
  world.edit(COMPONENT, NEW_TAG, NEWER_TAG);
  await world.apply();
  const told = await world.play();
  expect(told[0]).toBe('0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): unpin');
  expect(told[1]).toBe('0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): step 1/3, partition 1000000 → 3');
  expect(told.at(-1)).toBe('0:2+ 1:2+ 2:2+ 3:2+ rollout(llm/vllm): settled');
});

test('asked for again: the pin goes, and it is a release like any other', async () => {
  const world = await pinned();
  await world.order({ kind: 'retry', release: undefined });
  const told = await world.play();
  expect(told[0]).toContain('retry');
  expect(told.at(-1)).toBe('0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): settled');
  expect(world.repository.text('main', PATCH)).not.toContain('leaderWorkerTemplate');
});

test('a settled release is undone by a pin as well', async () => {
  const world = await halfDelivered();
  await world.play();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.1+ 1:v0.10.1+ 2:v0.10.1+ 3:v0.10.1+');
  await world.order({ kind: 'undo', to: undefined });
  for (let step = 0; step < 6; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  expect(await world.step()).toContain('ReleaseAborted');
});

test('an undo later than a policy allows is refused: a request stands in files of people, and none of them is edited', async () => {
  const world = await halfDelivered();
  await world.play();
  const text =
    'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: extra}\nspec: {undoWithinSeconds: 60}\n';
  world.repository.commit('main', { writes: [{ path: 'rollouts/policy.yaml', text }], message: 'a policy' });
  world.tick(1000);
  const before = world.files();
  expect(await world.order({ kind: 'undo', to: undefined })).toContain('tranche edits none of them');
  expect(world.files()).toEqual(before);
});
