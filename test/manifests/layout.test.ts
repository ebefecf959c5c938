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
  const isThere = (path: string): boolean => texts.some(([name]) => name === path);
  return layoutIssues({ files: parsed, texts: new Map(texts), isThere })(document!);
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
    [
      'labels in fields of it',
      'labels:\n  - pairs: {a: b}\n    fields: [{kind: LeaderWorkerSet, path: spec/x}]\n',
      'labels[0]',
      4,
    ],
    ['labels in fields of all', 'labels:\n  - pairs: {a: b}\n    fields: [{path: spec/x}]\n', 'labels[0]', 4],
    ['a setting that names its kind', 'configurations: [names.yaml]\n', 'configurations[0]', 3],
    ['a setting out of sight', 'crds: [../../../crds.json]\n', 'crds[0]', 3],
    [
      'an annotation that is a setting',
      'commonAnnotations:\n  leaderworkerset.sigs.k8s.io/exclusive-topology: rack\n',
      'commonAnnotations["leaderworkerset.sigs.k8s.io/exclusive-topology"]',
      4,
    ],
    ['transformers', 'transformers: [t.yaml]\n', 'transformers', 3],
    ['replacements', 'replacements:\n  - path: r.yaml\n', 'replacements', 3],
  ])('%s', (_, body, path, line) => {
    const issues = check({
      'apps/vllm/kustomization.yaml': listed + body,
      'apps/vllm/patch.yaml': PATCH,
      'apps/vllm/names.yaml': 'nameReference:\n  - kind: ConfigMap\n    fieldSpecs: [{kind: LeaderWorkerSet}]\n',
    });
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
    // Built by kustomize 5.5: the labels reach metadata alone.
    [
      'labels that reach no template of a LeaderWorkerSet',
      {
        'apps/vllm/kustomization.yaml': `${listed}commonLabels: {a: b}\nlabels:\n  - pairs: {a: b}\n    includeTemplates: true\n    includeSelectors: true\n`,
      },
    ],
    [
      'labels in fields of another kind',
      {
        'apps/vllm/kustomization.yaml': `${listed}labels:\n  - pairs: {a: b}\n    fields: [{kind: Deployment, path: spec/x}]\n`,
      },
    ],
    [
      'a setting that names other kinds',
      {
        'apps/vllm/kustomization.yaml': `${listed}configurations: [names.yaml]\n`,
        'apps/vllm/names.yaml': 'nameReference: [{kind: Secret, fieldSpecs: [{kind: Deployment}]}]\n',
      },
    ],
    ['annotations of others', { 'apps/vllm/kustomization.yaml': `${listed}commonAnnotations: {team: a}\n` }],
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

describe('labels of a Service', () => {
  const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: {name: vllm}\nspec:\n  selector: {app: vllm}\n';
  test.each([
    ['commonLabels', 'commonLabels: {a: b}\n', 'commonLabels'],
    ['labels', 'labels: [{pairs: {a: b}, includeSelectors: true}]\n', 'labels[0]'],
  ])('%s reach its selector', (_, body, path) => {
    const text = `resources: [service.yaml]\n${body}`;
    const files = [
      parseManifestFile('a/service.yaml', SERVICE, ['Service']),
      parseManifestFile('a/kustomization.yaml', text, []),
    ];
    const issues = layoutIssues({ files, texts: new Map(), isThere: () => true })(files[0]!.documents[0]!);
    expect(issues).toMatchObject([{ path, line: 2, reason: 'UnsupportedLayout' }]);
  });
});

describe('agents', () => {
  const flux = (spec: string, at = './apps/vllm'): string =>
    `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: llm}\nspec:\n  path: ${at}\n${spec}`;
  const argo = (kustomize: string, at = 'apps/vllm', kind = 'Application'): string => {
    const spec = `source:\n  path: ${at}\n  kustomize:\n${kustomize.replaceAll(/^/gm, '    ')}`;
    const nested = kind === 'Application' ? spec : `template:\n  spec:\n${spec.replaceAll(/^/gm, '    ')}`;
    return `apiVersion: argoproj.io/v1alpha1\nkind: ${kind}\nmetadata: {name: llm}\nspec:\n${nested.replaceAll(/^/gm, '  ')}\n`;
  };
  const list = { 'apps/vllm/kustomization.yaml': 'resources: [lws.yaml]\n' };
  const SHELL = LWS.replace('spec:\n', 'spec:\n  note: "${LWS_WORKER_INDEX:-0}"\n');

  test.each<[string, Readonly<Record<string, string>>, string, string]>([
    [
      'Flux, patches',
      { 'f.yaml': flux('  patches:\n    - target: {kind: LeaderWorkerSet}\n      patch: "[]"\n') },
      'spec.patches[0]',
      'the Flux Kustomization llm patches it',
    ],
    [
      'Flux, images',
      { 'f.yaml': flux('  images: [{name: registry:5000/vllm/vllm-openai, newTag: v2}]\n', './') },
      'spec.images[0]',
      'the Flux Kustomization llm changes its image registry:5000/vllm/vllm-openai',
    ],
    [
      'Flux, prefix, over a base',
      {
        ...list,
        'prod/kustomization.yaml': 'resources: [../apps/vllm]\n',
        'f.yaml': flux('  namePrefix: x-\n', 'prod'),
      },
      'spec.namePrefix',
      'the Flux Kustomization llm changes its name by namePrefix',
    ],
    [
      'Flux, namespace',
      { 'f.yaml': flux('  targetNamespace: other\n') },
      'spec.targetNamespace',
      'to the namespace other',
    ],
    [
      'Flux, component',
      {
        'f.yaml': flux('  components: [../gpu]\n'),
        'apps/gpu/kustomization.yaml': 'kind: Component\npatches: [{target: {kind: LeaderWorkerSet}, patch: "[]"}]\n',
      },
      'patches[0]',
      'the kustomization patches it',
    ],
    [
      'Argo CD, images',
      { ...list, 'a.yaml': argo('images: ["registry:5000/vllm/vllm-openai:v2"]') },
      'spec.source.kustomize.images[0]',
      'the Argo CD Application llm changes its image registry:5000/vllm/vllm-openai',
    ],
    [
      'Argo CD, another name for an image',
      { ...list, 'a.yaml': argo('images: ["registry:5000/vllm/vllm-openai=mirror/vllm:v2"]') },
      'spec.source.kustomize.images[0]',
      'changes its image registry:5000/vllm/vllm-openai',
    ],
    [
      'Argo CD, a generator over folders',
      { ...list, 'a.yaml': argo('nameSuffix: -b', "'apps/{{path.basename}}'", 'ApplicationSet') },
      'spec.template.spec.source.kustomize.nameSuffix',
      'the Argo CD ApplicationSet llm changes its name by nameSuffix',
    ],
    [
      'Argo CD, what Image Updater writes',
      {
        ...list,
        'apps/vllm/.argocd-source-llm.yaml': 'kustomize:\n  images:\n  - registry:5000/vllm/vllm-openai:v2\n',
      },
      'kustomize.images[0]',
      'the source that Argo CD merges changes its image registry:5000/vllm/vllm-openai',
    ],
  ])('%s', (_, files, path, message) => {
    const issues = check(files);
    expect(issues).toMatchObject([{ path, reason: 'UnsupportedLayout' }]);
    expect(issues[0]?.message).toContain(message);
  });

  test('Flux fills in variables of shell, unless the object says no', () => {
    const files = { 'f.yaml': flux('  postBuild: {substitute: {a: b}}\n') };
    expect(check(files, SHELL)).toMatchObject([{ path: 'spec.postBuild', line: 6 }]);
    const off = SHELL.replace(
      '  namespace: llm',
      '  namespace: llm\n  labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}',
    );
    expect(check(files, off)).toEqual([]);
    expect(check(files)).toEqual([]);
    expect(check({ 'f.yaml': flux('  postBuild: {substitute: {}}\n') }, SHELL)).toEqual([]);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['another folder', { 'f.yaml': flux('  namePrefix: x-\n', './apps/vllm-2') }],
    ['another image', { 'f.yaml': flux('  images: [{name: other, newTag: v2}]\n') }],
    ['another object', { 'f.yaml': flux('  patches: [{target: {kind: Service}, patch: "[]"}]\n') }],
    ['the same namespace', { 'f.yaml': flux('  targetNamespace: llm\n  commonMetadata: {labels: {a: b}}\n') }],
    ['Argo CD without a kustomization, which it refuses itself', { 'a.yaml': argo('namePrefix: x-') }],
    ['an Application of another folder', { ...list, 'a.yaml': argo('namePrefix: x-', 'apps/other') }],
    ['a source of other settings', { ...list, 'apps/vllm/.argocd-source.yaml': 'helm: {parameters: []}\n' }],
    ['what is no YAML', { ...list, 'f.yaml': `${flux('')}  : [`, 'apps/vllm/.argocd-source.yaml': '{' }],
  ])('none for %s', (_, files) => {
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
