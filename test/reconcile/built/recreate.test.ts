/**
 * A change that only deleting and re-creating makes, where kustomize builds the workload: our patch takes it out of what is
 * built and lets it in again, and no file of people's is touched.
 */

import { expect, test } from 'vitest';
import type { Builder } from '../../../src/ports/builder.ts';
import {
  adopted,
  BUILT_FILES,
  type BuiltWorld,
  COMPONENT,
  NEW_TAG,
  OLD_TAG,
  PATCH,
} from '../../support/built-world.ts';

const BASE = 'apps/vllm/base/lws.yaml';
const ROLLOUT = 'rollouts/vllm.yaml';
const POLICY = `apiVersion: tranche.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: all}
spec: {recreate: Allow}
`;
const OUT = '"$patch": "delete"\n';
const SIZE = '    size: 2\n';
const SUBGROUPS = `${SIZE}    subGroupPolicy: {subGroupSize: 1}\n`;

/** Taken over, at rest, and asked for what no object takes that is there. */
async function requested(policy = POLICY): Promise<BuiltWorld> {
  const world = await adopted({ files: { ...BUILT_FILES, 'policies/all.yaml': policy } });
  world.edit(BASE, SIZE, SUBGROUPS);
  return world;
}

/** And out of what is built: its commit is on main, and the agent has not seen it. */
async function removed(): Promise<BuiltWorld> {
  const world = await requested();
  await world.pass();
  expect(world.subject()).toBe('rollout(llm/vllm): recreate, removed');
  expect(world.files()[PATCH]).toContain(OUT);
  return world;
}

/** Paths that differ from these files. */
function changedSince(world: BuiltWorld, before: Readonly<Record<string, string>>): readonly string[] {
  const now = world.files();
  return Object.keys({ ...before, ...now }).filter((path) => before[path] !== now[path]);
}

const reasons = ({ outcomes }: Awaited<ReturnType<BuiltWorld['pass']>>): readonly string[] =>
  outcomes.flatMap(({ plan, error }) => [
    ...(error === undefined ? [] : [error]),
    ...(plan?.issues ?? []).map(({ reason }) => reason),
    ...(plan?.holds ?? []).map(({ reason }) => reason),
  ]);

test('goes by the patch, comes back by the patch, and settles; then nothing is written', async () => {
  const world = await requested();
  const before = world.files();
  const told = await world.play();
  expect(told).toMatchInlineSnapshot(`
    [
      "0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): recreate, removed",
      " rollout(llm/vllm): recreate, created",
      "0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): settled",
    ]
  `);
  expect(changedSince(world, before)).toEqual([PATCH]);
  expect(world.files()[PATCH]).not.toContain('$patch');
  const head = world.repository.head('main');
  await world.pass();
  await world.pass();
  expect(world.repository.head('main')).toBe(head);
});

test('while it is out the patch keeps all that it says, and the Rollout what is to come', async () => {
  const world = await requested();
  const before = world.files();
  await world.pass();
  expect(world.files()[PATCH]).toBe(`${before[PATCH]}${OUT}`);
  expect(changedSince(world, before)).toEqual([PATCH, ROLLOUT].sort());
  expect(reasons(await world.pass())).toEqual(['AwaitingRemoval']);
});

test('not allowed: nothing is written', async () => {
  const world = await requested(POLICY.replace('Allow', 'Refuse'));
  const before = world.files();
  const result = await world.pass();
  expect(reasons(result)).toContain('RecreateRefused');
  expect(world.files()).toEqual(before);
});

test.each([
  ['before the agent has deleted anything', false],
  ['once it is gone', true],
])('aborted %s: it comes back with the stable template as a pin', async (_, isGone) => {
  const world = await removed();
  if (isGone) await world.apply();
  await world.order({ kind: 'abort', keepNewer: false });
  const told = [await world.step(), await world.step(), await world.step()];
  expect(told[2]).toContain('ReleaseAborted');
  expect(told.join('\n')).toContain(isGone ? 'recreate, created' : 'recreate, put back');
  expect(world.files()[PATCH]).not.toContain(OUT);
  expect(world.files()[PATCH]).toMatch(/\$patch"?: "?replace/);
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
});

test('a process that ends half-way, and records that are lost, cost nothing: main says what comes next', async () => {
  const world = await removed();
  await world.apply();
  world.builds.clear();
  world.repository.setHead('tranche-status', undefined);
  const told = await world.play();
  expect(told.join('\n')).toContain('recreate, created');
  expect(world.files()[PATCH]).not.toContain('$patch');
});

test('people edit their files meanwhile: what was asked for comes back, and the edit is the next release', async () => {
  const world = await removed();
  await world.apply();
  world.edit(COMPONENT, OLD_TAG, NEW_TAG);
  const told = await world.play(40);
  expect(told.find((line) => line.includes('recreate, created'))).toBeDefined();
  expect(told.join('\n')).toContain('step 1/3');
  expect(world.groups('prod-vllm')).toBe('0:v0.10.1+ 1:v0.10.1+ 2:v0.10.1+ 3:v0.10.1+');
});

test('its Rollout goes meanwhile: the line is named, with both ways out, and either of them works', async () => {
  const world = await removed();
  const rollout = world.files()[ROLLOUT] ?? '';
  world.repository.commit('main', { writes: [{ path: ROLLOUT, text: undefined }], message: 'clean up' });
  await world.apply();
  const { issues, outcomes } = await world.pass();
  const text = world.files()[PATCH] ?? '';
  const line = text.split('\n').findIndex((one) => one.includes('$patch')) + 1;
  expect(outcomes).toEqual([]);
  expect(issues.map((one) => `${one.reason} ${one.file}:${one.line}`)).toEqual([`PatchEdited ${PATCH}:${line}`]);
  expect(issues[0]?.message).toContain('no Rollout names it: no pass brings it back');
  expect(issues[0]?.hint).toContain('Put the Rollout of llm/prod-vllm back');
  world.repository.commit('main', { writes: [{ path: PATCH, text: text.replace(OUT, '') }], message: 'line out' });
  expect((await world.pass()).issues).toEqual([]);
  world.repository.commit('main', {
    writes: [
      { path: PATCH, text },
      { path: ROLLOUT, text: rollout },
    ],
    message: 'back',
  });
  expect((await world.play()).join('\n')).toContain('recreate, created');
  expect(world.files()[PATCH]).not.toContain('$patch');
});

test('put in by hand: it is said, no commit follows, and taking it out ends it', async () => {
  const world = await adopted({ files: { ...BUILT_FILES, 'policies/all.yaml': POLICY } });
  const text = world.files()[PATCH] ?? '';
  world.repository.commit('main', { writes: [{ path: PATCH, text: `${text}${OUT}` }], message: 'by hand' });
  const head = world.repository.head('main');
  expect(reasons(await world.pass())).toEqual(['PatchEdited']);
  expect(world.repository.head('main')).toBe(head);
  world.repository.commit('main', { writes: [{ path: PATCH, text }], message: 'back' });
  expect(reasons(await world.pass())).not.toContain('PatchEdited');
});

test('put in by hand with the annotation of a commit of ours: it counts for nothing', async () => {
  const real = await removed();
  const annotation = /tranche\.dev\/recreating: .*/.exec(real.files()[ROLLOUT] ?? '')?.[0] ?? '';
  const world = await requested(POLICY.replace('Allow', 'Refuse'));
  const { [PATCH]: patch = '', [ROLLOUT]: rollout = '' } = world.files();
  const text = rollout.replace('metadata:\n', `metadata:\n  annotations:\n    ${annotation}\n`);
  const writes = [
    { path: PATCH, text: `${patch}${OUT}` },
    { path: ROLLOUT, text },
  ];
  world.repository.commit('main', { writes, message: 'by hand' });
  const head = world.repository.head('main');
  expect(reasons(await world.pass())).toContain('MarkNotBorneOut');
  await world.apply();
  expect(reasons(await world.pass())).toContain('MarkNotBorneOut');
  expect(world.repository.head('main')).toBe(head);
});

/** Builds as the recordings say, and something else as well once the patch is as `when` says. */
function bent(world: BuiltWorld, when: (patch: string) => boolean, bend: (text: string) => string): Builder {
  const build: Builder['build'] = async (input) => {
    const built = await world.builder.build(input);
    const patch = input.files.find(({ path }) => path === PATCH)?.text ?? '';
    return built.kind === 'built' && when(patch) ? { ...built, text: bend(built.text) } : built;
  };
  return { isNamed: true, build };
}

test.each<readonly [what: string, bend: (text: string) => string]>([
  [
    'another object goes with it',
    (text) => text.replace(/^---\n|(?:^|(?<=---\n))apiVersion: v1\nkind: Service\n[^]*$/g, ''),
  ],
  ['another object changes', (text) => text.replace('port: 80', 'port: 81')],
  [
    'it does not go',
    (text) =>
      `${text}---\napiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: prod-vllm, namespace: llm}\n`,
  ],
])('taken out, and %s: nothing is written', async (_, bend) => {
  const world = await requested();
  const before = world.files();
  const builder = bent(world, (patch) => patch.includes(OUT), bend);
  expect(reasons(await world.pass({ builder }))).toContain('BuildCheckFailed');
  expect(world.files()).toEqual(before);
});

test.each<readonly [what: string, bend: (text: string) => string]>([
  ['its partition is another', (text) => text.replace('partition: 1000000', 'partition: 0')],
  ['another object changes', (text) => text.replace('port: 80', 'port: 81')],
])('back, and %s: nothing is written', async (_, bend) => {
  const world = await removed();
  await world.apply();
  const before = world.files();
  const builder = bent(world, (patch) => patch.includes('3/3'), bend);
  expect(reasons(await world.pass({ builder }))).toContain('BuildCheckFailed');
  expect(world.files()).toEqual(before);
  await world.pass();
  expect(world.subject()).toContain('recreate, created');
});
