/** A kustomize folder that is moved or copied in the middle of a delivery keeps its past: an abort goes by it. */

import { expect, test } from 'vitest';
import { type BuiltWorld, halfDelivered, ROOT } from '../../support/built-world.ts';

const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const NEXT = 'apps/vllm/live';
const GIVEN = 'owners: {llm: [apps/vllm/live, rollouts, apps/vllm/base]}\n';

type Writes = readonly { readonly path: string; readonly text: string | undefined }[];

/** The files of the folder at another place, or without them. */
const copied = (world: BuiltWorld): Writes =>
  Object.entries(world.files())
    .filter(([path]) => path.startsWith(`${ROOT}/`))
    .map(([path, text]) => ({ path: path.replace(ROOT, NEXT), text }));
const removed = (world: BuiltWorld): Writes =>
  Object.keys(world.files())
    .filter((path) => path.startsWith(`${ROOT}/`))
    .map((path) => ({ path, text: undefined }));

const commit = (world: BuiltWorld, writes: Writes): void =>
  void world.repository.commit('main', { writes, message: 'another folder' });

const HANDED: Readonly<Record<string, (world: BuiltWorld) => void>> = {
  moved: (world) => commit(world, [...copied(world), ...removed(world)]),
  'copied, and the old one goes later': (world) => {
    commit(world, copied(world));
    commit(world, removed(world));
  },
  'copied, and its namespace is given to it': (world) => {
    commit(world, copied(world));
    commit(world, [{ path: 'tranche.yaml', text: GIVEN }]);
  },
};

test.each(Object.entries(HANDED))('%s: an abort goes back', async (_, hand) => {
  const world = await halfDelivered();
  hand(world);
  world.root = NEXT;
  await world.apply();
  const seen = [await world.order(ABORT)];
  for (let step = 0; step < 6; step += 1) seen.push(`${world.groups('prod-vllm')} | ${await world.step()}`);
  expect(world.groups('prod-vllm'), seen.join('\n')).toBe(OLD);
  expect(world.files()[`${NEXT}/tranche/llm-prod-vllm.yaml`], seen.join('\n')).toContain('v0.10.0');
});
