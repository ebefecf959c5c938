/** When a settled repository is looked at again: the interval of its configuration, and the next audit. */

import { expect, test } from 'vitest';
import type { PassResult } from '../../src/reconcile/pass.ts';
import { VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

async function settledWorld(config: string): Promise<World> {
  const world = new World({ files: { ...VLLM_FILES, 'tranche.yaml': config } });
  world.sync();
  world.tick(60);
  for (let passes = 0; passes < 5; passes += 1) {
    if ((await world.pass()).quiet) return world;
    world.sync();
    world.tick(30);
  }
  throw new Error('not settled after five passes');
}

test.each([
  ['by default', 'paths: [apps, rollouts]\n', 30],
  ['as configured', 'paths: [apps, rollouts]\nintervalSeconds: 5\n', 5],
  ['longer', 'paths: [apps, rollouts]\nintervalSeconds: 120\n', 120],
])('an order waits no longer than the interval: %s', async (_title, config, seconds) => {
  const world = await settledWorld(config);
  expect(await world.pass()).toMatchObject({ quiet: true, requeueAfterSeconds: seconds });
});

test('an audit that a clock put years away is due now, and one that is near is waited for', async () => {
  const world = await settledWorld('paths: [apps, rollouts]\nauditSeconds: 600\n');
  const at = (seconds: number): Promise<PassResult> =>
    world.pass({ clock: { now: () => world.now + seconds, sleep: async () => undefined } });
  const YEAR = 31_536_000;
  expect((await at(YEAR)).quiet).toBe(false);
  expect((await at(YEAR)).quiet).toBe(true);
  expect((await at(0)).quiet).toBe(false);
  expect((await at(0)).quiet).toBe(true);
  expect((await at(599)).quiet).toBe(true);
  expect((await at(660)).quiet).toBe(false);
});

test('branches that name each other as the desired one are told, and not followed for ever', async () => {
  const world = new World({ files: { ...VLLM_FILES, 'tranche.yaml': 'branches: {desired: release}\n' } });
  const release = (config: string): string =>
    world.repository.commit('release', {
      writes: Object.entries({ ...VLLM_FILES, 'tranche.yaml': config }).map(([path, text]) => ({ path, text })),
    });
  release('intervalSeconds: 30\n');
  await expect(world.pass()).rejects.toThrow(
    'tranche.yaml:1: the file on main names release as the desired branch, and the file on release another one',
  );
  release('branches: {desired: release, status: elsewhere}\n');
  expect((await world.pass()).failed).toBe(false);
});
