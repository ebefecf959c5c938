/** A document out of its file and back into it: every other byte stays, and the file ends as it started. */

import { expect, test } from 'vitest';
import { applyEdits } from '../../src/manifests/splice/apply-edits.ts';
import type { ObjectRef } from '../../src/rollout/edits/edit.ts';

const object: ObjectRef = {
  apiVersion: 'leaderworkerset.x-k8s.io/v1',
  kind: 'LeaderWorkerSet',
  namespace: 'llm',
  name: 'vllm',
};
const NOTE = 'tranche: LeaderWorkerSet llm/vllm is out';
const LWS = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: vllm, namespace: llm}
spec:
  replicas: 4  # four
`;
const OTHER = LWS.replaceAll('vllm', 'chat');
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: {name: vllm}\n';
const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

function removed(text: string, file = 'apps/lws.yaml'): string {
  const done = applyEdits(text, { file, object, edits: [], document: { kind: 'remove', note: NOTE } });
  return done.kind === 'ok' ? done.text : `${done.issue.reason}: ${done.issue.message}`;
}

function inserted(text: string, source: string): string {
  const done = applyEdits(text, {
    file: 'apps/lws.yaml',
    object,
    edits: [],
    document: { kind: 'insert', note: NOTE, source },
  });
  return done.kind === 'ok' ? done.text : `${done.issue.reason}: ${done.issue.message}`;
}

test.each<readonly [what: string, before: string, own: string, after: string]>([
  ['the only one', LWS, LWS, `# ${NOTE}\n`],
  ['with its comments', `# Of team search.\n${LWS}# End.\n`, `# Of team search.\n${LWS}# End.\n`, `# ${NOTE}\n`],
  ['the first', `${LWS}---\n${SERVICE}`, LWS, `# ${NOTE}\n---\n${SERVICE}`],
  ['the last', `${SERVICE}---\n${LWS}`, LWS, `${SERVICE}---\n# ${NOTE}\n`],
  [
    'between, separators with comments',
    `${SERVICE}--- # a\n${LWS}---\n# b\n${OTHER}`,
    LWS,
    `${SERVICE}--- # a\n# ${NOTE}\n---\n# b\n${OTHER}`,
  ],
  ['after a leading separator', `---\n${LWS}`, LWS, `---\n# ${NOTE}\n`],
  ['no line break at the end', `${SERVICE}---\n${LWS.trimEnd()}`, LWS.trimEnd(), `${SERVICE}---\n# ${NOTE}\n`],
  ['CRLF', crlf(`${SERVICE}---\n${LWS}---\n${OTHER}`), crlf(LWS), crlf(`${SERVICE}---\n# ${NOTE}\n---\n${OTHER}`)],
  ['a byte order mark', `\uFEFF${LWS}`, LWS, `\uFEFF# ${NOTE}\n`],
  ['two separators in a row', `${SERVICE}---\n---\n${LWS}`, LWS, `${SERVICE}---\n---\n# ${NOTE}\n`],
])('%s', (_, before, own, after) => {
  expect(removed(before)).toBe(after);
  expect(inserted(after, own), 'and back').toBe(before);
});

test.each<readonly [what: string, before: string, after: string]>([
  ['the note is gone', SERVICE, `${SERVICE}---\n${LWS}`],
  ['the note and the last line break are gone', SERVICE.trimEnd(), `${SERVICE}---\n${LWS}`],
  ['nothing is left', '', LWS],
  ['only comments are left', '# empty\n', `# empty\n---\n${LWS}`],
])('back where %s', (_, before, after) => expect(inserted(before, LWS)).toBe(after));

test.each<readonly [what: string, made: string, why: string]>([
  [
    'JSON',
    removed(JSON.stringify({ ...object, metadata: { name: 'vllm', namespace: 'llm' } }), 'a.json'),
    'UnsupportedEdit: LeaderWorkerSet vllm: its document cannot be moved as a whole: a JSON file is one document',
  ],
  [
    'a List',
    removed(`apiVersion: v1\nkind: List\nitems:\n  - ${LWS.trimEnd().replaceAll('\n', '\n    ')}\n`),
    'UnsupportedLayout',
  ],
  [
    'on the line of its separator',
    removed(
      '--- {apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: vllm, namespace: llm}}\n',
    ),
    'ObjectNotFound',
  ],
  ['there twice', removed(`${LWS}---\n${LWS}`), 'ObjectTwice'],
  ['not there', removed(SERVICE), 'ObjectNotFound'],
  [
    'put back by somebody else',
    inserted(`# ${NOTE}\n---\n${LWS}`, LWS),
    'UnsupportedEdit: LeaderWorkerSet vllm: its document cannot be moved as a whole: it is in the file already',
  ],
  [
    'a text of another object',
    inserted(`# ${NOTE}\n`, OTHER),
    'UnsupportedEdit: LeaderWorkerSet vllm: its document cannot be moved as a whole: its text has no such object',
  ],
  ['a text of two objects', inserted(`# ${NOTE}\n`, `${LWS}---\n${OTHER}`), 'UnsupportedEdit'],
])('refused: %s', (_, made, why) => expect(made).toContain(why));

test('fields are set in the document that comes back', () => {
  const path = ['metadata', 'annotations', 'tranche.dev/step'];
  const edits = [{ kind: 'set', path, value: '1/1' }] as const;
  const done = applyEdits(`# ${NOTE}\n---\n${SERVICE}`, {
    file: 'a.yaml',
    object,
    edits,
    document: {
      kind: 'insert',
      note: NOTE,
      source: LWS.replace('{name: vllm, namespace: llm}', '\n  name: vllm\n  namespace: llm'),
    },
  });
  expect(done).toMatchObject({
    kind: 'ok',
    text: expect.stringContaining('  annotations:\n    tranche.dev/step: "1/1"\nspec:'),
  });
});
