/** The entry of ours in `spec.postRenderers` that somebody has lost, moved, edited or forged, and a Rollout that names another release. */

import { expect, test } from 'vitest';
import { patchText, rendererItem, renderersIn } from '../../../src/api/helm-release.ts';
import { RELEASE_FILE, RELEASE_TEXT } from '../../support/helm-files.ts';
import { HelmWorld } from '../../support/helm-world.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';
import { yamlValues } from '../../support/yaml-values.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;
const ENTRY = / {2}postRenderers:\n {2}- kustomize:\n {6}patches:\n {6}- patch: '.*'\n/;

function write(world: HelmWorld, change: (text: string) => string): void {
  const text = change(world.release());
  expect(text).not.toBe(world.release());
  world.repository.commit('main', { writes: [{ path: RELEASE_FILE, text }], message: 'by hand' });
  world.apply();
}

async function said(world: HelmWorld): Promise<{ readonly issues: readonly string[]; readonly told: string }> {
  const { outcomes } = await world.pass();
  const [plan] = outcomes.map((one) => one.plan);
  const told = (plan?.holds ?? []).map(({ message, reason }) => `${reason}: ${message}`).join('\n');
  return { issues: (plan?.issues ?? []).map(({ reason }) => reason), told };
}

test('lost at rest: said with the bytes to put back, nothing is written, and with them all goes on', async () => {
  const world = await HelmWorld.adopted();
  const entry = rendererItem(renderersIn(yamlValues(world.release())[0] ?? {}).entry ?? expect.fail('no entry'));
  write(world, (text) => text.replace(ENTRY, ''));
  const commits = world.commits();
  const { issues, told } = await said(world);
  expect(issues).toEqual(['PatchNotApplied']);
  expect(told).toContain(`Put it back as the last entry: ${JSON.stringify(entry)}.`);
  expect([world.commits(), world.groups()]).toEqual([commits, OLD]);
  write(world, (text) => `${text}  postRenderers: [${JSON.stringify(entry).replaceAll("'", "''")}]\n`);
  world.tick(60);
  expect((await said(world)).issues).toEqual([]);
  world.edit(RELEASE_FILE, 'v0.10.0', 'v0.10.1');
  world.apply();
  await world.play();
  expect(world.groups()).toBe('0:v0.10.1+ 1:v0.10.1+ 2:v0.10.1+ 3:v0.10.1+');
});

test.each<readonly [what: string, reason: string, change: (text: string) => string]>([
  ['lost', 'PatchNotApplied', (text) => text.replace(ENTRY, '')],
  [
    'with a target',
    'PatchEdited',
    (text) => text.replace(/( +)- patch: /, '$1- target: {kind: LeaderWorkerSet}\n$1  patch: '),
  ],
  ['with another field', 'PatchEdited', (text) => text.replace('"spec":{', '"spec":{"startupPolicy":"LeaderReady",')],
  ['there twice', 'PatchEdited', (text) => text.replace(/( {2}- kustomize:\n[^]*)$/, '$1$1')],
])('%s in mid-delivery: no step goes forward, and an abort puts it back', async (_, reason, change) => {
  const world = await HelmWorld.halfWay();
  write(world, change);
  const commits = world.commits();
  const { issues, told } = await said(world);
  expect([issues, world.commits()]).toEqual([[reason], commits]);
  expect(told).toContain(RELEASE_FILE);
  await world.order(ABORT);
  await world.play();
  expect(world.groups()).toBe(OLD);
  const { entry, places, others } = renderersIn(yamlValues(world.release())[0] ?? {});
  expect([entry?.name, entry?.partition, places]).toEqual(['vllm', 1_000_000, [others.length]]);
  expect((await said(world)).issues).toEqual([]);
});

test('one of people comes behind it in mid-delivery: ours is the last again, and what they ask for is a newer request', async () => {
  const world = await HelmWorld.halfWay();
  write(world, (text) => `${text}  - kustomize: {images: []}\n`);
  const { issues } = await said(world);
  expect(issues).toEqual(['PatchNotLast']);
  world.apply();
  world.tick(60);
  expect((await said(world)).issues).toEqual([]);
  expect(world.groups()).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.1+ 3:v0.10.1+');
});

test.each<readonly [what: string, change: (world: HelmWorld) => void]>([
  ['the entry', (world) => write(world, (text) => text.replace('"name":"vllm"', '"name":"chat"'))],
  [
    'the Rollout',
    (world) =>
      world.edit(ROLLOUT_FILE, 'kind: LeaderWorkerSet\n    name: vllm', 'kind: LeaderWorkerSet\n    name: chat'),
  ],
])('%s is for another workload in mid-delivery: nothing is written, no rollback either', async (_, change) => {
  const world = await HelmWorld.halfWay();
  const groups = world.groups();
  change(world);
  const before = world.release();
  await world.order(ABORT);
  expect((await said(world)).issues).toEqual(['PatchEdited']);
  for (let step = 0; step < 3; step += 1) await world.step(600);
  expect([world.release(), world.groups()]).toEqual([before, groups]);
});

test('another digest than that of the inputs proves nothing: it is written again before any step', async () => {
  const world = await HelmWorld.adopted();
  const { entry } = renderersIn(yamlValues(world.release())[0] ?? {});
  if (entry === undefined) throw new Error('no entry');
  const forged = patchText({ ...entry, inputs: '0'.repeat(32) });
  write(world, (text) => text.replace(patchText(entry), forged).replace('v0.10.0', 'v0.10.1'));
  await world.step();
  expect(world.subject()).toBe('rollout(llm/vllm): inputs written');
  expect(world.groups()).toBe(OLD);
});

test('a partition that is lowered by hand at rest is put back', async () => {
  const world = await HelmWorld.adopted();
  write(world, (text) => text.replace('"partition":1000000', '"partition":0'));
  expect(await world.step()).toContain('rollout(llm/vllm): lock, partition 0 → 1000000');
});

test('the Rollout names another HelmRelease in mid-delivery: neither goes forward, and the first one can go back', async () => {
  const world = await HelmWorld.halfWay();
  const other = RELEASE_TEXT.replace('name: vllm\n', 'name: other\n');
  world.repository.commit('main', { writes: [{ path: 'apps/other.yaml', text: other }], message: 'another' });
  world.edit(ROLLOUT_FILE, 'HelmRelease/llm/vllm', 'HelmRelease/llm/other');
  const groups = world.groups();
  const before = world.release();
  for (let step = 0; step < 3; step += 1) await world.step(600);
  expect([world.groups(), world.release(), world.repository.text('main', 'apps/other.yaml')]).toEqual([
    groups,
    before,
    other,
  ]);
  world.edit(ROLLOUT_FILE, 'HelmRelease/llm/other', 'HelmRelease/llm/vllm');
  await world.order(ABORT);
  await world.play();
  expect(world.groups()).toBe(OLD);
});

test('the Rollout is gone in mid-delivery: no step goes forward, and it is said', async () => {
  const world = await HelmWorld.halfWay();
  const before = world.release();
  world.repository.commit('main', { writes: [{ path: ROLLOUT_FILE, text: undefined }], message: 'gone' });
  expect(await world.step(600)).toContain('LockedWithoutRollout');
  expect(world.release()).toBe(before);
});

test.each<readonly [what: string, change: (text: string) => string]>([
  ['lost', (text) => text.replace(ENTRY, '')],
  ['lost with an annotation', (text) => text.replace(ENTRY, '').replace(/ {4}tranche\.dev\/.*\nspec:/, 'spec:')],
  ['with another field', (text) => text.replace('"spec":{', '"spec":{"startupPolicy":"LeaderReady",')],
  ['there twice', (text) => text.replace(/( {2}- kustomize:\n[^]*)$/, '$1$1')],
])('%s at rest and in mid-delivery: tranche repair writes it back, byte for byte', async (_, change) => {
  for (const world of [await HelmWorld.adopted(), await HelmWorld.halfWay()]) {
    const before = world.release();
    write(world, change);
    await world.order({ kind: 'repair' });
    expect(world.release()).toBe(before);
    world.apply();
    world.tick(60);
    expect((await said(world)).issues).toEqual([]);
    // Groups that have followed meanwhile come back by an abort; at rest there is nothing to abort.
    await world.order(ABORT);
    await world.play();
    expect(world.groups()).toBe(OLD);
  }
});

test('behind it comes one of people at rest: tranche repair makes ours the last again, and keeps theirs', async () => {
  const world = await HelmWorld.adopted();
  write(world, (text) => `${text}  - kustomize: {images: []}\n`);
  await world.order({ kind: 'repair' });
  const { places, others, entry } = renderersIn(yamlValues(world.release())[0] ?? {});
  expect([places, others, entry?.partition]).toEqual([[1], [{ kustomize: { images: [] } }], 1_000_000]);
});
