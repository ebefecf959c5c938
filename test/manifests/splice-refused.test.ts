/** Every place where a change is refused rather than guessed, and what the refusal says. */

import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../src/manifests/splice/apply-edits.ts';
import type { Edit, ObjectEdits } from '../../src/rollout/edits/edit.ts';

const OBJECT = { apiVersion: 'v1', kind: 'LeaderWorkerSet', namespace: '', name: 'vllm' };
const HEAD = 'apiVersion: v1\nkind: LeaderWorkerSet\nmetadata:\n  name: vllm\n';

function apply(text: string, ...edits: readonly Edit[]) {
  return applyEdits(text, { file: 'lws.yaml', object: OBJECT, edits } satisfies ObjectEdits);
}

function set(path: string, value: string | number = 3): Edit {
  return { kind: 'set', path: path.split('.'), value };
}

function restore(path: string, source: string): Edit {
  return { kind: 'restore', path: path.split('.'), source };
}

test('TooManyEdits: of an object that is divided in two, each takes its part', () => {
  const edits = Array.from({ length: 65 }, (_, at): Edit => set(`spec.f${at}`));
  const [text, halves] = [`${HEAD}spec: {}\n`, [edits.slice(0, 33), edits.slice(33)]];
  expect(apply(text, ...edits)).toMatchObject({
    kind: 'refused',
    issue: { reason: 'TooManyEdits', hint: expect.stringContaining('as by dividing it in two') },
  });
  for (const half of halves) expect(apply(text, ...half)).toMatchObject({ kind: 'ok' });
});

describe('refused', () => {
  test.each<[string, string, Edit, string, number]>([
    // what, text below the name, edit, reason, line
    ['alias', 'x: &n 3\nspec: {replicas: *n}\n', set('spec.replicas', 4), 'AliasInField', 6],
    ['below an alias', 'x: &n {a: 3}\nspec: *n\n', set('spec.replicas'), 'AliasInField', 6],
    ['merged', 'x: &n {replicas: 3}\nspec:\n  <<: *n\n', set('spec.replicas', 4), 'AliasInField', 7],
    [
      'remove merged',
      'x: &n {replicas: 3}\nspec:\n  <<: *n\n',
      { kind: 'remove', path: ['spec', 'replicas'] },
      'AliasInField',
      7,
    ],
    ['anchor in use', 'spec:\n  replicas: &n 3\n  size: *n\n', set('spec.replicas', 4), 'AliasInField', 6],
    ['insert below a shared map', 'spec: &s\n  a: 1\nother: *s\n', set('spec.replicas'), 'AliasInField', 5],
    ['template', 'spec:\n  replicas: {{ .Values.n }}\n', set('spec.replicas'), 'TemplatedValue', 6],
    ['tag', 'spec:\n  replicas: !!int "3"\n', set('spec.replicas', 4), 'UnsupportedEdit', 6],
    ['map', 'spec:\n  replicas: {a: 1}\n', set('spec.replicas'), 'FieldIsNotScalar', 6],
    ['below a scalar', 'spec: text\n', set('spec.replicas'), 'FieldIsNotMap', 5],
    ['below a list', 'spec:\n  - a\n', set('spec.replicas'), 'FieldIsNotMap', 5],
    ['item that is not there', 'spec:\n  - a: 1\n', set('spec.1.a'), 'FieldIsNotMap', 5],
    ['behind open block text', 'spec:\n  args: |\n    x', set('spec.replicas'), 'UnsupportedEdit', 5],
    ['explicit key', 'spec:\n  ? replicas\n', set('spec.replicas'), 'UnsupportedEdit', 6],
    [
      'first key of an item',
      'spec:\n  - a: 1\n    b: 2\n',
      { kind: 'remove', path: ['spec', '0', 'a'] },
      'UnsupportedEdit',
      6,
    ],
    ['item of a list', 'spec:\n  - a: 1\n', { kind: 'remove', path: ['spec', '0'] }, 'UnsupportedEdit', 6],
    [
      'comment inside braces',
      'spec: {a: 1, # one\n  b: 2}\n',
      { kind: 'remove', path: ['spec', 'b'] },
      'UnsupportedEdit',
      6,
    ],
    ['identity', '', set('metadata.name', 'other'), 'SpliceCheckFailed', 4],
    ['proto', '', set('spec.__proto__.x'), 'UnsupportedEdit', 0],
    ['root', '', { kind: 'remove', path: [] }, 'UnsupportedEdit', 0],
    [
      'restore from another object',
      'spec: {a: 1}\n',
      restore('spec', HEAD.replace('vllm', 'other')),
      'RestoreSourceUnreadable',
      5,
    ],
    ['restore from broken text', 'spec: {a: 1}\n', restore('spec', `${HEAD}spec: [\n`), 'RestoreSourceUnreadable', 5],
    ['restore from two', 'spec: {a: 1}\n', restore('spec', `${HEAD}---\n${HEAD}`), 'RestoreSourceUnreadable', 5],
    ['duplicate key anywhere', 'spec: {a: 1, a: 2}\n', set('x'), 'DuplicateKey', 5],
  ])('%s', (_, body, edit, reason, line) => {
    const spliced = apply(`${HEAD}${body}`, edit);
    expect(spliced).toMatchObject({ kind: 'refused', issue: { file: 'lws.yaml', reason, line } });
    if (spliced.kind === 'refused') {
      expect(spliced.issue.message).toMatch(/\w/);
      expect(spliced.issue.hint).toMatch(/\w/);
    }
  });

  test('an object that is not there, or twice', () => {
    expect(apply('a: 1\n', set('x'))).toMatchObject({ issue: { reason: 'ObjectNotFound' } });
    expect(apply(`${HEAD}---\n${HEAD}`, set('x'))).toMatchObject({ issue: { reason: 'ObjectTwice' } });
  });

  test('a namespace is part of which object is meant', () => {
    const text = `${HEAD}---\n${HEAD}  namespace: llm\n`;
    expect(apply(text, set('spec.replicas'))).toMatchObject({
      kind: 'ok',
      text: `${HEAD}spec:\n  replicas: 3\n---\n${HEAD}  namespace: llm\n`,
    });
  });

  test.each([
    ['the namespace is written down since', '  namespace: llm\n', ''],
    ['the namespace is left out since', '', '  namespace: llm\n'],
  ])('a rollback is open where %s', (_, now, before) => {
    const object = { ...OBJECT, namespace: now === '' ? '' : 'llm' };
    const edits = [restore('spec', `${HEAD}${before}spec: {a: 1}\n`)];
    expect(applyEdits(`${HEAD}${now}spec: {a: 2}\n`, { file: 'lws.yaml', object, edits })).toEqual({
      kind: 'ok',
      text: `${HEAD}${now}spec: {a: 1}\n`,
    });
  });

  test('an earlier text of another namespace is no rollback', () => {
    const object = { ...OBJECT, namespace: 'llm' };
    const edits = [restore('spec', `${HEAD}  namespace: other\nspec: {a: 1}\n`)];
    const spliced = applyEdits(`${HEAD}  namespace: llm\nspec: {a: 2}\n`, { file: 'lws.yaml', object, edits });
    expect(spliced).toMatchObject({ kind: 'refused', issue: { reason: 'RestoreSourceUnreadable' } });
  });

  test('one refused edit refuses the whole step', () => {
    expect(apply(`${HEAD}spec: {replicas: 1, x: []}\n`, set('spec.replicas'), set('spec.x'))).toMatchObject({
      kind: 'refused',
    });
  });
});

describe('tokens', () => {
  test.each<[string, string, string | number, string]>([
    ['keeps single quotes', "a: 'x'", "it's", "a: 'it''s'"],
    ['keeps double quotes', 'a: "x"', 'say "y"', 'a: "say \\"y\\""'],
    ['quotes new text', 'a: x', '3', 'a: "3"'],
    ['single quotes around JSON', 'a: x', '{"b":1}', 'a: \'{"b":1}\''],
    ['escapes line breaks', 'a: x', 'b"\nc', 'a: "b\\"\\nc"'],
    ['escapes what YAML 1.1 breaks lines at', 'a: x', 'b\u2028\u0085c', 'a: "b\\u2028\\u0085c"'],
    ['a number over text', 'a: "3"', 4, 'a: 4'],
    ['a number over the same text', 'a: "3"', 3, 'a: 3'],
    ['a plain number over a doubtful one', 'a: 012', 10, 'a: 10'],
    ['one line over block text', 'a: |\n  x\n  y\n\nb: 1', 'z', 'a: "z"\n\nb: 1'],
    ['one line over lines', 'a: x\n  y', 'z', 'a: "z"'],
    ['a tab before the comment', 'a: x\t# c', 'z', 'a: "z"\t# c'],
  ])('%s', (_, body, value, expected) => {
    expect(apply(`${HEAD}${body}\n`, set('a', value))).toEqual({ kind: 'ok', text: `${HEAD}${expected}\n` });
  });

  test.each([
    ['yes', '"yes"'],
    ['12', '"12"'],
    ['a b', '"a b"'],
    ['tranche.dev/step', 'tranche.dev/step'],
    ['null', '"null"'],
  ])('writes the new key %s as %s', (key, token) => {
    const spliced = apply(HEAD, { kind: 'set', path: ['metadata', 'annotations', key], value: 'v' });
    expect(spliced).toEqual({ kind: 'ok', text: `${HEAD}  annotations:\n    ${token}: "v"\n` });
  });
});
