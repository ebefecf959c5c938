/** The last check before a push, with several objects in one commit: each kind of difference is found, and nothing else. */

import { expect, test } from 'vitest';
import { ABSENT } from '../../src/api/field.ts';
import type { JsonObject } from '../../src/api/json.ts';
import { MARK, MARK_NAMES, type Marks, printMarks } from '../../src/api/marks.ts';
import { parseManifestFile } from '../../src/manifests/parse-file.ts';
import { readWorkload } from '../../src/reconcile/documents/read-workload.ts';
import { checkStep } from '../../src/reconcile/write/check-step.ts';
import { render } from '../../src/reconcile/write/render.ts';
import type { ObjectChange } from '../../src/rollout/edits/change.ts';
import { editsOf } from '../../src/rollout/edits/change-edits.ts';
import { workloadEdit } from '../../src/rollout/edits/workload-change.ts';
import { marksOf } from '../support/snapshot.ts';

const LWS = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: vllm
  namespace: llm
spec:
  replicas: 4
  rolloutStrategy:
    rollingUpdateConfiguration: {partition: 4, maxUnavailable: 2}
  leaderWorkerTemplate:
    size: 2
    workerTemplate: {spec: {containers: [{name: worker, image: "vllm:2"}]}}
`;
const SERVICE =
  'apiVersion: v1\nkind: Service\nmetadata: {name: vllm, namespace: llm}\nspec: {selector: {app: vllm}}\n';
const POD = 'apiVersion: v1\nkind: Pod\nmetadata: {name: old, namespace: llm}\n';
const ROUTE = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: vllm, namespace: llm}
spec:
  rules:
    - backendRefs:
        - {name: vllm, weight: 100}
        - {name: vllm-canary, port: 80}
`;
const BEFORE = new Map([
  ['lws.yaml', `${LWS}---\n${SERVICE}---\n${POD}`],
  ['route.yaml', ROUTE],
  ['rollout.yaml', 'kind: Unread\n'],
]);

const ref = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, namespace: 'llm', name });
const own = ref('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'vllm');

function ownFile(text: string) {
  const [document] = parseManifestFile('lws.yaml', text, ['LeaderWorkerSet']).documents;
  const file = document === undefined ? undefined : readWorkload(document).workload;
  if (file === undefined) throw new Error('no workload');
  return file;
}

const marks = marksOf('B.2 1/3 floor=3 stable=-');
if (marks === undefined) throw new Error('no marks');
const EARLIER = LWS.replace('vllm:2', 'vllm:1');
const earlier = ownFile(EARLIER);
const text = {
  commit: '',
  release: { digest: earlier.digest, serial: 1 },
  content: earlier.workload.content,
  text: EARLIER,
};
const weight = (name: string) => ['spec', 'rules', '0', 'backendRefs', { key: 'name', value: name }, 'weight'];

/** A share for the copy: five objects in two files. */
const CHANGES: readonly ObjectChange[] = [
  workloadEdit(ownFile(LWS), { marks, partition: 3, maxUnavailable: ABSENT, text }),
  {
    kind: 'create',
    file: 'lws.yaml',
    object: { ...own, name: 'vllm-canary' },
    document: { kind: 'copy', of: own, source: undefined },
    fields: [{ path: ['spec', 'replicas'], from: 4, to: 1 }],
  },
  {
    kind: 'edit',
    file: 'lws.yaml',
    object: ref('v1', 'Service', 'vllm'),
    fields: [{ path: ['spec', 'selector', 'track'], from: ABSENT, to: 'stable' }],
  },
  { kind: 'delete', file: 'lws.yaml', object: ref('v1', 'Pod', 'old'), document: { kind: 'delete' } },
  {
    kind: 'edit',
    file: 'route.yaml',
    object: ref('gateway.networking.k8s.io/v1', 'HTTPRoute', 'vllm'),
    fields: [
      { path: weight('vllm'), from: 100, to: 80 },
      { path: weight('vllm-canary'), from: ABSENT, to: 20 },
    ],
  },
];

function written(): readonly { readonly path: string; readonly text: string }[] {
  const rendered = render(editsOf(CHANGES), BEFORE);
  if (rendered.kind !== 'ok') throw new Error(rendered.issue.message);
  return rendered.writes.map(({ path, text: after = '' }) => ({ path, text: after }));
}

test('all objects as planned', () => {
  expect(written().map(({ path }) => path)).toEqual(['lws.yaml', 'route.yaml']);
  expect(checkStep(CHANGES, { before: BEFORE, writes: written() })).toBeUndefined();
});

test.each<readonly [what: string, from: string | RegExp, to: string, wrong: string]>([
  ['a number', 'partition: 3', 'partition: 2', 'LeaderWorkerSet vllm: .* spec.rolloutStrategy.*partition 2, wanted 3'],
  ['a field left alone', 'replicas: 4', 'replicas: 5', 'LeaderWorkerSet vllm: .* spec.replicas 5, wanted 4'],
  ['a field that goes', 'partition: 3', 'partition: 3, maxUnavailable: 2', 'maxUnavailable 2, wanted none'],
  ['a mark', '1/3', '2/3', 'vllm: .*tranche.dev/step 2/3@.*, wanted 1/3@'],
  ['the text', 'vllm:1', 'vllm:3', 'the template is [0-9a-f]{8}, wanted [0-9a-f]{8}'],
  ['one of no change', /name: vllm\n/, 'name: vllm\n  labels: {a: b}\n', 'vllm: .*none of the planned'],
  ['of a copy, its field', 'replicas: 1', 'replicas: 2', 'vllm-canary: .* spec.replicas 2, wanted 1'],
  ['of a copy, its content', 'vllm:2', 'vllm:3', 'vllm-canary: .*none of the planned'],
  ['of a copy, all of it', 'name: vllm-canary', 'name: vllm-green', 'vllm-canary: .*cannot be read back'],
  ['of another object', 'track: "stable"', 'track: canary', 'Service vllm: .*track "canary", wanted stable'],
  ['the same as a number', 'track: "stable"', 'track: 1', 'Service vllm: .*track 1, wanted stable'],
  ['gone from another object', ', track: "stable"', '', 'Service vllm: .*track missing, wanted stable'],
  ['next to it', 'app: vllm', 'app: x', 'Service vllm: .*none of the planned'],
  ['of an item', 'weight: 80', 'weight: 81', 'HTTPRoute vllm: .*weight 81, wanted 80'],
  ['of an item, gone', ', weight: 20', '', 'HTTPRoute vllm: .*weight missing, wanted 20'],
  ['of an item, next to it', 'port: 80', 'port: 81', 'HTTPRoute vllm: .*none of the planned'],
  ['an item more', '- {name: vllm,', '- {name: x}\n        - {name: vllm,', 'HTTPRoute vllm: .*none of the planned'],
  ['what was deleted', /$/, `---\n${POD}`, 'Pod old: .*it is still there'],
  ['a document more', /$/, '---\nkind: More\n', 'another document of its file would change'],
  ['a document less', /kind: LeaderWorkerSet\n/, '', 'cannot be read back'],
])('planted: %s', (_, from, to, wrong) => {
  const writes = written().map(({ path, text: after }) => ({ path, text: after.replace(from, to) }));
  expect(writes).not.toEqual(written());
  const issue = checkStep(CHANGES, { before: BEFORE, writes });
  expect([issue?.reason, issue?.message]).toEqual(['StepCheckFailed', expect.stringMatching(wrong)]);
});

test('an edit that was not written', () => {
  const writes = written().filter(({ path }) => path !== 'route.yaml');
  expect(checkStep(CHANGES, { before: BEFORE, writes })?.message).toContain('weight 100, wanted 80');
});

test('a file that is gone', () => {
  const writes = written().map(({ path }) => ({ path, text: undefined }));
  expect(checkStep(CHANGES, { before: BEFORE, writes })?.message).toContain('cannot be read back');
});

test('what an alias repeats of a text that is put back follows it', () => {
  const withAlias = (image: string) =>
    LWS.replace('"vllm:2"', `&image "vllm:${image}"`).replace('namespace: llm\n', 'namespace: llm\n  labels: {i: a}\n');
  const before = `${withAlias('2')}status: {image: *image}\n`;
  const { workload, digest } = ownFile(withAlias('1'));
  const change = workloadEdit(ownFile(before), {
    marks,
    text: { commit: '', release: { digest, serial: 1 }, content: workload.content, text: withAlias('1') },
  });
  const rendered = render(editsOf([change]), new Map([['lws.yaml', before]]));
  if (rendered.kind !== 'ok') throw new Error(rendered.issue.message);
  expect(rendered.writes[0]?.text).toContain('"vllm:1"');
  const texts = { before: new Map([['lws.yaml', before]]), writes: rendered.writes };
  expect(checkStep([change], texts)).toBeUndefined();
});

const renamed = (value: JsonObject, name: string): JsonObject => ({ ...value, metadata: { ...META, name } });
const META = { name: 'vllm', namespace: 'llm' };
const valueOf = (file: string, kind: string): JsonObject => {
  const [found] = parseManifestFile(file, BEFORE.get(file) ?? '', [kind]).documents;
  if (found === undefined) throw new Error(`no ${kind}`);
  return found.value;
};
const [WORKLOAD, SVC, ROUTED] = [
  valueOf('lws.yaml', 'LeaderWorkerSet'),
  valueOf('lws.yaml', 'Service'),
  valueOf('route.yaml', 'HTTPRoute'),
];
const rule = (name: string) => ({ name, backendRefs: [{ name: 'vllm-canary', port: 80 }] });

/** A rung: documents that are made, an item of a list, and the workload with its marks and the text that comes back. */
const RUNG: readonly ObjectChange[] = [
  {
    kind: 'exact',
    file: 'lws.yaml',
    object: own,
    edits: [{ kind: 'remove', path: ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration', 'maxUnavailable'] }],
    from: WORKLOAD,
    to: {
      ...WORKLOAD,
      metadata: { ...META, annotations: annotationsOf(marks) },
      spec: { replicas: 4, rolloutStrategy: { rollingUpdateConfiguration: { partition: 4 } } },
    },
    workload: { marks: { from: undefined, to: marks }, content: { digest: earlier.digest, source: EARLIER } },
  },
  {
    kind: 'exact',
    file: 'lws.yaml',
    object: ref('v1', 'Service', 'vllm-canary'),
    document: { kind: 'copy', of: ref('v1', 'Service', 'vllm'), source: undefined },
    edits: [{ kind: 'set', path: ['spec', 'selector', 'track'], value: 'canary' }],
    from: SVC,
    to: { ...renamed(SVC, 'vllm-canary'), spec: { selector: { app: 'vllm', track: 'canary' } } },
  },
  {
    kind: 'exact',
    file: 'route.yaml',
    object: ref('gateway.networking.k8s.io/v1', 'HTTPRoute', 'vllm'),
    edits: [
      { kind: 'set', path: weight('vllm'), value: 80 },
      { kind: 'insertItem', path: ['spec', 'rules', { key: 'name', value: 'ours' }], value: rule('ours') },
    ],
    from: ROUTED,
    to: {
      ...ROUTED,
      spec: {
        rules: [
          {
            backendRefs: [
              { name: 'vllm', weight: 80 },
              { name: 'vllm-canary', port: 80 },
            ],
          },
          rule('ours'),
        ],
      },
    },
  },
];

function annotationsOf(wanted: Marks): JsonObject {
  const printed = printMarks(wanted);
  return Object.fromEntries(MARK_NAMES.flatMap((name) => (printed[name] ? [[MARK[name], printed[name]]] : [])));
}

function rung(): readonly { readonly path: string; readonly text: string }[] {
  const rendered = render(editsOf(RUNG), BEFORE);
  if (rendered.kind !== 'ok') throw new Error(rendered.issue.message);
  return rendered.writes.map(({ path, text: after = '' }) => ({ path, text: after }));
}

test('whole objects as planned', () => {
  expect(rung().map(({ path }) => path)).toEqual(['lws.yaml', 'route.yaml']);
  expect(checkStep(RUNG, { before: BEFORE, writes: rung() })).toBeUndefined();
});

test.each<readonly [what: string, from: string | RegExp, to: string, wrong: string]>([
  ['a mark', '1/3', '2/3', 'LeaderWorkerSet vllm: .*tranche.dev/step 2/3@.*, wanted 1/3@'],
  ['the text that comes back', 'vllm:1', 'vllm:3', 'the template is [0-9a-f]{8}, wanted [0-9a-f]{8}'],
  ['a field of the workload', 'replicas: 4', 'replicas: 5', 'LeaderWorkerSet vllm: .*not be exactly as planned'],
  ['a field that goes', 'partition: 4', 'partition: 4, maxUnavailable: 2', 'LeaderWorkerSet vllm: .*exactly'],
  ['a copy', 'track: "canary"', 'track: stable', 'Service vllm-canary: .*exactly'],
  ['a copy that is not there', 'name: vllm-canary', 'name: vllm-green', 'Service vllm-canary: .*cannot be read back'],
  ['what is copied', /app: vllm\}/, 'app: x}', 'another document of its file would change'],
  ['a weight', 'weight: 80', 'weight: 81', 'HTTPRoute vllm: .*exactly'],
  ['a weight as text', 'weight: 80', 'weight: "80"', 'HTTPRoute vllm: .*exactly'],
  ['a backend of the user', '{name: vllm-canary, port: 80}', '{name: other, port: 80}', 'HTTPRoute vllm: .*exactly'],
  ['a field of the new item', /(name: "?ours"?\n)/, '$1      sectionName: x\n', 'HTTPRoute vllm: .*exactly'],
  ['an item more', /( +- name: "?ours"?\n)/, '    - {name: theirs}\n$1', 'HTTPRoute vllm: .*exactly'],
])('planted in a whole object: %s', (_, from, to, wrong) => {
  const writes = rung().map(({ path, text: after }) => ({ path, text: after.replace(from, to) }));
  expect(writes).not.toEqual(rung());
  const issue = checkStep(RUNG, { before: BEFORE, writes });
  expect([issue?.reason, issue?.message]).toEqual(['StepCheckFailed', expect.stringMatching(wrong)]);
});

test('an object that another commit of this push has changed', () => {
  const before = new Map([...BEFORE, ['route.yaml', ROUTE.replace('weight: 100', 'weight: 90')]]);
  const rendered = render(editsOf(RUNG), before);
  if (rendered.kind !== 'ok') throw new Error(rendered.issue.message);
  expect(checkStep(RUNG, { before, writes: rendered.writes })?.message).toContain('not what this was planned from');
});

test('a map that an edit has emptied may stay where a comment of the user holds its place', () => {
  const commented = SERVICE.replace(
    'spec: {selector: {app: vllm}}',
    'spec:\n  selector:\n    # who\n    app: vllm\n  type: ClusterIP',
  );
  const before = new Map([['svc.yaml', commented]]);
  const [found] = parseManifestFile('svc.yaml', commented, ['Service']).documents;
  if (found === undefined) throw new Error('no Service');
  const change: ObjectChange = {
    kind: 'exact',
    file: 'svc.yaml',
    object: ref('v1', 'Service', 'vllm'),
    edits: [{ kind: 'remove', path: ['spec', 'selector', 'app'] }],
    from: found.value,
    to: { ...found.value, spec: { type: 'ClusterIP' } },
  };
  const rendered = render(editsOf([change]), before);
  if (rendered.kind !== 'ok') throw new Error(rendered.issue.message);
  expect(rendered.writes[0]?.text).toContain('selector: {}');
  expect(checkStep([change], { before, writes: rendered.writes })).toBeUndefined();
});
