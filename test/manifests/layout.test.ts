/** Which repositories are recognised as changing a manifest on its way to the cluster. */

import { describe, expect, test } from 'vitest';
import { layoutIssues } from '../../src/manifests/layout.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';

const LWS = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: vllm
  namespace: llm
spec:
  leaderWorkerTemplate:
    workerTemplate:
      spec:
        containers:
          - image: registry:5000/vllm/vllm-openai:v0.8.5
`;
const PATCH =
  'apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata:\n  name: vllm\nspec:\n  replicas: 9\n';

function check(files: Readonly<Record<string, string>>, workload = LWS, file = 'apps/vllm/lws.yaml') {
  const texts = Object.entries({ ...files, [file]: workload });
  const parsed = texts.map(([name, text]) => parseManifestFile(name, text, ['LeaderWorkerSet']));
  const document = parsed.find((one) => one.file === file)?.documents[0];
  return layoutIssues({ files: parsed, isThere: (path) => texts.some(([name]) => name === path) })(document!);
}

describe('kustomize', () => {
  const listed = 'resources:\n  - lws.yaml\n';
  test.each<[string, string, string, number]>([
    [
      'patch by target',
      'patches:\n  - target: {kind: LeaderWorkerSet, name: vllm}\n    patch: "[]"\n',
      'patches[0]',
      4,
    ],
    ['patch by kind alone', 'patches:\n  - target: {kind: LeaderWorkerSet}\n    patch: "[]"\n', 'patches[0]', 4],
    ['patch by pattern', 'patches:\n  - target: {name: "vll.*"}\n    patch: "[]"\n', 'patches[0]', 4],
    ['patch by label', 'patches:\n  - target: {labelSelector: a=b}\n    patch: "[]"\n', 'patches[0]', 4],
    ['inline patch', `patches:\n  - patch: |\n${PATCH.replaceAll(/^/gm, '      ')}\n`, 'patches[0]', 4],
    ['patch in a file', 'patches:\n  - path: patch.yaml\n', 'patches[0]', 4],
    ['strategic merge file', 'patchesStrategicMerge:\n  - ./patch.yaml\n', 'patchesStrategicMerge[0]', 4],
    [
      'json patch',
      'patchesJson6902:\n  - target: {kind: LeaderWorkerSet, name: vllm}\n    path: x\n',
      'patchesJson6902[0]',
      4,
    ],
    ['image', 'images:\n  - name: other\n  - name: registry:5000/vllm/vllm-openai\n    newTag: v1\n', 'images[1]', 5],
    ['replicas', 'replicas:\n  - {name: vllm, count: 3}\n', 'replicas[0]', 4],
    ['prefix', 'namePrefix: prod-\n', 'namePrefix', 3],
    ['suffix', 'nameSuffix: -v2\n', 'nameSuffix', 3],
    ['namespace', 'namespace: other\n', 'namespace', 3],
    ['labels in templates', 'labels:\n  - pairs: {a: b}\n    includeTemplates: true\n', 'labels[0]', 4],
    ['common labels', 'commonLabels: {a: b}\n', 'commonLabels', 3],
    ['transformers', 'transformers: [t.yaml]\n', 'transformers', 3],
    ['replacements', 'replacements:\n  - path: r.yaml\n', 'replacements', 3],
  ])('%s', (_, body, path, line) => {
    const issues = check({ 'apps/vllm/kustomization.yaml': listed + body, 'apps/vllm/patch.yaml': PATCH });
    expect(issues).toMatchObject([{ file: 'apps/vllm/kustomization.yaml', line, path, reason: 'UnsupportedLayout' }]);
    expect(issues[0]?.message).toContain('LeaderWorkerSet vllm (apps/vllm/lws.yaml)');
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['lists the file alone', { 'apps/vllm/kustomization.yaml': listed }],
    ['does not list the file', { 'apps/vllm/kustomization.yaml': 'resources: [service.yaml]\nnamePrefix: a-\n' }],
    [
      'patches another kind',
      { 'apps/vllm/kustomization.yaml': `${listed}patches:\n  - target: {kind: Service}\n    patch: "[]"\n` },
    ],
    [
      'patches another name',
      {
        'apps/vllm/kustomization.yaml': `${listed}patches:\n  - target: {kind: LeaderWorkerSet, name: other}\n    patch: "[]"\n`,
      },
    ],
    [
      'patches another object by file',
      {
        'apps/vllm/kustomization.yaml': `${listed}patches:\n  - path: p.yaml\n`,
        'apps/vllm/p.yaml': 'kind: Service\n',
      },
    ],
    [
      'another image',
      { 'apps/vllm/kustomization.yaml': `${listed}images:\n  - {name: vllm/vllm-openai, newTag: v1}\n` },
    ],
    ['the same namespace', { 'apps/vllm/kustomization.yaml': `${listed}namespace: llm\n` }],
    ['labels of objects only', { 'apps/vllm/kustomization.yaml': `${listed}labels:\n  - pairs: {a: b}\n` }],
    [
      'of Flux, which is another Kustomization',
      {
        'flux.yaml':
          'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: ./apps}\n',
      },
    ],
  ])('none where it %s', (_, files) => {
    expect(check(files)).toEqual([]);
  });

  test('an overlay that reaches the file through a base', () => {
    const base = { 'apps/vllm/kustomization.yaml': listed, 'apps/kustomization.yaml': 'resources: [vllm]\n' };
    const overlay = 'resources:\n  - ../../apps\nreplicas:\n  - {name: vllm, count: 3}\n';
    expect(check({ ...base, 'overlays/prod/kustomization.yaml': overlay })).toMatchObject([
      { file: 'overlays/prod/kustomization.yaml', line: 4 },
    ]);
  });

  test('a component of a kustomization that lists the file', () => {
    const files = {
      'apps/vllm/kustomization.yml': `${listed}components: [../../gpu]\n`,
      'gpu/kustomization.yaml': 'kind: Component\npatches:\n  - target: {kind: LeaderWorkerSet}\n    patch: "[]"\n',
    };
    expect(check(files)).toMatchObject([{ file: 'gpu/kustomization.yaml', line: 3 }]);
  });

  test('kustomizations that list each other end', () => {
    const files = { 'a/kustomization.yaml': 'resources: [../b]\n', 'b/kustomization.yaml': 'resources: [../a]\n' };
    expect(check(files)).toEqual([]);
  });
});

describe('Helm', () => {
  test('a file below the templates of a chart', () => {
    expect(
      check({ 'charts/vllm/Chart.yaml': 'name: vllm\n' }, LWS, 'charts/vllm/templates/gpu/lws.yaml'),
    ).toMatchObject([{ file: 'charts/vllm/templates/gpu/lws.yaml', reason: 'UnsupportedLayout', line: 1 }]);
    expect(check({ 'Chart.yaml': 'name: vllm\n' }, LWS, 'templates/lws.yaml')).toHaveLength(1);
  });

  test('a placeholder', () => {
    expect(check({}, LWS.replace('spec:', 'spec:\n  replicas: {{ .Values.n }}'))).toMatchObject([{ line: 7 }]);
  });

  test('not a folder that is only called templates, nor quoted braces', () => {
    expect(check({}, LWS, 'templates/lws.yaml')).toEqual([]);
    expect(check({ 'x/Chart.yaml': '' }, LWS, 'x/lws.yaml')).toEqual([]);
    expect(check({}, LWS.replace('spec:', 'spec:\n  note: "{{ x }}"'))).toEqual([]);
  });
});
