/** What becomes of a plan whose push finds main moved: it lands where nothing that it read has changed on the way. */

import { expect, test } from 'vitest';
import type { Ports } from '../../src/reconcile/pass.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

/** Going back, every group on the stable version and ready: the next pass locks. */
async function nearlyRolledBack(): Promise<World> {
  const world = new World({ files: VLLM_FILES });
  const pass = async (): Promise<void> => {
    await world.pass();
    world.sync();
    world.tick(60);
  };
  world.sync();
  world.tick(60);
  await pass();
  world.edit(LWS_FILE, OLD, NEW);
  world.sync();
  world.tick(5);
  await pass();
  const release = /tranche\.dev\/release: "(.*)"/.exec(world.repository.text('main', LWS_FILE) ?? '')?.[1];
  world.edit(
    ROLLOUT_FILE,
    '  namespace: llm\n',
    `  namespace: llm\n  annotations: {tranche.dev/abort: "${release}"}\n`,
  );
  await pass();
  expect(world.subject()).toContain('rollback');
  expect(world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  return world;
}

/** A pass whose first push comes after `meanwhile`. */
async function passAfter(world: World, meanwhile: () => void): Promise<void> {
  let pushes = 0;
  const git: Ports['git'] = world.repository.open({
    before: (operation) => {
      if (operation.kind === 'push' && pushes++ === 0) meanwhile();
      return undefined;
    },
  });
  await world.pass({ git });
}

test('a commit that touches nothing is stepped over', async () => {
  const world = await nearlyRolledBack();
  await passAfter(world, () => world.repository.commit('main', { writes: [{ path: 'README.md', text: 'x' }] }));
  expect(world.subject()).toContain('rolled back');
});

test('an edit that was taken back again is not: it may have reached the cluster', async () => {
  const world = await nearlyRolledBack();
  await passAfter(world, () => {
    world.edit(LWS_FILE, OLD, 'vllm/vllm-openai:v0.10.2');
    world.sync();
    world.edit(LWS_FILE, 'vllm/vllm-openai:v0.10.2', OLD);
    world.sync();
  });
  expect(world.subject()).not.toContain('rolled back');
  expect(world.groups()).toContain('3:v0.10.');
});

test.each([
  [60, true],
  [61, false],
])('a push that is answered %i s after the read: the plan is carried over: %s', async (seconds, carried) => {
  const world = await nearlyRolledBack();
  const git = world.repository.open();
  let now = world.now;
  let pushes = 0;
  const slow: Ports['git'] = {
    ...git,
    push: async (updates) => {
      if (pushes++ > 0) return git.push(updates);
      world.repository.commit('main', { writes: [{ path: 'README.md', text: 'x' }] });
      now += seconds;
      return git.push(updates);
    },
  };
  const asked: number[] = [];
  const live: Ports['cluster'] = world.ports().cluster;
  const cluster: Ports['cluster'] = {
    list: (...call) => {
      asked.push(now);
      return live.list(...call);
    },
  };
  const clock = { now: () => now, sleep: async () => undefined };
  const began = now;
  await world.pass({ git: slow, cluster, clock });
  expect(world.subject()).toContain('rolled back');
  // Carried over: the cluster was asked before the push only.
  expect(asked.every((at) => at === began)).toBe(carried);
});
