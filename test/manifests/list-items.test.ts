/** Items into lists and out of them, in every way a list is written; out again leaves no trace. */

import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/api/json.ts';
import { MAX_LIST_ITEMS } from '../../src/manifests/limits.ts';
import { applyEdits } from '../../src/manifests/splice/apply-edits.ts';
import type { Edit, EditPath } from '../../src/rollout/edits/edit.ts';

const OBJECT = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', namespace: '', name: 'vllm' };
const HEAD = 'apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata:\n  name: vllm\n';
const JSON_HEAD = '{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"vllm"},';
const REFS = ['spec', 'rules', '0', 'backendRefs'];
const CANARY = { name: 'vllm-canary', port: 8000, weight: 0 };
const BY_NAME = { key: 'name', value: 'vllm-canary' };
const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

function apply(text: string, edit: Edit, file = 'route.yaml'): string {
  const spliced = applyEdits(text, { file, object: OBJECT, edits: [edit] });
  if (spliced.kind === 'ok') return spliced.text;
  const { reason, line, path } = spliced.issue;
  return `${reason} line ${line} ${path}`;
}

type Undone = 'undone' | 'kept';

function check(before: string, path: EditPath, value: Json, after: string, undone: Undone, file?: string): void {
  expect(apply(before, { kind: 'insertItem', path, value }, file)).toBe(after);
  const back = apply(after, { kind: 'removeItem', path }, file);
  if (undone === 'undone') expect(back).toBe(before);
  else expect(back).not.toContain('canary');
}

describe('a second backendRef', () => {
  test.each<[what: string, before: string, after: string, undone?: Undone]>([
    [
      'list not indented',
      'spec:\n  rules:\n  - backendRefs:\n    - name: vllm\n      port: 8000\n',
      'spec:\n  rules:\n  - backendRefs:\n    - name: vllm\n      port: 8000\n    - name: vllm-canary\n      port: 8000\n      weight: 0\n',
    ],
    [
      'list indented, something behind it',
      'spec:\n  rules:\n    - backendRefs:\n        - name: vllm\n          port: 8000\n\n      # Slow.\n      timeouts: {request: 600s}\n',
      'spec:\n  rules:\n    - backendRefs:\n        - name: vllm\n          port: 8000\n        - name: vllm-canary\n          port: 8000\n          weight: 0\n\n      # Slow.\n      timeouts: {request: 600s}\n',
    ],
    [
      'comments next to it, inside and behind',
      'spec:\n  rules:\n  - backendRefs:\n    # Stable.\n    - name: vllm # one\n      # weight: 100\n    # End.\n  hostnames: [a]\n',
      'spec:\n  rules:\n  - backendRefs:\n    # Stable.\n    - name: vllm # one\n      # weight: 100\n    - name: vllm-canary\n      port: 8000\n      weight: 0\n    # End.\n  hostnames: [a]\n',
    ],
    [
      'wide dashes',
      'spec:\n  rules:\n  -   backendRefs:\n      -   name: vllm\n          port: 8000\n',
      'spec:\n  rules:\n  -   backendRefs:\n      -   name: vllm\n          port: 8000\n      -   name: vllm-canary\n          port: 8000\n          weight: 0\n',
    ],
    [
      'a dash alone on its line',
      'spec:\n  rules:\n  - backendRefs:\n    -\n      name: vllm\n',
      'spec:\n  rules:\n  - backendRefs:\n    -\n      name: vllm\n    - name: vllm-canary\n      port: 8000\n      weight: 0\n',
    ],
    [
      'items in braces',
      'spec:\n  rules:\n  - backendRefs:\n    - { name: vllm, port: 8000 } # one\n',
      'spec:\n  rules:\n  - backendRefs:\n    - { name: vllm, port: 8000 } # one\n    - { name: vllm-canary, port: 8000, weight: 0 }\n',
    ],
    [
      'brackets on one line',
      'spec:\n  rules:\n  - backendRefs: [{name: vllm, port: 8000}]\n',
      'spec:\n  rules:\n  - backendRefs: [{name: vllm, port: 8000}, {name: vllm-canary, port: 8000, weight: 0}]\n',
    ],
    [
      'brackets over lines',
      'spec:\n  rules:\n  - backendRefs: [\n      {name: vllm, port: 8000},\n    ]\n',
      'spec:\n  rules:\n  - backendRefs: [\n      {name: vllm, port: 8000},\n      {name: vllm-canary, port: 8000, weight: 0},\n    ]\n',
    ],
    [
      'no line break at the end, blank line before',
      'spec:\n  rules:\n  - backendRefs:\n    - name: a\n\n    - name: vllm',
      'spec:\n  rules:\n  - backendRefs:\n    - name: a\n\n    - name: vllm\n    - name: vllm-canary\n      port: 8000\n      weight: 0',
    ],
    [
      'blank lines at the end',
      'spec:\n  rules:\n  - backendRefs:\n    - name: vllm\n\n\n',
      'spec:\n  rules:\n  - backendRefs:\n    - name: vllm\n    - name: vllm-canary\n      port: 8000\n      weight: 0\n\n\n',
    ],
    [
      'key without a list',
      'spec:\n  rules:\n  - backendRefs: # none\n    matches: []\n',
      'spec:\n  rules:\n  - backendRefs: # none\n    - name: vllm-canary\n      port: 8000\n      weight: 0\n    matches: []\n',
      'kept',
    ],
    [
      'empty brackets',
      'spec:\n  rules:\n  - backendRefs: [ ] # none\n    matches: []\n',
      'spec:\n  rules:\n  - backendRefs: # none\n    - name: vllm-canary\n      port: 8000\n      weight: 0\n    matches: []\n',
      'kept',
    ],
    [
      'no key',
      'spec:\n    rules:\n      - matches:\n            - path: {value: /v1}\n',
      'spec:\n    rules:\n      - matches:\n            - path: {value: /v1}\n        backendRefs:\n            - name: vllm-canary\n              port: 8000\n              weight: 0\n',
    ],
    [
      'empty brackets inside braces',
      'spec:\n  rules:\n  - {backendRefs: [], matches: []}\n',
      'spec:\n  rules:\n  - {backendRefs: [{name: vllm-canary, port: 8000, weight: 0}], matches: []}\n',
      'kept',
    ],
    [
      'no key inside braces',
      'spec: {rules: [{matches: []}]}\n',
      'spec: {rules: [{matches: [], backendRefs: [{name: vllm-canary, port: 8000, weight: 0}]}]}\n',
    ],
    [
      'an alias next to it',
      'spec:\n  x: &p {name: vllm}\n  rules:\n  - backendRefs:\n    - *p\n',
      'spec:\n  x: &p {name: vllm}\n  rules:\n  - backendRefs:\n    - *p\n    - name: vllm-canary\n      port: 8000\n      weight: 0\n',
    ],
  ])('%s', (_, before, after, undone = 'undone') => {
    check(HEAD + before, [...REFS, BY_NAME], CANARY, HEAD + after, undone);
    check(crlf(HEAD + before), [...REFS, BY_NAME], CANARY, crlf(HEAD + after), undone);
  });

  test.each<[what: string, before: string, after: string, undone?: Undone]>([
    [
      'on one line',
      `${JSON_HEAD}"spec":{"rules":[{"backendRefs":[{"name":"vllm"}]}]}}`,
      `${JSON_HEAD}"spec":{"rules":[{"backendRefs":[{"name":"vllm"},{"name":"vllm-canary","port":8000,"weight":0}]}]}}`,
    ],
    [
      'over lines',
      `${JSON.stringify({ ...JSON.parse(`${JSON_HEAD}"a":1}`), spec: { rules: [{ backendRefs: [{ name: 'vllm' }] }] } }, null, 2)}\n`,
      `${JSON.stringify({ ...JSON.parse(`${JSON_HEAD}"a":1}`), spec: { rules: [{ backendRefs: [{ name: 'vllm' }, CANARY] }] } }, null, 2)}\n`,
    ],
    [
      'over lines, with tabs, no key',
      `${JSON.stringify({ ...JSON.parse(`${JSON_HEAD}"a":1}`), spec: { rules: [{ matches: [] }] } }, null, '\t')}\n`,
      `${JSON.stringify({ ...JSON.parse(`${JSON_HEAD}"a":1}`), spec: { rules: [{ matches: [], backendRefs: [CANARY] }] } }, null, '\t')}\n`,
    ],
  ])('JSON %s', (_, before, after, undone = 'undone') => {
    check(before, [...REFS, BY_NAME], CANARY, after, undone, 'route.json');
  });
});

describe('a whole rule', () => {
  const RULE = {
    name: 'tranche',
    matches: [{ path: { type: 'PathPrefix', value: '/v1' }, headers: [{ name: 'x-canary', value: 'yes' }] }],
    filters: [],
    backendRefs: [{ name: 'vllm-canary', port: 8000 }],
    timeouts: { request: '600s' },
  };
  test('last, in the style of the first; lists not indented', () => {
    const before = 'spec:\n  rules:\n  - backendRefs:\n    - name: vllm\n      port: 8000\n';
    const after = `${before}  - name: tranche
    matches:
    - path:
        type: PathPrefix
        value: "/v1"
      headers:
      - name: x-canary
        value: "yes"
    filters: []
    backendRefs:
    - name: vllm-canary
      port: 8000
    timeouts:
      request: "600s"
`;
    check(HEAD + before, ['spec', 'rules', { key: 'name', value: 'tranche' }], RULE, HEAD + after, 'undone');
    check(HEAD + before, ['spec', 'rules', '1'], RULE, HEAD + after, 'undone');
  });

  test.each<[what: string, before: string, after: string]>([
    [
      'above the comment of the old first',
      'spec:\n  rules: # All.\n\n  # The stable one.\n  - name: a\n',
      'spec:\n  rules: # All.\n  - name: new\n\n  # The stable one.\n  - name: a\n',
    ],
    [
      'below a comment that would be one of its own',
      'spec:\n  rules:\n    # The stable one.\n  - name: a\n',
      'spec:\n  rules:\n    # The stable one.\n  - name: new\n  - name: a\n',
    ],
    ['brackets', 'spec: {rules: [ {name: a}]}\n', 'spec: {rules: [ {name: new}, {name: a}]}\n'],
    [
      'brackets over lines',
      'spec: {rules: [\n    {name: a}\n  ]}\n',
      'spec: {rules: [\n    {name: new},\n    {name: a}\n  ]}\n',
    ],
  ])('first: %s', (_, before, after) => {
    check(HEAD + before, ['spec', 'rules', '0'], { name: 'new' }, HEAD + after, 'undone');
    check(crlf(HEAD + before), ['spec', 'rules', '0'], { name: 'new' }, crlf(HEAD + after), 'undone');
  });

  test.each<[what: string, before: string, after: string]>([
    [
      'between, behind comments of the one before',
      'spec:\n  rules:\n  - name: a\n    # of a\n\n  # of b\n  - name: b\n',
      'spec:\n  rules:\n  - name: a\n    # of a\n  - name: new\n\n  # of b\n  - name: b\n',
    ],
    ['brackets', 'spec: {rules: [{name: a} , {name: b}]}\n', 'spec: {rules: [{name: a}, {name: new} , {name: b}]}\n'],
    [
      'behind block text that keeps its line breaks',
      'spec:\n  rules:\n  - |+\n    a\n\n  - b\n',
      'spec:\n  rules:\n  - |+\n    a\n\n  - name: new\n  - b\n',
    ],
    [
      'a list in a list',
      'spec:\n  rules:\n  - - a\n    - b\n  - c\n',
      'spec:\n  rules:\n  - - a\n    - b\n  - name: new\n  - c\n',
    ],
  ])('between: %s', (_, before, after) => {
    check(HEAD + before, ['spec', 'rules', '1'], { name: 'new' }, HEAD + after, 'undone');
    check(crlf(HEAD + before), ['spec', 'rules', '1'], { name: 'new' }, crlf(HEAD + after), 'undone');
  });
});

describe('what an item is', () => {
  test.each<[what: string, value: Json, lines: string]>([
    ['a word', 'vllm', '- vllm\n'],
    ['a word that others misread', 'yes', '- "yes"\n'],
    ['text', 'a: b # c', '- "a: b # c"\n'],
    ['lines', 'a\nb', '- "a\\nb"\n'],
    ['a number', 3, '- 3\n'],
    ['null', null, '- null\n'],
    ['an empty map', {}, '- {}\n'],
    ['a list', [1, [2]], '- - 1\n    - - 2\n'],
    ['odd keys', { 'a b': { '1': true } }, '- "a b":\n      "1": true\n'],
  ])('%s', (_, value, lines) => {
    const before = `${HEAD}spec:\n  rules:\n  - a\n`;
    check(before, ['spec', 'rules', '1'], value, `${before}  ${lines}`, 'undone');
  });
});

const ROUTE = `${HEAD}spec:
  rules:
  - backendRefs:
    - name: vllm        # stable
      port: 8000
      weight: 100
    - {name: vllm-canary, port: 8000, weight: 0}
    - name: twice
    - name: twice
`;

describe('fields of an item by its name', () => {
  const path = (name: string, key: string): EditPath => [...REFS, { key: 'name', value: name }, key];
  test.each<[what: string, edit: Edit, from: string, to: string]>([
    ['block', { kind: 'set', path: path('vllm', 'weight'), value: 90 }, 'weight: 100', 'weight: 90'],
    ['braces', { kind: 'set', path: path('vllm-canary', 'weight'), value: 10 }, 'weight: 0', 'weight: 10'],
    ['a new field', { kind: 'set', path: path('vllm-canary', 'kind'), value: 'Service' }, '0}', '0, kind: "Service"}'],
    ['a field goes', { kind: 'remove', path: path('vllm', 'weight') }, '      weight: 100\n', ''],
    ['no field, nothing to do', { kind: 'remove', path: path('vllm', 'namespace') }, '', ''],
    [
      'an item goes',
      { kind: 'removeItem', path: path('vllm-canary', '').slice(0, -1) },
      /    - \{.*\n/.exec(ROUTE)![0],
      '',
    ],
    [
      'an item goes, with the comments in it',
      { kind: 'removeItem', path: path('vllm', '').slice(0, -1) },
      '    - name: vllm        # stable\n      port: 8000\n      weight: 100\n',
      '',
    ],
  ])('%s', (_, edit, from, to) => expect(apply(ROUTE, edit)).toBe(ROUTE.replace(from, to)));
});

describe('refused', () => {
  const named = (name: string, ...rest: readonly string[]): EditPath => [
    ...REFS,
    { key: 'name', value: name },
    ...rest,
  ];
  test.each<[what: string, text: string, edit: Edit, issue: string]>([
    [
      'set, no such item',
      ROUTE,
      { kind: 'set', path: named('other', 'weight'), value: 1 },
      'ItemNotFound line 7 spec.rules[0].backendRefs[name=other]',
    ],
    ['remove, no such item', ROUTE, { kind: 'remove', path: named('other', 'weight') }, 'ItemNotFound line 7'],
    ['remove item, no such item', ROUTE, { kind: 'removeItem', path: named('other') }, 'ItemNotFound line 7'],
    ['set, two items', ROUTE, { kind: 'set', path: named('twice', 'weight'), value: 1 }, 'ItemTwice line 7'],
    ['remove item, two items', ROUTE, { kind: 'removeItem', path: named('twice') }, 'ItemTwice line 7'],
    ['insert, there already', ROUTE, { kind: 'insertItem', path: named('vllm'), value: { name: 'vllm' } }, 'ItemTwice'],
    ['insert another', ROUTE, { kind: 'insertItem', path: named('new'), value: CANARY }, 'UnsupportedEdit line 7'],
    ['insert behind the end', ROUTE, { kind: 'insertItem', path: [...REFS, '5'], value: 1 }, 'ItemNotFound line 7'],
    ['remove behind the end', ROUTE, { kind: 'removeItem', path: [...REFS, '4'] }, 'ItemNotFound line 7'],
    ['a key is no item', ROUTE, { kind: 'removeItem', path: ['spec', 'rules'] }, 'ItemNotFound line 5'],
    ['no list', ROUTE, { kind: 'insertItem', path: ['metadata', 'name', '0'], value: 1 }, 'FieldIsNotList line 4'],
    ['match in a map', ROUTE, { kind: 'removeItem', path: ['metadata', BY_NAME] }, 'FieldIsNotList line 3'],
    ['match in no list', HEAD, { kind: 'set', path: named('vllm', 'weight'), value: 1 }, 'ItemNotFound line 1'],
    [
      'an item that is an alias',
      `${HEAD}x: &p {name: vllm}\nspec:\n  rules:\n  - backendRefs:\n    - *p\n`,
      { kind: 'set', path: named('vllm', 'weight'), value: 1 },
      'AliasInField line 9',
    ],
    [
      'an item with an anchor that is needed',
      `${HEAD}spec:\n  rules:\n  - a: &p 1\n  - b: 2\n  c: *p\n`,
      { kind: 'removeItem', path: ['spec', 'rules', '0'] },
      'AliasInField line 7',
    ],
    [
      'an item whose keys are merged elsewhere',
      `${HEAD}spec:\n  rules:\n  - &p {a: 1}\n  - {<<: *p, b: 2}\n`,
      { kind: 'removeItem', path: ['spec', 'rules', '0'] },
      'AliasInField line 7',
    ],
    [
      'a list that is repeated',
      `${HEAD}spec:\n  rules: &r\n  - 1\n  more: *r\n`,
      { kind: 'insertItem', path: ['spec', 'rules', '1'], value: 2 },
      'AliasInField line 6',
    ],
    [
      'a list that is repeated, in what is around it',
      `${HEAD}spec: &s\n  rules:\n  - 1\n  - 2\nmore: *s\n`,
      { kind: 'removeItem', path: ['spec', 'rules', '1'] },
      'AliasInField line 8',
    ],
    [
      'a list behind an alias',
      `${HEAD}x: &r [1]\nspec:\n  rules: *r\n`,
      { kind: 'insertItem', path: ['spec', 'rules', '1'], value: 2 },
      'AliasInField line 7',
    ],
    [
      'a template',
      `${HEAD}spec:\n  rules: {{ .Values.rules }}\n`,
      { kind: 'insertItem', path: ['spec', 'rules', '0'], value: 2 },
      'FieldIsNotList line 6',
    ],
    [
      'a comment in brackets',
      `${HEAD}spec:\n  rules: [\n    1, # one\n    2 # two\n  ]\n`,
      { kind: 'insertItem', path: ['spec', 'rules', '2'], value: 3 },
      'UnsupportedEdit line 6',
    ],
    [
      'a comment between what goes',
      `${HEAD}spec:\n  rules: [\n    1, # one\n    2\n  ]\n`,
      { kind: 'removeItem', path: ['spec', 'rules', '1'] },
      'UnsupportedEdit line 8',
    ],
    [
      'the first of a list in a list',
      `${HEAD}spec:\n  rules:\n  - - 1\n    - 2\n`,
      { kind: 'removeItem', path: ['spec', 'rules', '0', '0'] },
      'UnsupportedEdit line 7',
    ],
    [
      'the only key of an item',
      `${HEAD}spec:\n  rules:\n  - backendRefs:\n    - a\n`,
      { kind: 'removeItem', path: [...REFS, '0'] },
      'UnsupportedEdit line 7',
    ],
    [
      'a list at its limit',
      `${HEAD}spec: [${'1, '.repeat(MAX_LIST_ITEMS)}]\n`,
      { kind: 'insertItem', path: ['spec', String(MAX_LIST_ITEMS)], value: 2 },
      'ListTooLong line 5',
    ],
    [
      'a key that is no key',
      ROUTE,
      { kind: 'insertItem', path: [...REFS, '0'], value: JSON.parse('{"__proto__": 1}') },
      'SpliceCheckFailed',
    ],
    [
      'a forbidden match',
      ROUTE,
      { kind: 'removeItem', path: ['spec', { key: '__proto__', value: 1 }] },
      'UnsupportedEdit',
    ],
  ])('%s', (_, text, edit, issue) => expect(apply(text, edit)).toContain(issue));
});
