/** The rollback where people use anchors and aliases: always possible, byte for byte where the text still means it. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../src/api/json.ts';
import { type ManifestDocument, parseManifestFile } from '../../src/manifests/parse-file.ts';
import { resolveTree } from '../../src/manifests/resolve-tree.ts';
import { find, nodesOf, type SourceNode } from '../../src/manifests/source-tree.ts';
import { applyEdits, type Spliced } from '../../src/manifests/splice/apply-edits.ts';
import type { Edit } from '../../src/rollout/edits/edit.ts';
import { type Style, writeYaml } from './written-yaml.ts';

const HEAD = 'apiVersion: v1\nkind: LeaderWorkerSet\nmetadata:\n  name: vllm\n';
const OBJECT = { apiVersion: 'v1', kind: 'LeaderWorkerSet', namespace: '', name: 'vllm' };
const PATH = ['spec', 'template'];

function apply(content: string, ...edits: readonly Edit[]): Spliced {
  return applyEdits(content, { file: 'lws.yaml', object: OBJECT, edits });
}

function restored(before: string, source: string): string {
  const spliced = apply(before, { kind: 'restore', path: PATH, source });
  expect(spliced).toMatchObject({ kind: 'ok' });
  return spliced.kind === 'ok' ? spliced.text : '';
}

function parsed(content: string): ManifestDocument {
  const { documents, issues } = parseManifestFile('lws.yaml', content, ['LeaderWorkerSet']);
  expect(issues).toEqual([]);
  return documents[0]!;
}

describe('going back', () => {
  const V1 = 'spec:\n  template:\n    leader: &image v1 # the release\n    worker: *image\n';
  test.each<[what: string, now: string, stable: string, after: string]>([
    ['an anchor used inside', V1.replace('v1', 'v2'), V1, V1],
    [
      'a node that only a merge key brings',
      'spec:\n  size: 2\n  <<:\n    template: {a: 2}\n  other: 1\n',
      'spec:\n  size: 2\n  template:\n    a: 1 # the release\n',
      'spec:\n  size: 2\n  <<:\n    template: {a: 2}\n  other: 1\n  template:\n    a: 1 # the release\n',
    ],
    [
      'a node that a merge key brings from elsewhere',
      'x: &m {template: {a: 2}}\nspec:\n  <<: *m\n',
      'spec:\n  template: {a: 1}\n',
      'x: &m {template: {a: 2}}\nspec:\n  <<: *m\n  template: {a: 1}\n',
    ],
    [
      'a node that only a merge key inside braces brings',
      'spec: {size: 2, <<: {template: {a: 2}}}\n',
      'spec: {size: 2, template: {a: 1}}\n',
      'spec: {size: 2, <<: {template: {a: 2}}, template: {a: 1}}\n',
    ],
    [
      'an anchor that nothing uses',
      'spec:\n  template: &o {a: 2}\n',
      'spec:\n  template: &o {a: 1}\n',
      'spec:\n  template: &o {a: 1}\n',
    ],
    ['the new text dropped the anchors', 'spec:\n  template:\n    leader: v2\n    worker: v2\n', V1, V1],
    [
      'the new text brought anchors',
      V1,
      'spec:\n  template:\n    leader: v0\n',
      'spec:\n  template:\n    leader: v0\n',
    ],
    [
      'an alias outside follows the anchor inside',
      `${V1.replace('v1', 'v2')}labels: {version: *image}\n`,
      `${V1}labels: {version: *image}\n`,
      `${V1}labels: {version: *image}\n`,
    ],
    [
      'an alias outside keeps its value where the stable text has no such anchor',
      'spec:\n  template: {image: &image v2}\nlabels: {version: *image}\n',
      'spec:\n  template: {image: v1}\nlabels: {version: old}\n',
      'spec:\n  template: {image: v1}\nlabels: {version: "v2"}\n',
    ],
    [
      'an alias inside of an anchor outside, both as they were',
      'labels: {version: &v 7}\nspec:\n  template: {a: 2}\n',
      'labels: {version: &v 7}\nspec:\n  template: {a: *v}\n',
      'labels: {version: &v 7}\nspec:\n  template: {a: *v}\n',
    ],
    [
      'an alias inside of an anchor outside that says something else now',
      'labels: {version: &v 8}\nspec:\n  template:\n    a: *v # why\n',
      'labels: {version: &v 7}\nspec:\n  template:\n    a: *v # why\n',
      'labels: {version: &v 8}\nspec:\n  template:\n    a: 7 # why\n',
    ],
    [
      'an alias inside of an anchor outside that is gone',
      'spec:\n  template: {a: 2}\n',
      'labels: {version: &v {b: [1]}}\nspec:\n  template: {a: *v}\n',
      'spec:\n  template: {a: {"b":[1]}}\n',
    ],
    [
      'an anchor inside that would hide one outside',
      'labels: {a: &v 1}\nspec:\n  template: {a: 2}\nmore: *v\n',
      'spec:\n  template: {a: &v 3, b: *v}\n',
      'labels: {a: &v 1}\nspec:\n  template: {a: 3, b: 3}\nmore: *v\n',
    ],
    [
      'a name given again inside, and used behind',
      'labels: {a: &v 1}\nspec:\n  template: {a: &v 2, b: *v}\nmore: *v\n',
      'spec:\n  template: {a: 3}\n',
      'labels: {a: &v 1}\nspec:\n  template: {a: 3}\nmore: 2\n',
    ],
    [
      'the same, where another name inside has the value of the name outside',
      'labels: {a: &v 1}\nspec:\n  template: {a: &v 2, b: *v}\nmore: *v\n',
      'spec:\n  template: {a: &w 1}\n',
      'labels: {a: &v 1}\nspec:\n  template: {a: &w 1}\nmore: 2\n',
    ],
    [
      'a name given twice inside: what is used behind follows the later one',
      'spec:\n  template: {a: &v 1, b: &v 2, c: *v}\nmore: *v\n',
      'spec:\n  template: {a: &v 5, b: &v 6, c: *v}\n',
      'spec:\n  template: {a: &v 5, b: &v 6, c: *v}\nmore: *v\n',
    ],
    [
      'merged keys inside',
      'spec:\n  template:\n    <<: &m {a: 2}\n    b: 2\n',
      'x: &m {a: 1}\nspec:\n  template:\n    <<: *m\n    b: 1\n',
      'spec:\n  template:\n    <<: {"a":1}\n    b: 1\n',
    ],
    [
      'keys merged elsewhere from inside keep their values',
      'spec:\n  template: &t {a: 2}\nmore:\n  <<: *t\n',
      'spec:\n  template: &t {a: 1}\nmore:\n  <<: *t\n',
      'spec:\n  template: &t {a: 1}\nmore:\n  <<: {"a":2}\n',
    ],
    [
      'the node itself has become an alias',
      'x: &t {a: 2}\nspec:\n  template: *t\n',
      'spec:\n  template:\n    a: 1\n',
      'x: &t {a: 2}\nspec:\n  template:\n    a: 1\n',
    ],
    [
      'the node itself was an alias',
      'x: &t {a: 2}\nspec:\n  template:\n    a: 1\n',
      'x: &t {a: 0}\nspec:\n  template: *t\n',
      'x: &t {a: 2}\nspec:\n  template: {"a":0}\n',
    ],
    [
      'the node goes, and an alias elsewhere keeps its value',
      'spec:\n  template: {a: &v 2}\n  size: 1\nmore: [*v ]\n',
      'spec:\n  size: 1\n',
      'spec:\n  size: 1\nmore: [2 ]\n',
    ],
    [
      'an explicit key',
      'spec:\n  ? template\n  : {a: 2}\n',
      'spec:\n  template: {a: 1}\n',
      'spec:\n  template: {a: 1}\n',
    ],
    [
      'behind an explicit key',
      'spec:\n  ? size\n  : 2\n',
      'spec:\n  size: 1\n  template: {a: 1}\n',
      'spec:\n  ? size\n  : 2\n  template: {a: 1}\n',
    ],
    [
      'an explicit key in the stable text',
      'spec:\n  template: {a: 2}\n',
      'spec:\n  ? template\n  : {a: 1}\n',
      'spec:\n  template: {"a":1}\n',
    ],
  ])('%s', (_, now, stable, after) => {
    expect(restored(HEAD + now, HEAD + stable)).toBe(HEAD + after);
  });
});

const style: fc.Arbitrary<Style> = fc.record({
  seed: fc.nat(1_000_000),
  step: fc.constantFrom(2, 3, 4),
  indentLists: fc.boolean(),
  lineBreak: fc.constantFrom('\n', '\r\n'),
  finalBreak: fc.boolean(),
  byteOrderMark: fc.boolean(),
  ties: fc.constant(true),
});
const KEYS = ['image', 'size', 'labels', 'on', 'a b', 'role'];
const { tree } = fc.letrec<{ tree: Json; map: JsonObject }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<Json>('v1', 'v2', 3, true, null, '# no', 'one\ntwo\n'),
    tie('map'),
    fc.array(tie('tree'), { maxLength: 3 }),
  ),
  map: fc.dictionary(fc.constantFrom(...KEYS), tie('tree'), { maxKeys: 4, noNullPrototype: true }),
}));
const map = fc.dictionary(fc.constantFrom(...KEYS), tree, { maxKeys: 4, noNullPrototype: true });
/** Parts that stand in several places, so that names are used. */
const manifest = fc
  .record({ shared: map, before: map, template: map, after: map })
  .map(({ shared, before, template, after }): JsonObject => {
    return {
      apiVersion: 'v1',
      kind: 'LeaderWorkerSet',
      metadata: { name: 'vllm', labels: { ...shared, ...before } },
      spec: { copy: shared, template: { ...shared, more: shared, ...template }, networkConfig: shared, ...after },
      last: { ...shared, one: template },
    };
  });

function without(value: Json, path: readonly string[]): Json {
  const [key = '', ...rest] = path;
  if (!isJsonObject(value)) return value;
  const { [key]: inner, ...others } = value;
  return rest.length === 0 || inner === undefined ? others : { ...others, [key]: without(inner, rest) };
}

/** The values that have a name inside of a node. */
function anchoredValues(node: SourceNode): readonly Json[] {
  const values: Json[] = [];
  for (const inner of nodesOf(node)) if (inner.anchor !== undefined) values.push(resolveTree(inner).value);
  return values;
}

/** Equal but for values that have become one of `allowed`: what an alias repeats of the restored node. */
function follows(was: Json, is: Json, allowed: readonly Json[]): boolean {
  if (jsonEqual(was, is) || allowed.some((one) => jsonEqual(one, is))) return true;
  if (Array.isArray(was) && Array.isArray(is))
    return was.length === is.length && was.every((item: Json, at) => follows(item, is[at], allowed));
  if (!isJsonObject(was) || !isJsonObject(is)) return false;
  const keys = Object.keys(was);
  return (
    jsonEqual([...keys].sort(), Object.keys(is).sort()) && keys.every((key) => follows(was[key]!, is[key]!, allowed))
  );
}

describe('laws', () => {
  test('what is written with anchors is what is read', () => {
    fc.assert(
      fc.property(manifest, style, (value, how) => {
        expect(parsed(writeYaml(value, how)).value).toEqual(value);
      }),
      { numRuns: 150 },
    );
  });

  test('restoring gives the other value, and elsewhere only repeats of it change', () => {
    fc.assert(
      fc.property(manifest, style, manifest, style, (value, how, otherValue, otherHow) => {
        const before = writeYaml(value, how);
        const after = parsed(restored(before, writeYaml(otherValue, otherHow)));
        const node = find(after.root, PATH);
        expect((after.value['spec'] as JsonObject)['template']).toEqual((otherValue['spec'] as JsonObject)['template']);
        const allowed = node.kind === 'found' ? anchoredValues(node.node) : [];
        expect(follows(without(value, PATH), without(after.value, PATH), allowed)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test('going back from an edit inside of the node gives its bytes back', () => {
    fc.assert(
      fc.property(manifest, style, map, style, (value, how, template, otherHow) => {
        const stable = writeYaml(value, how);
        const edited = restored(stable, writeYaml({ ...value, spec: { template } }, { ...otherHow, ties: false }));
        const back = restored(edited, stable);
        // Aliases elsewhere may have been written out by the first edit; the node itself is as it was.
        expect(nodeText(parsed(back))).toBe(nodeText(parsed(stable)));
      }),
      { numRuns: 150 },
    );
  });
});

function nodeText(document: ManifestDocument): string {
  const found = find(document.root, PATH);
  return found.kind === 'found' ? document.text.slice(found.node.start, found.node.end).trimEnd() : '';
}
