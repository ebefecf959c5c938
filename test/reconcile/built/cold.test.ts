/** What a process builds that knows nothing: one folder for each state of people's own files, whatever our commits have written. */

import { expect, test } from 'vitest';
import type { Git } from '../../../src/ports/git.ts';
import { builtAt, fieldsAt } from '../../../src/reconcile/roots/build-at.ts';
import type { BuildCache } from '../../../src/reconcile/roots/read-roots.ts';
import { adopted, type BuiltWorld, COMPONENT, NEW_TAG, OLD_TAG, PATCH, ROOT } from '../../support/built-world.ts';

const OF = { root: ROOT, file: PATCH, namespace: 'llm', name: 'prod-vllm' };

/** Delivered, taken back by its files, and delivered by half: two states of people's own files in all. */
async function threeReleases(): Promise<BuiltWorld> {
  const world = await adopted();
  for (const [from, to] of [
    [OLD_TAG, NEW_TAG],
    [NEW_TAG, OLD_TAG],
  ] as const) {
    world.edit(COMPONENT, from, to);
    await world.apply();
    await world.play();
  }
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  for (let step = 0; step < 3; step += 1) await world.step();
  return world;
}

test('in mid-delivery a process that has just started builds each state of the files of people once', async () => {
  const world = await threeReleases();
  expect(world.repository.log('main').length).toBeGreaterThan(15);
  world.builds.clear();
  const before = world.builder.built.length;
  await world.pass();
  expect(world.builder.built.length - before).toBe(4);
});

test.each([
  ['a delivery', threeReleases],
  ['a rollback, and what unpins it', unpinned],
])('%s: every commit has the fields that kustomize builds of it', async (_, played) => {
  const world = await played();
  const git: Pick<Git, 'readAt'> = world.repository.open();
  const cache: BuildCache = new Map();
  const { builder } = world;
  for (const { oid } of world.repository.log('main')) {
    const [is] = (await fieldsAt({ git, builder, cache: new Map() }, oid, OF)).documents;
    const [wanted] = (await builtAt({ git, builder, cache }, oid, OF)).documents;
    expect(is?.value).toEqual(wanted?.value);
    expect(is?.object).toEqual(wanted?.object);
  }
});

/** Aborted, back, and asked for again. */
async function unpinned(): Promise<BuiltWorld> {
  const world = await threeReleases();
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  for (let step = 0; step < 6; step += 1) await world.step();
  expect(world.files()[PATCH]).toContain('leaderWorkerTemplate');
  await world.order({ kind: 'retry', release: undefined });
  for (let step = 0; step < 4; step += 1) await world.step();
  expect(world.files()[PATCH]).not.toContain('leaderWorkerTemplate');
  return world;
}
