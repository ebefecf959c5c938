/** Several processes that divide the Rollouts among them: each is carried on by one of them, also while n changes. */

import { expect, test } from 'vitest';
import type { Shard } from '../../src/api/config.ts';
import { order } from '../../src/reconcile/order.ts';
import { NO_OVERRIDES, type PassResult } from '../../src/reconcile/pass.ts';
import { runPass } from '../../src/reconcile/run.ts';
import { shardOf } from '../../src/reconcile/shard.ts';
import { parseTrailers } from '../../src/rollout/commits/trailers.ts';
import { LWS_TEXT, NEW, OLD, ROLLOUT_TEXT } from '../support/vllm.ts';
import { World } from '../support/world.ts';

const NAMES = Array.from({ length: 7 }, (_none, at) => `service-${at}`);
const file = (name: string): string => `apps/${name}/lws.yaml`;

function newWorld(): World {
  const files = NAMES.flatMap((name) => {
    const named = (text: string): string => text.replaceAll(/\bvllm(?!\/|-openai)/g, name);
    return [
      [file(name), named(LWS_TEXT)],
      [`rollouts/${name}.yaml`, named(ROLLOUT_TEXT).replace('pause: {}', 'pause: {duration: 0}')],
    ];
  });
  return new World({ files: Object.fromEntries(files) });
}

const pass = (world: World, shard: Shard): Promise<PassResult> =>
  runPass(world.ports(), world.memory(), { overrides: { ...NO_OVERRIDES, shard }, write: true, only: [] });

/** All shards at once, as processes that know nothing of each other; `counts`: how many each of them believes there are. */
async function round(world: World, counts: readonly number[]): Promise<void> {
  world.sync();
  world.tick(60);
  const shards = counts.flatMap((of, index) => (index < of ? [{ index, of }] : []));
  const results = await Promise.all(shards.map((shard) => pass(world, shard)));
  for (const [at, { outcomes }] of results.entries()) {
    const { index, of } = shards[at]!;
    // Nor does it decide of any other, and so writes none.
    expect(ofShard(index, of)).toEqual(expect.arrayContaining(outcomes.map(({ key }) => key.name)));
  }
}

/** The steps of each Rollout in the order in which they were written. */
function stepsOf(world: World): ReadonlyMap<string, readonly string[]> {
  const steps = new Map<string, string[]>();
  for (const { message } of [...world.repository.log('main')].reverse()) {
    const trailers = parseTrailers(message);
    if (trailers !== undefined)
      steps.set(trailers.rollout, [...(steps.get(trailers.rollout) ?? []), `${trailers.release} ${trailers.step}`]);
  }
  return steps;
}

/** Lives a whole delivery of all services; the processes are counted again at each round. */
async function deliver(world: World, countsAt: (round: number) => readonly number[]): Promise<void> {
  for (let at = 0; at < 4; at += 1) await round(world, countsAt(0));
  for (const name of NAMES) world.edit(file(name), OLD, NEW);
  for (let at = 1; at < 16; at += 1) await round(world, countsAt(at));
}

const alone = async (): Promise<World> => {
  const world = newWorld();
  await deliver(world, () => [1]);
  return world;
};

const namesOn = (world: World, branch: string): readonly string[] =>
  Object.keys(world.repository.files(branch))
    .flatMap((path) => /^rollouts\/default\/llm\/(.+)\.json$/.exec(path)?.[1] ?? [])
    .sort();

const ofShard = (index: number, of: number): readonly string[] =>
  NAMES.filter((name) => shardOf({ cluster: 'default', namespace: 'llm', name }, of) === index);

test('three shards do what one process does, each on its own status branch', async () => {
  const world = newWorld();
  await deliver(world, () => [3, 3, 3]);
  expect(stepsOf(world)).toEqual(stepsOf(await alone()));
  for (const name of NAMES) expect(world.groups(name)).toMatch(/^(\d:v0\.10\.1\+ ?){4}$/);
  for (const index of [0, 1, 2]) {
    expect(ofShard(index, 3).length).toBeGreaterThan(0);
    expect(namesOn(world, `tranche-status-${index}`)).toEqual(ofShard(index, 3));
  }
  expect(world.repository.head('tranche-status')).toBeUndefined();
});

test.each([
  ['three become two', (at: number) => (at < 4 ? [3, 3, 3] : [2, 2]), 2],
  [
    'two become three, one after another',
    (at: number) =>
      [
        [2, 2],
        [2, 2],
        [3, 2],
        [3, 3],
        [3, 3, 3],
      ][at] ?? [3, 3, 3],
    3,
  ],
  [
    'three become two, and old ones go on for a while',
    (at: number) => (at < 3 ? [3, 3, 3] : at < 7 ? [2, 2, 3] : [2, 2]),
    2,
  ],
] as const)('in the middle of a delivery %s: what is written is the same', async (_what, countsAt, of) => {
  const world = newWorld();
  await deliver(world, countsAt);
  expect(stepsOf(world)).toEqual(stepsOf(await alone()));
  for (const name of NAMES) expect(world.groups(name)).toMatch(/^(\d:v0\.10\.1\+ ?){4}$/);
  for (let index = 0; index < of; index += 1)
    expect(namesOn(world, `tranche-status-${index}`)).toEqual(ofShard(index, of));
});

test('every Rollout belongs to exactly one shard, and each shard of many gets its part', () => {
  const keys = Array.from({ length: 3000 }, (_none, at) => ({
    cluster: 'c',
    namespace: `n-${at % 10}`,
    name: `r-${at}`,
  }));
  for (const of of [1, 2, 3, 7]) {
    const parts = Array.from({ length: of }, () => 0);
    for (const key of keys) parts[shardOf(key, of)]! += 1;
    for (const part of parts) expect(part).toBeGreaterThan((0.8 * keys.length) / of);
  }
});

test('an order finds the record of its Rollout, whatever shard is named', async () => {
  const world = newWorld();
  for (let at = 0; at < 4; at += 1) await round(world, [2, 2]);
  const [name = ''] = ofShard(1, 2);
  const records: unknown[] = [];
  const overrides = { ...NO_OVERRIDES, shard: { index: 0, of: 2 } };
  const result = await order(
    world.ports(),
    { target: { name, namespace: '' }, overrides, by: 'Ada' },
    ({ snapshot }) => {
      records.push(snapshot.record?.name);
      return { kind: 'write', commits: [] };
    },
  );
  expect(result.kind).toBe('written');
  expect(records).toEqual([name]);
});
