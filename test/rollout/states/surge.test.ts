/** The row `step 0` and a surge in every other row: extra groups come first, follow, and go again. */

import { expect, test } from 'vitest';
import { plan } from '../../../src/rollout/plan.ts';
import { again, planned, type Row } from '../../support/planned.ts';
import { issueOf, type World, world } from '../../support/snapshot.ts';

const OLD = '0:A+ 1:A+ 2:A+ 3:A+';

/** Ada has asked for B, and a policy for one extra group. */
const asked: World = { text: 'B', marks: 'A.1', groups: OLD, surge: 1, record: {} };
/** Step 0 is written and live; the extra group is not asked for yet. */
const begun: World = { ...asked, marks: 'B.2 0/3 floor=4', p: 4 };
/** Five groups are asked for; 4 is the extra one. */
const surged: World = { ...begun, n: 5, marks: 'B.2 0/3 floor=4 r=4>5', groups: `${OLD} 4:B+` };
/** Its extra group is the fourth of its number in a row, seen ready for the first time. */
const crashLooping: World = ['4:B-#1', '4:B-#2', '4:B+#3'].reduce<World>(
  (before, leader) => again({ ...surged, groups: `${OLD} ${leader}` }, before),
  { ...surged, groups: `${OLD} 4:B-` },
);
const step1 = 'StepReady: step 1/3, partition 4 → 3 => B.2 1/3 floor=3 r=4>5';
const step0 = 'SurgePrepared: step 0/3, partition 1000000 → 4 => B.2 0/3 floor=4';
const surge = 'Surged: step 0/3, replicas 4 → 5 => B.2 0/3 floor=4 r=4>5';
/** Step 1: groups 3 and 4 are on B. */
const one: World = {
  ...surged,
  marks: 'B.2 1/3 floor=3 r=4>5',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+',
  record: { doneAgo: 30 },
};
const two: World = { ...one, marks: 'B.2 2/3 floor=2 r=4>5', p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B+ 4:B+' };
const NEW = '0:B+ 1:B+ 2:B+ 3:B+ 4:B+';
const rolling: World = { ...one, marks: 'B.2 3/3 floor=0 r=4>5', p: 0, groups: NEW };
const whole: World = { ...rolling, p: 1_000_000 };
const returned = 'SurgeReturned: step 3/3, replicas 5 → 4 => B.2 3/3 floor=0';

test.each<Row>([
  ['a policy asks for a surge', asked, step0],
  ['no policy does', { ...asked, surge: 0 }, 'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3'],
  ['as many as may be down', { ...asked, u: 2, surge: 2 }, step0],
  ['fewer than may be down', { ...asked, u: 2 }, 'hold SurgeRefused'],
  ['an autoscaler owns replicas', { ...asked, scaler: 'HPA vllm' }, 'hold SurgeRefused'],
  ['not known whether one does', { ...asked, scaler: 'unknown' }, 'hold ScalerUnreadable'],
  [
    'an autoscaler, and no surge',
    { ...asked, surge: 0, scaler: 'HPA vllm' },
    'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3',
  ],
  ['other gates are asked', { ...asked, rollout: { paused: true }, u: 2 }, 'hold Paused SurgeRefused'],
  ['a jump waits for the extra group', { ...asked, intents: { jump: '2@B.2' } }, step0],
  [
    'one group',
    { ...asked, n: 1, groups: '0:A+' },
    'SurgePrepared: step 0/3, partition 1000000 → 1 => B.2 0/3 floor=1',
  ],
  ['aborted before', { ...asked, intents: { abort: 'B.2' } }, 'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A'],
  [
    'recreated, and accepted: all are on it',
    { ...asked, live: { uid: 'lws-2' }, groups: '0:B+ 1:B+ 2:B+ 3:B+', accept: 'Recreated@B.2' },
    'Locked: step 1/3, locked => B.2 1/3 floor=0',
  ],
])('requested, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['live', begun, surge],
  ['its restore mark taken out, and the record lost', { ...begun, marks: 'B.2 0/3', record: undefined }, surge],
  ['two', { ...begun, surge: 2 }, 'Surged: step 0/3, replicas 4 → 6 => B.2 0/3 floor=4 r=4>6'],
  ['not applied', { ...begun, live: { p: 1_000_000 } }, 'hold NotApplied'],
  ['not observed', { ...begun, live: { unobserved: true } }, 'hold NotObserved'],
  ['template not on the StatefulSet yet', { ...begun, live: { setText: 'A' } }, 'hold NotObserved'],
  ['partition not on the StatefulSet yet', { ...begun, live: { setPartition: 1_000_000 } }, 'hold NotObserved'],
  [
    'the policy has changed its mind',
    { ...begun, surge: 0 },
    'StepReady: step 1/3, partition 4 → 3 => B.2 1/3 floor=3',
  ],
  ['the policy is wrong', { ...begun, issues: [issueOf('BadNumber', 'policies/production.yaml')] }, 'hold Stalled'],
  ['paused', { ...begun, rollout: { paused: true } }, 'hold Paused'],
  ['disabled', { ...begun, rollout: { disabled: true } }, 'hold Disabled'],
  ['Rollout deleted', { ...begun, rollout: 'absent', surge: 0 }, 'hold LockedWithoutRollout'],
  ['an autoscaler has come', { ...begun, scaler: 'HPA vllm' }, 'hold SurgeRefused'],
  ['maxUnavailable was raised', { ...begun, u: 2 }, 'hold SurgeRefused'],
  ['an old group is down', { ...begun, groups: '0:A+ 1:A- 2:A+ 3:A+' }, 'hold BlockedByUnreadyGroup'],
  ['scaled up by people', { ...begun, n: 7, groups: `${OLD} 4:B+ 5:B+ 6:B+` }, 'hold Overshoot'],
  [
    'scaled up, with room in step 1',
    { ...begun, n: 6, steps: '50% 75% 100%', groups: `${OLD} 4:B+ 5:B+` },
    'Surged: step 0/3, replicas 6 → 7 => B.2 0/3 floor=4 r=6>7',
  ],
  [
    'scaled down: the partition follows',
    { ...begun, n: 2, groups: '0:A+ 1:A+' },
    'SurgePrepared: step 0/3, partition 4 → 2 => B.2 0/3 floor=2',
  ],
  [
    'scaled down, an autoscaler has come',
    { ...begun, n: 2, groups: '0:A+ 1:A+', scaler: 'HPA vllm' },
    'hold SurgeRefused',
  ],
  ['scaled to zero', { ...begun, n: 0, groups: '' }, 'hold ScaledToZero'],
  ['aborted', { ...begun, intents: { abort: 'B.2' } }, 'Aborted: rollback => A.1 rollback floor=4 aborted=B.2 text A'],
  [
    'the stable template is put back',
    { ...begun, text: 'A' },
    'Reverted: rollback => A.1 rollback floor=4 aborted=B.2',
  ],
  ['a newer request', { ...begun, text: 'C', groups: OLD }, 'Superseded: step 0/3 => C.3 0/3 floor=4'],
])('step 0 before the extra groups, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['ready', surged, step1],
  ['not there yet', { ...surged, groups: OLD }, 'hold GroupsNotUpdated'],
  ['loading', { ...surged, groups: `${OLD} 4:B-` }, 'hold GroupsNotReady'],
  ['come up old: LWS will restart it', { ...surged, groups: `${OLD} 4:A+` }, 'hold GroupsNotUpdated'],
  ['loading is not tolerated here', { ...surged, groups: `${OLD} 4:B-`, failureThreshold: 1 }, 'hold GroupsNotReady'],
  ['ready just now, after a crash loop', crashLooping, 'hold GroupCrashLoop'],
  ['after a crash loop, and accepted', { ...crashLooping, accept: 'GroupCrashLoop@B.2' }, step1],
  ['after a crash loop, and approved', { ...crashLooping, intents: { approve: '0@B.2' } }, 'hold GroupCrashLoop'],
  ['a jump of another release', { ...surged, intents: { jump: '2@B.1' } }, step1],
  ['a jump', { ...surged, intents: { jump: '2@B.2' } }, 'Jumped: step 2/3, partition 4 → 2 => B.2 2/3 floor=2 r=4>5'],
  [
    'a first step of everything',
    { ...surged, steps: '100% 100% 100%' },
    'StepReady: step 1/3, partition 4 → 0 => B.2 1/3 floor=0 r=4>5',
  ],
  ['planned of four, not of five', { ...surged, steps: '21% 50% 100%' }, step1],
  [
    'an approval hurries nothing',
    { ...surged, groups: `${OLD} 4:B-`, intents: { approve: '0@B.2' } },
    'hold GroupsNotReady',
  ],
  ['the policy has changed: Git counts', { ...surged, surge: 0 }, step1],
  ['the policy asks for more: Git counts', { ...surged, surge: 3 }, step1],
  ['an autoscaler has come', { ...surged, scaler: 'HPA vllm' }, 'hold SurgeRefused'],
  ['maxUnavailable was raised', { ...surged, u: 2 }, 'hold SurgeRefused'],
  ['paused', { ...surged, rollout: { paused: true } }, 'hold Paused'],
  ['number of steps changed', { ...surged, steps: '50% 100%' }, 'hold StepCountChanged'],
  [
    'steps edited',
    { ...surged, steps: '50% 75% 100%' },
    'StepReady: step 1/3, partition 4 → 2 => B.2 1/3 floor=2 r=4>5',
  ],
  [
    'history rewritten',
    { ...surged, history: { kind: 'rewritten', recorded: 'c'.repeat(40), acknowledged: false } },
    'hold HistoryRewritten',
  ],
  [
    'partition lowered by hand, nobody gone',
    { ...surged, p: 2, record: { partition: 4 } },
    'PartitionRestored: step 0/3, partition 2 → 4 => B.2 0/3 floor=2 r=4>5 | PartitionEdited',
  ],
  ['partition raised by hand', { ...surged, p: 1_000_000, record: { partition: 4 } }, 'hold PartitionEdited'],
  ['recreated', { ...surged, live: { uid: 'lws-2' }, groups: NEW }, 'hold Recreated'],
  [
    'recreated, accepted',
    { ...surged, live: { uid: 'lws-2' }, groups: NEW, accept: 'Recreated@B.2' },
    'Locked: step 1/3, locked, partition 4 → 1000000 => B.2 1/3 floor=0 r=4>5',
  ],
  [
    'recreated, aborted',
    { ...surged, live: { uid: 'lws-2' }, groups: NEW, intents: { abort: 'B.2' } },
    'Aborted: rollback, partition 4 → 0 => A.1 rollback floor=0 r=4>5 aborted=B.2 text A',
  ],
  ['scaled to zero', { ...surged, n: 0, groups: '' }, 'hold ScaledToZero'],
  ['scaled up by people: theirs', { ...surged, n: 8, groups: `${OLD} 4:B+ 5:B+ 6:B+ 7:B+` }, 'hold Overshoot'],
  [
    'scaled up, and accepted',
    { ...surged, n: 8, groups: `${OLD} 4:B+ 5:B+ 6:B+ 7:B+`, accept: 'Overshoot@B.2' },
    'StepReady: step 1/3 => B.2 1/3 floor=4 r=4>5',
  ],
  [
    'scaled down by people: theirs',
    { ...surged, n: 3, groups: '0:A+ 1:A+ 2:A+' },
    'StepReady: step 1/3, partition 4 → 2 => B.2 1/3 floor=2 r=4>5',
  ],
  ['replicas put back by people: the surge is over', { ...surged, n: 4, groups: OLD }, step1],
  [
    'aborted',
    { ...surged, intents: { abort: 'B.2' } },
    'Aborted: rollback, replicas 5 → 4 => A.1 rollback floor=4 aborted=B.2 text A',
  ],
  [
    'aborted while loading',
    { ...surged, groups: `${OLD} 4:B-`, intents: { abort: 'B.2' } },
    'Aborted: rollback, replicas 5 → 4 => A.1 rollback floor=4 aborted=B.2 text A',
  ],
  [
    'aborted, replicas are theirs',
    { ...surged, n: 6, groups: `${OLD} 4:B+ 5:B+`, intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=4 aborted=B.2 text A',
  ],
  [
    'aborted, the cluster unreadable',
    { ...surged, live: 'unknown', intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=4 r=4>5 aborted=B.2 text A',
  ],
  [
    'aborted, with an autoscaler',
    { ...surged, scaler: 'HPA vllm', intents: { abort: 'B.2' } },
    'Aborted: rollback, replicas 5 → 4 => A.1 rollback floor=4 aborted=B.2 text A',
  ],
  [
    'aborted while disabled',
    { ...surged, rollout: { disabled: true }, intents: { abort: 'B.2' } },
    'Aborted: rollback, replicas 5 → 4 => A.1 rollback floor=4 aborted=B.2 text A',
  ],
  ['a newer request', { ...surged, text: 'C' }, 'Superseded: step 0/3 => C.3 0/3 floor=4 r=4>5'],
  ['a newer request while paused', { ...surged, text: 'C', rollout: { paused: true } }, 'hold Paused'],
  [
    'a newer request over a broken extra group',
    { ...surged, text: 'C', groups: `${OLD} 4:B-`, record: { unreadyFor: { 4: 601 } } },
    'Superseded: step 0/3, maxUnavailable 1 → 2 => C.3 0/3 floor=4 u=1>2 r=4>5',
  ],
  [
    'the budget that we have raised is nobody’s wish: it goes back with the first step',
    { ...surged, marks: 'B.2 0/3 floor=4 u=1>2 r=4>5', u: 2 },
    'StepReady: step 1/3, partition 4 → 3, maxUnavailable 2 → 1 => B.2 1/3 floor=3 r=4>5',
  ],
  [
    'the budget that we have raised, where none was written',
    { ...surged, marks: 'B.2 0/3 floor=4 u=->2 r=4>5', u: 2 },
    'StepReady: step 1/3, partition 4 → 3, maxUnavailable 2 → unset => B.2 1/3 floor=3 r=4>5',
  ],
  [
    'an aborted template',
    { ...surged, text: 'C', marks: 'B.3 0/3 floor=4 r=4>5 aborted=C.2' },
    'RollStopped: step 0/3, stopped, partition 4 → 1000000 => B.3 0/3 floor=4 r=4>5 aborted=C.2 | AbortedTemplateReturned',
  ],
])('step 0 with the extra group, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['all there', one, 'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2 r=4>5'],
  [
    'a raised budget goes back',
    { ...one, u: 2, marks: 'B.2 1/3 floor=3 u=1>2 r=4>5' },
    'StepReady: step 2/3, partition 3 → 2, maxUnavailable 2 → 1 => B.2 2/3 floor=2 r=4>5',
  ],
  [
    'a raised budget stays while a tolerated failure spends it',
    { ...one, u: 2, marks: 'B.2 1/3 floor=3 u=1>2 r=4>5', failureThreshold: 1, groups: '0:A+ 1:A+ 2:A+ 3:B- 4:B+' },
    'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2 u=1>2 r=4>5',
  ],
  ['the extra group has failed', { ...one, groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B-' }, 'hold GroupsNotReady'],
  ['an old group is down', { ...one, groups: '0:A+ 1:A- 2:A+ 3:B+ 4:B+' }, 'hold BlockedByUnreadyGroup'],
  ['an autoscaler has come', { ...one, scaler: 'HPA vllm' }, 'hold SurgeRefused'],
  ['maxUnavailable was raised', { ...one, u: 2 }, 'hold SurgeRefused'],
  ['the policy is gone', { ...one, surge: 0 }, 'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2 r=4>5'],
  [
    'a policy comes in the middle',
    { ...one, n: 4, marks: 'B.2 1/3 floor=3', groups: '0:A+ 1:A+ 2:A+ 3:B+' },
    'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2',
  ],
  [
    'and is no reason to hold',
    { ...one, n: 4, u: 2, marks: 'B.2 1/3 floor=3', groups: '0:A+ 1:A+ 2:A+ 3:B+' },
    'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2',
  ],
  [
    'steps are of four',
    { ...two, intents: { approve: '2@B.2' } },
    'StepReady: step 3/3, partition 2 → 0 => B.2 3/3 floor=0 r=4>5',
  ],
  ['scaled up by people', { ...one, n: 6, groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+ 5:B+' }, 'hold Overshoot'],
  ['scaled to zero', { ...one, n: 0, groups: '' }, 'hold ScaledToZero'],
  [
    'aborted (31k)',
    { ...one, intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=3 r=4>5 aborted=B.2 text A',
  ],
  [
    'aborted, the canary broken (32h)',
    { ...one, groups: '0:A+ 1:A+ 2:A+ 3:B- 4:B+', intents: { abort: 'B.2' } },
    'Aborted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=3 u=1>2 r=4>5 aborted=B.2 text A',
  ],
  [
    'aborted, the second broken (32i)',
    { ...two, groups: '0:A+ 1:A+ 2:B- 3:B+ 4:B+', intents: { abort: 'B.2' } },
    'Aborted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 r=4>5 aborted=B.2 text A',
  ],
  [
    'aborted, only the extra one broken',
    { ...two, groups: '0:A+ 1:A+ 2:B+ 3:B+ 4:B-', intents: { abort: 'B.2' } },
    'Aborted: rollback, replicas 5 → 4 => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  [
    'a newer request',
    { ...two, text: 'C', groups: '0:A+ 1:A+ 2:B+ 3:B+ 4:C-' },
    'Superseded: step 1/3, partition 2 → 3 => C.3 1/3 floor=2 r=4>5',
  ],
  [
    'a newer request over a broken canary',
    { ...two, text: 'C', groups: '0:A+ 1:A+ 2:B- 3:B+ 4:B+', record: { unreadyFor: { 2: 601 } } },
    'Superseded: step 1/3, maxUnavailable 1 → 2 => C.3 1/3 floor=2 u=1>2 r=4>5',
  ],
  [
    'a newer request over a broken extra group',
    { ...two, text: 'C', groups: '0:A+ 1:A+ 2:B+ 3:B+ 4:B-', record: { unreadyFor: { 4: 601 } } },
    'Superseded: step 1/3, partition 2 → 3, maxUnavailable 1 → 2 => C.3 1/3 floor=2 u=1>2 r=4>5',
  ],
  [
    'recreated, accepted',
    { ...one, live: { uid: 'lws-2' }, groups: NEW, accept: 'Recreated@B.2' },
    'Locked: step 1/3, locked, partition 3 → 1000000 => B.2 1/3 floor=0 r=4>5',
  ],
])('a later step, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['rolling, all on it', rolling, 'Locked: step 3/3, locked, partition 0 → 1000000 => B.2 3/3 floor=0 r=4>5'],
  ['rolling, the extra one not on it', { ...rolling, groups: '0:B+ 1:B+ 2:B+ 3:B+ 4:A+' }, 'hold GroupsNotUpdated'],
  [
    'rolling, aborted',
    { ...rolling, intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=0 r=4>5 aborted=B.2 text A',
  ],
  ['locked: the extra one goes first', whole, returned],
  ['locked, the extra one not ready', { ...whole, groups: '0:B+ 1:B+ 2:B+ 3:B+ 4:B-' }, returned],
  ['locked, another not ready', { ...whole, groups: '0:B+ 1:B- 2:B+ 3:B+ 4:B+' }, 'hold GroupsNotReady'],
  [
    'locked, a failure that is tolerated holds the extra group',
    {
      ...whole,
      marks: 'B.2 2/3 floor=0 r=4>5',
      steps: '25% 100%! 100%',
      failureThreshold: 1,
      groups: '0:B+ 1:B- 2:B+ 3:B+ 4:B+',
    },
    'hold PausedForApproval',
  ],
  ['locked, not applied', { ...whole, live: { p: 0 } }, 'hold NotApplied'],
  ['locked while paused', { ...whole, rollout: { paused: true } }, returned],
  ['locked while disabled', { ...whole, rollout: { disabled: true } }, returned],
  ['locked without its Rollout', { ...whole, rollout: 'absent' }, returned],
  ['locked, a file wrong', { ...whole, issues: [issueOf('UnknownField')] }, returned],
  ['locked, with an autoscaler', { ...whole, scaler: 'HPA vllm' }, returned],
  [
    'locked, a pause left',
    { ...whole, marks: 'B.2 2/3 floor=0 r=4>5', steps: '25% 100%! 100%' },
    'SurgeReturned: step 2/3, replicas 5 → 4 => B.2 2/3 floor=0',
  ],
  ['locked, a newer template queued', { ...whole, text: 'C' }, returned],
  ['locked, replicas are theirs', { ...whole, n: 6, groups: `${NEW} 5:B+` }, 'Settled: settled => B.2 stable=main'],
  [
    'locked, theirs, the budget goes back',
    { ...whole, n: 6, u: 2, marks: 'B.2 3/3 floor=0 u=1>2 r=4>5', groups: `${NEW} 5:B+` },
    'Settled: settled, maxUnavailable 2 → 1 => B.2 stable=main',
  ],
  [
    'locked, aborted',
    { ...whole, intents: { abort: 'B.2' } },
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 r=4>5 aborted=B.2 text A',
  ],
  [
    'locked, aborted for a newer request: the extra group stays',
    { ...whole, text: 'C', intents: { abort: 'B.2' } },
    'Superseded: step 1/3, partition 1000000 → 3 => C.3 1/3 floor=0 r=4>5 aborted=B.2',
  ],
  [
    'locked and given back, aborted for a newer request: another starts',
    { ...whole, n: 4, marks: 'B.2 3/3 floor=0', text: 'C', groups: '0:B+ 1:B+ 2:B+ 3:B+', intents: { abort: 'B.2' } },
    'Superseded: step 0/3, partition 1000000 → 4 => C.3 0/3 floor=0 aborted=B.2',
  ],
])('%s', (_, of, then) => expect(planned(of)).toBe(then));

test('each commit is followed by the next, and a pass that waits writes the same record again', () => {
  const waits: World = { ...surged, groups: `${OLD} 4:B-` };
  const record = again(waits);
  expect(planned(record)).toBe('hold GroupsNotReady');
  expect(again(record).record).toEqual(record.record);
  expect(record.record).toMatchObject({
    currentStepIndex: 1,
    nextStepIndex: 2,
    currentStepState: 'StepUpgrade',
    step: { index: 0, replicas: 4, partition: 4, planned: [1, 2, 4] },
  });
  expect(planned(again(surged, waits))).toBe(step1);
});

test.each<readonly [what: string, of: World, says: readonly string[]]>([
  ['requested, an autoscaler', { ...asked, scaler: 'HPA vllm' }, ['HPA vllm', 'surge of 1', 'out of the policy']],
  [
    'requested, the budget',
    { ...asked, u: 2 },
    ['surge of 1', 'maxUnavailable 2', 'below 4', 'maxUnavailable to 1', 'RolloutPolicy'],
  ],
  [
    'in a step, an autoscaler',
    { ...one, scaler: 'HPA vllm' },
    ['HPA vllm', 'until it is settled', 'tranche abort vllm'],
  ],
  [
    'in a step, the budget',
    { ...one, u: 2 },
    ['less than maxUnavailable 2', 'maxUnavailable to 1', 'tranche abort vllm'],
  ],
])('why it is refused: %s', (_, of, says) => {
  const [found] = plan(world(of)).holds;
  expect(found?.reason).toBe('SurgeRefused');
  for (const words of says) expect(found?.message).toContain(words);
});

test.each<Row>([
  [
    'an extra group of the new size would stand next to the old ones',
    { ...asked, groups: OLD, sizes: { B: 4 }, sizeChange: 'Whole' },
    'hold SurgeRefused',
  ],
  [
    'without a surge it goes to all at once',
    { ...asked, groups: OLD, sizes: { B: 4 }, sizeChange: 'Whole', surge: 0 },
    'SizeChanged: step 3/3, partition 1000000 → 0 => B.2 3/3 floor=0',
  ],
  ['a later LWS takes it in steps', { ...asked, groups: OLD, sizes: { B: 4 }, lwsVersion: '0.11' }, step0],
])('a change of the size of groups: %s', (_, of, then) => expect(planned(of)).toBe(then));

/** Step 2 of B was aborted, and the extra group stands in for those that go to stable. */
const home: World = {
  text: 'A',
  n: 5,
  p: 2,
  marks: 'A.1 rollback floor=2 r=4>5 aborted=B.2',
  groups: '0:A+ 1:A+ 2:B+ 3:B+ 4:A-',
  record: {},
  live: { flipped: true },
};

test.each<Row>([
  ['on its own way route restored: waited for', home, 'hold RollingBack'],
  ['between two pods', { ...home, groups: '0:A+ 1:A+ 2:B+ 3:B+' }, 'hold RollingBack'],
  [
    'failed on the release: it ends',
    { ...home, groups: '0:A+ 1:A+ 2:B+ 3:B+ 4:B-' },
    'SurgeReturned: rollback, replicas 5 → 4 => A.1 rollback floor=2 aborted=B.2',
  ],
  [
    'it does not come up on stable: it ends',
    { ...home, record: { unreadyFor: { 4: 601 } } },
    'SurgeReturned: rollback, replicas 5 → 4 => A.1 rollback floor=2 aborted=B.2',
  ],
  [
    'a raised budget stays with the others',
    { ...home, u: 2, marks: 'A.1 rollback floor=2 u=1>2 r=4>5 aborted=B.2', groups: '0:A+ 1:A+ 2:B- 3:B+ 4:B-' },
    'SurgeReturned: rollback, replicas 5 → 4 => A.1 rollback floor=2 u=1>2 aborted=B.2',
  ],
  ['the others are on their way', { ...home, groups: '0:A+ 1:A+ 2:B+ 3:A- 4:A+' }, 'hold RollingBack'],
  [
    'all are back: it ends',
    { ...home, groups: '0:A+ 1:A+ 2:A+ 3:A+ 4:A+' },
    'RolledBack: rolled back, replicas 5 → 4, partition 2 → 1000000 => A.1 aborted=B.2',
  ],
  [
    'a newer request: it follows that',
    { ...home, text: 'C', groups: '0:A+ 1:A+ 2:B+ 3:B+ 4:A+' },
    'Superseded: step 1/3, partition 2 → 3 => C.3 1/3 floor=2 r=4>5 aborted=B.2',
  ],
])('an extra group in the rollback, %s', (_, of, then) => expect(planned(of)).toBe(then));
