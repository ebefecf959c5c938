/** Builds that signed records keep: at rest a process that has just started builds nothing, and nothing else is believed. */

import { expect, test } from 'vitest';
import { adopted, BUILT_FILES, BuiltWorld, COMPONENT, NEW_TAG, OLD_TAG } from '../../support/built-world.ts';
import { lwsOf } from '../../support/kustomize-trees.ts';
import { resignedRecord } from '../../support/status-key.ts';

const RECORD = 'rollouts/default/llm/vllm.json';

/** Settled after a delivery. */
async function settled(options: { readonly signed: boolean }): Promise<BuiltWorld> {
  const world = await adopted(options);
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  await world.apply();
  await world.play();
  return world;
}

/** What a process builds that has just started, after a commit of files that no Rollout is about. */
async function coldBuilds(world: BuiltWorld): Promise<number> {
  const text = `kind: Note\n# ${world.repository.log('main').length}\n`;
  world.repository.commit('main', { writes: [{ path: 'apps/notes.yaml', text }], message: 'note' });
  world.builds.clear();
  const before = world.builder.built.length;
  await world.pass();
  return world.builder.built.length - before;
}

test('one commit elsewhere: nothing is built, and nothing is written', async () => {
  const world = await settled({ signed: true });
  const status = world.repository.head('tranche-status');
  expect(JSON.parse(world.repository.text('tranche-status', RECORD) ?? '').built.text).toContain(NEW_TAG);
  expect(await coldBuilds(world)).toBe(0);
  expect(await coldBuilds(world)).toBe(0);
  expect(world.repository.head('tranche-status')).toBe(status);
});

test('without a key no build is kept, nor believed', async () => {
  const world = await settled({ signed: false });
  const text = world.repository.text('tranche-status', RECORD) ?? '';
  expect(JSON.parse(text).built).toBe(undefined);
  expect(await coldBuilds(world)).toBe(2);
  const signed = await settled({ signed: true });
  const { built } = JSON.parse(signed.repository.text('tranche-status', RECORD) ?? '');
  put(
    world,
    resignedRecord(text, (record) => ({ ...record, built })),
  );
  expect(await coldBuilds(world)).toBe(2);
});

function put(world: BuiltWorld, text: string): void {
  world.repository.commit('tranche-status', { writes: [{ path: RECORD, text }], message: 'record' });
}

test.each<readonly [what: string, change: (world: BuiltWorld, text: string) => void]>([
  ['edited', (world, text) => put(world, text.replaceAll(NEW_TAG, OLD_TAG))],
  [
    'signed by another key',
    (world, text) =>
      put(
        world,
        resignedRecord(text, (record) => record, 2),
      ),
  ],
  ['audited no more', (world) => world.tick(90_000)],
  ['of an ordered Rollout', (world) => world.edit('rollouts/vllm.yaml', 'name: vllm\n', 'name: vllm # asked\n')],
  ['of another component', (world) => world.edit(COMPONENT, 'kind: Component', 'kind: Component # again')],
])('a record that is %s: its folder is built', async (_, change) => {
  const world = await settled({ signed: true });
  change(world, world.repository.text('tranche-status', RECORD) ?? '');
  expect(await coldBuilds(world)).toBe(2);
});

test('two workloads of a folder: one record keeps it, and both have to be at rest', async () => {
  const rollout = BUILT_FILES['rollouts/vllm.yaml'] ?? '';
  const files = {
    ...BUILT_FILES,
    'apps/vllm/base/kustomization.yaml': 'resources: [lws.yaml, prefill.yaml, service.yaml]\n',
    'apps/vllm/base/prefill.yaml': lwsOf('prefill', 'REPLACE_MODEL_SERVER_IMAGE'),
    'rollouts/prefill.yaml': rollout.replace('name: vllm\n', 'name: prefill\n').replace('prod-vllm', 'prod-prefill'),
  };
  const world = new BuiltWorld({ signed: true, files });
  for (let round = 0; round < 4; round += 1) {
    await world.apply();
    world.tick(120);
    await world.pass();
  }
  const records = ['prefill', 'vllm'].map((name) =>
    JSON.parse(world.repository.text('tranche-status', `rollouts/default/llm/${name}.json`) ?? ''),
  );
  expect(records.map((record) => [record.settled, record.built !== undefined])).toEqual([
    [true, true],
    [true, false],
  ]);
  expect(await coldBuilds(world)).toBe(0);
  world.edit('rollouts/vllm.yaml', 'name: vllm\n', 'name: vllm # asked\n');
  expect(await coldBuilds(world)).toBe(2);
});

test('more than every pass shall read is not kept', async () => {
  const lws = BUILT_FILES['apps/vllm/base/lws.yaml'] ?? '';
  const note = `metadata:\n  annotations: {note: ${'x'.repeat(25_000)}}\n`;
  const world = await adopted({
    signed: true,
    files: { ...BUILT_FILES, 'apps/vllm/base/lws.yaml': lws.replace('metadata:\n', note) },
  });
  expect(JSON.parse(world.repository.text('tranche-status', RECORD) ?? '').built).toBe(undefined);
  expect(await coldBuilds(world)).toBe(2);
});
