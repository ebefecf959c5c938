/** Values that are edited and taken back before any pass has looked: what Flux has rendered in between is no proof of what came back. */

import { expect, test } from 'vitest';
import { patchText, renderersIn } from '../../../src/api/helm-release.ts';
import { RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { HelmWorld } from '../../support/helm-world.ts';
import { yamlValues } from '../../support/yaml-values.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const NEW = OLD.replaceAll('v0.10.0', 'v0.10.1');
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;

/** Half-way, with a third tag that Flux has rendered, and that `main` has no more: Flux has not applied that yet. */
async function takenBack(): Promise<HelmWorld> {
  const world = await HelmWorld.halfWay();
  world.edit(RELEASE_FILE, 'v0.10.1', 'v0.10.2');
  world.apply();
  world.tick(120);
  world.edit(RELEASE_FILE, 'v0.10.2', 'v0.10.1');
  expect(world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.2+ 3:v0.10.2+');
  return world;
}

function entryOf(world: HelmWorld) {
  return renderersIn(yamlValues(world.release())[0] ?? {}).entry ?? expect.fail('no entry');
}

test('in mid-delivery: no step follows before what came back is seen live', async () => {
  const world = await takenBack();
  const before = entryOf(world);
  const { partition } = before;
  await world.pass();
  expect(world.subject()).toBe('rollout(llm/vllm): inputs written');
  expect(entryOf(world).partition).toBe(partition);
  const commits = world.commits();
  world.tick(60);
  const { outcomes } = await world.pass();
  expect([world.commits(), outcomes[0]?.plan?.holds.map(({ reason }) => reason)]).toEqual([commits, ['NotApplied']]);
  world.apply();
  world.tick(5);
  await world.pass();
  expect([world.commits(), world.groups()]).toEqual([commits, expect.stringContaining('3:v0.10.1-')]);
  await world.play();
  expect(world.groups()).toBe(NEW);
});

test('the same, and an abort: all goes back, and the entry is as if nothing had been', async () => {
  const world = await takenBack();
  await world.pass();
  await world.order(ABORT);
  world.apply();
  await world.play();
  expect(world.groups()).toBe(OLD);
  expect(world.release()).toContain(RELEASE_TEXT.slice(RELEASE_TEXT.indexOf('spec:')));
  const { inputs, again } = entryOf(world);
  expect([again, world.release().includes(patchText({ ...entryOf(world), inputs }))]).toEqual([undefined, true]);
});

test('an abort that comes first is not held by it', async () => {
  const world = await takenBack();
  await world.order(ABORT);
  await world.play();
  expect(world.groups()).toBe(OLD);
});

test('twice: each is named again', async () => {
  const world = await takenBack();
  await world.pass();
  world.apply();
  world.edit(RELEASE_FILE, 'v0.10.1', 'v0.10.2');
  world.apply();
  world.edit(RELEASE_FILE, 'v0.10.2', 'v0.10.1');
  await world.pass();
  expect([world.subject(), entryOf(world).again]).toEqual(['rollout(llm/vllm): inputs written', 2]);
  world.apply();
  await world.play();
  expect(world.groups()).toBe(NEW);
});

test('an edit of what is no input proves as much as before', async () => {
  const world = await HelmWorld.halfWay();
  world.edit(RELEASE_FILE, 'interval: 5m', 'interval: 9m');
  world.apply();
  await world.play();
  expect([world.groups(), entryOf(world).again]).toEqual([NEW, undefined]);
});

test('before the first step: what came back is not taken for an edit that changes nothing', async () => {
  const world = await HelmWorld.adopted();
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  await world.pass();
  world.edit(RELEASE_FILE, 'v0.10.1', 'v0.10.0');
  world.apply();
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.tick(60);
  await world.pass();
  expect([world.subject(), entryOf(world).again]).toEqual(['rollout(llm/vllm): inputs written', 1]);
  world.apply();
  await world.play();
  expect(world.groups()).toBe(NEW);
});
