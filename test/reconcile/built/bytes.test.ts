/** The entry in people's kustomization comes and goes byte for byte, however they have written the file. */

import { expect, test } from 'vitest';
import { BUILT_FILES, BuiltWorld, OVERLAY } from '../../support/built-world.ts';

const BLOCK = BUILT_FILES[OVERLAY] ?? '';
const OWNER = `apiVersion: builtin
kind: AnnotationsTransformer
metadata: {name: owner}
annotations: {owner: search}
fieldSpecs: [{path: metadata/annotations, create: true}]
`;

test.each([
  ['absent', BLOCK],
  ['absent, no break at the end', BLOCK.trimEnd()],
  ['present', `${BLOCK}transformers:\n- owner.yaml # of team search\n`],
  [
    'present, in the middle',
    BLOCK.replace('resources:', 'transformers:\n  - owner.yaml\n  # more to come\nresources:'),
  ],
  ['flow style', `${BLOCK}transformers: [owner.yaml]\n`],
  ['line breaks of Windows', BLOCK.replaceAll('\n', '\r\n')],
  [
    'all in braces',
    '{"namespace": "llm", "namePrefix": "prod-", "resources": ["../base"], "components": ["../../../components/images"]}\n',
  ],
])('transformers: %s', async (_, text) => {
  const files: Readonly<Record<string, string>> = {
    ...BUILT_FILES,
    [OVERLAY]: text,
    'apps/vllm/prod/owner.yaml': OWNER,
  };
  const world = new BuiltWorld({ files });
  await world.apply();
  world.tick(120);
  expect(await world.play()).toEqual(['0:0+ 1:0+ 2:0+ 3:0+ rollout(llm/vllm): adopt, partition unset → 1000000']);
  expect(world.files()[OVERLAY]).toContain('tranche/apply.yaml');
  await world.order({ abort: false, partition: undefined });
  const { 'rollouts/vllm.yaml': _rollout, ...left } = world.files();
  const { 'rollouts/vllm.yaml': _was, ...before } = files;
  expect(left).toEqual(before);
});
