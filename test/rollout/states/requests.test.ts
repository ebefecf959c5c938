/** Requests in the middle of a delivery: newer templates, aborted texts that return, deleted Rollouts. */

import { expect, test } from 'vitest';
import { SENTINEL } from '../../../src/api/workload.ts';
import { plan } from '../../../src/rollout/plan.ts';
import { again, planned, type Row } from '../../support/planned.ts';
import { issueOf, type World, world } from '../../support/snapshot.ts';

/** Step 2 of three of B; C is in the file and live. */
const newer: World = { text: 'C', marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B+', record: {} };
const lost = { kind: 'rewritten', recorded: 'c'.repeat(40), acknowledged: false } as const;
/** Group 2 was the next to load. */
const second = { groups: '0:A+ 1:A+ 2:B- 3:B+' } as const;
const stopped = 'Superseded: step 1/3, partition 2 → 3 => C.3 1/3 floor=2';

test.each<Row>([
  ['stopped at step 1', newer, stopped],
  ['not live yet: stopped before it lands', { ...newer, live: { text: 'B' } }, stopped],
  ['a group is on it already', { ...newer, groups: '0:A+ 1:A+ 2:B+ 3:C-' }, stopped],
  ['two groups are on it', { ...newer, groups: '0:A+ 1:A+ 2:C- 3:C+' }, 'Superseded: step 1/3 => C.3 1/3 floor=2'],
  ['step 1 is wide enough', { ...newer, steps: '50% 75% 100%' }, 'Superseded: step 1/3 => C.3 1/3 floor=2'],
  ['a canary that only loads sets no limit (41a)', { ...newer, groups: '0:A+ 1:A+ 2:Bw 3:B+' }, stopped],
  ['one that has loaded for ten minutes', { ...newer, ...second, record: { unreadyFor: { 2: 600 } } }, stopped],
  [
    'a broken canary that spends the budget (35a)',
    { ...newer, ...second, record: { unreadyFor: { 2: 601 } } },
    'Superseded: step 1/3, maxUnavailable 1 → 2 => C.3 1/3 floor=2 u=1>2',
  ],
  [
    'one within twice the longest load',
    { ...newer, ...second, record: { unreadyFor: { 2: 1800 }, loads: [60, 900, 70] } },
    stopped,
  ],
  [
    'one beyond twice the longest load',
    { ...newer, ...second, record: { unreadyFor: { 2: 181 }, loads: [60, 90, 70] } },
    'Superseded: step 1/3, maxUnavailable 1 → 2 => C.3 1/3 floor=2 u=1>2',
  ],
  [
    'one in a crash loop',
    { ...newer, groups: '0:A+ 1:A+ 2:Bc 3:B+' },
    'Superseded: step 1/3, maxUnavailable 1 → 2 => C.3 1/3 floor=2 u=1>2',
  ],
  [
    'a broken canary, budget left',
    { ...newer, u: 2, ...second, record: { unreadyFor: { 2: 601 } } },
    'Superseded: step 1/3 => C.3 1/3 floor=2',
  ],
  ['an old group that is broken holds nothing down', { ...newer, groups: '0:A- 1:A+ 2:B+ 3:B+' }, stopped],
  ['paused: stopped all the same', { ...newer, rollout: { paused: true } }, stopped],
  ['disabled: stopped all the same', { ...newer, rollout: { disabled: true } }, stopped],
  ['wrong files: stopped all the same', { ...newer, issues: [issueOf('X')] }, stopped],
  ['history rewritten: stopped all the same', { ...newer, history: lost }, stopped],
  ['cluster unreadable: stopped at step 1', { ...newer, live: 'unknown' }, stopped],
  ['N unreadable', { ...newer, n: undefined, live: 'unknown', scaler: 'unknown' }, 'hold ScalerUnreadable'],
  [
    'the older one is aborted: the newer, written after that, stands',
    { ...newer, intents: { abort: 'B.2' } },
    `${stopped} aborted=B.2`,
  ],
  [
    'abort and broken',
    { ...newer, intents: { abort: 'B.2' }, ...second, record: { unreadyFor: { 2: 601 } } },
    'Superseded: step 1/3, maxUnavailable 1 → 2 => C.3 1/3 floor=2 u=1>2 aborted=B.2',
  ],
  [
    'step 1 is wide enough, and the older one is aborted',
    { ...newer, steps: '50% 75% 100%', intents: { abort: 'B.2' } },
    'Superseded: step 1/3 => C.3 1/3 floor=2 aborted=B.2',
  ],
  [
    'both are aborted: back to the stable template',
    { ...newer, intents: { abort: 'B.2 C' }, groups: '0:A+ 1:A+ 2:B+ 3:C-' },
    'Aborted: rollback => A.1 rollback floor=2 aborted=C.3,B.2 text A',
  ],
  [
    'both are aborted, and a fourth is written after that',
    { ...newer, text: 'D', intents: { abort: 'B.2 C' } },
    'Superseded: step 1/3, partition 2 → 3 => D.4 1/3 floor=2 aborted=C.3,B.2',
  ],
  ['an abort of another serial', { ...newer, intents: { abort: 'B.1 C' } }, stopped],
  ['stable template lost: nobody knows what it is', { ...newer, stable: 'unknown' }, 'hold StableUnavailable'],
  [
    'retried: it is no longer aborted',
    { ...newer, marks: 'B.3 2/3 floor=2 aborted=D.2,C.1', intents: { retry: 'C.1 3' } },
    'Superseded: step 1/3, partition 2 → 3 => C.4 1/3 floor=2 aborted=D.2',
  ],
  [
    'retried before this release was started: void',
    { ...newer, marks: 'B.3 2/3 floor=2 aborted=D.2,C.1', intents: { retry: 'C.1 2' } },
    'RollStopped: step 2/3, stopped, partition 2 → 1000000 => B.3 2/3 floor=2 aborted=D.2,C.1 | AbortedTemplateReturned',
  ],
  [
    'U was raised before: it does not ride along',
    { ...newer, marks: 'B.2 2/3 floor=2 u=1>2', u: 2 },
    'Superseded: step 1/3, partition 2 → 3, maxUnavailable 2 → 1 => C.3 1/3 floor=2',
  ],
  [
    'U was raised before, and the group is as broken as then',
    { ...newer, ...second, marks: 'B.2 2/3 floor=2 u=1>2', u: 2, record: { unreadyFor: { 2: 601 } } },
    'Superseded: step 1/3 => C.3 1/3 floor=2 u=1>2',
  ],
  [
    "U was raised before, and someone's value took its place",
    { ...newer, marks: 'B.2 2/3 floor=2 u=1>2', u: 3 },
    stopped,
  ],
  [
    'scaled down above the partition: the gates decide',
    { ...newer, n: 2, p: 3, groups: '0:A+ 1:A+' },
    'Superseded: step 1/3, partition 3 → 1 => C.3 1/3 floor=1',
  ],
  ['and hold', { ...newer, n: 2, p: 3, groups: '0:A+ 1:A+', rollout: { paused: true } }, 'hold Paused'],
])('a newer request while partial, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  [
    'three of B, one loads',
    { ...newer, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:A+ 1:B- 2:B+ 3:B+' },
    'Superseded: step 1/3, partition 0 → 3 => C.3 1/3 floor=0',
  ],
  [
    'three of B, one is broken (35h)',
    { ...newer, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:A+ 1:B- 2:B+ 3:B+', record: { unreadyFor: { 1: 601 } } },
    'Superseded: step 1/3, partition 0 → 1, maxUnavailable 1 → 2 => C.3 1/3 floor=0 u=1>2',
  ],
  [
    'two of B, one loads (34f)',
    { ...newer, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:A+ 1:A+ 2:B- 3:B+' },
    'Superseded: step 1/3, partition 0 → 3 => C.3 1/3 floor=0',
  ],
  [
    '34f, one is on C by now',
    { ...newer, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:A+ 1:A+ 2:B+ 3:C-' },
    'Superseded: step 1/3, partition 0 → 3 => C.3 1/3 floor=0',
  ],
  [
    'all of B ready',
    { ...newer, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:B+ 1:B+ 2:B+ 3:B+' },
    'Superseded: step 1/3, partition 0 → 3 => C.3 1/3 floor=0',
  ],
  [
    'cluster unreadable',
    { ...newer, marks: 'B.2 3/3 floor=0', p: 0, live: 'unknown' },
    'Superseded: step 1/3, partition 0 → 3 => C.3 1/3 floor=0',
  ],
])('a newer request at partition 0, %s', (_, of, then) => expect(planned(of)).toBe(then));

/** C took over from a whole step of B: the floor is 0, the step is not whole. */
const after: World = {
  text: 'C',
  marks: 'C.3 1/3 floor=0',
  p: 3,
  groups: '0:A+ 1:A+ 2:B+ 3:C+',
  record: { doneAgo: 9 },
};

test.each<Row>([
  ['goes on by its steps', after, 'StepReady: step 2/3, partition 3 → 2 => C.3 2/3 floor=0'],
  ['the record lost: the soak starts again', { ...after, record: undefined }, 'hold PauseDuration'],
  [
    'abort: to the lowest that is not on A',
    { ...after, intents: { abort: 'C.3' } },
    'Aborted: rollback, partition 3 → 2 => A.1 rollback floor=0 aborted=C.3 text A',
  ],
  [
    'abort, cluster unreadable: the floor',
    { ...after, live: 'unknown', intents: { abort: 'C.3' } },
    'Aborted: rollback, partition 3 → 0 => A.1 rollback floor=0 aborted=C.3 text A',
  ],
  ['and a fourth text', { ...after, text: 'D' }, 'Superseded: step 1/3 => D.4 1/3 floor=0'],
  ['the second text again', { ...after, text: 'B' }, 'Superseded: step 1/3 => B.4 1/3 floor=0'],
  [
    'whole at last',
    { ...after, marks: 'C.3 3/3 floor=0', p: 0, groups: '0:C+ 1:C+ 2:C+ 3:C+' },
    'Locked: step 3/3, locked, partition 0 → 1000000 => C.3 3/3 floor=0',
  ],
])('after a newer request, %s', (_, of, then) => expect(planned(of)).toBe(then));

/** Step 1 of C: group 2 loaded B when C came, and has turned out to be broken; LWS waits for it. */
const stuck: World = {
  text: 'C',
  marks: 'C.3 1/3 floor=2',
  p: 3,
  groups: '0:A+ 1:A+ 2:B- 3:B+',
  record: { unreadyFor: { 2: 601 } },
};
const way = 'BudgetRaised: step 1/3, maxUnavailable 1 → 2 => C.3 1/3 floor=2 u=1>2';

test.each<Row>([
  ['broken since: LWS is let past it', stuck, way],
  ['below a step that is done', { ...stuck, groups: '0:A+ 1:A+ 2:B- 3:C+' }, way],
  [
    'at partition 0',
    { ...stuck, marks: 'C.3 3/3 floor=0', p: 0, groups: '0:A+ 1:A+ 2:B- 3:C+' },
    way.replaceAll('1/3', '3/3').replace('floor=2', 'floor=0'),
  ],
  [
    'still loading: wait',
    { ...stuck, record: { unreadyFor: { 2: 600 } } },
    'hold GroupsNotUpdated BlockedByUnreadyGroup',
  ],
  ['raised already: wait', { ...stuck, u: 2, marks: 'C.3 1/3 floor=2 u=1>2' }, 'hold GroupsNotUpdated'],
  ['budget left: wait', { ...stuck, u: 2 }, 'hold GroupsNotUpdated'],
  [
    'an old group: not the release, nor its leftovers',
    { ...stuck, groups: '0:A+ 1:A+ 2:A- 3:B+' },
    'hold GroupsNotUpdated BlockedByUnreadyGroup',
  ],
  [
    'one of C: the release itself',
    { ...stuck, groups: '0:A+ 1:A+ 2:B+ 3:C-', record: { unreadyFor: { 3: 601 } } },
    'hold GroupsNotReady',
  ],
  ['paused: wait', { ...stuck, rollout: { paused: true } }, 'hold GroupsNotUpdated BlockedByUnreadyGroup Paused'],
  ['not live: wait', { ...stuck, live: { p: 2 } }, 'hold NotApplied BlockedByUnreadyGroup'],
  [
    'next step with the budget raised: it stays until the group is ready',
    { ...stuck, u: 2, marks: 'C.3 1/3 floor=2 u=1>2', groups: '0:A+ 1:A+ 2:B- 3:C+', record: { doneAgo: 1 } },
    'StepReady: step 2/3, partition 3 → 2 => C.3 2/3 floor=2 u=1>2',
  ],
  [
    'and comes down with the first commit after',
    {
      ...stuck,
      u: 2,
      marks: 'C.3 2/3 floor=2 u=1>2',
      p: 2,
      steps: '25% 50%/0 100%',
      groups: '0:A+ 1:A+ 2:C+ 3:C+',
      record: { doneAgo: 1 },
    },
    'StepReady: step 3/3, partition 2 → 0, maxUnavailable 2 → 1 => C.3 3/3 floor=0',
  ],
])('a group that a newer template overtook, %s', (_, of, then) => expect(planned(of)).toBe(then));

const rollback: World = {
  text: 'C',
  marks: 'A.1 rollback floor=2 u=1>2 aborted=B.2',
  p: 2,
  u: 2,
  groups: '0:A+ 1:A+ 2:B- 3:A+',
};

test.each<Row>([
  [
    'a broken group keeps the raised budget',
    { ...rollback, record: { unreadyFor: { 2: 601 } } },
    'Superseded: step 1/3 => C.3 1/3 floor=2 u=1>2 aborted=B.2',
  ],
  [
    'a group that only loads does not',
    rollback,
    'Superseded: step 1/3, partition 2 → 3, maxUnavailable 2 → 1 => C.3 1/3 floor=2 aborted=B.2',
  ],
  [
    'all are back already',
    { ...rollback, groups: '0:A+ 1:A+ 2:A+ 3:A+' },
    'Superseded: step 1/3, partition 2 → 3, maxUnavailable 2 → 1 => C.3 1/3 floor=2 aborted=B.2',
  ],
  [
    'an old group that is broken next to it counts for nobody',
    { ...rollback, groups: '0:A+ 1:A- 2:B- 3:A+', record: { unreadyFor: { 1: 601, 2: 601 } } },
    'Superseded: step 1/3 => C.3 1/3 floor=2 u=1>2 aborted=B.2',
  ],
  [
    'paused: stopped all the same',
    { ...rollback, rollout: { paused: true } },
    'Superseded: step 1/3, partition 2 → 3, maxUnavailable 2 → 1 => C.3 1/3 floor=2 aborted=B.2',
  ],
  [
    'Rollout deleted: stopped',
    { ...rollback, p: 1, rollout: 'absent', groups: '0:A+ 1:A+ 2:A+ 3:C-' },
    'RollStopped: rollback, stopped, partition 1 → 3 => A.1 rollback floor=2 u=1>2 aborted=B.2 | LockedWithoutRollout',
  ],
  [
    'aborted as well: the rollback goes on',
    { ...rollback, groups: '0:A+ 1:A+ 2:B- 3:C-', intents: { abort: 'C.3' } },
    'Aborted: rollback, maxUnavailable 2 → 1 => A.1 rollback floor=2 aborted=C.3,B.2 text A',
  ],
])('a newer request in rollback, %s', (_, of, then) => expect(planned(of)).toBe(then));

/** Aborted before its first step, its objects re-created: everything goes back, in place. */
const plain: World = {
  text: 'C',
  marks: 'A.1 rollback floor=0 aborted=B.2',
  p: 0,
  groups: '0:A+ 1:A+ 2:B+ 3:B+',
  rollout: { style: 'canary' },
};
const LOCKED = 'RollStopped: rollback, stopped, partition 0 → 1000000 => A.1 rollback floor=0 aborted=B.2';

test.each<Row>([
  ['locked, whatever rolls', plain, `${LOCKED} | NewerRequestWaits`],
  ['green and blue', { ...plain, rollout: { style: 'blueGreen' } }, `${LOCKED} | NewerRequestWaits`],
  ['the cluster cannot be read', { ...plain, live: 'unknown' }, `${LOCKED} | NewerRequestWaits`],
  ['a group is on it', { ...plain, p: SENTINEL, groups: '0:A+ 1:A+ 2:A+ 3:C+' }, 'hold RollingBack NewerRequestWaits'],
  ['groups never went back', { ...plain, p: SENTINEL }, 'hold RollingBack NewerRequestWaits'],
  ['one is not ready', { ...plain, p: SENTINEL, groups: '0:A+ 1:A+ 2:A- 3:A+' }, 'hold RollingBack NewerRequestWaits'],
  ['locked and unread', { ...plain, p: SENTINEL, live: 'unknown' }, 'hold ClusterUnreadable NewerRequestWaits'],
  [
    'the stable template is not found',
    { ...plain, p: SENTINEL, stable: 'unknown' },
    'hold StableUnavailable NewerRequestWaits',
  ],
  [
    'all are back: a request like any other',
    { ...plain, p: SENTINEL, groups: '0:A+ 1:A+ 2:A+ 3:A+' },
    'RolledBack: rolled back => A.1 aborted=B.2',
  ],
  [
    'aborted as well: the rollback goes on',
    { ...plain, p: SENTINEL, groups: '0:A+ 1:A+ 2:B+ 3:C+', intents: { abort: 'C.3' } },
    'Aborted: rollback, partition 1000000 → 2 => A.1 rollback floor=0 aborted=C.3,B.2 text A',
  ],
  [
    'taken out again: the rollback goes on',
    { ...plain, text: 'A', p: SENTINEL },
    'RollbackWidened: rollback, partition 1000000 → 2 => A.1 rollback floor=0 aborted=B.2',
  ],
])('a newer request in rollback of what fills a second workload: %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<readonly [groups: string, action: 'abort' | 'nothing']>([
  ['0:A+ 1:A+ 2:A+ 3:C+', 'abort'],
  ['0:A+ 1:A+ 2:A- 3:A+', 'nothing'],
  ['0:A+ 1:A+ 2:A+', 'nothing'],
])(
  'a newer request in rollback of what fills a second workload, with groups %s: %s is to be done',
  (groups, action) => {
    const [, waits] = plan(world({ ...plain, p: SENTINEL, groups })).holds;
    expect(waits?.reason).toBe('NewerRequestWaits');
    expect(waits?.message.includes('tranche abort')).toBe(action === 'abort');
  },
);

const bot: World = { ...rollback, text: 'B', groups: '0:A+ 1:A+ 2:B- 3:B+' };

test.each<Row>([
  [
    'once: stable template once more',
    bot,
    'AbortedTemplateRemoved: rollback => A.1 rollback floor=2 u=1>2 aborted=B.3,B.2 text A',
  ],
  [
    'once, not live yet',
    { ...bot, live: { text: 'A' }, groups: '0:A+ 1:A+ 2:B- 3:A+' },
    'AbortedTemplateRemoved: rollback, maxUnavailable 2 → 1 => A.1 rollback floor=2 aborted=B.3,B.2 text A',
  ],
  [
    'twice: stopped',
    { ...bot, marks: 'A.1 rollback floor=2 aborted=B.3,B.2', groups: '0:A+ 1:A+ 2:A+ 3:B-' },
    'RollStopped: rollback, stopped, partition 2 → 3 => A.1 rollback floor=2 aborted=B.3,B.2 | AbortedTemplateReturned',
  ],
  [
    'twice: stopped already',
    { ...bot, p: 3, marks: 'A.1 rollback floor=2 aborted=B.3,B.2', groups: '0:A+ 1:A+ 2:A+ 3:B-' },
    'hold AbortedTemplateReturned',
  ],
  [
    'twice, cluster unreadable',
    { ...bot, marks: 'A.1 rollback floor=2 aborted=B.3,B.2', live: 'unknown' },
    'RollStopped: rollback, stopped, partition 2 → 1000000 => A.1 rollback floor=2 aborted=B.3,B.2 | AbortedTemplateReturned',
  ],
  [
    'stopped, then put back by someone',
    {
      ...bot,
      text: 'A',
      p: 4,
      marks: 'A.1 rollback floor=2 aborted=B.3,B.2',
      groups: '0:A+ 1:A+ 2:A+ 3:B+',
      live: { flipped: true },
    },
    'RollbackWidened: rollback, partition 4 → 3 => A.1 rollback floor=2 aborted=B.3,B.2',
  ],
  [
    'retried: a request',
    { ...bot, intents: { retry: 'B.2' } },
    'Superseded: step 1/3, maxUnavailable 2 → 1 => B.3 1/3 floor=2',
  ],
  [
    'stopped, then retried: the gates decide',
    { ...bot, u: 1, p: 4, marks: 'A.1 rollback floor=2 aborted=B.3,B.2', intents: { retry: 'B.3' } },
    'Superseded: step 1/3, partition 4 → 3 => B.4 1/3 floor=2',
  ],
])('an aborted template in rollback, %s', (_, of, then) => expect(planned(of)).toBe(then));

const delivery: World = { ...newer, text: 'D', marks: 'B.3 2/3 floor=2 aborted=D.2' };

test.each<Row>([
  [
    'stopped and held',
    delivery,
    'RollStopped: step 2/3, stopped, partition 2 → 1000000 => B.3 2/3 floor=2 aborted=D.2 | AbortedTemplateReturned',
  ],
  [
    'a group is on it',
    { ...delivery, groups: '0:A+ 1:A+ 2:B+ 3:D-' },
    'RollStopped: step 2/3, stopped, partition 2 → 3 => B.3 2/3 floor=2 aborted=D.2 | AbortedTemplateReturned',
  ],
  ['stopped already', { ...delivery, p: SENTINEL }, 'hold AbortedTemplateReturned'],
  [
    'with an abort: back to the stable template',
    { ...delivery, intents: { abort: 'B.3' } },
    'Aborted: rollback => A.1 rollback floor=2 aborted=B.3,D.2 text A',
  ],
])('an aborted template in a delivery, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  [
    'partial: stopped, not taken',
    { ...newer, rollout: 'absent' },
    'RollStopped: step 2/3, stopped, partition 2 → 1000000 => B.2 2/3 floor=2 | LockedWithoutRollout',
  ],
  ['and stays so', { ...newer, p: SENTINEL, rollout: 'absent' }, 'hold LockedWithoutRollout'],
  [
    'and is taken when the Rollout is there again',
    { ...newer, p: 4, groups: '0:A+ 1:A+ 2:B+ 3:B+' },
    'Superseded: step 1/3, partition 4 → 3 => C.3 1/3 floor=2',
  ],
  [
    'a Rollout that cannot be read',
    { ...newer, rollout: 'absent', issues: [issueOf('UnknownField')] },
    'RollStopped: step 2/3, stopped, partition 2 → 1000000 => B.2 2/3 floor=2 | Stalled',
  ],
])('a newer request without a Rollout, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('a newer request is taken from step 1, and its soak counts again', () => {
  const taken: World = { ...newer, marks: 'C.3 1/3 floor=2', p: 3, groups: '0:A+ 1:A+ 2:B+ 3:C-' };
  expect(planned(newer)).toBe(stopped);
  const loading = again(taken, newer);
  expect(planned(loading)).toBe('hold GroupsNotReady');
  const ready = { ...again(loading), groups: '0:A+ 1:A+ 2:B+ 3:C+' };
  expect(planned(ready)).toBe('hold PauseDuration');
  expect(planned(again({ ...ready, now: 1_750_000_009 }, ready))).toBe(
    'StepReady: step 2/3, partition 3 → 2 => C.3 2/3 floor=2',
  );
});

const whole: World = { text: 'C', marks: 'B.2 3/3 floor=0', p: 1_000_000, groups: '0:B+ 1:B+ 2:B+ 3:B+' };

test.each<Row>([
  [
    'with it: back to the stable template',
    { ...whole, intents: { abort: 'B.2 C' } },
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=C.3,B.2 text A',
  ],
  [
    'without it: the newer is taken from step 1',
    { ...whole, intents: { abort: 'B.2' } },
    'Superseded: step 1/3, partition 1000000 → 3 => C.3 1/3 floor=0 aborted=B.2',
  ],
])('abort while locked, and a newer template waits, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('a release that has ended is never meant again', () => {
  const given: World = { text: 'C', marks: 'A.1 aborted=B.2', groups: '0:A+ 1:A+ 2:A+ 3:A+' };
  expect(planned({ ...given, intents: { abort: 'C.2', approve: '1@B.2', jump: '3@B.2' } })).toBe(
    'StepReady: step 1/3, partition 1000000 → 3 => C.3 1/3 floor=3 aborted=B.2',
  );
});
