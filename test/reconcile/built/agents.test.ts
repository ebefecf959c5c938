/** What agents add behind a kustomize folder, field by field: never passed over, each with its file, its line and the way out. */

import { expect, test } from 'vitest';
import { issueLine } from '../../../src/api/issue-line.ts';
import { APPLY, BUILT_FILES, BuiltWorld, ROOT } from '../../support/built-world.ts';

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
  '        apiVersion: leaderworkerset.x-k8s.io/v1\n        kind: LeaderWorkerSet\n        metadata: {name: vllm}\n        spec: {replicas: "${N}", x: ${N}}\n';
const FILE = 'clusters/prod.yaml';

test.each<readonly [what: string, file: string, text: string, line: number, said: string]>([
  [
    'Flux: a namespace that another one fills in',
    FILE,
    FLUX(ROOT, '  targetNamespace: "${team}"\n'),
    6,
    'moves it to the namespace ${team}',
  ],
  [
    'Flux: a patch with a variable, of the name before the prefix',
    FILE,
    FLUX(ROOT, `  patches:\n    - patch: |\n${MERGE}`),
    7,
    'patches it',
  ],
  [
    'Flux: a component that may not be there',
    FILE,
    FLUX(ROOT, '  ignoreMissingComponents: true\n  components: [../../x]\n'),
    7,
    'may change it by components',
  ],
  [
    'Flux: a tag that is a number',
    FILE,
    FLUX(ROOT, '  images: [{name: vllm/vllm-openai, newTag: 1.5}]\n'),
    6,
    'changes its image',
  ],
  [
    'Flux: two objects that differ',
    FILE,
    `${FLUX(ROOT, '  images: [{name: vllm/vllm-openai, newTag: v1}]\n')}---\n${FLUX(ROOT, '')}`,
    6,
    'changes its image',
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
