/** Aliases, merge keys and keys that are there twice written out where an edit would meet them: the same values, each in one place. */

import { expect, test } from 'vitest';
import { applyEdits } from '../../src/manifests/splice/apply-edits.ts';
import type { Edit } from '../../src/rollout/edits/edit.ts';

const OBJECT = { apiVersion: 'v1', kind: 'LeaderWorkerSet', namespace: '', name: 'vllm' };
const HEAD = 'apiVersion: v1\nkind: LeaderWorkerSet\nmetadata:\n  name: vllm\n';
const BEFORE = 'kind: ConfigMap\nmetadata: {name: &x a, namespace: *x}\n---\n';

function apply(body: string, edit: Edit, file = 'lws.yaml') {
  const edits = { file, object: OBJECT, edits: [edit] };
  const text = `${BEFORE}${HEAD}${body}`;
  return { refused: applyEdits(text, edits), made: applyEdits(text, edits, { aliases: 'writeOut' }) };
}

const set = (path: string, value: string | number): Edit => ({ kind: 'set', path: path.split('.'), value });
const remove = (path: string): Edit => ({ kind: 'remove', path: path.split('.') });

test.each<readonly [what: string, body: string, edit: Edit, after: string]>([
  ['a value', 'x: &n 3\nspec: {p: *n}\n', set('spec.p', 4), 'x: &n 3\nspec: {p: 4}\n'],
  ['a value, with a comment', 'x: &n 3\nspec:\n  p: *n # why\n', set('spec.p', 4), 'x: &n 3\nspec:\n  p: 4 # why\n'],
  [
    'a text',
    'x: &n "a: b"\nspec:\n  p: *n\n  q: *n\n',
    set('spec.p', 'c'),
    'x: &n "a: b"\nspec:\n  p: "c"\n  q: "a: b"\n',
  ],
  ['a map', 'x: &n {p: 3, q: "1"}\nspec: *n\n', set('spec.p', 4), 'x: &n {p: 3, q: "1"}\nspec: {"p":4,"q":"1"}\n'],
  [
    'a map that holds an alias',
    'x: &m 3\ny: &n\n  p: *m\nspec: *n\n',
    set('spec.p', 4),
    'x: &m 3\ny: &n\n  p: 3\nspec: {"p":4}\n',
  ],
  [
    'a merge key',
    'x: &n {p: 3, q: a}\nspec:\n  <<: *n\n  r: 1\n',
    set('spec.p', 4),
    'x: &n {p: 3, q: a}\nspec:\n  p: 4\n  q: "a"\n  r: 1\n',
  ],
  [
    'a merge key of two, and a key of its own',
    'x: &n {p: 3}\ny: &m {p: 9, q: 5, r: 2}\nspec:\n  <<: [*n, *m]\n  r: 1\n',
    remove('spec.p'),
    'x: &n {p: 3}\ny: &m {p: 9, q: 5, r: 2}\nspec:\n  q: 5\n  r: 1\n',
  ],
  ['a tag next to an anchor', 'x: &n !!int 3\nspec: {p: *n}\n', set('spec.p', 4), 'x: &n 3\nspec: {p: 4}\n'],
  [
    'a merge key in braces',
    'x: &n {p: 3, q: 1}\nspec: {<<: *n, r: 1}\n',
    set('spec.p', 4),
    'x: &n {p: 3, q: 1}\nspec: {p: 4, q: 1, r: 1}\n',
  ],
  [
    'what is repeated elsewhere',
    'spec:\n  p: &n 3\n  q: *n\nz: [*n]\n',
    set('spec.p', 4),
    'spec:\n  p: &n 4\n  q: 3\nz: [3]\n',
  ],
  [
    'a map that is repeated elsewhere',
    'spec: &s\n  a: 1\nother: *s\n',
    set('spec.p', 4),
    'spec: &s\n  a: 1\n  p: 4\nother: {"a":1}\n',
  ],
])('written out: %s', (_, body, edit, after) => {
  const { refused, made } = apply(body, edit);
  expect(refused).toMatchObject({ kind: 'refused', issue: { reason: 'AliasInField' } });
  expect(made).toEqual({ kind: 'ok', text: `${BEFORE}${HEAD}${after}` });
});

test.each<readonly [what: string, body: string, edit: Edit, after: string]>([
  ['a tag', 'spec:\n  p: !!int "3"\n  q: !!str 012 # why\n', set('spec.p', 4), 'spec:\n  p: 4\n  q: "012" # why\n'],
  ['a tag in braces', 'spec: {p: !!str 3, q: !!str a}\n', set('spec.p', '4'), 'spec: {p: "4", q: "a"}\n'],
  [
    'a tag of a text of lines',
    'spec:\n  p: !!str |-\n    a\n  q: 1\n',
    set('spec.p', 'b'),
    'spec:\n  p: "b"\n  q: 1\n',
  ],
])('written out: %s', (_, body, edit, after) => {
  const { refused, made } = apply(body, edit);
  expect(refused).toMatchObject({ kind: 'refused', issue: { reason: 'UnsupportedEdit' } });
  expect(made).toEqual({ kind: 'ok', text: `${BEFORE}${HEAD}${after}` });
});

test.each<readonly [what: string, body: string, edit: Edit, after: string]>([
  ['in lines', 'spec:\n  p: 1\n  q: 5\n  p: 3\n', set('spec.p', 4), 'spec:\n  q: 5\n  p: 4\n'],
  ['three of them', 'spec:\n  p: 1\n  p: 2\n  p: 3\n', set('spec.p', 4), 'spec:\n  p: 4\n'],
  [
    'with lists below',
    'spec:\n  p:\n    - 1\n  # why\n  p: 3 # so\n',
    set('spec.p', 4),
    'spec:\n  # why\n  p: 4 # so\n',
  ],
  ['in braces', 'spec: {p: 1, q: 5, p: 3}\n', set('spec.q', 4), 'spec: {q: 4, p: 3}\n'],
  ['first of an item', 'spec:\n  - p: 1\n    p: 3\n', set('x', 4), 'spec:\n  - p: 3\nx: 4\n'],
  ['a map each', 'spec: {p: 1}\nspec: {q: 3}\n', set('spec.q', 4), 'spec: {q: 4}\n'],
  ['one of them quoted', 'spec:\n  "p": 1\n  p: 3\n', set('spec.p', 4), 'spec:\n  p: 4\n'],
  [
    'with an anchor that the other has',
    'spec:\n  p: &n 1\n  p: 3\n  q: *n\n',
    set('spec.p', 4),
    'spec:\n  p: 4\n  q: 1\n',
  ],
])('a key that is there twice: %s', (_, body, edit, after) => {
  const { refused, made } = apply(body, edit);
  expect(refused).toMatchObject({ kind: 'refused', issue: { reason: 'DuplicateKey' } });
  expect(made).toEqual({ kind: 'ok', text: `${BEFORE}${HEAD}${after}` });
});

test('a template that has a key twice is not put back', () => {
  const edit: Edit = { kind: 'restore', path: ['spec'], source: `${HEAD}spec: {p: 1, p: 2}\n` };
  expect(apply('spec: {p: 3}\n', edit).made).toMatchObject({ issue: { reason: 'RestoreSourceUnreadable' } });
});

test.each<readonly [what: string, body: string]>([
  // The merge wins over the key before it for kubectl, against the specification.
  ['a key before the merge that brings it too', 'x: &n {p: 3}\nspec:\n  p: 1\n  <<: *n\n'],
  ['next to a template', 'x: &n 3\nspec: {p: *n}\ny: {{ .Values.y }}\n'],
  ['a template that a merge brings', 'x: &n {p: 3}\nspec:\n  <<: *n\n  a:\n    <<: [*n, {p: {{ .Values.y }}}]\n'],
])('nothing is written out that could read otherwise: %s', (_, body) => {
  const { refused, made } = apply(body, set('spec.p', 4));
  expect(made).toEqual(refused);
});

test('an edit that nothing is in the way of leaves aliases as they are', () => {
  const { refused, made } = apply('x: &n 3\ny: *n\nspec: {p: 1}\n', set('spec.p', 4));
  expect(made).toEqual({ kind: 'ok', text: `${BEFORE}${HEAD}x: &n 3\ny: *n\nspec: {p: 4}\n` });
  expect(made).toEqual(refused);
});
