/** Arbitrary manifests and styles of writing them, for laws that hold on all of them. */

import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../src/api/json.ts';
import type { Style } from './written-yaml.ts';

const KEYS = ['replicas', 'image', 'tranche.dev/step', 'size', 'labels', 'template', 'on', '8000', 'a b', 'no'];

export const anyStyle: fc.Arbitrary<Style> = fc.record({
  seed: fc.nat(1_000_000),
  step: fc.constantFrom(2, 3, 4),
  indentLists: fc.boolean(),
  lineBreak: fc.constantFrom('\n', '\r\n'),
  finalBreak: fc.boolean(),
  byteOrderMark: fc.boolean(),
});

const text = fc.constantFrom(
  'x',
  'yes',
  '3',
  '012',
  'a: b',
  '# no',
  "it's",
  'say "x"',
  '{{ x }}',
  'one\ntwo\n',
  'one\n\nthree\n',
  'serving',
  '',
  ' pad ',
  '\u2028é',
);
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.integer({ min: 0, max: 2_000_000 }),
  text,
  fc.boolean(),
  fc.constant(null),
);
const { tree } = fc.letrec<{ tree: Json; map: JsonObject }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4, depthSize: 'small' }, scalar, tie('map'), fc.array(tie('tree'), { maxLength: 3 })),
  map: fc.dictionary(fc.constantFrom(...KEYS), tie('tree'), { maxKeys: 5, noNullPrototype: true }),
}));
const map = fc.dictionary(fc.constantFrom(...KEYS), tree, { maxKeys: 5, noNullPrototype: true });

/** Any JSON of a few levels. */
export const anyValue: fc.Arbitrary<Json> = tree;

/** A LeaderWorkerSet named vllm, without a namespace, with any spec. */
export const anyManifest: fc.Arbitrary<JsonObject> = fc.record({ spec: map, more: map }).map(({ spec, more }) => {
  return { apiVersion: 'v1', kind: 'LeaderWorkerSet', metadata: { name: 'vllm', ...more, namespace: '' }, spec };
});
