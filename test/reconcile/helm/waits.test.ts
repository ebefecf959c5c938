/** A Rollout that people stop, where a HelmRelease renders the workload: naming the inputs moves nothing, and is all that goes on. */

import { expect, test } from 'vitest';
import { RELEASE_FILE } from '../../support/helm-files.ts';
import { HelmWorld } from '../../support/helm-world.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';

test('a Rollout that is paused: the inputs are named all the same, and no step is taken', async () => {
  const world = await HelmWorld.adopted();
  world.edit(ROLLOUT_FILE, '    canary:\n', '    paused: true\n    canary:\n');
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  expect(await world.step()).toBe('rollout(llm/vllm): inputs written');
  expect(await world.step()).toContain('Paused');
  expect(world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
});

test('a Rollout that is disabled: nothing is written', async () => {
  const world = await HelmWorld.adopted();
  world.edit(ROLLOUT_FILE, 'spec:\n', 'spec:\n  disabled: true\n');
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  const commits = world.commits();
  await world.step();
  expect(world.commits()).toBe(commits);
});
