/** Single facts that a decision hangs on: each row fails where one comparison is turned round or left out. */

import { describe, expect, test } from 'vitest';
import { plan } from '../../../src/rollout/plan.ts';
import { planned, type Row } from '../../support/planned.ts';
import { type World, world } from '../../support/snapshot.ts';

const partial: World = { text: 'B', marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B+' };
const whole: World = { text: 'B', marks: 'B.2 3/3 floor=0', p: 0, groups: '0:B+ 1:B+ 2:B+ 3:B+' };
const locked: World = { ...whole, p: 1_000_000 };
const back: World = { text: 'A', marks: 'A.1 rollback floor=2 aborted=B.2', p: 2, groups: '0:A+ 1:A+ 2:A+ 3:A+' };

describe('where the floor is', () => {
  test.each<Row>([
    [
      'a floor above 0 with all groups on the release: more than the step allows, not the end',
      { ...partial, groups: '0:B+ 1:B+ 2:B+ 3:B+', live: { flipped: true } },
      'hold Overshoot PausedForApproval',
    ],
    [
      'floor 0, a partition put up by hand, one group short of the release',
      { ...whole, p: 3, groups: '0:A+ 1:B+ 2:B+ 3:B+', live: { flipped: true } },
      'hold UnexpectedGroups',
    ],
    [
      'floor 0, a partition put up by hand, not flipped',
      { ...whole, p: 3, live: { flipped: false } },
      'hold UnexpectedGroups',
    ],
    [
      'floor 0, a partition put up by hand, all there',
      { ...whole, p: 3, live: { flipped: true } },
      'Locked: step 3/3, locked, partition 3 → 1000000 => B.2 3/3 floor=0',
    ],
  ])('%s', (_, of, then) => expect(planned(of)).toBe(then));
});

describe('going back', () => {
  test.each<Row>([
    [
      'from locked while group 0 has no leader: it may come back on either',
      { ...locked, intents: { abort: 'B.2' }, groups: '1:B+ 2:B+ 3:B+' },
      'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.2 text A',
    ],
    [
      'from partition 0 while group 0 has no leader',
      { ...whole, intents: { abort: 'B.2' }, groups: '1:B+ 2:B+ 3:B+' },
      'Aborted: rollback => A.1 rollback floor=0 aborted=B.2 text A',
    ],
    [
      'an unready group within the budget: LWS moves by itself',
      { ...back, u: 2, groups: '0:A- 1:A+ 2:B+ 3:B+' },
      'hold RollingBack',
    ],
    [
      'a group without a leader below the partition: it comes back by itself',
      { ...back, p: 2, groups: '1:A+ 2:A+ 3:A+' },
      'hold RollingBack',
    ],
    [
      'a template aborted before, other than the one in the file, counts for nothing',
      { ...back, text: 'B', marks: 'A.1 rollback floor=2 aborted=B.2,C.3' },
      'AbortedTemplateRemoved: rollback => A.1 rollback floor=2 aborted=B.4,B.2,C.3 text A',
    ],
  ])('%s', (_, of, then) => expect(planned(of)).toBe(then));
});

describe('a newer request', () => {
  test.each<Row>([
    [
      'whose text two groups have taken already: no group on it is left below',
      { ...partial, text: 'C', p: 1, marks: 'B.2 2/3 floor=1', u: 2, groups: '0:A+ 1:B+ 2:C- 3:C-' },
      'Superseded: step 1/3, partition 1 → 2 => C.3 1/3 floor=1',
    ],
  ])('%s', (_, of, then) => expect(planned(of)).toBe(then));
});

describe('clocks', () => {
  test('a pause of 60 s asks to be looked at once it is over, to the second', () => {
    const made = plan(world({ ...partial, steps: '25% 50%/60 100%', record: { doneAgo: 40 } }));
    expect([made.holds.map(({ reason }) => reason), made.requeueAfterSeconds]).toEqual([['PauseDuration'], 21]);
  });
  test('locked with a group that loads: the last pause has not started', () => {
    const made = plan(world({ ...locked, steps: '25% 50% 100%/60', groups: '0:B+ 1:B- 2:B+ 3:B+' }));
    expect([made.holds.map(({ reason }) => reason), made.record?.step?.doneSince]).toEqual([
      ['GroupsNotReady'],
      undefined,
    ]);
  });
});
