/** Which documents of a file are read, what they say, and every way in which a file is refused. */

import { describe, expect, test } from 'vitest';
import { MAX_DOCUMENT_CHARACTERS, MAX_DOCUMENTS, MAX_FILE_CHARACTERS } from '../../src/manifests/limits.ts';
import { isKustomizationFile, parseManifestFile } from '../../src/manifests/parse-file.ts';

const KINDS = ['LeaderWorkerSet', 'Rollout'];

function lws(spec: string, name = 'vllm'): string {
  return `apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata:\n  name: ${name}\n${spec}`;
}

/** As the item of a list. */
function indented(text: string): string {
  return text.trimEnd().replaceAll('\n', '\n  ');
}

function check(text: string, file = 'lws.yaml') {
  return parseManifestFile(file, text, KINDS);
}

describe('documents', () => {
  test('are found with their offsets, lines and identities, others are left unparsed', () => {
    const service = 'kind: Service\nmetadata: {name: a}\n';
    const text = `\uFEFF# header\r\n---\r\n${service}--- # two\n${lws('spec:\n  replicas: 2\n')}---\n---\n${lws('', 'b')}`;
    const parsed = check(text);
    expect(parsed.issues).toEqual([]);
    expect(parsed.others.map(({ index, firstLine }) => [index, firstLine])).toEqual([[0, 3]]);
    expect(parsed.documents.map((one) => [one.index, one.firstLine, one.object.name])).toEqual([
      [1, 6, 'vllm'],
      [2, 14, 'b'],
    ]);
    for (const one of parsed.documents) expect(text.slice(one.start, one.end)).toBe(one.text);
    expect(parsed.documents[0]?.lineOf(['spec', 'replicas'])).toBe(11);
    expect(parsed.documents[0]?.lineOf(['spec', 'replicas', 'x'])).toBe(11);
    expect(parsed.documents[0]?.lineOf(['spec', 'missing'])).toBe(10);
  });

  test('of unwanted kinds are not interpreted, however broken', () => {
    expect(check('kind: ConfigMap\ndata: {LeaderWorkerSet: [\n')).toMatchObject({ documents: [], issues: [] });
    expect(check('kind: ConfigMap\nx: 1\nx: 2\nnote: LeaderWorkerSet\n')).toMatchObject({ documents: [], issues: [] });
    expect(check('a: [\n')).toMatchObject({ documents: [], others: [], issues: [] });
  });

  test('a Rollout that names a LeaderWorkerSet is a Rollout', () => {
    const text =
      'apiVersion: rollouts.kruise.io/v1beta1\nkind: Rollout\nmetadata:\n  name: r\n  namespace: llm\nspec:\n  workloadRef: {kind: LeaderWorkerSet}\n';
    expect(check(text).documents[0]?.object).toEqual({
      apiVersion: 'rollouts.kruise.io/v1beta1',
      kind: 'Rollout',
      namespace: 'llm',
      name: 'r',
    });
  });

  test('JSON is one document', () => {
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Rollout',
      metadata: { name: 'a' },
      spec: { note: '\n---\n' },
    });
    expect(check(text, 'a.json').documents[0]?.value).toEqual(JSON.parse(text));
    expect(check(JSON.stringify(JSON.parse(text), undefined, '\t'), 'a.json').documents[0]?.value).toEqual(
      JSON.parse(text),
    );
  });

  test('configuration without kinds is read whole on demand', () => {
    const parsed = parseManifestFile('tranche.yaml', 'cluster: prod\n', 'everything');
    expect(parsed.documents[0]?.value).toEqual({ cluster: 'prod' });
    expect(parsed.documents[0]?.object).toEqual({ apiVersion: '', kind: '', namespace: '', name: '' });
  });

  test('a kustomization is read whatever kind it names', () => {
    expect(
      ['kustomization.yaml', 'a/kustomization.yml', 'a/b/Kustomization', 'a/x.yaml'].map(isKustomizationFile),
    ).toEqual([true, true, true, false]);
    expect(check('resources: [lws.yaml]\n', 'apps/kustomization.yaml').documents).toHaveLength(1);
  });
});

describe('values', () => {
  test.each([
    ['octal', 'a: 0644\nb: 0o14\n', { a: 420, b: 12 }, ['a', 'b']],
    ['words', 'off: on\nq: "off"\n', { false: true, q: 'off' }, ['false', 'false']],
    ['aliases', 'a: &x {k: [1]}\nb: *x\n', { a: { k: [1] }, b: { k: [1] } }, []],
    ['merge', 'a: &x {k: 1, l: 2}\nb: {<<: *x, k: 3}\n', { a: { k: 1, l: 2 }, b: { k: 3, l: 2 } }, []],
    [
      'merge of several',
      'a: &x {k: 1}\nb: &y {k: 2, l: 3}\nc:\n  <<: [*x, *y]\n',
      { a: { k: 1 }, b: { k: 2, l: 3 }, c: { k: 1, l: 3 } },
      [],
    ],
    ['merge behind', 'a: &x {k: 1}\nb: {k: 3, <<: *x}\n', { a: { k: 1 }, b: { k: 1 } }, ['b.k']],
    ['anchor set again', 'a: &x 1\nb: *x\nc: &x 2\nd: *x\n', { a: 1, b: 1, c: 2, d: 2 }, []],
    ['tags', 'a: !!str 012\nb: !!int "3"\n', { a: '012', b: 3 }, ['b']],
    ['quoted merge key', 'a: {"<<": 1}\n', { a: { '<<': 1 } }, []],
    ['template', 'a: {{ .Values.a }}\n', { a: '{{ .Values.a }}' }, []],
    ['empty', 'a:\nb: ~\nc: ""\n', { a: null, b: null, c: '' }, []],
    ['number keys', '8000: a\n"0x10": b\n0x10: c\n', { 8000: 'a', '0x10': 'b', 16: 'c' }, ['[16]']],
    ['end marker', 'a: 1\n...\n# done\n', { a: 1 }, []],
  ])('%s', (_, text, value, ambiguous) => {
    const parsed = parseManifestFile('x.yaml', text, 'everything');
    expect(parsed.issues).toEqual([]);
    expect(parsed.documents[0]?.value).toEqual(value);
    expect(parsed.documents[0]?.ambiguous.map((place) => place.path)).toEqual(ambiguous);
  });

  test('ambiguous places have lines of the file', () => {
    const parsed = check(`---\n${lws('spec:\n  mode: 0644\n')}`);
    expect(parsed.documents[0]?.ambiguous).toEqual([{ path: 'spec.mode', line: 7, source: '0644' }]);
  });
});

/** As `kubectl` reads them: its parser adds no line break to a last line that has none. */
test.each([
  ['a: |\n    x', { a: 'x' }],
  ['a: |\r\n    x\r\n    y', { a: 'x\ny' }],
  ['a: |+\n    x\n      ', { a: 'x\n  ' }],
  ['a: |+\n    x\n    ', { a: 'x\n' }],
  ['a: >\n    x\n\n    y', { a: 'x\ny' }],
  ['a: |\n    x\n# c', { a: 'x\n' }],
  ['a: |\n    x\n', { a: 'x\n' }],
  ['a: "x\\n"', { a: 'x\n' }],
])('block text at the end of a file: %j', (body, spec) => {
  const { documents } = parseManifestFile('lws.yaml', lws(`spec:\n  ${body}`), ['LeaderWorkerSet']);
  expect(documents[0]?.value['spec']).toEqual(spec);
});

describe('refused with file and line', () => {
  const bomb = `${Array.from(
    { length: 9 },
    (_, at) =>
      `a${at}: &a${at} [${
        at === 0
          ? 'x'
          : Array(9)
              .fill(`*a${at - 1}`)
              .join(',')
      }]`,
  ).join('\n')}\n`;
  const merges = `${Array.from({ length: 200 }, (_, at) => `m${at}: &m${at}\n${at === 0 ? '' : `  <<: *m${at - 1}\n`}  k${at}: 1`).join('\n')}\n`;
  test.each([
    ['syntax', lws('spec: [1\n'), 'UnparsableYaml', 6],
    ['tab', lws('spec:\n\treplicas: 1\n'), 'UnparsableYaml', 6],
    ['two kinds', `${lws('')}kind: LeaderWorkerSet\n`, 'DuplicateKey', 5],
    ['two names', lws('  name: other\n'), 'DuplicateKey', 5],
    ['two merges', lws('a: &a {x: 1}\nb: &b {y: 1}\nspec:\n  <<: *a\n  <<: *b\n'), 'DuplicateKey', 9],
    [
      'two keys, and something else',
      lws('spec: {a: 1, a: 2, b: *nothing}\nc: {a: 1, a: 2, constructor: 1}\n'),
      'DuplicateKey',
      5,
    ],
    [
      'two names, far behind other keys that are there twice',
      lws(`  labels: {${'a: b, '.repeat(40)}}\n  name: other\n`),
      'DuplicateKey',
      5,
    ],
    ['proto', lws('spec:\n  __proto__: {}\n'), 'ForbiddenKey', 6],
    ['constructor', lws('spec: {"constructor": 1}\n'), 'ForbiddenKey', 5],
    ['prototype', lws('spec: {prototype: 1}\n'), 'ForbiddenKey', 5],
    ['tag', lws('spec:\n  replicas: !foo 3\n'), 'UnknownTag', 6],
    ['function tag', lws('spec:\n  x: !!js/function "1"\n'), 'UnknownTag', 6],
    ['binary', lws('spec:\n  x: !!binary aGk=\n'), 'UnknownTag', 6],
    ['directive', `%YAML 1.1\n---\n${lws('')}`, 'YamlDirective', 3],
    ['tag directive', `# c\r\n%TAG ! tag:x,2000:\r\n---\r\n${lws('')}`, 'YamlDirective', 4],
    // kubectl reads `replicas: 5` here: for its parser the comment ends at the carriage return.
    ['line break in a comment', lws('spec:\n  a: 1 # c\r  replicas: 5\n'), 'UnclearLineBreak', 6],
    ['separator in a comment', lws('# c\r---\rkind: ConfigMap\nspec: {}\n'), 'UnclearLineBreak', 5],
    ['line break in block text', lws('spec:\n  a: |\n    b\r  replicas: 5\n'), 'UnclearLineBreak', 7],
    ['two carriage returns', lws('spec:\r\r\n  a: 1\r\n'), 'UnclearLineBreak', 5],
    ['text on the separator', `--- !!map\n${lws('')}`, 'UnclearSeparator', 1],
    ['separator without blank', `a: 1\n---b\n${lws('')}`, 'UnclearSeparator', 2],
    ['text behind the end', `${lws('')}...\nmore: 1\n`, 'UnclearSeparator', 5],
    ['map as key', lws('spec: {? {a: 1} : 2}\n'), 'KeyNotText', 5],
    ['null as key', lws('spec:\n  ~: 2\n'), 'KeyNotText', 6],
    ['unknown alias', lws('spec: *nothing\n'), 'AliasUnresolved', 5],
    ['cycle', lws('spec: &s {a: *s}\n'), 'AliasUnresolved', 5],
    ['merge cycle', lws('spec: &s {<<: *s}\n'), 'MergeNotMap', 5],
    ['merge of text', lws('spec: {<<: 3}\n'), 'MergeNotMap', 5],
    ['template line', lws('{{- if .Values.x }}\nspec: {}\n{{- end }}\n'), 'TemplatedValue', 5],
    ['template around a document', `{{ if .Values.x }}\n${lws('')}{{ end }}\n`, 'TemplatedValue', 2],
    ['no name', 'apiVersion: v1\nkind: LeaderWorkerSet\nmetadata:\n  generateName: a-\n', 'IdentityMissing', 3],
    ['name is a number', lws('', '12'), 'IdentityMissing', 4],
    ['namespace is a word', lws('  namespace: off\n'), 'IdentityMissing', 5],
    ['list', 'apiVersion: v1\nkind: List\nitems:\n  - kind: LeaderWorkerSet\n', 'UnsupportedLayout', 1],
    ['list at the first level', `# ours\n- kind: Service\n- ${indented(lws('spec: {}\n'))}`, 'NotAnObject', 3],
    [
      'list of JSON',
      '[{"apiVersion": "rollouts.kruise.io/v1beta1",\n"kind": "Rollout", "metadata": {}}]',
      'NotAnObject',
      1,
    ],
    ['deep', lws(`spec: ${'['.repeat(70)}${']'.repeat(70)}\n`), 'TooDeep', 5],
    ['very deep', lws(`spec: ${'['.repeat(30_000)}${']'.repeat(30_000)}\n`), 'TooDeep', 5],
    ['many values', lws(`spec: [${'1,'.repeat(20_001)}1]\n`), 'TooManyNodes', 5],
    ['alias bomb', lws(bomb), 'TooManyNodes', 9],
    ['merge chain', lws(merges), 'TooManyNodes', 1],
    ['large document', lws(`# ${'x'.repeat(MAX_DOCUMENT_CHARACTERS)}\n`), 'DocumentTooLarge', 1],
    ['large file', `${lws('')}# ${'x'.repeat(MAX_FILE_CHARACTERS)}\n`, 'FileTooLarge', 0],
    ['many documents', `${lws('')}---\n`.repeat(MAX_DOCUMENTS + 1), 'TooManyDocuments', 321],
  ])('%s', (_, text, reason, line) => {
    const parsed = check(text);
    expect(parsed.issues[0]).toMatchObject({ file: 'lws.yaml', reason, line });
    expect(parsed.issues[0]?.message).not.toBe('');
    expect(parsed.issues[0]?.hint).not.toBe('');
    if (reason === 'TemplatedValue') expect(parsed.issues).toHaveLength(1);
  });

  test.each([
    ['a JSON patch', `- op: add\n  path: /items/0\n  value:\n    ${indented(indented(lws('')))}\n`],
    ['patches with targets', `- target: {kind: LeaderWorkerSet}\n  patch: |-\n    ${indented(indented(lws('')))}\n`],
    ['references', '- {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: vllm}\n'],
    ['objects of other kinds', '- {apiVersion: v1, kind: Service, metadata: {name: LeaderWorkerSet}}\n'],
    ['values', '- LeaderWorkerSet\n- kind: LeaderWorkerSet\n- [kind, Rollout]\n- null\n'],
  ])("a list of plain values is nobody's manifest: %s", (_, text) => {
    const { documents, issues, others } = check(text);
    expect([documents, issues]).toEqual([[], []]);
    expect(others).toHaveLength(1);
  });

  test('wrong documents count as well: thousands of them are not reported one by one', () => {
    const { issues } = check('---\nkind: LeaderWorkerSet\n'.repeat(1000));
    expect(issues.at(-1)?.reason).toBe('TooManyDocuments');
    expect(issues.length).toBeLessThanOrEqual(2 * MAX_DOCUMENTS + 1);
  });

  test.each([
    ['two keys', 'spec:\n  replicas: 1\n  size: 2\n  replicas: 3\n', 'spec.replicas', 8, 6, { replicas: 3, size: 2 }],
    ['one of them quoted', 'spec: {1: a, "1": b}\n', 'spec[1]', 5, 5, { 1: 'b' }],
  ])('read with a line, and the last counts, as for Kubernetes: %s', (_, body, path, line, first, spec) => {
    const { documents, issues } = check(lws(body));
    expect(issues).toEqual([]);
    expect(documents[0]?.value['spec']).toEqual(spec);
    expect(documents[0]?.twice).toMatchObject([{ file: 'lws.yaml', path, line, reason: 'DuplicateKey' }]);
    expect(documents[0]?.twice[0]?.message).toContain(`first on line ${first}`);
  });

  test('a document that no commit of ours restores, with a key that is there twice, is not read', () => {
    const policy = lws('spec: {a: 1, a: 2}\n').replace('LeaderWorkerSet', 'RolloutPolicy');
    const { documents, issues } = parseManifestFile('p.yaml', policy, ['RolloutPolicy']);
    expect(documents).toEqual([]);
    expect(issues).toMatchObject([{ file: 'p.yaml', line: 5, reason: 'DuplicateKey' }]);
  });

  test('one bad document leaves the others readable', () => {
    const parsed = check(`${lws('spec: [\n', 'a')}---\n${lws('', 'b')}`);
    expect(parsed.documents.map((one) => one.object.name)).toEqual(['b']);
    expect(parsed.issues).toHaveLength(1);
  });
});
