/** The file that applies patches: what of it is nobody's but tranche's, and its text as tranche writes it. */

import { expect, test } from 'vitest';
import { applyAgain, foreignInApply } from '../../src/manifests/apply-file.ts';
import { applyText } from '../../src/manifests/patch-place.ts';

const VLLM = { namespace: 'llm', name: 'vllm' };
const DECODE = { namespace: 'llm-d', name: 'decode' };
const [A, B] = [applyText(VLLM), applyText(DECODE)];
const BOTH = `${A}---\n${B}`;

test.each<readonly [text: string, line: number | undefined]>([
  [A, undefined],
  [BOTH, undefined],
  [BOTH.replaceAll('\n', '\r\n'), undefined],
  [`# of team search\n${A}`, undefined],
  ['', 1],
  [`${A}---\n${A}`, 8],
  [`${A}target: {kind: Deployment}\n`, 7],
  [`${B}---\nkind: LabelTransformer\n---\n${A}`, 8],
  [A.replace('path: tranche/llm-vllm.yaml', 'path: tranche/llm-other.yaml'), 1],
])('%j: line %s', (text, line) => {
  expect(foreignInApply(text)).toBe(line);
});

test.each<readonly [what: string, earlier: string, now: string, there: readonly string[], wanted: string]>([
  ['lost as a whole', BOTH, 'a: [\n', ['tranche/llm-d_decode.yaml'], BOTH],
  ['the other came later', A, `${A}x: y\n---\n${B}`, ['tranche/llm-d_decode.yaml'], BOTH],
  ['the other is gone', BOTH, `${A}x: y\n`, [], A],
  ['in another order', BOTH, `${B}---\n${A}x: y\n`, ['tranche/llm-d_decode.yaml'], BOTH],
  ['nothing is known from before', '', 'a: [\n', [], A],
  [
    'somebody has one of a like name',
    A,
    `${A}---\n${B.replace('kind: PatchTransformer', 'kind: LabelTransformer')}`,
    [],
    A,
  ],
])('%s', (_, earlier, now, there, wanted) => {
  const made = applyAgain({ earlier, now, workloads: [VLLM], isThere: (path) => there.includes(path) });
  expect(made).toBe(wanted);
  expect(foreignInApply(made)).toBeUndefined();
});
