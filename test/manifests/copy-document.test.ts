/** A copy of a document behind it, and documents that go without a trace, in every way files part their documents. */

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_DOCUMENTS } from '../../src/manifests/limits.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { applyEdits } from '../../src/manifests/splice/apply-edits.ts';
import { splitDocuments } from '../../src/manifests/split-documents.ts';
import type { DocumentEdit, Edit, ObjectRef } from '../../src/rollout/edits/edit.ts';
import { anyManifest, anyStyle } from './any-manifest.ts';
import { writeYaml } from './written-yaml.ts';

const S: ObjectRef = { apiVersion: 'v1', kind: 'Service', namespace: '', name: 'vllm' };
const T: ObjectRef = { ...S, name: 'vllm-canary' };
const copy: DocumentEdit = { kind: 'copy', of: S, source: undefined };
const SVC = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: vllm # ours\nspec: {type: ClusterIP}\n';
const MADE = SVC.replace('name: vllm', 'name: vllm-canary');
const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n';
const BLOCK = `${MAP}data:\n  text: |\n    a`;
const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

function apply(text: string, object: ObjectRef, document: DocumentEdit, edits: readonly Edit[] = [], file = 'a.yaml') {
  const done = applyEdits(text, { file, object, edits, document });
  return done.kind === 'ok' ? done.text : `${done.issue.reason} line ${done.issue.line}: ${done.issue.message}`;
}

describe('a copy', () => {
  test.each<[what: string, before: string, after: string]>([
    ['of the only document', SVC, `${SVC}---\n${MADE}`],
    ['no last line break', SVC.trimEnd(), `${SVC}---\n${MADE.trimEnd()}`],
    ['a leading separator', `---\n${SVC}`, `---\n${SVC}---\n${MADE}`],
    ['a leading separator, no last line break', `---\n${SVC.trimEnd()}`, `---\n${SVC}---\n${MADE.trimEnd()}`],
    ['an end marker', `${SVC}...\n`, `${SVC}...\n---\n${MADE}`],
    ['an end marker without line break', `${SVC}...`, `${SVC}...\n---\n${MADE.trimEnd()}`],
    ['an end marker between', `${SVC}...\n---\n${MAP}`, `${SVC}...\n---\n${MADE}---\n${MAP}`],
    ['of the first', `${SVC}---\n${MAP}`, `${SVC}---\n${MADE}---\n${MAP}`],
    ['of the last', `${MAP}---\n${SVC}`, `${MAP}---\n${SVC}---\n${MADE}`],
    [
      'between, separators with comments',
      `${MAP}--- # a\n${SVC}--- # b\n${MAP}`,
      `${MAP}--- # a\n${SVC}---\n${MADE}--- # b\n${MAP}`,
    ],
    ['blank lines around', `\n${SVC}\n\n---\n${MAP}`, `\n${SVC}\n\n---\n${MADE}---\n${MAP}`],
    ['a separator at the end', `${SVC}---\n`, `${SVC}---\n${MADE}---\n`],
    ['two separators', `${SVC}---\n---\n${MAP}`, `${SVC}---\n${MADE}---\n---\n${MAP}`],
    [
      'comments of the file, of the document, inside and behind',
      `# Licence.\n\n# Of search.\n${SVC}  # inside\n# End.\n`,
      `# Licence.\n\n# Of search.\n${SVC}  # inside\n# End.\n---\n# Of search.\n${MADE}  # inside\n`,
    ],
    [
      'block text that keeps its blank lines',
      `${SVC}x: |+\n  a\n\n\n---\n${MAP}`,
      `${SVC}x: |+\n  a\n\n\n---\n${MADE}x: |+\n  a\n\n\n---\n${MAP}`,
    ],
    ['braces', JSON_TEXT('vllm'), `${JSON_TEXT('vllm')}---\n${JSON_TEXT('vllm-canary')}`],
    [
      'a quoted name',
      SVC.replace('vllm', '"vllm"'),
      `${SVC.replace('vllm', '"vllm"')}---\n${SVC.replace('vllm', '"vllm-canary"')}`,
    ],
  ])('%s', (_, before, after) => {
    for (const [was, is] of [
      [before, after],
      [crlf(before), crlf(after)],
      [`\uFEFF${before}`, `\uFEFF${after}`],
    ] as const) {
      // A file of one line does not say which line breaks it would have.
      if (!was.includes('\n')) continue;
      expect(apply(was, T, copy)).toBe(is);
      expect(apply(is, T, { kind: 'delete' }), 'and out').toBe(was);
    }
  });

  test('with fields of its own', () => {
    const edits: readonly Edit[] = [
      { kind: 'set', path: ['metadata', 'annotations', 'tranche.dev/made-for'], value: 'vllm' },
      { kind: 'set', path: ['spec', 'type'], value: 'ClusterIP' },
      { kind: 'insertItem', path: ['spec', 'ports', { key: 'port', value: 8000 }], value: { port: 8000 } },
    ];
    const made = MADE.replace('spec', '  annotations:\n    tranche.dev/made-for: "vllm"\nspec').replace(
      '}',
      ', ports: [{port: 8000}]}',
    );
    expect(apply(`${SVC}---\n${MAP}`, T, copy, edits)).toBe(`${SVC}---\n${made}---\n${MAP}`);
  });

  test('of another version of the file, in the line breaks of this one', () => {
    const source = crlf(`${MAP}---\n# Older.\n${SVC.replace('ClusterIP', 'NodePort')}`);
    expect(apply(`${MAP}---\n${SVC}`, T, { ...copy, source })).toBe(
      `${MAP}---\n${SVC}---\n# Older.\n${MADE.replace('ClusterIP', 'NodePort')}`,
    );
  });

  test.each<[what: string, made: string, why: string]>([
    [
      'nothing to copy',
      apply(MAP, T, copy),
      'ObjectNotFound line 0: Service vllm: there is no Service vllm in the file',
    ],
    ['two to copy', apply(`${SVC}---\n${SVC}`, T, copy), 'ObjectTwice'],
    ['there already', apply(`${SVC}---\n${MADE}`, T, copy), 'ObjectTwice line 1: Service vllm-canary'],
    ['under its own name', apply(SVC, S, copy), 'ObjectTwice'],
    ['in another namespace', apply(SVC, { ...T, namespace: 'llm' }, copy), 'UnsupportedEdit line 1'],
    ['of another kind', apply(SVC, { ...T, kind: 'ConfigMap' }, copy), 'ObjectNotFound'],
    ['JSON', apply(JSON_TEXT('vllm'), T, copy, [], 'a.json'), 'a JSON file is one document'],
    ['a text of another', apply(SVC, T, { ...copy, source: MAP }), 'the text to copy is not of one Service vllm'],
    [
      'a name that is repeated',
      apply(SVC.replace('name: vllm', 'name: &n vllm').replace('ClusterIP', '*n'), T, copy),
      'AliasInField line 4',
    ],
    [
      'block text at the end of an open file',
      apply(`${SVC}x: |\n  a`, T, copy),
      'UnsupportedEdit line 1: Service vllm-canary: its document cannot be moved as a whole: its last value is block text',
    ],
    ['unreadable', apply(SVC.replace('{', '['), T, copy), 'UnparsableYaml'],
    [
      'too many documents',
      apply(`${SVC}${`---\n${MAP}`.repeat(MAX_DOCUMENTS - 1)}`, T, copy),
      `TooManyDocuments line 1: Service vllm-canary: its document cannot be moved as a whole: the file has ${MAX_DOCUMENTS} documents`,
    ],
  ])('refused: %s', (_, made, why) => expect(made).toContain(why));
});

describe('a document goes', () => {
  test.each<[what: string, before: string, after: string]>([
    ['the only one', SVC, ''],
    ['the only one, leading separator', `---\n${SVC}`, ''],
    ['the only one, comments before its separator', `# Licence.\n---\n${SVC}`, '# Licence.\n'],
    ['the first', `# Of search.\n${SVC}---\n# b\n${MAP}`, `# b\n${MAP}`],
    ['the first, leading separator', `---\n${SVC}---\n${MAP}`, `---\n${MAP}`],
    ['the first, separator with a comment', `${SVC}--- # b\n${MAP}`, `--- # b\n${MAP}`],
    ['the first, with an end marker', `${SVC}...\n---\n${MAP}`, MAP],
    ['the middle one', `${MAP}--- # a\n${SVC}--- # b\n${MAP}`, `${MAP}--- # b\n${MAP}`],
    ['the last', `${MAP}---\n${SVC}`, MAP],
    ['the last, no last line break', `${MAP}---\n${SVC.trimEnd()}`, MAP.trimEnd()],
    ['the last, no last line break, an end marker before', `${MAP}...\n---\n${SVC.trimEnd()}`, `${MAP}...`],
    ['the last, a separator behind', `${MAP}---\n${SVC}---\n`, `${MAP}---\n`],
  ])('%s', (_, before, after) => {
    expect(apply(before, S, { kind: 'delete' })).toBe(after);
    expect(apply(crlf(before), S, { kind: 'delete' })).toBe(crlf(after));
    expect(apply(`\uFEFF${before}`, S, { kind: 'delete' })).toBe(`\uFEFF${after}`);
  });

  test('the text at the end of the one before keeps its line break', () => {
    expect(apply(`${BLOCK}\n---\n${SVC.trimEnd()}`, S, { kind: 'delete' })).toBe(`${BLOCK}\n`);
  });

  test.each<[what: string, made: string, why: string]>([
    ['not there', apply(MAP, S, { kind: 'delete' }), 'ObjectNotFound'],
    ['there twice', apply(`${SVC}---\n${SVC}`, S, { kind: 'delete' }), 'ObjectTwice'],
    ['JSON', apply(JSON_TEXT('vllm'), S, { kind: 'delete' }, [], 'a.json'), 'a JSON file is one document'],
  ])('refused: %s', (_, made, why) => expect(made).toContain(why));
});

function JSON_TEXT(name: string): string {
  return `{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "${name}"}}\n`;
}

const LWS: ObjectRef = { apiVersion: 'v1', kind: 'LeaderWorkerSet', namespace: '', name: 'vllm' };
const GREEN: ObjectRef = { ...LWS, name: 'vllm-green' };

/** Files of some documents, one of them ours, parted in the ways people part them. */
const anyFile = fc
  .record({
    manifest: anyManifest,
    how: anyStyle,
    ahead: fc.array(fc.constantFrom(MAP, '# nothing\n', '', `${MAP}...\n`), { maxLength: 2 }),
    behind: fc.array(fc.constantFrom(MAP, '# nothing\n', `# c\n${MAP}`, `${BLOCK}\n`), { maxLength: 2 }),
    separators: fc.array(fc.constantFrom('---\n', '--- # c\n', '---\t\n', '---\n---\n'), {
      minLength: 6,
      maxLength: 6,
    }),
    leading: fc.boolean(),
    tail: fc.constantFrom('', '\n', '...\n', '\n# end\n', '  # inside\n\n'),
    open: fc.boolean(),
  })
  .map(({ manifest, how, ahead, behind, separators, leading, tail, open }) => {
    const own = writeYaml(manifest, { ...how, lineBreak: '\n', byteOrderMark: false, finalBreak: true }) + tail;
    const bodies = [...ahead, own, ...behind];
    const joined = bodies
      .map((body, at) => (at === 0 && !leading ? body : `${separators[at] ?? '---\n'}${body}`))
      .join('');
    const text = `${how.byteOrderMark ? '\uFEFF' : ''}${open ? joined.replace(/\n$/, '') : joined}`;
    return { manifest, text: how.lineBreak === '\n' ? text : crlf(text) };
  });

test('a copy made and deleted gives the file back; both documents read as planned', () => {
  fc.assert(
    fc.property(anyFile, ({ manifest, text }) => {
      const copied = applyEdits(text, {
        file: 'lws.yaml',
        object: GREEN,
        edits: [],
        document: { kind: 'copy', of: LWS, source: undefined },
      });
      if (copied.kind === 'refused') {
        expect(copied.issue.message).toContain('its last value is block text');
        return;
      }
      const { documents } = parseManifestFile('lws.yaml', copied.text, ['LeaderWorkerSet']);
      expect(documents.map(({ value }) => value)).toEqual([
        manifest,
        { ...manifest, metadata: { ...(manifest['metadata'] as object), name: 'vllm-green' } },
      ]);
      expect(others(copied.text)).toEqual(others(text));
      expect(apply(copied.text, GREEN, { kind: 'delete' }, [], 'lws.yaml')).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test('a document that is deleted takes no other along', () => {
  fc.assert(
    fc.property(anyFile, ({ text }) => {
      const after = apply(text, LWS, { kind: 'delete' }, [], 'lws.yaml');
      expect(after).not.toContain('kind: LeaderWorkerSet');
      expect(others(after)).toEqual(others(text));
      expect(
        text.endsWith('\n') || after === '' || after === '\uFEFF' || !after.endsWith('\n') || after.includes('|'),
      ).toBe(true);
    }),
    { numRuns: 200 },
  );
});

/** The documents of other kinds, in order. */
function others(text: string): readonly string[] {
  return splitDocuments('lws.yaml', text)
    .map(({ start, end }) => text.slice(start, end).trimEnd())
    .filter((body) => body.includes('ConfigMap'));
}
