/** A Flux Kustomization in a folder of others that names the folder of a workload: what it adds keeps no rollback waiting. */

import { expect, test } from 'vitest';
import { BUILT_FILES, HALF, halfDelivered, OLD_TAG, OVERLAY, PATCH, ROOT } from '../../support/built-world.ts';

const OWN = 'clusters/prod.yaml';
const THEIRS = 'apps/other/flux.yaml';
const NONE = '# nothing yet\n';
const OLD = '0:v0.10.0+ 1:v0.10.0+ 2:v0.10.0+ 3:v0.10.0+';

const flux = (name: string, fields: string): string => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: flux-system}
spec:
  path: ./${ROOT}
${fields}`;

const FIELDS: readonly (readonly [what: string, fields: string])[] = [
  ['an image', '  images: [{name: vllm/vllm-openai, newTag: v6.6.6}]\n'],
  ['a prefix', '  namePrefix: x-\n'],
  ['a namespace', '  targetNamespace: other\n'],
  ['a component that is not there', '  components: [./gone]\n'],
  ['a component that is fetched', '  components: ["https://example.com/x"]\n'],
  [
    'a patch of the template',
    '  patches: [{target: {kind: LeaderWorkerSet}, patch: "- {op: replace, path: /spec/leaderWorkerTemplate/size, value: 9}"}]\n',
  ],
  [
    'a patch that removes it',
    '  patches: [{target: {kind: LeaderWorkerSet}, patch: "{$patch: delete, apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: vllm}}"}]\n',
  ],
  ['a patch that cannot be read', '  patches: [{patch: "["}]\n'],
  ['what is no YAML', '  images: [\n'],
  ['what is not merged', '  postBuild: {substitute: {A: b}}\n'],
];

const OWN_FIELDS: readonly (readonly [whose: string, own: string])[] = [
  ['next to the own one', flux('vllm', '')],
  ['next to the own one with fields', flux('vllm', '  namePrefix: prod-\n')],
];

const CASES = [
  ...FIELDS.map(([what, fields]) => [what, 'of which no own one is in Git', fields, ''] as const),
  ...OWN_FIELDS.flatMap(([whose, own]) =>
    FIELDS.slice(0, 2).map(([what, fields]) => [what, whose, fields, own] as const),
  ),
];

test.each(CASES)('%s, %s: the rollback is written at once', async (_what, _whose, fields, own) => {
  const overlay = own.includes('namePrefix')
    ? BUILT_FILES[OVERLAY]!.replace('namePrefix: prod-\n', '')
    : BUILT_FILES[OVERLAY]!;
  const files = { ...BUILT_FILES, [OVERLAY]: overlay, ...(own === '' ? {} : { [OWN]: own }), [THEIRS]: NONE };
  const world = await halfDelivered({ files });
  expect(world.groups('prod-vllm')).toBe(HALF);
  const before = world.files();
  world.edit(THEIRS, NONE, flux('theirs', fields));
  await world.order({ kind: 'abort', keepNewer: false, from: undefined });
  expect(await world.step()).toContain('rollback');
  const after = world.files();
  expect(after[PATCH]).toContain(`vllm/vllm-openai:${OLD_TAG}`);
  const differs = Object.keys(after).filter((file) => after[file] !== before[file]);
  expect(differs).toEqual([THEIRS, PATCH, 'rollouts/vllm.yaml'].sort());
  world.edit(THEIRS, flux('theirs', fields), NONE);
  await world.apply();
  for (let step = 0; step < 8; step += 1) await world.step();
  expect(world.groups('prod-vllm')).toBe(OLD);
});
