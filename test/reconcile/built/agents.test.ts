/** What agents add behind a kustomize folder, field by field: never passed over, each with its file, its line and the way out. */

import { expect, test } from 'vitest';
import { issueLine } from '../../../src/reconcile/status/report.ts';
import { APPLY, BUILT_FILES, BuiltWorld, OVERLAY, ROOT } from '../../support/built-world.ts';

const FLUX = (path: string, fields: string): string => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: vllm, namespace: flux-system}
spec:
  path: ${path}
${fields}`;
const ARGO = (fields: string): string => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: vllm, namespace: argocd}
spec:
  source:
    path: ${ROOT}
    kustomize:
${fields}`;
const SET = (fields: string): string => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: vllm, namespace: argocd}
spec:
  template:
    spec:
      source:
        path: apps/vllm/{{path.basename}}
        kustomize:
${fields}`;
const PATCH_OF_KIND = '{target: {kind: LeaderWorkerSet}, patch: "- {op: remove, path: /spec/startupPolicy}"}';
const MERGE =
  '        apiVersion: leaderworkerset.x-k8s.io/v1\n        kind: LeaderWorkerSet\n        metadata: {name: vllm}\n        spec: {replicas: 1}\n';
const FILE = 'clusters/prod.yaml';

test.each<readonly [what: string, file: string, text: string, line: number, said: string]>([
  ['Flux: patches', FILE, FLUX(ROOT, `  patches: [${PATCH_OF_KIND}]\n`), 6, 'patches it'],
  ['Flux: images', FILE, FLUX(ROOT, '  images: [{name: vllm/vllm-openai, newTag: v1}]\n'), 6, 'changes its image'],
  ['Flux: namePrefix', FILE, FLUX(ROOT, '  namePrefix: a-\n'), 6, 'changes its name by namePrefix'],
  ['Flux: targetNamespace', FILE, FLUX(ROOT, '  targetNamespace: other\n'), 6, 'moves it to the namespace other'],
  ['Flux: components', FILE, FLUX(ROOT, '  components: [../../x]\n'), 6, 'may change it by components'],
  [
    'Flux: a patch of the name before the prefix',
    FILE,
    FLUX(
      ROOT,
      '  patches: [{target: {kind: LeaderWorkerSet, name: vllm}, patch: "- {op: remove, path: /spec/startupPolicy}"}]\n',
    ),
    6,
    'patches it',
  ],
  [
    'Flux: a merge patch of the name before the prefix',
    FILE,
    FLUX(ROOT, `  patches:\n    - patch: |\n${MERGE}`),
    7,
    'patches it',
  ],
  [
    'Flux: a setting among annotations',
    FILE,
    FLUX(ROOT, '  commonMetadata:\n    annotations:\n      leaderworkerset.sigs.k8s.io/exclusive-topology: rack\n'),
    8,
    'sets its annotation leaderworkerset.sigs.k8s.io/exclusive-topology',
  ],
  [
    'Flux: a folder above that has no kustomization',
    FILE,
    FLUX('./apps', `  patches: [${PATCH_OF_KIND}]\n`),
    6,
    'patches it',
  ],
  ['Argo CD: patches', FILE, ARGO(`      patches: [${PATCH_OF_KIND}]\n`), 8, 'patches it'],
  ['Argo CD: another kustomize', FILE, ARGO('      version: v4.5.7\n'), 8, 'builds it with kustomize v4.5.7'],
  ['an ApplicationSet over folders', FILE, SET(`          patches: [${PATCH_OF_KIND}]\n`), 10, 'patches it'],
])('%s: refused', async (_, file, text, line, said) => {
  const world = new BuiltWorld({ files: { ...BUILT_FILES, [file]: text } });
  await world.apply();
  world.tick(120);
  const { outcomes } = await world.pass();
  const told = outcomes
    .flatMap(({ plan }) => plan?.issues ?? [])
    .filter(({ reason }) => reason === 'UnsupportedLayout');
  expect(told.map(issueLine).join('\n')).toContain(`${file}:${line}: LeaderWorkerSet prod-vllm: `);
  expect(told.map(({ message }) => message).join('\n')).toContain(said);
  expect(told.every(({ hint }) => hint !== '')).toBe(true);
  expect(world.files()[APPLY]).toBeUndefined();
});

const PATCH_OF_REPLICAS =
  '{target: {kind: LeaderWorkerSet, name: vllm}, patch: "- {op: replace, path: /spec/replicas, value: 3}"}';

/** What an agent adds, and the same in the kustomization as the hint says. */
const MOVED: readonly (readonly [what: string, fields: string, own: string])[] = [
  [
    'images',
    '  images: [{name: vllm/vllm-openai, newTag: v0.10.9}]\n',
    'images: [{name: vllm/vllm-openai, newTag: v0.10.9}]\n',
  ],
  ['patches', `  patches: [${PATCH_OF_REPLICAS}]\n`, `patches: [${PATCH_OF_REPLICAS}]\n`],
  ['targetNamespace', '  targetNamespace: serving\n', 'namespace: serving\n'],
  ['namePrefix', '  namePrefix: blue-\n', 'namePrefix: blue-\n'],
];

test.each(MOVED)(
  'Flux: %s: written into the kustomization as the hint says, it is delivered',
  async (_, fields, own) => {
    const world = new BuiltWorld({ files: { ...BUILT_FILES, [FILE]: FLUX(ROOT, fields) } });
    await world.apply();
    const { outcomes } = await world.pass();
    const hints = outcomes.flatMap(({ plan }) => plan?.issues ?? []).map(({ hint }) => hint);
    const key = own.slice(0, own.indexOf(':'));
    expect(hints.join('\n')).toContain(`Write it into ${OVERLAY} (${key}`);
    const others = (BUILT_FILES[OVERLAY] ?? '').split('\n').filter((line) => !line.startsWith(`${key}:`));
    const [prefix, namespace] = [key === 'namePrefix' ? 'blue-' : 'prod-', key === 'namespace' ? 'serving' : 'llm'];
    const rollout = (BUILT_FILES['rollouts/vllm.yaml'] ?? '')
      .replace('prod-vllm', `${prefix}vllm`)
      .replace('namespace: llm', `namespace: ${namespace}`);
    const writes = [
      { path: FILE, text: FLUX(ROOT, '') },
      { path: OVERLAY, text: `${others.join('\n').trimEnd()}\n${own}` },
      { path: 'rollouts/vllm.yaml', text: rollout },
    ];
    world.repository.commit('main', { writes, message: 'as the hint says' });
    const after = await world.pass();
    expect(after.outcomes.flatMap(({ plan }) => plan?.issues ?? [])).toEqual([]);
  },
);
