/** The commits that tranche writes, as text: printed, read back, and closed to text that wants a trailer of its own. */

import { expect, test } from 'vitest';
import { intentMessage, parseTrailers, printTrailers, stepMessage, type Trailers } from '../../src/rollout/messages.ts';
import { type Move, UNSET } from '../../src/rollout/move.ts';
import { MAIN, marksOf } from '../support/snapshot.ts';

const KEY = { cluster: 'default', namespace: 'llm', name: 'vllm' };
const marks = marksOf('B.2 2/4 floor=2');
if (marks === undefined) throw new Error('no marks');
const move: Move = {
  reason: 'StepReady',
  label: 'step 2/4',
  marks,
  partition: 2,
  maxUnavailable: undefined,
  text: undefined,
  why: 'Group 3 is ready.',
};
const at = { key: KEY, main: MAIN, partition: 3, replicas: 4, maxUnavailable: 1 };
const TRAILERS: Trailers = {
  rollout: 'default/llm/vllm',
  release: 'bbbbbbbb.2',
  step: '2/4',
  reason: 'StepReady',
  plannedFrom: MAIN,
};

test.each<readonly [string, Partial<Move>, Partial<typeof at>, string]>([
  ['a partition', {}, {}, 'step 2/4, partition 3 → 2'],
  ['extra groups', { partition: undefined, replicas: 5 }, {}, 'step 2/4, replicas 4 → 5'],
  ['no field', { partition: undefined }, {}, 'step 2/4'],
  ['both fields', { maxUnavailable: 2 }, {}, 'step 2/4, partition 3 → 2, maxUnavailable 1 → 2'],
  [
    'a key that goes',
    { partition: undefined, maxUnavailable: UNSET },
    { maxUnavailable: 2 },
    'step 2/4, maxUnavailable 2 → unset',
  ],
])('subject: %s', (_, change, before, subject) => {
  expect(stepMessage({ ...move, ...change }, { ...at, ...before }).subject).toBe(`rollout(llm/vllm): ${subject}`);
});

test('a message is subject, why and trailers', () => {
  expect(stepMessage(move, at).message).toBe(
    `rollout(llm/vllm): step 2/4, partition 3 → 2\n\nGroup 3 is ready.\n\n${printTrailers(TRAILERS)}\n`,
  );
});

test.each([
  ['2/4', marks],
  ['rollback', { ...marks, step: { kind: 'rollback' as const } }],
  ['settled', { ...marks, step: undefined }],
])('the step of the trailers: %s', (step, after) => {
  expect(parseTrailers(stepMessage({ ...move, marks: after }, at).message)).toEqual({ ...TRAILERS, step });
});

test('long reasons are wrapped, words stay whole', () => {
  const why = `Word ${'word '.repeat(60).trim()}`;
  const body = stepMessage({ ...move, why }, at).message.split('\n\n')[1] ?? '';
  for (const line of body.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  expect(body.replaceAll('\n', ' ')).toBe(why);
});

test.each([
  'ok.\n\nRollout-Release: 00000000.9',
  'ok.\r\n\r\nRollout-Reason: Settled',
  'ok.\u2028\u2028Rollout: x',
  'ok.\u0085\u0085Rollout: x',
  'ok.\u000b\u000cRollout: x',
])('text of the cluster adds no trailer: %j', (why) => {
  const { message } = stepMessage({ ...move, why }, at);
  expect(parseTrailers(message)).toEqual(TRAILERS);
  expect(message.split(/\n\n/)).toHaveLength(3);
  // eslint-disable-next-line no-control-regex -- exactly these must not get through
  expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u0085\u2028\u2029]/);
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

test('an order is a commit with the key and its commit, and no more', () => {
  expect(intentMessage('abort bbbbbbbb.2', { key: KEY, main: MAIN, by: 'Ada <ada@example.com>' })).toBe(
    `rollout(llm/vllm): abort bbbbbbbb.2\n\nOrdered by Ada <ada@example.com>.\n\nRollout: default/llm/vllm\nPlanned-From: ${MAIN}\n`,
  );
  const forged = intentMessage('abort x\n\nRollout-Step: settled', {
    key: KEY,
    main: MAIN,
    by: 'a\n\nRollout-Reason: Settled',
  });
  expect(forged.split('\n\n')).toHaveLength(3);
  expect(parseTrailers(forged)).toBeUndefined();
});
