/** What people order, as annotations: every one names its release. */

import { expect, test } from 'vitest';
import {
  INTENT,
  type Intents,
  parseIntents,
  printAbort,
  printAccepts,
  printRetry,
  printStepIntent,
} from '../../src/api/intents.ts';

const NO_INTENTS: Intents = {
  approve: undefined,
  jump: undefined,
  accept: undefined,
  abort: undefined,
  retry: undefined,
  undo: undefined,
  acknowledge: undefined,
  propose: undefined,
  recreating: undefined,
};
const RELEASE = { digest: '9c41d2e09c41d2e09c41d2e09c41d2e0', serial: 7 };

test.each([
  [
    INTENT.approve,
    '2@9c41d2e09c41d2e09c41d2e09c41d2e0.7',
    { approve: { index: 2, release: RELEASE, partition: undefined } },
  ],
  [INTENT.approve, '2@9c41d2e09c41d2e09c41d2e09c41d2e0.7#6', { approve: { index: 2, release: RELEASE, partition: 6 } }],
  [INTENT.jump, '50@9c41d2e09c41d2e09c41d2e09c41d2e0.7', { jump: { index: 50, release: RELEASE } }],
  [
    INTENT.approve,
    '0@9c41d2e09c41d2e09c41d2e09c41d2e0.7',
    { approve: { index: 0, release: RELEASE, partition: undefined } },
  ],
  [
    INTENT.accept,
    'PartitionEdited@9c41d2e09c41d2e09c41d2e09c41d2e0.7#5be07c115be07c115be07c115be07c11',
    { accept: [{ reason: 'PartitionEdited', release: RELEASE, facts: '5be07c115be07c115be07c115be07c11' }] },
  ],
  [
    INTENT.accept,
    'Recreated@9c41d2e09c41d2e09c41d2e09c41d2e0.7#5be07c115be07c115be07c115be07c11, Overshoot@9c41d2e09c41d2e09c41d2e09c41d2e0.7#00000000000000000000000000000000',
    {
      accept: [
        { reason: 'Recreated', release: RELEASE, facts: '5be07c115be07c115be07c115be07c11' },
        { reason: 'Overshoot', release: RELEASE, facts: '00000000000000000000000000000000' },
      ],
    },
  ],
  [INTENT.abort, '9c41d2e09c41d2e09c41d2e09c41d2e0.7', { abort: { release: RELEASE, newer: undefined } }],
  [
    INTENT.abort,
    '9c41d2e09c41d2e09c41d2e09c41d2e0.7 77aa01bc77aa01bc77aa01bc77aa01bc',
    { abort: { release: RELEASE, newer: '77aa01bc77aa01bc77aa01bc77aa01bc' } },
  ],
  [
    INTENT.abort,
    '9c41d2e09c41d2e09c41d2e09c41d2e0.7 now',
    { abort: { release: RELEASE, newer: undefined, now: true } },
  ],
  [
    INTENT.abort,
    '9c41d2e09c41d2e09c41d2e09c41d2e0.7 77aa01bc77aa01bc77aa01bc77aa01bc now',
    { abort: { release: RELEASE, newer: '77aa01bc77aa01bc77aa01bc77aa01bc', now: true } },
  ],
  [INTENT.retry, '9c41d2e09c41d2e09c41d2e09c41d2e0.7', { retry: { release: RELEASE, after: 7 } }],
  [INTENT.retry, '9c41d2e09c41d2e09c41d2e09c41d2e0.7 9', { retry: { release: RELEASE, after: 9 } }],
  [
    INTENT.acknowledge,
    `${'a'.repeat(40)} ${'b'.repeat(40)}`,
    { acknowledge: { recorded: 'a'.repeat(40), main: 'b'.repeat(40) } },
  ],
  [
    INTENT.paused,
    '{"since":"2026-11-21T01:47:25Z","by":"Ana","why":"the disks are full"}',
    { paused: { since: 1_795_225_645, by: 'Ana', why: 'the disks are full' } },
  ],
  [INTENT.paused, '{"since":"2026-11-21T01:47:25Z"}', { paused: { since: 1_795_225_645, by: '', why: '' } }],
  ['example.com/abort', '9c41d2e09c41d2e09c41d2e09c41d2e0.7', {}],
])('%s: %s', (key, value, intents) => {
  expect(parseIntents({ [key]: value })).toEqual({ intents: { ...NO_INTENTS, ...intents }, faults: [] });
});

test.each([
  [INTENT.approve, ''],
  [INTENT.approve, '2'],
  [INTENT.approve, '00@9c41d2e09c41d2e09c41d2e09c41d2e0.7'],
  [INTENT.jump, '0@9c41d2e09c41d2e09c41d2e09c41d2e0.7'],
  [INTENT.approve, '100@9c41d2e09c41d2e09c41d2e09c41d2e0.7'],
  [INTENT.approve, '2@9c41d2e09c41d2e09c41d2e09c41d2e0'],
  [INTENT.approve, '2@9c41d2e09c41d2e09c41d2e09c41d2e0.7#'],
  [INTENT.approve, '2@9c41d2e09c41d2e09c41d2e09c41d2e0.7#06'],
  [INTENT.jump, '2@9c41d2e09c41d2e09c41d2e09c41d2e0.7#6'],
  [INTENT.approve, '2@ 9c41d2e09c41d2e09c41d2e09c41d2e0.7'],
  [INTENT.jump, '-1@9c41d2e09c41d2e09c41d2e09c41d2e0.7'],
  [INTENT.accept, 'PartitionEdited'],
  [INTENT.accept, 'PartitionEdited@9c41d2e09c41d2e09c41d2e09c41d2e0.7'],
  [INTENT.accept, 'Paused@9c41d2e09c41d2e09c41d2e09c41d2e0.7#5be07c115be07c115be07c115be07c11'],
  [INTENT.accept, 'Recreated@9c41d2e09c41d2e09c41d2e09c41d2e0.7#5BE07C11'],
  [INTENT.accept, 'Recreated@9c41d2e09c41d2e09c41d2e09c41d2e0.7#5be07c115be07c115be07c115be07c11,'],
  [INTENT.abort, '1@9c41d2e09c41d2e09c41d2e09c41d2e0.7'],
  [INTENT.abort, 'true'],
  [INTENT.abort, '9c41d2e09c41d2e09c41d2e09c41d2e0.7 77aa01bc77aa01bc77aa01bc77aa01bc.8'],
  [INTENT.abort, '9c41d2e09c41d2e09c41d2e09c41d2e0.7  77aa01bc77aa01bc77aa01bc77aa01bc'],
  [INTENT.abort, '9c41d2e09c41d2e09c41d2e09c41d2e0.7 now 77aa01bc77aa01bc77aa01bc77aa01bc'],
  [INTENT.abort, 'now'],
  [INTENT.retry, '9c41d2e09c41d2e09c41d2e09c41d2e0'],
  [INTENT.retry, '9c41d2e09c41d2e09c41d2e09c41d2e0.7 6'],
  [INTENT.retry, '9c41d2e09c41d2e09c41d2e09c41d2e0.7 09'],
  [INTENT.acknowledge, 'main'],
  [INTENT.acknowledge, 'a'.repeat(40)],
  [INTENT.acknowledge, `${'a'.repeat(40)} main`],
  [INTENT.acknowledge, `${'a'.repeat(40)} ${'b'.repeat(40)} ${'c'.repeat(40)}`],
  [INTENT.paused, 'Ana'],
  [INTENT.paused, '{"by":"Ana"}'],
  [INTENT.paused, '{"since":"2026-11-21T01:47:25Z","by":1}'],
])('%s: %j is reported and counts as not given', (key, value) => {
  const { intents, faults } = parseIntents({ [key]: value });
  expect(intents).toEqual(NO_INTENTS);
  expect(faults).toEqual([{ key, seen: value, wanted: expect.stringMatching(/\S/) }]);
});

test('a bad one does not hide a good one', () => {
  const { intents, faults } = parseIntents({
    [INTENT.approve]: 'x',
    [INTENT.abort]: '9c41d2e09c41d2e09c41d2e09c41d2e0.7',
  });
  expect(intents.abort?.release).toEqual(RELEASE);
  expect(faults).toHaveLength(1);
});

test('an order is printed as it is read', () => {
  expect(printStepIntent({ index: 2, release: RELEASE })).toBe('2@9c41d2e09c41d2e09c41d2e09c41d2e0.7');
  const accept = { reason: 'Recreated', release: RELEASE, facts: '5be07c115be07c115be07c115be07c11' } as const;
  expect(printAccepts([accept])).toBe('Recreated@9c41d2e09c41d2e09c41d2e09c41d2e0.7#5be07c115be07c115be07c115be07c11');
  expect(parseIntents({ [INTENT.accept]: printAccepts([accept, accept]) }).intents.accept).toEqual([accept, accept]);
  expect(printAbort({ release: RELEASE, newer: undefined })).toBe('9c41d2e09c41d2e09c41d2e09c41d2e0.7');
  expect(printAbort({ release: RELEASE, newer: '77aa01bc77aa01bc77aa01bc77aa01bc' })).toBe(
    '9c41d2e09c41d2e09c41d2e09c41d2e0.7 77aa01bc77aa01bc77aa01bc77aa01bc',
  );
  expect(printAbort({ release: RELEASE, newer: undefined, now: true })).toBe('9c41d2e09c41d2e09c41d2e09c41d2e0.7 now');
  expect(printRetry({ release: RELEASE, after: 7 })).toBe('9c41d2e09c41d2e09c41d2e09c41d2e0.7');
  expect(printRetry({ release: RELEASE, after: 9 })).toBe('9c41d2e09c41d2e09c41d2e09c41d2e0.7 9');
});
