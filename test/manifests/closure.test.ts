/** Which files a kustomize folder is built from, and what is refused before anything could run. */

import { describe, expect, test } from 'vitest';
import { type Closure, type ClosureFile, closureOf, type Looked } from '../../src/manifests/closure.ts';

type Tree = Readonly<Record<string, string>>;

/** Looks for what is asked, as a reader of Git does. */
function closure(tree: Tree, root: string, unreadable: readonly string[] = []): Closure {
  const paths = new Set<string>();
  const files = new Map<string, ClosureFile>();
  const looked: Looked = { paths, files };
  for (let round = 0; round < 50; round += 1) {
    const found = closureOf(root, looked);
    if (found.kind !== 'open') return found;
    // Every round asks for something that nobody has looked for, or it would go on for ever.
    expect(found.paths.filter((path) => paths.has(path))).toEqual([]);
    for (const path of found.paths) {
      paths.add(path);
      const text = tree[path];
      if (unreadable.includes(path)) files.set(path, { kind: 'unreadable', path, why: 'not UTF-8' });
      else if (text !== undefined) files.set(path, { kind: 'text', path, oid: path, text });
    }
  }
  throw new Error('the closure never closes');
}

function taken(tree: Tree, root: string): readonly string[] {
  const found = closure(tree, root);
  if (found.kind !== 'whole') throw new Error(JSON.stringify(found));
  return found.files.map(({ path }) => path);
}

function said(tree: Tree, root = 'app', unreadable: readonly string[] = []): readonly string[] {
  const found = closure(tree, root, unreadable);
  return found.kind === 'refused' ? found.issues.map(({ file, line, message }) => `${file}:${line} ${message}`) : [];
}

/** In the shape of llm-d's wide-ep-lws guides (github.com/llm-d/llm-d, guides/ at 5e9abc3): overlay, component, shared base. */
const LLM_D: Tree = {
  'guides/wide-ep/prod/kustomization.yaml': `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namePrefix: prod-
resources: [../base, ./extra.yaml]
components: [../components/3p2d, ../../../recipes/images/gpu-vllm]
patches:
  - path: args.yaml
    target: {kind: LeaderWorkerSet, name: ".*-decode"}
  - patch: |-
      - op: replace
        path: /spec/replicas
        value: 2
    target: {kind: LeaderWorkerSet}
`,
  'guides/wide-ep/prod/extra.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
  'guides/wide-ep/prod/args.yaml': '- {op: add, path: /metadata/labels, value: {a: b}}\n',
  'guides/wide-ep/prod/unused.yaml': 'a: b\n',
  'guides/wide-ep/base/kustomization.yml': `resources: [decode.yaml]
configurations: [namereference.yaml]
openapi: {path: schema.json}
crds: [crd.json]
configMapGenerator:
  - name: env
    files: [settings.toml, run=scripts/run.sh]
    envs: [a.env]
    env: b.env
    literals: ["url=https://example.com"]
secretGenerator:
  - {name: token, type: Opaque, files: [token.txt]}
replacements:
  - path: replacement.yaml
  - {source: {kind: ConfigMap, name: env}, targets: []}
`,
  'guides/wide-ep/base/decode.yaml': 'kind: LeaderWorkerSet\n',
  'guides/wide-ep/base/namereference.yaml': 'nameReference: []\n',
  'guides/wide-ep/base/schema.json': '{}',
  'guides/wide-ep/base/crd.json': '{}',
  'guides/wide-ep/base/settings.toml': '',
  'guides/wide-ep/base/scripts/run.sh': '#!/bin/sh\n',
  'guides/wide-ep/base/a.env': 'A=1\n',
  'guides/wide-ep/base/b.env': 'B=1\n',
  'guides/wide-ep/base/token.txt': 'x',
  'guides/wide-ep/base/replacement.yaml': 'source: {}\n',
  'guides/wide-ep/components/3p2d/kustomization.yaml':
    'kind: Component\npatchesStrategicMerge:\n  - size.yaml\n  - |-\n    kind: LeaderWorkerSet\n    metadata: {name: x}\n',
  'guides/wide-ep/components/3p2d/size.yaml': 'kind: LeaderWorkerSet\n',
  'recipes/images/gpu-vllm/Kustomization': 'kind: Component\nimages: [{name: REPLACE, newName: "registry:5000/v"}]\n',
};

test('an overlay takes its bases, components, and every file that they name', () => {
  const all = Object.keys(LLM_D).filter((path) => !path.endsWith('unused.yaml'));
  expect(taken(LLM_D, 'guides/wide-ep/prod')).toEqual(all.sort());
});

test('folders come with the root first', () => {
  expect(closure(LLM_D, 'guides/wide-ep/prod')).toMatchObject({
    folders: [
      'guides/wide-ep/prod',
      'guides/wide-ep/base',
      'guides/wide-ep/components/3p2d',
      'recipes/images/gpu-vllm',
    ],
  });
});

test.each<[string, Tree, readonly string[]]>([
  [
    'transformers of kustomize itself, whose paths start at who lists them',
    {
      'app/kustomization.yaml':
        'transformers:\n  - tranche/apply.yaml\n  - |-\n    apiVersion: builtin\n    kind: PatchStrategicMergeTransformer\n    metadata: {name: b}\n    paths: [q.yaml, "{kind: A}"]\n',
      'app/tranche/apply.yaml':
        'apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: tranche/p.yaml\n---\napiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: c}\n',
      'app/tranche/p.yaml': 'kind: LeaderWorkerSet\n',
      'app/q.yaml': 'kind: A\n',
    },
    ['app/kustomization.yaml', 'app/q.yaml', 'app/tranche/apply.yaml', 'app/tranche/p.yaml'],
  ],
  [
    'a kustomization at the root of the repository',
    { 'kustomization.yaml': 'resources: [a.yaml]\n', 'a.yaml': '' },
    ['a.yaml', 'kustomization.yaml'],
  ],
  [
    'a base that is listed twice',
    { 'app/kustomization.yaml': 'resources: [../b, ../b/]\n', 'b/kustomization.yaml': '' },
    ['app/kustomization.yaml', 'b/kustomization.yaml'],
  ],
  [
    'a circle, which kustomize refuses itself',
    { 'app/kustomization.yaml': 'resources: [../b]\n', 'b/kustomization.yaml': 'resources: [../app]\n' },
    ['app/kustomization.yaml', 'b/kustomization.yaml'],
  ],
  [
    'lists that are empty',
    { 'app/kustomization.yaml': 'resources: []\nvars: []\nhelmCharts: []\ngenerators:\nvalidators: []\n' },
    ['app/kustomization.yaml'],
  ],
])('%s', (_, tree, paths) => {
  const root = 'app/kustomization.yaml' in tree ? 'app' : '';
  // A kustomization without any field is no document.
  const files = Object.fromEntries(
    Object.entries(tree).map(([path, text]) => [path, text === '' ? 'kind: Kustomization\n' : text]),
  );
  expect(taken(files, root)).toEqual(paths);
});

describe('an address is refused, wherever kustomize would follow it', () => {
  const addresses = [
    'https://github.com/llm-d/llm-d//guides/base?ref=v0.7',
    'HTTPS://example.com/a.yaml',
    'http:/example.com/a.yaml',
    'http:example.com/a.yaml',
    'git@github.com:llm-d/llm-d.git',
    'me@example.com/a//b',
    'ssh://git@example.com/a.git',
    'file:///etc',
    'git::https://example.com/a',
    'github.com/llm-d/llm-d/guides?ref=main',
    'GitHub.com/llm-d/llm-d',
    'gitlab.com/a/b',
    'base?ref=main',
    'oci://example.com/a',
    'C:\\\\manifests',
  ];
  const fields: readonly ((entry: string) => string)[] = [
    (entry) => `resources:\n  - "${entry}"\n`,
    (entry) => `bases:\n  - "${entry}"\n`,
    (entry) => `components:\n  - "${entry}"\n`,
    (entry) => `crds:\n  - "${entry}"\n`,
    (entry) => `configurations:\n  - "${entry}"\n`,
    (entry) => `patchesStrategicMerge:\n  - "${entry}"\n`,
    (entry) => `patches:\n  - path: "${entry}"\n`,
    (entry) => `patchesJson6902:\n  - path: "${entry}"\n`,
    (entry) => `replacements:\n  - path: "${entry}"\n`,
    (entry) => `transformers:\n  - "${entry}"\n`,
    (entry) => `configMapGenerator:\n  - files: ["a=${entry}"]\n`,
    (entry) => `configMapGenerator:\n  - envs: ["${entry}"]\n`,
    (entry) => `secretGenerator:\n  - env: "${entry}"\n`,
    (entry) => `openapi:\n  path: "${entry}"\n`,
    (entry) =>
      `transformers:\n  - "{apiVersion: builtin, kind: PatchTransformer, metadata: {name: a}, path: '${entry}'}"\n`,
  ];
  test.each(addresses)('%s', (entry) => {
    for (const field of fields) {
      const [first = ''] = said({ 'app/kustomization.yaml': field(entry) });
      expect(first, field(entry)).toMatch(
        /^app\/kustomization\.yaml:\d+ the kustomization lists .*not in this repository$/,
      );
    }
  });
  test.each(['/etc/passwd', '../../x', 'a/../../../x', '..//../..'])('%s leads out', (entry) => {
    for (const field of fields)
      expect(said({ 'app/kustomization.yaml': field(entry) })[0], field(entry)).toMatch(
        /which leads out of the repository$/,
      );
  });
  test('in a base, and in a file of transformers', () => {
    expect(
      said({
        'app/kustomization.yaml': 'resources: [../b]\ntransformers: [t.yaml]\n',
        'b/kustomization.yaml': 'kind: Component\nresources:\n  - https://me:secret@example.com/x\n',
        'app/t.yaml': 'apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: https://example.com/y\n',
      }),
    ).toEqual([
      'b/kustomization.yaml:3 the component lists https://example.com/x, and what that holds is not in this repository',
      'app/kustomization.yaml:2 the kustomization lists https://example.com/y, and what that holds is not in this repository',
    ]);
  });
});

/** Each was built with that file of the machine in it (kustomize 5.8.1): see closure-builds. */
const OUT = '../../../../../../etc/hostname';
const PATCH = 'apiVersion: builtin\n    kind: PatchTransformer\n    metadata: {name: a}\n';
test.each<[string, string, string]>([
  [
    'a patch of one line that is no document to kustomize',
    `patchesStrategicMerge: ["{/${OUT}"]\n`,
    'has a document in itself',
  ],
  ['one of two lines', `patchesStrategicMerge: ["a\\n: b: c/${OUT}"]\n`, 'has a document in itself'],
  ['an absolute path with a line break', 'patchesStrategicMerge: ["/a\\nb"]\n', 'has a document in itself'],
  [
    'a transformer without a name, with a path in its comment',
    `transformers: ["{apiVersion: builtin, kind: LabelTransformer} #/${OUT}"]\n`,
    'has a document in itself',
  ],
  [
    'a patch in a transformer',
    `transformers:\n  - |\n    apiVersion: builtin\n    kind: PatchStrategicMergeTransformer\n    metadata: {name: a}\n    paths: ["{/${OUT}"]\n`,
    'has a document in itself',
  ],
  [
    'a path of a transformer with a merge key behind it',
    `transformers:\n  - |\n    ${PATCH}    path: ${OUT}\n    <<: {path: kustomization.yaml}\n`,
    'has path in a PatchTransformer, which readers of YAML take in two ways',
  ],
  ['a generator behind nothing', 'generators: [null, g.yaml]\n', 'builds objects by generators'],
  [
    'a path of a transformer under a key with a long s',
    `transformers:\n  - |\n    apiVersion: builtin\n    kind: PatchStrategicMergeTransformer\n    metadata: {name: a}\n    path\u017f: [/etc/hostname]\n`,
    'has path\u017f in a PatchStrategicMergeTransformer',
  ],
  [
    'a replacement under such a key',
    `transformers:\n  - |\n    apiVersion: builtin\n    kind: ReplacementTransformer\n    metadata: {name: a}\n    replacement\u017f: [{path: /etc/hostname}]\n`,
    'has replacement\u017f in a ReplacementTransformer',
  ],
])('%s may lead out of the repository, and is refused', (_, text, what) => {
  const [first, ...rest] = said({ 'app/kustomization.yaml': text });
  expect(rest).toEqual([]);
  expect(first).toMatch(/^app\/kustomization\.yaml:[12] the kustomization /);
  expect(first).toContain(what);
});

test('a document in itself may speak of paths', () => {
  const text =
    'patchesStrategicMerge:\n  - |-\n    kind: A\n    metadata: {name: x}\n    spec: {command: ../../bin/run, at: /models}\n';
  expect(taken({ 'app/kustomization.yaml': text }, 'app')).toEqual(['app/kustomization.yaml']);
});

test.each<[string, string, string]>([
  ['a chart', 'helmCharts:\n  - name: nim-llm\n', 'builds objects by helmCharts nim-llm'],
  ['the older field for it', 'helmChartInflationGenerator:\n  - {}\n', 'builds objects by helmChartInflationGenerator'],
  ['a generator', 'generators: [g.yaml]\n', 'builds objects by generators'],
  ['variables', 'vars: [{name: A}]\n', 'has vars, which kustomize is about to drop'],
  ['validators', 'validators: [v.yaml]\n', 'runs validators'],
  ['a field in another case', 'Resources: [a.yaml]\n', 'has the field Resources, which is not known'],
  ['a field in a patch in another case', 'patches: [{Path: p.yaml}]\n', 'has the field Path, which is not known'],
  [
    'a field in a generator in another case',
    'configMapGenerator: [{Files: [p]}]\n',
    'has the field Files, which is not known',
  ],
  ['an unknown field', 'plugins: []\n', 'has the field plugins, which is not known'],
  [
    'a KRM function',
    'transformers:\n  - |\n    apiVersion: example.com/v1\n    kind: Fn\n    metadata:\n      annotations: {config.kubernetes.io/function: "exec: {path: ./x}"}\n',
    'runs Fn of example.com/v1',
  ],
  [
    'a builtin that is a generator',
    'transformers:\n  - "{apiVersion: builtin, kind: HelmChartInflationGenerator}"\n',
    'runs HelmChartInflationGenerator of builtin',
  ],
  [
    'a path of a builtin in another case',
    'transformers:\n  - "{apiVersion: builtin, kind: PatchTransformer, PATH: a}"\n',
    'has PATH in a PatchTransformer',
  ],
  ['an entry that is no text', 'resources: [1]\n', 'has an entry that is no path'],
  ['a control character', 'resources: ["a\\tb"]\n', 'has an entry that is no path'],
  ['a patch that is no map', 'patches: [p.yaml]\n', 'has an entry that is no map'],
  [
    'a file that is not there',
    'resources: [a.yaml]\n',
    'takes app/a.yaml, which is not a file or a folder with a kustomization',
  ],
  [
    'a component that is a file',
    'components: [kustomization.yaml]\n',
    'takes app/kustomization.yaml, which is not a folder with a kustomization',
  ],
  ['a patch that is a folder', 'patches: [{path: .}]\n', 'takes app, which is not a file'],
])('%s is refused', (_, text, what) => {
  expect(said({ 'app/kustomization.yaml': text })).toEqual([expect.stringMatching(/^app\/kustomization\.yaml:\d+ /)]);
  expect(said({ 'app/kustomization.yaml': text })[0]).toContain(` the kustomization ${what}`);
});

test.each<[string, Tree, readonly string[], string]>([
  ['no kustomization', { 'app/a.yaml': 'a: b\n' }, [], ':0 the folder app has no kustomization'],
  [
    'two of them',
    { 'app/kustomization.yaml': 'kind: Kustomization\n', 'app/Kustomization': 'kind: Kustomization\n' },
    [],
    'app/kustomization.yaml:1 the file is not the only kustomization of its folder',
  ],
  [
    'two documents in it',
    { 'app/kustomization.yaml': 'resources: [a]\n---\nresources: [b]\n' },
    [],
    'app/kustomization.yaml:1 the file is not one document',
  ],
  ['no YAML', { 'app/kustomization.yaml': 'resources: [\n' }, [], 'app/kustomization.yaml:'],
  [
    'a file that is no text',
    { 'app/kustomization.yaml': 'resources: [a.yaml]\n', 'app/a.yaml': '' },
    ['app/a.yaml'],
    'app/kustomization.yaml:1 the kustomization takes app/a.yaml, which cannot be read: not UTF-8',
  ],
  [
    'a kustomization that is no text',
    {},
    ['app/kustomization.yaml'],
    'app/kustomization.yaml:1 the file cannot be read: not UTF-8',
  ],
])('%s', (_, tree, unreadable, what) => {
  expect(said(tree, 'app', unreadable)[0]).toContain(what);
});

test('more files than the limit are refused, and not read first', () => {
  const names = Array.from({ length: 1200 }, (_, at) => `f${at}.yaml`);
  const found = closureOf('app', {
    paths: new Set(['app/kustomization.yaml', 'app/kustomization.yml', 'app/Kustomization']),
    files: new Map([
      [
        'app/kustomization.yaml',
        { kind: 'text', path: 'app/kustomization.yaml', oid: 'k', text: `resources: [${names.join(', ')}]\n` },
      ],
    ]),
  });
  expect(found).toMatchObject({
    kind: 'refused',
    issues: [{ message: expect.stringContaining('takes more than 1000 files') }],
  });
});

test('bases that name one another without an end are refused at the line that goes too deep', () => {
  const chain = (levels: number): Tree =>
    Object.fromEntries([
      ...Array.from({ length: levels }, (_, at) => [
        `b${at}/kustomization.yaml`,
        `kind: Kustomization\nresources: [../b${at + 1}]\n`,
      ]),
      [`b${levels}/kustomization.yaml`, 'resources: []\n'],
    ]);
  expect(taken(chain(32), 'b0')).toHaveLength(33);
  expect(said(chain(80), 'b0')).toEqual([
    'b32/kustomization.yaml:2 the kustomization takes b33, which is deeper than 32 levels of bases, the limit',
  ]);
});

test.each([
  ['a name of 256 bytes', 'x'.repeat(256)],
  ['a name of 128 letters of two bytes', 'é'.repeat(128)],
  ['a path of 2,049 bytes', `${'d/'.repeat(1022)}abcde`.slice(0, 2049 - 'app/'.length)],
  ['a path that is longer with its folder', `../${'d/'.repeat(1024)}a`],
])('%s is refused before anyone looks for it', (_, entry) => {
  const [path, text] = ['app/kustomization.yaml', `resources:\n- ${entry}\n`];
  const found = closureOf('app', {
    paths: new Set([path, 'app/kustomization.yml', 'app/Kustomization']),
    files: new Map([[path, { kind: 'text', path, oid: 'k', text }]]),
  });
  expect(found).toMatchObject({
    kind: 'refused',
    issues: [{ file: path, line: 2, message: expect.stringContaining('longer than 255 bytes a name or 2048 in all') }],
  });
});

test('names of 255 bytes, and a folder of the repository itself with a longer name', () => {
  const name = 'x'.repeat(255);
  expect(taken({ 'app/kustomization.yaml': `resources: [${name}]\n`, [`app/${name}`]: '' }, 'app')).toHaveLength(2);
  const long = 'y'.repeat(256);
  expect(closureOf(long, { paths: new Set(), files: new Map() })).toMatchObject({
    kind: 'refused',
    issues: [{ message: expect.stringContaining('longer than 255 bytes a name') }],
  });
});
