/** Somebody pushes to the status branch again and again while a pass decides: an abort goes back all the same. */

import { beforeAll, describe, expect, test } from 'vitest';
import { openGit } from '../../src/adapters/git/open.ts';
import type { Git } from '../../src/ports/git.ts';
import { NO_OVERRIDES, newMemory } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { type BareWorld, STATUS } from '../support/bare-world.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { abortInFile, type MidDeliveries, midDeliveries, OWN } from '../support/mid-delivery.ts';

let places: MidDeliveries;
beforeAll(async () => {
  places = await midDeliveries();
});

let count = 0;
const more = (world: BareWorld): Promise<unknown> =>
  world.repository.commit(STATUS, { 'more.txt': String((count += 1)) });
const takes = [
  ['it has a file more', more],
  [
    'it is deleted, and made again',
    async (world: BareWorld) => {
      await world.repository.git('update-ref', '-d', `refs/heads/${STATUS}`);
      await more(world);
    },
  ],
] as const;

describe.each([
  ['with a key', () => places.signed, OWN],
  ['without a key', () => places.unsigned, {}],
] as const)('%s', (_who, placeOfIt, process) => {
  test.each(takes)('before each push %s: an abort goes back', async (_what, take) => {
    const { world, moving } = placeOfIt();
    await world.back(moving);
    await world.goOn();
    await abortInFile(world);
    const git = openGit({ location: world.repository.path });
    const push: Git['push'] = async (updates) => {
      await take(world);
      return git.push(updates);
    };
    const silent = (): void => undefined;
    const clock = { now: () => world.cluster.nowSeconds, sleep: async () => undefined };
    const log = { info: silent, warn: silent, error: silent };
    const ports = { git: { ...git, push }, cluster: fakeCluster({ model: world.cluster }), clock, log, ...process };
    const pass = runPass(ports, newMemory(), { overrides: NO_OVERRIDES, write: true, only: [] });
    await expect(pass).rejects.toThrow('other writers moved the branches 5 times in a row');
    expect(await world.subject()).toBe('rollout(llm/vllm): rollback');
  });
});
