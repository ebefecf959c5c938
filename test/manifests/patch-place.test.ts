/** Where a patch of ours stands, and which files are only at places that look like it. */

import { expect, test } from 'vitest';
import { applyFile, isOwnFile, patchFile, rootOfPatch } from '../../src/manifests/patch-place.ts';

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
