/** The entry of `transformers`, or what it leads to, is lost in mid-delivery: steps wait, and an abort puts it back with the pin. */

import { expect, test } from 'vitest';
import { issueLine } from '../../../src/api/issue-line.ts';
import {
  APPLY,
  adopted,
  BUILT_FILES,
  type BuiltWorld,
  halfDelivered,
  OVERLAY,
  PATCH,
} from '../../support/built-world.ts';

const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';
const ENTRY = 'transformers:\n  - tranche/apply.yaml\n';

const APPLIES = `apiVersion: builtin
kind: LabelTransformer
metadata: {name: l}
labels: {a: b}
fieldSpecs: [{path: metadata/labels, create: true}]
`;

type Lose = (world: BuiltWorld) => void;
const LOST: readonly (readonly [what: string, lose: Lose])[] = [
  ['the entry', (world) => world.edit(OVERLAY, ENTRY, '')],
  ['the entry and apply.yaml', (world) => remove(world, [APPLY], [{ path: OVERLAY, text: without(world) }])],
  ['apply.yaml', (world) => remove(world, [APPLY], [])],
  ['the document in apply.yaml', (world) => remove(world, [], [{ path: APPLY, text: APPLIES }])],
];

function without(world: BuiltWorld): string {
  return (world.files()[OVERLAY] ?? '').replace(ENTRY, '');
}

function remove(world: BuiltWorld, gone: readonly string[], writes: readonly { path: string; text: string }[]): void {
  world.repository.commit('main', {
    writes: [...gone.map((path) => ({ path, text: undefined })), ...writes],
    message: 'clean up',
  });
}

test.each(LOST)('%s is lost: no step, and an abort puts it back', async (_, lose) => {
  const world = await halfDelivered();
  const whole = world.files();
  lose(world);
  await world.apply();
  const commits = world.repository.log('main').length;
  expect(await world.step()).toContain('tranche/');
  await world.step();
  expect(world.repository.log('main').length).toBe(commits);
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  for (let step = 0; step < 8; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe(OLD);
  expect(world.files()[OVERLAY]).toBe(whole[OVERLAY]);
  expect(world.files()[PATCH]).toContain('partition: 1000000');
  const after = world.repository.log('main').length;
  expect(await world.step()).toContain('ReleaseAborted');
  expect(world.repository.log('main').length).toBe(after);
});

test.each([
  ['deleted', (world: BuiltWorld) => remove(world, [PATCH], []), 'is missing, and'],
  [
    'no YAML',
    (world: BuiltWorld) => remove(world, [], [{ path: PATCH, text: 'a: [\n' }]),
    'is where its patch belongs',
  ],
  [
    'another object',
    (world: BuiltWorld) =>
      remove(world, [], [{ path: PATCH, text: 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n' }]),
    'is where its patch belongs',
  ],
] as const)('the patch is %s: nothing moves, and the issue names the file to put back', async (_, lose, said) => {
  const world = await halfDelivered();
  lose(world);
  const commits = world.repository.log('main').length;
  const { outcomes } = await world.pass();
  const told = outcomes
    .flatMap(({ snapshot }) => snapshot?.issues ?? [])
    .map(issueLine)
    .join('\n');
  for (const text of [said, `git log --oneline -- ${PATCH}`, 'there is no rollback']) expect(told).toContain(text);
  expect(world.repository.log('main').length).toBe(commits);
});

test('a folder that is not taken over and lists what is gone: no file of another folder is named', async () => {
  const world = await adopted();
  const overlay = BUILT_FILES[OVERLAY] ?? '';
  const rollout = (BUILT_FILES['rollouts/vllm.yaml'] ?? '').replace('name: vllm', 'name: stage');
  const writes = [
    { path: 'apps/vllm/stage/kustomization.yaml', text: overlay.replace('prod-', 'stage-').replace('images', 'gone') },
    { path: 'rollouts/stage.yaml', text: rollout.replace('prod-vllm', 'stage-vllm') },
  ];
  world.repository.commit('main', { writes, message: 'stage' });
  const { outcomes } = await world.pass();
  const told = outcomes.flatMap(({ key, snapshot }) =>
    (snapshot?.issues ?? []).map((issue) => `${key.name} ${issueLine(issue)}`),
  );
  const own = 'stage apps/vllm/stage/kustomization.yaml:9: ';
  expect(told).toEqual([expect.stringContaining(own), expect.stringContaining('stage rollouts/stage.yaml')]);
  expect(told.join('\n')).not.toContain('apps/vllm/prod');
});
