/** Which kustomizations bring objects that no file of the repository holds. */

import { expect, test } from 'vitest';
import { elsewhereIn, lostPatches, renamedTo } from '../../src/manifests/built-elsewhere.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { applyText } from '../../src/manifests/patch-place.ts';

function found(text: string): readonly string[] {
  const files = [parseManifestFile('apps/kustomization.yaml', text, []), parseManifestFile('a.yaml', 'a: b\n', [])];
  return elsewhereIn(files).map(({ file, line, what }) => `${file}:${line} ${what}`);
}

test.each([
  'https://github.com/llm-d/llm-d//guides/base?ref=v0.7',
  'git@github.com:llm-d/llm-d.git',
  'ssh://git@example.com/a.git',
  'github.com/llm-d/llm-d/guides?ref=main',
  'base?ref=main',
])('%s is fetched', (entry) => {
  const shown = entry.replace('git@example', 'example');
  for (const key of ['resources', 'components', 'bases'])
    expect(found(`${key}:\n  - ../local\n  - ${entry}\n`)).toEqual([
      `apps/kustomization.yaml:3 lists ${shown}, and what that holds is not in this repository`,
    ]);
});

test('no password of an address is shown, and no long one whole', () => {
  const [said = ''] = found(`resources: ["https://me:secret@example.com/${'a'.repeat(500)}"]\n`);
  expect(said).toContain('https://example.com/aaa');
  expect(said).not.toContain('secret');
  expect(said.length).toBeLessThan(250);
});

test.each([
  ['helmCharts:\n  - name: nim-llm\n    repo: https://example.com\n', 'builds objects by helmCharts nim-llm'],
  ['generators: [plugin.yaml]\n', 'builds objects by generators'],
])('%j runs a program', (text, what) => {
  expect(found(text)).toEqual([`apps/kustomization.yaml:1 ${what}`]);
});

test.each(['resources: [a.yaml, ../base, ./x@y]\n', 'configMapGenerator: [{name: a}]\n', 'helmCharts: []\n'])(
  '%j brings nothing',
  (text) => {
    expect(found(text)).toEqual([]);
  },
);

test.each([
  ['namePrefix: prod-\n', 'prod-vllm', ['apps/prod/kustomization.yaml:1 makes that name of vllm by namePrefix']],
  [
    'resources: []\nnameSuffix: -a\n',
    'vllm-a',
    ['apps/prod/kustomization.yaml:2 makes that name of vllm by nameSuffix'],
  ],
  [
    'namePrefix: a-\nnameSuffix: -b\n',
    'a-vllm-b',
    ['apps/prod/kustomization.yaml:1 makes that name of vllm by namePrefix'],
  ],
  ['namePrefix: a-\n', 'prod-vllm', []],
  ['namePrefix: prod-\n', 'prod-other', []],
  ['namePrefix: v\nnameSuffix: v\n', 'v', []],
  ['resources: [vllm.yaml]\n', 'vllm', []],
])('%j makes of vllm %s', (text, name, said) => {
  const lws = 'apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: vllm}\n';
  const files = [
    parseManifestFile('apps/prod/kustomization.yaml', text, []),
    parseManifestFile('apps/base/vllm.yaml', lws, ['LeaderWorkerSet']),
  ];
  const made = renamedTo(files)({ name });
  expect(made.map(({ file, line, what }) => `${file}:${line} ${what}`)).toEqual(said);
  expect(made.every(({ hint }) => hint.includes('TRANCHE_KUSTOMIZE'))).toBe(true);
});

const VLLM = { namespace: 'llm', name: 'vllm' };

test.each([
  ['this workload', applyText(VLLM), ['is missing, and apps/tranche/apply.yaml applies it']],
  [
    'two of them',
    applyText({ ...VLLM, name: 'other' }) + `---\n${applyText(VLLM)}`,
    ['is missing, and apps/tranche/apply.yaml applies it'],
  ],
  ['what was not read', undefined, ['is missing, and apps/tranche/apply.yaml may apply it']],
  ['another workload', applyText({ ...VLLM, name: 'vllm-b' }), []],
  ['one of another namespace', applyText({ ...VLLM, namespace: 'b' }), []],
  ['none', '', []],
])('apply.yaml is about %s', (_, text, said) => {
  const file = 'apps/tranche/apply.yaml';
  const texts = new Map(text === undefined ? [] : [[file, text]]);
  const paths = new Map([[file, 'id']]);
  expect(lostPatches({ paths, texts })(VLLM).map(({ what }) => what)).toEqual(said);
});
