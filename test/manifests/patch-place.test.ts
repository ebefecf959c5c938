/** Where a patch of ours stands, and which files are only at places that look like it. */

import { expect, test } from 'vitest';
import { applyFile, applyName, isOwnFile, patchFile, rootOfPatch } from '../../src/manifests/patch-place.ts';

const VLLM = { namespace: 'llm', name: 'vllm' };

test.each([
  // root → the patch, what applies it
  ['apps/prod', 'apps/prod/tranche/llm-vllm.yaml', 'apps/prod/tranche/apply.yaml'],
  ['', 'tranche/llm-vllm.yaml', 'tranche/apply.yaml'],
])('%s', (root, patch, apply) => {
  expect(patchFile(root, VLLM)).toBe(patch);
  expect(applyFile(root)).toBe(apply);
  expect(rootOfPatch(patch)).toBe(root);
  expect(rootOfPatch(apply)).toBeUndefined();
  expect([patch, apply].map(isOwnFile)).toEqual([true, true]);
});

test.each([
  'apps/lws.yaml',
  'tranche/lws/a.yaml',
  'mytranche/a.yaml',
  'tranche/kustomization.yaml',
  'tranche/a.json',
  'apply.yaml',
])('%s is at no place of ours', (file) => {
  expect(rootOfPatch(file)).toBeUndefined();
  expect(isOwnFile(file)).toBe(false);
});

test('no two workloads have one patch, or one document that applies it', () => {
  const all = [
    { namespace: 'a', name: 'b-c' },
    { namespace: 'a-b', name: 'c' },
    { namespace: 'a', name: 'b.c' },
    { namespace: 'a-b-c', name: 'd' },
    { namespace: 'a-b', name: 'c-d' },
  ];
  expect(new Set(all.map((one) => patchFile('', one))).size).toBe(all.length);
  expect(new Set(all.map(applyName)).size).toBe(all.length);
  expect(all.map((one) => rootOfPatch(patchFile('x', one)))).toEqual(all.map(() => 'x'));
});
