/** Images of `.argocd-source*.yaml`, held against `kustomize edit set image` of the real one, which is what Argo CD runs. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { argoSourceIssues, withArgoImages } from '../../../src/manifests/argo-source.ts';
import { realKustomize } from '../../support/kustomize.ts';

const DIGEST = `sha256:${'24a0c4b4'.repeat(8)}`;
const source = (images: readonly string[]): string => JSON.stringify({ kustomize: { images } });

function built(root: string, files: Readonly<Record<string, string>>) {
  const input = { root, files: Object.entries(files).map(([name, text]) => ({ path: name, text })) };
  return withArgoImages(input).files.find((file) => file.path.endsWith('kustomization.yaml'))?.text ?? '';
}

const ROWS: readonly (readonly [what: string, images: readonly string[], entries: string, expected: unknown])[] = [
  ['a tag', ['vllm:v2'], '[]', [{ name: 'vllm', newTag: 'v2' }]],
  ['a digest', [`vllm@${DIGEST}`], '[]', [{ name: 'vllm', digest: DIGEST }]],
  ['both', [`vllm:v2@${DIGEST}`], '[]', [{ name: 'vllm', newTag: 'v2', digest: DIGEST }]],
  ['a name alone', ['vllm=quay.io/vllm'], '[]', [{ name: 'vllm', newName: 'quay.io/vllm' }]],
  [
    'the port of a registry',
    ['a=r:5000/a', 'r:5000/b:v1'],
    '[]',
    [
      { name: 'a', newName: 'r:5000/a' },
      { name: 'r:5000/b', newTag: 'v1' },
    ],
  ],
  [
    'in the place of an entry',
    ['vllm:v2'],
    '[{name: zed, newTag: "1"}, {name: vllm, newName: q/vllm, newTag: v1}]',
    [
      { name: 'vllm', newTag: 'v2' },
      { name: 'zed', newTag: '1' },
    ],
  ],
  [
    'what is kept',
    ['vllm=*:v2'],
    '[{name: vllm, newName: q/vllm, newTag: v1}]',
    [{ name: 'vllm', newName: 'q/vllm', newTag: 'v2' }],
  ],
  ['kept of nothing', ['vllm=*:v2'], '[]', [{ name: 'vllm', newTag: 'v2' }]],
  ['one name twice', ['vllm:v2', 'vllm:v3'], '[]', [{ name: 'vllm', newTag: 'v3' }]],
  [
    'two entries of a name',
    ['b:1'],
    '[{name: a, newTag: "1"}, {name: a, newTag: "2"}]',
    [
      { name: 'a', newTag: '1' },
      { name: 'b', newTag: '1' },
    ],
  ],
];

test.each(ROWS)('%s', (_, images, entries, expected) => {
  const kustomization = `resources: [lws.yaml]\nimages: ${entries}\n`;
  const text = built('app', {
    'app/kustomization.yaml': kustomization,
    'app/.argocd-source-vllm.yaml': source(images),
  });
  expect(parse(text).images).toEqual(expected);
});

test.skipIf(realKustomize === '' || realKustomize.endsWith('kubectl'))('as the real one does', () => {
  for (const [what, images, entries, expected] of ROWS) {
    const folder = mkdtempSync(path.join(tmpdir(), 'edit-set-image-'));
    const file = path.join(folder, 'kustomization.yaml');
    writeFileSync(file, `resources: []\nimages: ${entries}\n`);
    execFileSync(realKustomize, ['edit', 'set', 'image', ...images], { cwd: folder });
    expect(parse(readFileSync(file, 'utf8')).images, what).toEqual(expected);
    rmSync(folder, { recursive: true });
  }
});

test.each<readonly [string, Readonly<Record<string, string>>, unknown]>([
  ['for all', { '.argocd-source.yaml': source(['a:1']) }, [{ name: 'a', newTag: '1' }]],
  [
    "one Application's in the place of those for all",
    { '.argocd-source-x.yaml': source(['b:2']), '.argocd-source.yaml': source(['a:1']) },
    [{ name: 'b', newTag: '2' }],
  ],
  ['no images', { '.argocd-source.yaml': '{}\n' }, undefined],
  ['of another folder', { 'base/.argocd-source.yaml': source(['a:1']) }, undefined],
  ['a name that Argo CD does not read', { '.argocd-source.yml': source(['a:1']) }, undefined],
])('%s, in the root of the repository', (_, files, expected) => {
  const text = built('', { 'kustomization.yaml': 'resources: [lws.yaml]\n', ...files });
  expect(parse(text).images).toEqual(expected);
});

test.each([
  ['another field of kustomize', 'kustomize: {namePrefix: a-}', 'sets kustomize.namePrefix'],
  ['a chart', 'helm: {parameters: []}', 'sets helm'],
  ['no list', 'kustomize: {images: vllm}', 'sets kustomize.images'],
  ['a variable', 'kustomize: {images: ["vllm:$ARGOCD_APP_REVISION"]}', 'has an image that is not followed'],
  ['neither tag nor digest', 'kustomize: {images: [vllm]}', 'has an image that is not followed'],
  ['an option', 'kustomize: {images: ["--help=a:b"]}', 'has an image that is not followed'],
  ['two documents', 'kustomize: {}\n---\nkustomize: {}\n', 'is more than one document'],
  ['what is no YAML', 'kustomize: [', ''],
])('refused: %s', (_, text, said) => {
  const [issue] = argoSourceIssues([{ path: 'app/.argocd-source-x.yaml', text }]);
  expect(issue?.message).toContain(said);
});

test('refused: files of two Applications', () => {
  const files = ['x', 'y'].map((name) => ({ path: `app/.argocd-source-${name}.yaml`, text: source(['a:1']) }));
  const [issue] = argoSourceIssues(files);
  expect([issue?.file, issue?.message]).toEqual([
    'app/.argocd-source-y.yaml',
    'Argo CD builds this folder for two Applications, each with images of its own: app/.argocd-source-x.yaml is the other file',
  ]);
});
