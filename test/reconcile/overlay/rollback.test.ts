/** Going back where kustomize builds the HelmRelease: its inputs are pinned in our patch, and people's files stay theirs. */

import { expect, test } from 'vitest';
import { at } from '../../../src/api/json.ts';
import { BASE, OVERLAY, OVERLAY_FILES, OverlayWorld, PATCH, VALUES } from '../../support/overlay-world.ts';
import { ROLLOUT_FILE } from '../../support/vllm.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const HALF = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.1+ 3:v0.10.1+';
const ABORT = { kind: 'abort', keepNewer: false, from: undefined } as const;

/** Until a pass writes nothing more; what it says stays. */
async function settled(world: OverlayWorld, most = 12): Promise<string> {
  let said = '';
  for (let step = 0; step < most; step += 1) said = await world.step();
  return said;
}

/** The same, aborted half-way and back. */
async function pinned(): Promise<OverlayWorld> {
  const world = await OverlayWorld.half();
  expect(world.groups()).toBe(HALF);
  const before = world.files();
  await world.order(ABORT);
  const told: string[] = [];
  for (let step = 0; step < 6; step += 1) told.push(`${world.groups().replaceAll('v0.10.', '')} ${await world.step()}`);
  expect(told.slice(0, 2)).toEqual([
    '0:0+ 1:0+ 2:1+ 3:1+ rollout(llm/vllm): rollback',
    '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): rolled back, partition 2 → 1000000',
  ]);
  const after = world.files();
  expect(
    Object.keys(after)
      .filter((file) => after[file] !== before[file])
      .sort(),
  ).toEqual([PATCH, ROLLOUT_FILE]);
  return world;
}

test('aborted half-way: the pin alone goes back, and stays while the files say the aborted tag', async () => {
  const world = await pinned();
  expect(world.groups()).toBe(OLD);
  expect(world.patch().replaceAll(/[0-9a-f]{40}@/g, '<commit>@')).toMatchSnapshot();
  expect(at(await world.built(), ['spec', 'values', 'image', 'tag'])).toBe('v0.10.0');
  const commits = world.commits();
  const told = await world.step();
  expect(told).toContain('ReleaseAborted');
  expect(told).toContain(`What differs from then: ${BASE}:`);
  expect(world.commits(), 'a second pass writes nothing').toBe(commits);
});

test('people take it back: the pin goes, and nothing restarts', async () => {
  const world = await pinned();
  world.edit(BASE, 'v0.10.1', 'v0.10.0');
  await world.deploy();
  expect(await world.play()).toEqual(['0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): unpin']);
  expect(world.repository.log('main')[0]?.message).toContain('Rollout-Reason: Unpinned\n');
  expect(world.patch()).not.toContain('$patch');
  expect(world.groups()).toBe(OLD);
});

test('a newer tag: unpinned while it is locked, then step 1', async () => {
  const world = await pinned();
  world.edit(BASE, 'v0.10.1', 'v0.10.2');
  await world.deploy();
  const told = await world.play();
  expect(told.slice(0, 2)).toEqual([
    '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): unpin',
    '0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): step 1/3, partition 1000000 → 3',
  ]);
  expect(told.at(-1)).toBe('0:2+ 1:2+ 2:2+ 3:2+ rollout(llm/vllm): settled');
});

test('asked for again: the pin goes, and it is a release like any other', async () => {
  const world = await pinned();
  await world.order({ kind: 'retry', release: undefined });
  const told = await world.play();
  expect(told[0]).toContain('retry');
  expect(told.at(-1)).toBe('0:1+ 1:1+ 2:1+ 3:1+ rollout(llm/vllm): settled');
  expect(world.patch()).not.toContain('$patch');
});

test('a settled release is undone by a pin as well', async () => {
  const world = await OverlayWorld.half();
  await world.play();
  await world.order({ kind: 'undo', to: undefined });
  expect(await settled(world, 7)).toContain('ReleaseAborted');
  expect(world.groups()).toBe(OLD);
});

test.each([0, 1, 2, 4, 6, 7])('aborted %i passes after the edit, all is as before', async (passes) => {
  const world = await OverlayWorld.taken();
  const before = await world.built();
  world.edit(BASE, 'v0.10.0', 'v0.10.1');
  await world.deploy();
  for (let step = 0; step < passes; step += 1) await world.step();
  await world.order(ABORT);
  await settled(world);
  const inputs = (release: typeof before) => [at(release, ['spec', 'values']), at(release, ['spec', 'chart'])];
  expect([world.groups(), inputs(await world.built()), world.failed]).toEqual([OLD, inputs(before), 0]);
});

test('a chart of another version, a field that comes and one that goes, and entries of people come back as they were', async () => {
  const world = await OverlayWorld.taken();
  const inputs = async () => {
    const { postRenderers, interval: _, ...spec } = at(await world.built(), ['spec']) as Record<string, unknown>;
    return { ...spec, others: (postRenderers as unknown[]).slice(0, -1) };
  };
  const before = await inputs();
  world.edit(BASE, 'v0.10.0', 'v0.10.1');
  world.edit(BASE, 'version: 1.3.0', 'version: 1.4.0');
  world.edit(BASE, 'team: search', 'team: chat');
  world.edit(BASE, '  values:\n', '  commonMetadata: {labels: {a: b}}\n  values:\n    added: {x: [1, {y: null}]}\n');
  world.edit(VALUES, '    telemetry: off\n', '');
  await world.deploy();
  for (let step = 0; step < 5; step += 1) await world.step();
  expect(world.groups()).toBe(HALF);
  expect(await inputs()).not.toEqual(before);
  await world.order(ABORT);
  await settled(world);
  expect([world.groups(), await inputs()]).toEqual([OLD, before]);
});

test('a newer tag in mid-delivery is stopped, named, and taken from its first step', async () => {
  const world = await OverlayWorld.half();
  world.edit(BASE, 'v0.10.1', 'v0.10.2');
  await world.deploy();
  const told = await world.play(30);
  expect(told.at(-1)).toBe('0:2+ 1:2+ 2:2+ 3:2+ rollout(llm/vllm): settled');
});

test('taken back by hand in mid-delivery, it goes back by itself', async () => {
  const world = await OverlayWorld.half();
  world.edit(BASE, 'v0.10.1', 'v0.10.0');
  await world.deploy();
  await world.play();
  expect(world.groups()).toBe(OLD);
  expect(world.repository.log('main').some(({ message }) => message.includes('Rollout-Reason: Reverted'))).toBe(true);
});

test.each<readonly [what: string, file: string, broken: (text: string) => string, isRequest: boolean]>([
  [
    'the folder lists an address',
    OVERLAY,
    (text) => text.replace('[../base]', '[../base, "https://example.org/a.yaml"]'),
    false,
  ],
  ['the overlay is no YAML', OVERLAY, () => 'a: [\n', false],
  ['the base is gone', 'apps/vllm/base/kustomization.yaml', () => 'resources: []\n', false],
  ['the base has another name', BASE, (text) => text.replace('  name: vllm', '  name: other'), false],
  [
    'what no patch brings back',
    BASE,
    (text) => text.replace('{tag: v0.10.1}', '{tag: v0.10.1, pullPolicy: null}'),
    true,
  ],
  [
    'a field that is refused',
    BASE,
    (text) => text.replace('  chart:\n', '  valuesFrom: [{kind: Secret, name: s}]\n  chart:\n'),
    true,
  ],
])('a folder that somebody breaks in mid-delivery holds no rollback: %s', async (_, file, broken, isRequest) => {
  const world = await OverlayWorld.half();
  const text = world.files()[file] ?? '';
  world.repository.commit('main', { writes: [{ path: file, text: broken(text) }], message: 'break it' });
  await world.deploy();
  await world.step();
  expect(world.groups(), 'no step').toBe(HALF);
  await world.order(ABORT);
  await settled(world, 3);
  expect(world.patch()).toContain('$patch');
  // What is a request of its own is aborted itself, and comes by its steps once it is put right.
  if (!isRequest) world.repository.commit('main', { writes: [{ path: file, text }], message: 'mend it' });
  await settled(world, 8);
  expect([world.groups(), world.files()[OVERLAY]?.includes('tranche/apply.yaml')]).toEqual([OLD, true]);
});

test('a step that fails goes back by itself, by the pin', async () => {
  const policy =
    'apiVersion: tranche.dev/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: back}\nspec:\n  readyDeadlineSeconds: 120\n  onFailure: rollback\n';
  const isBroken = { now: false };
  const world = await OverlayWorld.taken({
    files: { ...OVERLAY_FILES, 'rollouts/policy.yaml': policy },
    signed: true,
    cluster: {
      stock: { resource: 'nvidia.com/gpu', amount: 72 },
      readiness: (pod) => (isBroken.now && JSON.stringify(pod['spec']).includes('v0.10.1') ? 'never' : 20),
    },
  });
  world.edit(BASE, 'v0.10.0', 'v0.10.1');
  await world.deploy();
  for (let step = 0; step < 3; step += 1) await world.step();
  isBroken.now = true;
  await settled(world, 14);
  expect(world.groups()).toBe(OLD);
  expect(world.patch()).toContain('$patch');
  const reasons = world.repository.log('main').map(({ message }) => /Rollout-Reason: (.*)/.exec(message)?.[1]);
  expect(reasons).toContain('Failed');
});
