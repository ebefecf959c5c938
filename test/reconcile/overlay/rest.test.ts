/** What an overlay costs where nothing happens, and what is read of it without a pass. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES, newMemory } from '../../../src/reconcile/pass.ts';
import { readRoots } from '../../../src/reconcile/roots/read-roots.ts';
import { rootChanges } from '../../../src/reconcile/roots/root-changes.ts';
import { runPass } from '../../../src/reconcile/run.ts';
import { BASE, OverlayWorld, ROOT } from '../../support/overlay-world.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';

/** Settled after a delivery. */
async function settled(): Promise<OverlayWorld> {
  const world = await OverlayWorld.taken({ signed: true });
  world.edit(BASE, 'v0.10.0', 'v0.10.1');
  await world.deploy();
  await world.play();
  return world;
}

test('a process that has just started builds nothing at rest where a key signs the record, and writes nothing', async () => {
  const world = await settled();
  const text = `kind: Note\n# ${world.commits()}\n`;
  world.repository.commit('main', { writes: [{ path: 'apps/notes.yaml', text }], message: 'note' });
  world.builds.clear();
  const [built, commits] = [world.builder.built.length, world.commits()];
  const { outcomes } = await world.pass();
  expect(world.builder.built.length - built).toBe(0);
  expect([world.commits(), outcomes.map(({ error }) => error)]).toEqual([commits, [undefined]]);
});

test('commits of tranche alone cost history no build each', async () => {
  const world = await OverlayWorld.half();
  world.builds.clear();
  const before = world.builder.built.length;
  await world.pass();
  // As it is and without the patch, the version before and people's files of then, and both sides of the check of a step.
  expect(world.builder.built.length - before).toBeLessThanOrEqual(6);
});

test('the folder says which HelmRelease it builds for which Rollout, and what a tag in the base makes of it', async () => {
  const world = await settled();
  const views = async () => {
    const memory = newMemory();
    await runPass(world.ports(), memory, { overrides: NO_OVERRIDES, write: false, only: [] });
    const desired = memory.desired?.desired;
    if (desired === undefined) throw new Error('nothing was read');
    const { git, builder } = { git: world.repository.open(), builder: world.builder };
    return readRoots({ desired, agents: [], texts: desired.texts }, { git, builder, cache: new Map() });
  };
  const before = await views();
  world.edit(BASE, 'v0.10.1', 'v0.10.2');
  const after = await views();
  expect(
    before.map(({ root, releases }) => [root.folder, releases.map(({ name, rollouts }) => [name, rollouts])]),
  ).toEqual([[ROOT, [['prod-vllm', [ROLLOUT_FILE]]]]]);
  const [change, ...others] = rootChanges(before, after);
  expect([change?.kind, change?.workload, others]).toEqual(['inputs', 'HelmRelease llm/prod-vllm', []]);
  expect(change?.diff).toContain('+      tag: v0.10.2');
});
