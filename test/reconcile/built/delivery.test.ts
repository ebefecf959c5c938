/** A workload that kustomize builds, taken over and delivered: our patch is all that is written. */

import { expect, test } from 'vitest';
import {
  APPLY,
  BUILT_FILES,
  BuiltWorld,
  COMPONENT,
  NEW_TAG,
  OLD_TAG,
  OVERLAY,
  PATCH,
} from '../../support/built-world.ts';

/** Taken over and at rest. */
async function adopted(): Promise<BuiltWorld> {
  const world = new BuiltWorld();
  await world.apply();
  world.tick(120);
  expect(await world.play()).toEqual(['0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): adopt, partition unset → 1000000']);
  return world;
}

test('one commit takes it over, and the next passes write nothing', async () => {
  const world = await adopted();
  const files = world.files();
  const people = Object.keys(BUILT_FILES).filter((file) => file !== OVERLAY);
  for (const file of people) expect(files[file], file).toBe(BUILT_FILES[file]);
  expect(files[OVERLAY]).toBe(`${BUILT_FILES[OVERLAY]}transformers:\n  - tranche/apply.yaml\n`);
  expect(
    Object.keys(files)
      .filter((file) => !(file in BUILT_FILES))
      .sort(),
  ).toEqual([APPLY, PATCH]);
  const commits = world.repository.log('main').length;
  const built = world.builder.built.length;
  await world.pass();
  await world.pass();
  expect(world.repository.log('main').length).toBe(commits);
  expect(world.builder.built.length, 'nothing is built again').toBe(built);
});

test('a tag in a shared component is a release in steps', async () => {
  const world = await adopted();
  const before = world.files();
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  expect(await world.play()).toEqual([
    '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): step 1/3, partition 1000000 → 3',
    '0:0+ 1:0+ 2:0+ 3:1+ PauseDuration: Step 1 is done; its pause lasts another 1 s',
    '0:0+ 1:0+ 2:0+ 3:1+ rollout(llm/vllm): step 2/3, partition 3 → 2',
    '0:0+ 1:0+ 2:1+ 3:1+ PauseDuration: Step 2 is done; its pause lasts another 1 s',
    '0:0+ 1:0+ 2:1+ 3:1+ rollout(llm/vllm): step 3/3, partition 2 → 0',
    '0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): step 3/3, locked, partition 0 → 1000000',
    '0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): settled',
  ]);
  const after = world.files();
  expect(Object.keys(after).filter((file) => after[file] !== before[file])).toEqual([PATCH, COMPONENT]);
  const said = world.repository.log('main').map(({ message }) => message.replaceAll(/\s+/g, ' '));
  const asked = said.filter((message) => message.includes(`It was asked for by ${COMPONENT}:6 (commit `));
  expect(asked).toHaveLength(1);
});

test('handed back, every byte is as before', async () => {
  const world = await adopted();
  expect(await world.order({ abort: false, partition: undefined })).toContain(
    'eject, patch removed, partition 1000000 → 0',
  );
  const { 'rollouts/vllm.yaml': rollout, ...files } = world.files();
  const { 'rollouts/vllm.yaml': was = '', ...before } = BUILT_FILES;
  expect(files).toEqual(before);
  expect(rollout).toBe(`${was}  disabled: true\n`);
  await world.apply();
  world.tick(120);
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  const head = world.repository.head('main');
  const { outcomes, failed } = await world.pass();
  const [plan] = outcomes.map((one) => one.plan);
  expect([plan?.issues, plan?.holds.map(({ reason }) => reason), failed]).toEqual([[], ['Disabled'], false]);
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.pass();
  expect(world.repository.log('main')[1]?.oid).toBe(head);
});
