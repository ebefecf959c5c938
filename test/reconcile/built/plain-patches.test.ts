/** When what kustomize builds follows from the folder without our patches, and what a patch makes of its object then. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/api/json.ts';
import { mergedByPatch } from '../../../src/manifests/patch-merged.ts';
import { applyText, emptyPatch } from '../../../src/manifests/patch-place.ts';
import { plainPatches } from '../../../src/reconcile/roots/bare-build.ts';

const NAMED = { namespace: 'llm', name: 'prod-vllm' };
const OTHER = { namespace: 'llm', name: 'prod-prefill' };
const OF = { file: 'prod/tranche/llm-prod-vllm.yaml', named: NAMED };

type Texts = Readonly<Record<string, string>>;
const PLAIN: Texts = {
  'prod/kustomization.yaml': 'resources: [../base]\ntransformers:\n  - labels.yaml\n  - tranche/apply.yaml\n',
  'prod/tranche/apply.yaml': applyText(NAMED),
  [OF.file]: `${emptyPatch(NAMED)}spec: {rolloutStrategy: {rollingUpdateConfiguration: {partition: 3}}}\n`,
};
const PIN = `${emptyPatch(NAMED)}spec: {leaderWorkerTemplate: {size: 2, $patch: replace}}\n`;
const TWO: Texts = {
  'prod/tranche/apply.yaml': `${applyText(OTHER)}---\n${applyText(NAMED)}`,
  'prod/tranche/llm-prod-prefill.yaml': emptyPatch(OTHER),
};
const APPLY = applyText(NAMED);

test.each<readonly [what: string, texts: Texts, files: readonly string[] | undefined]>([
  ['as tranche writes it', {}, [OF.file]],
  ['two workloads', TWO, ['prod/tranche/llm-prod-prefill.yaml', OF.file]],
  ['a pin', { [OF.file]: PIN }, [OF.file]],
  ['a pin, and names that follow', { [OF.file]: PIN, 'prod/x.yaml': 'Configurations: [n.yaml]\n' }, undefined],
  [
    'something behind it',
    { 'prod/kustomization.yaml': 'transformers: [tranche/apply.yaml, labels.yaml]\n' },
    undefined,
  ],
  ['twice', { 'prod/kustomization.yaml': 'transformers: [tranche/apply.yaml, tranche/apply.yaml]\n' }, undefined],
  ['not listed', { 'prod/kustomization.yaml': 'transformers: []\n' }, undefined],
  [
    'another spelling',
    { 'prod/kustomization.yaml': 'transformers: [tranche/apply.yaml]\nTransformerS: [labels.yaml]\n' },
    undefined,
  ],
  ['a target', { 'prod/tranche/apply.yaml': `${APPLY}target: {kind: Pod}\n` }, undefined],
  ['another transformer', { 'prod/tranche/apply.yaml': `${APPLY}---\n${APPLY.replace('Patch', 'Label')}` }, undefined],
  ['applied twice', { 'prod/tranche/apply.yaml': `${APPLY}---\n${APPLY}` }, undefined],
  ['two objects in the patch', { [OF.file]: `${PLAIN[OF.file]}---\n${emptyPatch(OTHER)}` }, undefined],
  ['the other workload alone', { [OF.file]: emptyPatch(OTHER) }, undefined],
  ['a patch that is gone', { [OF.file]: '' }, undefined],
])('%s', (_, texts, files) => {
  const all = Object.entries({ ...PLAIN, ...texts }).map(
    ([path, text]) => ({ kind: 'text', path, oid: '', text }) as const,
  );
  const found = plainPatches({ root: 'prod', files: all }, OF);
  expect(found?.all.map(({ file }) => file)).toEqual(files);
});

test.each([
  [{ a: 1 }, { a: 2 }, { a: 2 }],
  [{ a: { b: 1, c: 2 } }, { a: { b: 3 } }, { a: { b: 3, c: 2 } }],
  [{ a: { b: 1 } }, { a: { b: null } }, { a: {} }],
  [{}, { a: { b: 1 } }, { a: { b: 1 } }],
  [{ a: { b: 1 } }, { a: { c: 2, $patch: 'replace' } }, { a: { c: 2 } }],
  [{ a: { b: 1 }, c: 1 }, { a: { $patch: 'delete' } }, { c: 1 }],
  // What only kustomize knows.
  [{ a: [1] }, { a: [2] }, undefined],
  [{ a: 1 }, { a: { b: 1 } }, undefined],
  [{ a: 1 }, { $patch: 'delete' }, undefined],
  [{ a: { b: 1 } }, { a: { b: [1] } }, undefined],
  [{ a: { b: 1 } }, { a: { c: null, $patch: 'replace' } }, undefined],
  [{ a: { b: 1 } }, { a: { $retainKeys: ['b'] } }, undefined],
  [{}, { a: {} }, undefined],
])('%j with %j is %j', (base, patch, merged) => {
  expect(mergedByPatch(base, patch)).toEqual(merged);
});

test.each<readonly [base: JsonObject, patch: JsonObject, merged: JsonObject | undefined]>([
  [{ a: [1] }, { a: [2] }, { a: [2] }],
  [{ a: { b: [1], c: 1 } }, { a: { b: [{ d: 'x' }] } }, { a: { b: [{ d: 'x' }], c: 1 } }],
  [{ a: [1] }, { a: [] }, undefined],
  [{ a: [1] }, { a: [{ $patch: 'delete' }] }, undefined],
])('of a kind whose lists no schema merges, %j with %j is %j', (base, patch, merged) => {
  expect(mergedByPatch(base, patch, 'whole')).toEqual(merged);
});
