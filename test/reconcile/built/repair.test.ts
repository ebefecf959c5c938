/** `tranche repair` over a kustomize folder: our files as the last commit of tranche left them, and people's own as they are. */

import { expect, test } from 'vitest';
import { APPLY, BUILT_FILES, type BuiltWorld, halfDelivered, OVERLAY, PATCH } from '../../support/built-world.ts';

const ENTRY = 'transformers:\n  - tranche/apply.yaml\n';
const LABELS =
  'apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\nlabels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]\n';
const LABELLED = { files: { ...BUILT_FILES, 'apps/vllm/prod/labels.yaml': LABELS } };

type Lose = (world: BuiltWorld) => readonly { readonly path: string; readonly text: string | undefined }[];
const overlay = (world: BuiltWorld, to: string): string => (world.files()[OVERLAY] ?? '').replace(ENTRY, to);
const patch = (world: BuiltWorld, from: string, to: string): string => (world.files()[PATCH] ?? '').replace(from, to);

test('a field of somebody over which a rollback went: the patch as tranche would have left it', async () => {
  const world = await halfDelivered(LABELLED);
  const foreign = 'spec:\n  startupPolicy: LeaderReady\n';
  world.edit(PATCH, 'spec:\n', foreign);
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  for (let step = 0; step < 6; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
  const back = world.files()[PATCH] ?? '';
  expect(back).toContain(foreign);
  expect(await world.order({ kind: 'repair' })).toContain('as tranche wrote');
  expect(world.files()[PATCH]).toBe(back.replace(foreign, 'spec:\n'));
  expect(await world.step()).not.toContain('startupPolicy');
});

const LOST: readonly (readonly [what: string, lose: Lose, after?: string])[] = [
  ['the entry', (world) => [{ path: OVERLAY, text: overlay(world, '') }]],
  [
    'the entry is not the last',
    (world) => [{ path: OVERLAY, text: overlay(world, `${ENTRY}  - labels.yaml\n`) }],
    'transformers:\n  - labels.yaml\n  - tranche/apply.yaml\n',
  ],
  ['apply.yaml', () => [{ path: APPLY, text: undefined }]],
  ['the patch', () => [{ path: PATCH, text: undefined }]],
  ['the patch is no YAML', () => [{ path: PATCH, text: 'a: [\n' }]],
  [
    'a field of somebody',
    (world) => [{ path: PATCH, text: patch(world, 'spec:\n', 'spec:\n  startupPolicy: LeaderReady\n') }],
  ],
  [
    'a part of a template',
    (world) => [{ path: PATCH, text: patch(world, 'spec:\n', 'spec:\n  leaderWorkerTemplate: {size: 3}\n') }],
  ],
  [
    'all of it',
    (world) => [
      { path: OVERLAY, text: overlay(world, '') },
      { path: APPLY, text: undefined },
      { path: PATCH, text: undefined },
    ],
  ],
];

test.each(LOST.map(([what, lose, after = ENTRY]) => ({ what, lose, after })))(
  '$what: written again, by one order',
  async ({ lose, after }) => {
    const world = await halfDelivered(LABELLED);
    const whole = world.files();
    world.repository.commit('main', { writes: lose(world), message: 'clean up' });
    expect(await world.order({ kind: 'repair' })).toContain('as tranche wrote');
    expect(world.files()).toEqual({ ...whole, [OVERLAY]: (whole[OVERLAY] ?? '').replace(ENTRY, after) });
    expect(await world.order({ kind: 'repair' })).toContain('there is nothing to repair');
  },
);

test('a second document in the patch: its line is named, repair takes it out, and an abort goes to its end', async () => {
  const world = await halfDelivered();
  const text = world.files()[PATCH] ?? '';
  const settled = text
    .replace(/ +tranche\.dev\/(step|restore|stable): .*\n/g, '')
    .replace(/partition: .*/, 'partition: 0');
  const writes = [{ path: PATCH, text: `${text}---\n${settled}` }];
  world.repository.commit('main', { writes, message: 'a second document' });
  const { outcomes } = await world.pass();
  const line = text.split('\n').length + 5;
  const issues = outcomes[0]?.plan?.issues.filter(({ reason }) => reason === 'PatchEdited') ?? [];
  expect(issues.map((one) => `${one.file}:${one.line} ${one.message}`)).toEqual([
    `${PATCH}:${line} LeaderWorkerSet prod-vllm is a second document of this patch: kustomize applies both`,
  ]);
  await world.order({ kind: 'abort', keepNewer: false });
  await world.order({ kind: 'repair' });
  expect(world.files()[PATCH]).toBe(text);
  for (let step = 0; step < 6; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe('0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+');
});
