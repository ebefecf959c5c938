/** Somebody pushes to the status branch again and again while a pass decides: an abort goes back all the same. */

import { beforeAll, describe, expect, test } from 'vitest';
import { openGit } from '../../src/adapters/git/open.ts';
import type { Git } from '../../src/ports/git.ts';
import { NO_OVERRIDES, newMemory } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { BareWorld, type Moment, STATUS } from '../support/bare-world.ts';
import { fakeCluster } from '../support/fake-cluster.ts';
import { publicHalf, signaturesOf } from '../support/status-key.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE, VLLM_FILES } from '../support/vllm.ts';

type Place = { readonly world: BareWorld; readonly moving: Moment };
const own = { signatures: signaturesOf(1) };

async function placeOf(config: string, process: typeof own | object): Promise<Place> {
  const world = await BareWorld.open({ ...VLLM_FILES, 'tranche.yaml': config });
  await world.rounds(3, process);
  await world.edit(LWS_FILE, OLD, NEW);
  await world.rounds(2, process);
  return { world, moving: await world.moment() };
}

let signed: Place;
let unsigned: Place;
beforeAll(async () => {
  signed = await placeOf(`statusKeys: [{cluster: default, key: ${publicHalf(1)}}]\n`, own);
  unsigned = await placeOf('intervalSeconds: 30\n', {});
});

async function abort(world: BareWorld): Promise<void> {
  const text = (await world.text('main', LWS_FILE)) ?? '';
  const release = /tranche\.dev\/release: "?([^"\n]+)"?/.exec(text)?.[1] ?? '';
  const order = `  namespace: llm\n  annotations: {tranche.dev/abort: "${release}"}\nspec`;
  await world.edit(ROLLOUT_FILE, '  namespace: llm\nspec', order);
}

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
  ['with a key', () => signed, own],
  ['without a key', () => unsigned, {}],
] as const)('%s', (_who, placeOfIt, process) => {
  test.each(takes)('before each push %s: an abort goes back', async (_what, take) => {
    const { world, moving } = placeOfIt();
    await world.back(moving);
    await world.goOn();
    await abort(world);
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
