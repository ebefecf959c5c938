/** Rows of a change of the size of groups: in one step where LWS cannot stand half-way, in steps where it can. */

import { expect, test } from 'vitest';
import { planned, type Row } from '../../support/planned.ts';
import { issueOf, type World } from '../../support/snapshot.ts';

const A4 = '0:A+ 1:A+ 2:A+ 3:A+';
/** B has groups of four, A of two; the request is live and nothing has moved. */
const asked: World = { text: 'B', sizes: { B: 4 }, sizeChange: 'Whole', groups: A4, record: {} };
const whole = 'SizeChanged: step 3/3, partition 1000000 → 0 => B.2 3/3 floor=0';
const step1 = 'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3';

test.each<Row>([
  ['allowed: all groups in one step', asked, whole],
  ['with LWS 0.8', { ...asked, live: { old: true }, record: { appliedAgo: 60 } }, whole],
  ['declared as LWS 0.10', { ...asked, lwsVersion: '0.10' }, whole],
  ['in steps with a later LWS', { ...asked, lwsVersion: '0.11' }, step1],
  ['in steps with a later LWS, whatever the policy', { ...asked, lwsVersion: '0.11', sizeChange: 'Refuse' }, step1],
  ['from one pod', { ...asked, sizes: { A: 1, B: 3 } }, whole],
  ['to one pod', { ...asked, sizes: { A: 3, B: 1 } }, whole],
  ['refused by lint', { ...asked, sizeChange: 'Refuse', issues: [issueOf('SizeChangeRefused')] }, 'hold Stalled'],
  ['not live yet', { ...asked, live: { text: 'A' } }, 'hold NotApplied'],
  ['paused', { ...asked, rollout: { paused: true } }, 'hold Paused'],
  ['a jump to step 2 finds all groups gone', { ...asked, intents: { jump: '2@B.2' } }, whole],
  ['no step covers all groups', { ...asked, steps: '25% 50%' }, 'hold FullStepMissing'],
  ['an old group is down', { ...asked, groups: '0:A- 1:A+ 2:A+ 3:A+' }, 'hold BlockedByUnreadyGroup'],
  ['one group', { ...asked, n: 1, groups: '0:A+' }, 'SizeChanged: step 3/3, partition 1000000 → 0 => B.2 3/3 floor=0'],
  ['aborted before', { ...asked, intents: { abort: 'B.2' } }, 'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A'],
])('requested, %s', (_, of, then) => expect(planned(of)).toBe(then));

const rolling: World = { ...asked, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:A+ 1:A+ 2:B- 3:B+' };
const all: World = { ...rolling, groups: '0:B+ 1:B+ 2:B+ 3:B+' };

test.each<Row>([
  ['half-way', rolling, 'hold GroupsNotUpdated'],
  ['all there', all, 'Locked: step 3/3, locked, partition 0 → 1000000 => B.2 3/3 floor=0'],
  [
    'the policy withdrawn: locked all the same',
    { ...all, sizeChange: 'Refuse' },
    'Locked: step 3/3, locked, partition 0 → 1000000 => B.2 3/3 floor=0',
  ],
  [
    'locked, the pause of the step is served',
    { ...all, p: 1000000, steps: '25% 50% 100%!', record: { doneAgo: 30 } },
    'hold PausedForApproval',
  ],
  ['locked and over', { ...all, p: 1000000, record: { doneAgo: 30 } }, 'Settled: settled => B.2 stable=main'],
  [
    'aborted',
    { ...rolling, intents: { abort: 'B.2' } },
    'Aborted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=0 u=1>2 aborted=B.2 text A',
  ],
  [
    'aborted, whole and locked',
    { ...all, p: 1000000, intents: { abort: 'B.2' } },
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.2 text A',
  ],
])('whole, %s', (_, of, then) => expect(planned(of)).toBe(then));

/** C, with another size, over B at its first canary. */
const newer: World = {
  text: 'C',
  sizes: { C: 4 },
  sizeChange: 'Whole',
  marks: 'B.2 2/3 floor=2',
  p: 2,
  groups: '0:A+ 1:A+ 2:B+ 3:C-',
  record: {},
};
const taken: World = { ...newer, marks: 'C.3 1/3 floor=2', p: 3 };

test.each<Row>([
  ['the roll is stopped', newer, 'Superseded: step 1/3, partition 2 → 3 => C.3 1/3 floor=2'],
  ['its first groups load', taken, 'hold GroupsNotReady'],
  [
    'then all at once, no pause between',
    { ...taken, groups: '0:A+ 1:A+ 2:C+ 3:C+' },
    'SizeChanged: step 3/3, partition 3 → 0 => C.3 3/3 floor=0',
  ],
  [
    'refused: held where it is',
    { ...taken, groups: '0:A+ 1:A+ 2:C+ 3:C+', sizeChange: 'Refuse', issues: [issueOf('SizeChangeRefused')] },
    'hold Stalled Overshoot PauseDuration',
  ],
  ['paused: held where it is', { ...taken, groups: '0:A+ 1:A+ 2:C+ 3:C+', rollout: { paused: true } }, 'hold Paused'],
  [
    'nothing to stop: taken over at once',
    { ...newer, marks: 'B.2 1/3 floor=3', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:C+', steps: '50% 75% 100%' },
    'Superseded: step 3/3, partition 3 → 0 => C.3 3/3 floor=0',
  ],
])('over a release in delivery, %s', (_, of, then) => expect(planned(of)).toBe(then));
