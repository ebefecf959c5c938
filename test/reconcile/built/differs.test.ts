/** The agent makes another template of the files than kustomize does here: said with path and values, and no step is taken. */

import { expect, test } from 'vitest';
import { adopted, COMPONENT, NEW_TAG, OLD_TAG } from '../../support/built-world.ts';

test('the agent builds another template of the same files: no step, and both values', async () => {
  const world = await adopted();
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  expect(await world.step()).toContain('step 1/3');
  // An image of its own in the Application, which stands in another repository.
  world.fetched = (path, text) => (path === COMPONENT ? text.replace(NEW_TAG, OLD_TAG) : text);
  await world.apply();
  const commits = world.repository.log('main').length;
  expect(await world.step()).toContain('NotApplied');
  for (let pass = 0; pass < 11; pass += 1) await world.step();
  const told = await world.step();
  expect(told).toContain('BuildDiffers');
  expect(told).toContain(
    `image: apps/vllm/prod builds "vllm/vllm-openai:${NEW_TAG}" here, and the cluster has "vllm/vllm-openai:${OLD_TAG}"`,
  );
  expect(world.repository.log('main').length).toBe(commits);
  world.fetched = (_, text) => text;
  await world.apply();
  expect(await world.step()).not.toContain('BuildDiffers');
});
