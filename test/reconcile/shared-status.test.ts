/** One status branch under two clusters: neither takes the other's word, nor removes what is the other's. */

import { expect, test } from 'vitest';
import { NO_OVERRIDES, newMemory, type Overrides, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { LWS_FILE, NEW, OLD, VLLM_FILES } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const passOf = (world: World, overrides: Partial<Overrides>, only: readonly string[] = []): Promise<PassResult> =>
  runPass(world.ports(), newMemory(), { overrides: { ...NO_OVERRIDES, ...overrides }, write: true, only });

/** Adopted and settled, as both clusters see it. */
async function settledWorld({ signed = false } = {}): Promise<World> {
  const world = new World({ files: VLLM_FILES, signed });
  for (let look = 0; look < 3; look += 1) {
    world.sync();
    world.tick(30);
    await world.pass();
  }
  return world;
}

test('what another cluster found settled is not taken for settled here', async () => {
  const world = await settledWorld({ signed: true });
  expect((await world.pass()).quiet).toBe(true);
  expect((await passOf(world, { cluster: 'east' })).quiet).toBe(false);
  expect((await passOf(world, { paths: ['apps'] })).quiet).toBe(false);
});

test('each cluster has its records, and leaves those of the other as they are', async () => {
  const world = await settledWorld();
  await passOf(world, { cluster: 'east' });
  const path = 'rollouts/default/llm/vllm.json';
  const text = world.repository.text('tranche-status', path) ?? '';
  world.repository.commit('tranche-status', { writes: [{ path, text: text.replace('Healthy', 'Rubbish') }] });
  world.tick(7200);
  await passOf(world, { cluster: 'east' });
  const files = world.repository.files('tranche-status');
  expect(Object.keys(files)).toContain('rollouts/east/llm/vllm.json');
  expect(files[path]).toContain('Rubbish');
});

test('a status branch with a page of somebody else is not written to: no step goes forward, and what is theirs stays', async () => {
  const world = new World({ files: VLLM_FILES });
  const theirs = { path: 'README.md', text: '# Handbook\n' };
  world.repository.commit('tranche-status', { writes: [theirs] });
  const head = world.repository.head('tranche-status');
  world.sync();
  world.tick(60);
  const pass = await world.pass();
  expect(pass).toMatchObject({ failed: true, status: undefined });
  expect(pass.outcomes[0]?.error).toBe(
    'the push to tranche-status was refused: it has a README.md that is not ours and would be overwritten',
  );
  expect(pass.outcomes[0]?.plan?.holds[0]).toMatchObject({ reason: 'StatusRefused' });
  expect(world.log.at(-1)).toContain('Name another branch as branches.status in tranche.yaml');
  expect(world.repository.head('tranche-status')).toBe(head);
  world.repository.commit('tranche-status', { writes: [{ path: 'README.md', text: undefined }] });
  expect(await world.pass()).toMatchObject({ failed: false, status: expect.any(String) });
});

test('a damaged index is written anew: the records, or the page, show that the branch is ours', async () => {
  const world = await settledWorld();
  for (const gone of ['', 'rollouts/default/llm/vllm.json']) {
    const writes = [{ path: 'index.json', text: '{' }, ...(gone === '' ? [] : [{ path: gone, text: undefined }])];
    world.repository.commit('tranche-status', { writes });
    expect(await world.pass()).toMatchObject({ failed: false, status: expect.any(String) });
  }
});

test('two that read other paths do not write their index over each other’s in turn', async () => {
  const world = new World({ files: { ...VLLM_FILES, 'tranche.yaml': 'intervalSeconds: 30\n' } });
  const both = async (): Promise<void> => {
    world.sync();
    world.tick(30);
    await passOf(world, { cluster: 'east', paths: ['apps', 'rollouts'] });
    await passOf(world, { cluster: 'west', paths: ['apps', 'rollouts', 'west'] });
  };
  for (let look = 0; look < 6; look += 1) await both();
  const head = world.repository.head('tranche-status');
  for (let look = 0; look < 3; look += 1) await both();
  expect(world.repository.head('tranche-status')).toBe(head);
});

test('a pass over one rollout does not call the others settled', async () => {
  const world = await settledWorld();
  world.edit(LWS_FILE, OLD, NEW);
  world.repository.commit('main', { writes: [{ path: 'rollouts/none.txt', text: 'x' }] });
  await passOf(world, {}, ['nobody']);
  const next = await world.pass();
  expect(next.quiet).toBe(false);
  expect(next.outcomes[0]?.plan?.holds.map((hold) => hold.reason)).toContain('NotApplied');
});
