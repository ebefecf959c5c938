/** Keys that sign records: what a process may do that holds none of those that main names. */

import { expect, test } from 'vitest';
import { isVerified } from '../../../src/rollout/record/proof.ts';
import { planned, type Row, show } from '../../support/planned.ts';
import { type World, world } from '../../support/snapshot.ts';

const A4 = '0:A+ 1:A+ 2:A+ 3:A+';
const late: World = { text: 'B', marks: 'B.2 1/3 floor=3', p: 3, live: { p: 1000000 }, groups: A4 };
const KEY_MISSING = { keyMissing: 'main names 1 key for default, and TRANCHE_STATUS_KEY is not set' } as const;

test.each<Row>([
  ['a first step', { text: 'B', groups: A4 }, 'hold StatusKeyMissing'],
  [
    'a step',
    { ...late, live: {}, groups: '0:A+ 1:A+ 2:A+ 3:B+', intents: { approve: '1@B.2' } },
    'hold StatusKeyMissing',
  ],
  ['at rest', {}, 'hold StatusKeyMissing'],
  [
    'an abort',
    { ...late, intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A | StatusKeyMissing',
  ],
  [
    'the stable template put back',
    { ...late, text: 'A' },
    'Reverted: rollback => A.1 rollback floor=3 aborted=B.2 | StatusKeyMissing',
  ],
  [
    'a newer request: its roll is stopped',
    { ...late, text: 'C', p: 0, marks: 'B.2 3/3 floor=0', groups: '0:A+ 1:B+ 2:B+ 3:C-', live: {} },
    'Superseded: step 1/3, partition 0 → 3 => C.3 1/3 floor=0 | StatusKeyMissing',
  ],
  [
    'a rollback',
    { marks: 'A.1 rollback floor=3 aborted=B.2', p: 3, groups: A4 },
    'RolledBack: rolled back, partition 3 → 1000000 => A.1 aborted=B.2 | StatusKeyMissing',
  ],
])('main names keys that this process does not hold, %s', (_, of, then) => {
  expect(planned(of)).not.toContain('StatusKeyMissing');
  expect(show({ ...world(of), ...KEY_MISSING })).toBe(then);
});

test.each([
  ['signed', true],
  ['seen', true],
  ['unproven', false],
  [undefined, false],
] as const)('a record that is %s is verified: %s', (recordProof, verified) => {
  const { recordProof: _none, ...snapshot } = world({ record: {} });
  expect(isVerified({ ...snapshot, ...(recordProof === undefined ? {} : { recordProof }) })).toBe(verified);
  expect(isVerified({ record: undefined, recordProof: 'signed' })).toBe(false);
});
