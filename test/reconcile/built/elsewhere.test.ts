/** A workload that kustomize builds whose folder was put back in the middle of a delivery: groups are elsewhere, and it is handed back. */

import { expect, test } from 'vitest';
import { BuiltWorld, COMPONENT, NEW_TAG, OLD_TAG, PATCH } from '../../support/built-world.ts';

const PLAIN = { abort: false, partition: undefined };
const ABORT = { ...PLAIN, abort: true };
const ALL_OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const ROLLOUT = 'rollouts/vllm.yaml';

/** Two groups are on the new image, and all files are as before the delivery. */
async function putBack(signed: boolean): Promise<BuiltWorld> {
  const world = new BuiltWorld({ signed });
  await world.apply();
  world.tick(120);
  await world.play();
  const { [PATCH]: patch = '', [COMPONENT]: component = '' } = world.files();
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  for (let pass = 0; pass < 2; pass += 1) await world.step();
  world.repository.commit('main', {
    writes: [
      { path: PATCH, text: patch },
      { path: COMPONENT, text: component },
    ],
    message: 'search: back to what was',
  });
  await world.apply();
  world.tick(60);
  expect(await world.step()).toContain('GroupsElsewhere');
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.1+');
  return world;
}

async function withoutRollout(world: BuiltWorld): Promise<string> {
  const { [ROLLOUT]: text = '' } = world.files();
  world.repository.commit('main', { writes: [{ path: ROLLOUT, text: undefined }], message: 'no Rollout' });
  expect(await world.step()).toContain('LockedWithoutRollout');
  return text;
}

test.each([
  ['there', 'vllm'],
  ['gone', 'prod-vllm'],
])('the record is signed: handed back with --abort, its Rollout is %s', async (rollout, name) => {
  const world = await putBack(true);
  if (rollout === 'gone') await withoutRollout(world);
  expect(await world.order(PLAIN, name)).toContain(`To have that: tranche eject ${name} --abort`);
  expect(await world.order(ABORT, name)).toContain('eject, patch removed');
  await world.apply();
  world.tick(300);
  expect(world.groups('prod-vllm')).toBe(ALL_OLD);
});

test.each([
  ['there', 'vllm'],
  ['gone', 'prod-vllm'],
])('nobody bears the record out: they are to be on the template first, its Rollout is %s', async (rollout, name) => {
  const world = await putBack(false);
  const text = rollout === 'gone' ? await withoutRollout(world) : undefined;
  const again = text === undefined ? '' : 'put the Rollout back, ';
  for (const wish of [PLAIN, ABORT])
    expect(await world.order(wish, name)).toContain(
      `To have that: ${again}order tranche abort ${name}, and once it is settled eject`,
    );
  if (text !== undefined) world.repository.commit('main', { writes: [{ path: ROLLOUT, text }], message: 'again' });
  await world.step();
  expect(await world.order({ kind: 'abort', keepNewer: false, from: undefined })).toContain(
    'when the file was put back',
  );
  await world.play();
  expect(world.groups('prod-vllm')).toBe(ALL_OLD);
  expect(await world.order(PLAIN)).toContain('eject, patch removed');
});

test('nothing is in flight, and no group elsewhere: --abort has nothing to do', async () => {
  const world = await putBack(true);
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  await world.play();
  expect(await world.order(ABORT)).toContain('Nothing is in flight: order tranche eject vllm without them');
});
