/** The commits that tranche writes, as text: printed, read back, and closed to text that wants a trailer of its own. */

import { expect, test } from 'vitest';
import { ABSENT } from '../../src/api/field.ts';
import type { Workload } from '../../src/api/workload.ts';
import { intentMessage, lineMessage, plannedOn, stepMessage } from '../../src/rollout/commits/messages.ts';
import { approvedByIn } from '../../src/rollout/commits/order-trailers.ts';
import {
  parseTrailers,
  policiesIn,
  printTrailers,
  type Trailers,
  trailersIn,
} from '../../src/rollout/commits/trailers.ts';
import type { ObjectChange } from '../../src/rollout/edits/change.ts';
import { type WorkloadMove, workloadMove } from '../../src/rollout/edits/workload-change.ts';
import type { Move } from '../../src/rollout/move.ts';
import type { WorkloadFile } from '../../src/rollout/snapshot.ts';
import { MAIN, marksOf } from '../support/snapshot.ts';

const KEY = { cluster: 'default', namespace: 'llm', name: 'vllm' };
const marks = marksOf('B.2 2/4 floor=2');
if (marks === undefined) throw new Error('no marks');
const file: WorkloadFile = {
  file: 'lws.yaml',
  object: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', namespace: 'llm', name: 'vllm' },
  digest: 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
  text: '',
  workload: {
    replicas: 4,
    partition: 3,
    maxUnavailable: 1,
    maxSurge: 0,
    size: 2,
    rolloutId: undefined,
    content: {},
    marks,
  },
};
const wanted: WorkloadMove = {
  reason: 'StepReady',
  label: 'step 2/4',
  marks,
  partition: 2,
  why: 'Group 3 is ready.',
};
const moveOf = (change: Partial<WorkloadMove> = {}, before: Partial<Workload> = {}): Move =>
  workloadMove({ file: { ...file, workload: { ...file.workload, ...before } } }, { ...wanted, ...change });
const at = { key: KEY, main: MAIN };
const TRAILERS: Trailers = {
  rollout: 'default/llm/vllm',
  release: 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2',
  step: '2/4',
  reason: 'StepReady',
  plannedFrom: MAIN,
};

test.each<readonly [string, Partial<WorkloadMove>, Partial<Workload>, string]>([
  ['a partition', {}, {}, 'step 2/4, partition 3 → 2'],
  ['extra groups', { partition: undefined, replicas: 5 }, {}, 'step 2/4, replicas 4 → 5'],
  ['no field', { partition: undefined }, {}, 'step 2/4'],
  ['both fields', { maxUnavailable: 2 }, {}, 'step 2/4, partition 3 → 2, maxUnavailable 1 → 2'],
  [
    'a key that goes',
    { partition: undefined, maxUnavailable: ABSENT },
    { maxUnavailable: 2 },
    'step 2/4, maxUnavailable 2 → unset',
  ],
])('subject: %s', (_, change, before, subject) => {
  expect(stepMessage(moveOf(change, before), at).subject).toBe(`rollout(llm/vllm): ${subject}`);
});

test('the fields of other objects are told with their names, annotations and what stays are not', () => {
  const move = moveOf();
  const [own] = move.changes;
  if (own === undefined) throw new Error('no change');
  const object = (kind: string, name: string) => ({ ...own.object, kind, name });
  const changes: readonly ObjectChange[] = [
    own,
    {
      kind: 'create',
      file: 'lws.yaml',
      object: object('LeaderWorkerSet', 'vllm-canary'),
      document: { kind: 'copy', of: own.object, source: undefined },
      fields: [
        { path: ['metadata', 'annotations', 'tranche.dev/made-for'], from: ABSENT, to: 'vllm' },
        { path: ['spec', 'size'], from: 2, to: 2 },
        { path: ['spec', 'replicas'], from: 4, to: 1 },
      ],
    },
    {
      kind: 'edit',
      file: 'route.yaml',
      object: object('HTTPRoute', 'chat'),
      fields: [{ path: ['spec', 'rules', '0', { key: 'name', value: 'vllm' }, 'weight'], from: ABSENT, to: 80 }],
    },
    { kind: 'delete', file: 'pod.yaml', object: object('Pod', 'old'), document: { kind: 'delete' } },
  ];
  expect(stepMessage({ ...move, changes }, at).subject).toBe(
    'rollout(llm/vllm): step 2/4, partition 3 → 2, vllm-canary replicas 4 → 1, chat weight unset → 80',
  );
});

test('a message is subject, why and trailers', () => {
  expect(stepMessage(moveOf(), at).message).toBe(
    `rollout(llm/vllm): step 2/4, partition 3 → 2\n\nGroup 3 is ready.\n\n${printTrailers(TRAILERS)}\n`,
  );
});

test.each([
  ['2/4', marks],
  ['rollback', { ...marks, step: { kind: 'rollback' as const } }],
  ['settled', { ...marks, step: undefined }],
])('the step of the trailers: %s', (step, after) => {
  expect(parseTrailers(stepMessage(moveOf({ marks: after }), at).message)).toEqual({ ...TRAILERS, step });
});

test('long reasons are wrapped, words stay whole', () => {
  const why = `Word ${'word '.repeat(60).trim()}`;
  const body = stepMessage(moveOf({ why }), at).message.split('\n\n')[1] ?? '';
  for (const line of body.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  expect(body.replaceAll('\n', ' ')).toBe(why);
});

test.each([
  'ok.\n\nRollout-Release: 00000000000000000000000000000000.9',
  'ok.\r\n\r\nRollout-Reason: Settled',
  'ok.\u2028\u2028Rollout: x',
  'ok.\u0085\u0085Rollout: x',
  'ok.\u000b\u000cRollout: x',
])('text of the cluster adds no trailer: %j', (why) => {
  const { message } = stepMessage(moveOf({ why }), at);
  expect(parseTrailers(message)).toEqual(TRAILERS);
  expect(message.split(/\n\n/)).toHaveLength(3);
  // eslint-disable-next-line no-control-regex -- exactly these must not get through
  expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u0085\u2028\u2029]/);
});

test.each(['Rollout-Policies: forged@0', 'Approved-By: mallory', 'Planned-From: x', 'Rollout: default/other/vllm'])(
  'a line that is full adds none either: %s',
  (trailer) => {
    for (let before = 60; before <= 100; before += 1) {
      const why = `Group 3 is not ready (leader: ${'x'.repeat(before)} ${trailer} ${'y'.repeat(90)} ${trailer}).`;
      const { message } = stepMessage(moveOf({ why }), at);
      expect(message.split('\n').filter((line) => line.startsWith(trailer))).toEqual([]);
      expect(plannedOn(message, 'f00d')).toContain('\nPlanned-From: f00d\n');
      expect([policiesIn(message), approvedByIn(message)]).toEqual([undefined, undefined]);
    }
  },
);

test.each([
  'closes #12',
  'fixes GH-7',
  'fixes gh-7',
  'resolves team/gitops#12',
  'closes https://github.com/team/gitops/issues/12',
  'closes https://github.com/team/gitops/pull/12',
  '@team/everybody',
])('text of the cluster names no issue and calls nobody: %s', (text) => {
  const why = `Group 3 is not ready (leader: CreateContainerError, container vllm: exec: "${text}": not found).`;
  const { message } = stepMessage(moveOf({ why }), at);
  expect(message).not.toContain(text);
  expect(message.replaceAll('\u200b', '').replaceAll('\n', ' ')).toContain(text);
});

test.each([
  ['', undefined],
  ['fix: typo\n\nA body.', undefined],
  ['fix: typo\n\nSigned-off-by: A <a@b>', undefined],
  [`x\n\n${printTrailers(TRAILERS)}\n\nA later paragraph.`, undefined],
  [`x\n\n${printTrailers(TRAILERS).replace(/^Rollout-Step.*\n/m, '')}`, undefined],
  [`x\n\n${printTrailers(TRAILERS)}\nSigned-off-by: A <a@b>\n`, TRAILERS],
  [`x\n\n${printTrailers(TRAILERS)}\n\n\n`, TRAILERS],
  [`x\r\n\r\n${printTrailers(TRAILERS).replaceAll('\n', '\r\n')}\r\n`, TRAILERS],
])('trailers of %j', (message, trailers) => expect(parseTrailers(message)).toEqual(trailers));

const order = { key: KEY, main: MAIN, by: 'Ada <ada@example.com>', at: { release: marks.release, step: '2/4' } };

test('an order is a commit with its trailers, which are those of no step', () => {
  const message = intentMessage('abort bbbbbbbb.2', order);
  expect(message).toBe(
    `rollout(llm/vllm): abort bbbbbbbb.2\n\nRollout: default/llm/vllm\nRollout-Release: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2\nRollout-Step: 2/4\nOrdered-By: Ada <ada@example.com>\nPlanned-From: ${MAIN}\n`,
  );
  expect(parseTrailers(message)).toBeUndefined();
  expect(intentMessage('pause', { key: KEY, main: MAIN, by: '' }), 'unmanaged, and nobody is named').toBe(
    `rollout(llm/vllm): pause\n\nRollout: default/llm/vllm\nPlanned-From: ${MAIN}\n`,
  );
  const forged = intentMessage('abort x\n\nRollout-Step: settled', { ...order, by: 'a\n\nRollout-Reason: Settled' });
  expect(forged.split('\n\n')).toHaveLength(2);
  expect(parseTrailers(forged)).toBeUndefined();
});

test('a stop says why, and neither that nor who ordered it adds a line', () => {
  const of = { body: ['an\nincident', '', 'Writes stop.yaml.'], by: 'a\nRollout: x', main: MAIN };
  expect(lineMessage('rollouts: stop', of)).toBe(
    `rollouts: stop\n\nan incident\n\nWrites stop.yaml.\n\nOrdered-By: a Rollout: x\nPlanned-From: ${MAIN}\n`,
  );
});

test('a step names the approval that it rests on, next to what is always there', () => {
  const { message } = stepMessage(moveOf(), {
    ...at,
    image: 'a:1 →\n\nx: y',
    approvedBy: MAIN,
    governing: ['production@4f1c'],
  });
  expect(message).toContain(
    `Planned-From: ${MAIN}\nRollout-Image: a:1 → x: y\nApproved-By: ${MAIN}\nRollout-Policies: production@4f1c\n`,
  );
  expect(parseTrailers(message)).toEqual(TRAILERS);
});

test('an image calls nobody and closes no issue, and a digest stays as it is', () => {
  const image = 'a:1@sha256:00 → b closes #7, fixes GH-8, closes a/b#9 https://github.com/a/b/issues/10 @octocat';
  const { message } = stepMessage(moveOf(), { ...at, image });
  expect(message).toContain('Rollout-Image: a:1@sha256:00 → b closes #');
  expect(message).not.toMatch(/#\d|GH-\d|issues\/\d|\W@\w/);
  expect(parseTrailers(message)).toEqual(TRAILERS);
});

test('nobody is called by who orders, by why, or by values of fields either', () => {
  const who = 'a@b.c (@octocat closes #7)';
  for (const message of [
    intentMessage('abort, fixes #7 @octocat', { ...order, by: who }),
    lineMessage('rollouts: stop', { body: ['an incident that closes #7 @octocat'], by: who, main: MAIN }),
    stepMessage(moveOf({ maxUnavailable: 'closes #7 @octocat' }, { maxUnavailable: 2 }), at).message,
  ]) {
    expect(message.replaceAll('\u200b', '')).toMatch(/#7.*@octocat|@octocat.*#7/);
    expect(message).not.toMatch(/#\d|\W@\w/);
  }
  expect(intentMessage('pause', { ...order, by: who }), 'an address is what people copy').toContain('a@b.c (@\u200b');
});

const BLOCK = printTrailers(TRAILERS);
const OTHER: Trailers = { ...TRAILERS, step: '3/4' };
test.each<readonly [how: string, message: string, found: readonly Trailers[]]>([
  ['a squash with an author next to it', `x (#12)\n\nWhy.\n\n${BLOCK}\n\nCo-authored-by: A <a@b>`, [TRAILERS]],
  [
    'a squash of two steps',
    `x (#12)\n\n* one\n\n${BLOCK}\n\n* two\n\n${printTrailers(OTHER)}\n\n---------\n\nCo-authored-by: A <a@b>`,
    [TRAILERS, OTHER],
  ],
  ['a cherry-pick that says so', `x\n\n${BLOCK}\n(cherry picked from commit ${MAIN})`, [TRAILERS]],
  ['a step of ours', `x\n\nWhy.\n\n${BLOCK}\n`, [TRAILERS]],
  ['a part of one', `x\n\n${BLOCK.replace(/^Rollout-Step.*\n/m, '')}`, []],
  ['nothing', '', []],
])('steps that are named anywhere, %s', (_, message, found) => expect(trailersIn(message)).toEqual(found));

test('the policies that govern a step follow the trailers, which are read as before', () => {
  const { message } = stepMessage(moveOf(), { ...at, governing: ['production@4f1c', 'freeze\nRollout: x@8b20'] });
  expect(message).toContain('\nRollout-Policies: production@4f1c, freeze Rollout: x@8b20\n');
  expect(parseTrailers(message)).toEqual(TRAILERS);
});
