/** Orders, extra groups, pull requests and odd charts where a HelmRelease renders the workload. */

import { expect, test } from 'vitest';
import { at, isJsonObject, type JsonObject } from '../../../src/api/json.ts';
import { RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { CHART, type Chart, HelmWorld } from '../../support/helm-world.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const NEW = OLD.replaceAll('v0.10.0', 'v0.10.1');

async function delivered(world: HelmWorld): Promise<HelmWorld> {
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  await world.play();
  expect(world.groups()).toBe(NEW);
  return world;
}

test('a settled release is undone: its inputs come back, and all groups follow', async () => {
  const world = await delivered(await HelmWorld.adopted());
  expect(await world.order({ kind: 'undo', to: undefined })).toContain('back to');
  await world.play();
  expect(world.groups()).toBe(OLD);
  expect(world.release().slice(world.release().indexOf('spec:'))).toContain(
    RELEASE_TEXT.slice(RELEASE_TEXT.indexOf('spec:')),
  );
});

test('annotations that a hand has taken out are said, and tranche repair writes them back', async () => {
  const world = await HelmWorld.halfWay();
  const before = world.release();
  const text = before.replace(/ {4}tranche\.dev\/(?:step|restore).*\n/g, '');
  world.repository.commit('main', { writes: [{ path: RELEASE_FILE, text }], message: 'by hand' });
  expect(await world.step()).toContain('AnnotationsGone');
  await world.order({ kind: 'repair' });
  expect(world.release()).toBe(before);
  await world.play();
  expect(world.groups()).toBe(NEW);
});

/** The same with something changed in what it makes. */
function over(change: (made: JsonObject) => JsonObject): Chart {
  return (values, release) => {
    const made = CHART(values, release);
    return made === undefined ? undefined : change(made);
  };
}

test('a chart that writes the namespace: the upgrade fails until the patch names it, and that stays', async () => {
  const world = new HelmWorld();
  world.chart = over((made) => ({ ...made, metadata: { name: 'vllm', namespace: 'llm' } }));
  world.apply();
  world.tick(120);
  expect(await world.step(700)).toContain('adopt');
  await world.step(700);
  expect(await world.step()).toContain('Drift: apps/vllm/release.yaml has the inputs');
  expect([world.groups(), world.failed > 0]).toEqual([OLD, true]);
  world.edit(RELEASE_FILE, '"metadata":{"name":"vllm",', '"metadata":{"name":"vllm","namespace":"llm",');
  world.apply();
  expect(await world.play()).toEqual([]);
  await delivered(world);
  expect(world.release()).toContain('"namespace":"llm"');
});

test('a chart with random output is another template at each upgrade: it is said, and no group moves by that at rest', async () => {
  const world = new HelmWorld();
  let count = 0;
  world.chart = over((made) => {
    count += 1;
    const { spec } = made;
    const template = at(made, ['spec', 'leaderWorkerTemplate']);
    if (!isJsonObject(spec) || !isJsonObject(template)) return made;
    return { ...made, spec: { ...spec, leaderWorkerTemplate: { ...template, size: count > 1 ? 3 : 2 } } };
  });
  world.apply();
  world.tick(120);
  await world.step();
  expect(await world.step()).toContain('RevisionChanged');
  expect(world.groups()).toBe(OLD);
});

test('the chart has another number of groups in the next version: all of them are stepped', async () => {
  const world = await HelmWorld.adopted();
  world.edit(RELEASE_FILE, 'multiNode: {workers: 2}', 'multiNode: {workers: 2}\n    replicas: 6');
  await delivered(world).catch(() => undefined);
  expect(world.groups()).toBe([0, 1, 2, 3, 4, 5].map((group) => `${group}:v0.10.1+`).join(' '));
});

const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: extra}
spec:
  surge: 1
`;

test('extra groups of a delivery: their number stands in the entry, and goes from it at the end', async () => {
  const world = await HelmWorld.adopted();
  world.repository.commit('main', { writes: [{ path: 'rollouts/policy.yaml', text: POLICY }], message: 'extra' });
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  const told = await world.play(40);
  expect(told.join('\n')).toContain('replicas 4 → 5');
  expect([world.groups(), world.release().includes('"replicas"')]).toEqual([NEW, false]);
  expect(told).toMatchSnapshot();
});

test('put back in mid-delivery, groups are elsewhere: handed back with --abort, these follow', async () => {
  const world = await HelmWorld.adopted({ signed: true });
  const before = world.release();
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  for (let step = 0; step < 5; step += 1) await world.step();
  world.repository.commit('main', { writes: [{ path: RELEASE_FILE, text: before }], message: 'search: back' });
  world.apply();
  expect(await world.step()).toContain('GroupsElsewhere');
  expect(await world.order({ abort: false, partition: undefined })).toContain('tranche eject vllm --abort');
  expect(await world.order({ abort: true, partition: undefined })).toContain('eject, entry removed');
  world.apply();
  world.tick(900);
  expect(world.groups()).toBe(OLD);
});
