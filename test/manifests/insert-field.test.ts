/** Where a missing key goes, in every kind of parent, and that removing it again leaves no trace. */

import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../src/manifests/splice/apply-edits.ts';
import type { Edit } from '../../src/rollout/edits/edit.ts';

const OBJECT = { apiVersion: 'v1', kind: 'LeaderWorkerSet', namespace: '', name: 'vllm' };
const HEAD = 'apiVersion: v1\nkind: LeaderWorkerSet\nmetadata:\n  name: vllm\n';
const JSON_HEAD = '{"apiVersion":"v1","kind":"LeaderWorkerSet","metadata":{"name":"vllm"},';

function apply(text: string, edit: Edit, file = 'lws.yaml'): string {
  const spliced = applyEdits(text, { file, object: OBJECT, edits: [edit] });
  return spliced.kind === 'ok' ? spliced.text : spliced.issue.reason;
}

function check(before: string, path: string, after: string, undone: 'undone' | 'kept'): void {
  const keys = path.split('.');
  expect(apply(before, { kind: 'set', path: keys, value: 3 })).toBe(after);
  const back = apply(after, { kind: 'remove', path: keys });
  if (undone === 'undone') expect(back).toBe(before);
}

describe('a missing key', () => {
  test.each<[string, string, string, string, 'undone' | 'kept']>([
    // what, text below the name, path, text after, is the text before back when the key is removed?
    ['root', '', 'spec', 'spec: 3\n', 'undone'],
    ['parents at the root', '', 'spec.a.b', 'spec:\n  a:\n    b: 3\n', 'undone'],
    ['empty braces', 'spec: {}\n', 'spec.a', 'spec:\n  a: 3\n', 'kept'],
    ['spaced empty braces', 'spec: { } # c\nx: 1\n', 'spec.a.b', 'spec: # c\n  a:\n    b: 3\nx: 1\n', 'kept'],
    ['empty value with comment', 'spec: # c\n\n# d\nx: 1\n', 'spec.a', 'spec: # c\n  a: 3\n\n# d\nx: 1\n', 'kept'],
    ['null', 'spec: ~\n', 'spec.a', 'spec:\n  a: 3\n', 'kept'],
    ['inside braces', 'spec: {a: 1}\n', 'spec.b', 'spec: {a: 1, b: 3}\n', 'undone'],
    ['parents inside braces', 'spec: {a: 1}\n', 'spec.b.c.d', 'spec: {a: 1, b: {c: {d: 3}}}\n', 'undone'],
    ['empty value inside braces', 'spec: {a: , b: 1}\n', 'spec.a.c', 'spec: {a: {c: 3} , b: 1}\n', 'kept'],
    ['null inside braces', 'spec: {a: null}\n', 'spec.a.c', 'spec: {a: {c: 3}}\n', 'kept'],
    ['braces inside braces', 'spec: {a: {}}\n', 'spec.a.c', 'spec: {a: {c: 3}}\n', 'kept'],
    ['comma at the end', 'spec: {a: 1,}\n', 'spec.b', 'spec: {a: 1, b: 3,}\n', 'undone'],
    ['braces over lines', 'spec: {\n    a: 1\n  }\n', 'spec.b', 'spec: {\n    a: 1,\n    b: 3\n  }\n', 'undone'],
    [
      'item of a list',
      'spec:\n  - a: 1 # one\n  - b: 2\n',
      'spec.0.c',
      'spec:\n  - a: 1 # one\n    c: 3\n  - b: 2\n',
      'undone',
    ],
    ['item of a list in braces', 'spec:\n  - {a: 1}\n', 'spec.0.c', 'spec:\n  - {a: 1, c: 3}\n', 'undone'],
    [
      'three spaces',
      'spec:\n   a:\n      b: 1\n',
      'spec.c.d',
      'spec:\n   a:\n      b: 1\n   c:\n      d: 3\n',
      'undone',
    ],
    [
      'nested three spaces',
      'spec:\n   a:\n      b: 1\n',
      'spec.a.c.d',
      'spec:\n   a:\n      b: 1\n      c:\n         d: 3\n',
      'undone',
    ],
    [
      'behind a list at the level of its key',
      'spec:\n  a:\n  - 1\n  # c\n',
      'spec.b',
      'spec:\n  a:\n  - 1\n  b: 3\n  # c\n',
      'undone',
    ],
    ['behind an empty item', 'spec:\n  a:\n    -\n', 'spec.b', 'spec:\n  a:\n    -\n  b: 3\n', 'undone'],
    ['behind an anchored nothing', 'spec:\n  a: &x # c\n', 'spec.b', 'spec:\n  a: &x # c\n  b: 3\n', 'undone'],
    ['behind quoted lines', 'spec:\n  a: "x\n    y"\n', 'spec.b', 'spec:\n  a: "x\n    y"\n  b: 3\n', 'undone'],
    [
      'behind folded text',
      'spec:\n  a: >-\n    x\n\n    y\n\n\nz: 1\n',
      'spec.b',
      'spec:\n  a: >-\n    x\n\n    y\n  b: 3\n\n\nz: 1\n',
      'undone',
    ],
    ['before an end marker', 'spec: {a: 1}\n...\n', 'spec.b', 'spec: {a: 1, b: 3}\n...\n', 'undone'],
    ['root before an end marker', '...\n# end\n', 'spec', 'spec: 3\n...\n# end\n', 'undone'],
  ])('%s', (_, before, path, after, undone) => check(HEAD + before, path, HEAD + after, undone));

  test.each<[string, string, string, string]>([
    ['quoted without a blank', '"spec":{"a":1}}', 'spec.b', '"spec":{"a":1,"b":3}}'],
    ['empty', '"spec":{}}', 'spec.b', '"spec":{"b":3}}'],
    ['null', '"spec": null}', 'spec.b', '"spec": {"b": 3}}'],
    ['root', '"x": [1, 2]}\n', 'spec.b', '"x": [1, 2], "spec": {"b": 3}}\n'],
  ])('of JSON on one line: %s', (_, before, path, after) => {
    expect(apply(JSON_HEAD + before, { kind: 'set', path: path.split('.'), value: 3 }, 'lws.json')).toBe(
      JSON_HEAD + after,
    );
  });

  test('a comment inside empty braces is in the way', () => {
    expect(apply(`${HEAD}spec: { # c\n  }\n`, { kind: 'set', path: ['spec', 'a'], value: 3 })).toBe('UnsupportedEdit');
  });
});
