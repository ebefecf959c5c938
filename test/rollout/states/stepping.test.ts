/** The row `step k, partial` of the specification: finish the step that Git names, then write the next. */

import { expect, test } from 'vitest';
import { plan } from '../../../src/rollout/plan.ts';
import { again, planned, type Row } from '../../support/planned.ts';
import { issueOf, type World, world } from '../../support/snapshot.ts';

/** Step 1 of three: group 3 on B and ready, its pause over. */
const one: World = {
  text: 'B',
  marks: 'B.2 1/3 floor=3',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  record: { doneAgo: 30 },
};
/** Step 2 of three, with a pause for someone. */
const two: World = { ...one, marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B+' };
const lost = { kind: 'rewritten', recorded: 'c'.repeat(40), acknowledged: false } as const;
const step2 = 'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2';
const step3 = 'StepReady: step 3/3, partition 2 → 0 => B.2 3/3 floor=0';

test.each<Row>([
  ['all there, gates open', one, step2],
  ['not applied', { ...one, live: { p: 1000000 }, groups: '0:A+ 1:A+ 2:A+ 3:A+' }, 'hold NotApplied'],
  ['not observed', { ...one, live: { unobserved: true } }, 'hold NotObserved'],
  ['still old', { ...one, groups: '0:A+ 1:A+ 2:A+ 3:A+' }, 'hold GroupsNotUpdated'],
  ['restarting', { ...one, groups: '0:A+ 1:A+ 2:A+ 3:A~' }, 'hold GroupsNotUpdated'],
  ['no leader yet', { ...one, groups: '0:A+ 1:A+ 2:A+' }, 'hold GroupsNotUpdated'],
  ['workers still old', { ...one, groups: '0:A+ 1:A+ 2:A+ 3:B/A+' }, 'hold GroupsNotUpdated'],
  ['leader not ready', { ...one, groups: '0:A+ 1:A+ 2:A+ 3:B-' }, 'hold GroupsNotReady'],
  ['workers not ready', { ...one, groups: '0:A+ 1:A+ 2:A+ 3:Bw' }, 'hold GroupsNotReady'],
  ['leader being deleted', { ...one, groups: '0:A+ 1:A+ 2:A+ 3:B~' }, 'hold GroupsNotReady'],
  ['groups of one pod', { ...one, size: 1 }, step2],
  ['paused', { ...one, rollout: { paused: true } }, 'hold Paused'],
  ['disabled', { ...one, rollout: { disabled: true } }, 'hold Disabled'],
  ['Rollout deleted', { ...one, rollout: 'absent' }, 'hold LockedWithoutRollout'],
  ['a wrong file', { ...one, issues: [issueOf('UnknownField')] }, 'hold Stalled'],
  ['no rollback', { ...one, stable: 'unknown' }, 'hold StableUnavailable'],
  ['history rewritten', { ...one, history: lost }, 'hold HistoryRewritten'],
  ['history acknowledged', { ...one, history: { ...lost, acknowledged: true } }, step2],
  ['cluster unreadable', { ...one, live: 'unknown' }, 'hold ClusterUnreadable'],
  ['LWS deleted', { ...one, live: 'absent' }, 'hold WorkloadAbsent'],
  ['scaled to zero', { ...one, n: 0, groups: '' }, 'hold ScaledToZero'],
  ['several', { ...one, rollout: { paused: true }, groups: '0:A+ 1:A+ 2:A+ 3:B-' }, 'hold GroupsNotReady Paused'],
  ['an old group unready, budget spent', { ...one, groups: '0:A+ 1:A- 2:A+ 3:B+' }, 'hold BlockedByUnreadyGroup'],
  ['an old group unready, budget left', { ...one, u: 2, groups: '0:A+ 1:A- 2:A+ 3:B+' }, step2],
  [
    'an old group spends the budget before the canary starts',
    { ...one, groups: '0:A+ 1:A- 2:A+ 3:A+' },
    'hold GroupsNotUpdated BlockedByUnreadyGroup',
  ],
  ['the record is lost: the soak starts again', { ...one, record: undefined }, 'hold PauseDuration'],
])('partial, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['just seen done', { ...one, record: { doneAgo: 0 } }, 'hold PauseDuration'],
  ['a second later', { ...one, record: { doneAgo: 1 } }, step2],
  ['60 s, 60 gone', { ...one, steps: '25%/60 50%! 100%', record: { doneAgo: 60 } }, 'hold PauseDuration'],
  ['60 s, 61 gone', { ...one, steps: '25%/60 50%! 100%', record: { doneAgo: 61 } }, step2],
  ['60 s, approved', { ...one, steps: '25%/60 50%! 100%', record: {}, intents: { approve: '1@B.2' } }, step2],
  ['someone', two, 'hold PausedForApproval'],
  ['no pause written is someone too', { ...two, steps: '25%/0 50% 100%' }, 'hold PausedForApproval'],
  ['approved', { ...two, intents: { approve: '2@B.2' } }, step3],
  ['approved as far as it goes', { ...two, intents: { approve: '2@B.2#2' } }, step3],
  [
    'approved before an edit of the plan let more groups go',
    {
      ...two,
      steps: '25%/0 75% 100%',
      p: 1,
      marks: 'B.2 2/3 floor=1',
      groups: '0:A+ 1:B+ 2:B+ 3:B+',
      intents: { approve: '2@B.2#2' },
    },
    'hold PausedForApproval',
  ],
  ['approved an earlier step', { ...two, intents: { approve: '1@B.2' } }, 'hold PausedForApproval'],
  ['approved a later step', { ...two, intents: { approve: '3@B.2' } }, 'hold PausedForApproval'],
  ['approved for another release', { ...two, intents: { approve: '2@B.1' } }, 'hold PausedForApproval'],
  ['approved for another template', { ...two, intents: { approve: '2@C.2' } }, 'hold PausedForApproval'],
  ['approved, but paused', { ...two, rollout: { paused: true }, intents: { approve: '2@B.2' } }, 'hold Paused'],
  [
    'approved, but a group fell',
    { ...two, groups: '0:A+ 1:A+ 2:B- 3:B+', intents: { approve: '2@B.2' } },
    'hold GroupsNotReady',
  ],
  [
    'the last step leaves groups behind',
    { ...two, steps: '25%/0 50%', marks: 'B.2 2/2 floor=2', intents: { approve: '2@B.2' } },
    'hold PausedForApproval',
  ],
])('pause, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['over a step', { ...one, intents: { jump: '3@B.2' } }, 'Jumped: step 3/3, partition 3 → 0 => B.2 3/3 floor=0'],
  ['to the next', { ...one, intents: { jump: '2@B.2' } }, step2],
  ['ends a pause', { ...two, intents: { jump: '3@B.2' } }, step3],
  [
    'waits for the groups',
    { ...two, groups: '0:A+ 1:A+ 2:B- 3:B+', intents: { jump: '3@B.2' } },
    'hold GroupsNotReady',
  ],
  ['back is refused', { ...two, intents: { jump: '1@B.2' } }, 'hold PausedForApproval JumpRefused'],
  ['too far is refused', { ...two, intents: { jump: '4@B.2' } }, 'hold PausedForApproval JumpRefused'],
  ['a refused one stops nothing', { ...one, intents: { jump: '9@B.2' } }, step2],
  ['to where it is: done already', { ...two, intents: { jump: '2@B.2' } }, 'hold PausedForApproval'],
  ['of another release', { ...two, intents: { jump: '3@B.1' } }, 'hold PausedForApproval'],
  ['of another release, where nothing waits', { ...one, intents: { jump: '3@B.1' } }, step2],
  ['of another release, back', { ...two, intents: { jump: '1@B.1' } }, 'hold PausedForApproval'],
])('jump, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each([
  ['further groups', '25% 50% 50% 100%', 'BeforeStepUpgrade'],
  ['no further group, as Kruise has it', '25% 25% 25% 100%', 'StepTrafficRouting'],
])('a jump that needs %s', (_, steps, then) => {
  const given: World = { ...one, steps, marks: 'B.2 1/4 floor=3', intents: { jump: '3@B.2' } };
  const { commit, record } = plan(world(given));
  expect([commit?.reason, record?.currentStepState]).toEqual(['Jumped', then]);
});

const eight: World = { ...one, n: 8, steps: '25%/0 50%/0 100%', p: 6, marks: 'B.2 1/3 floor=6', u: 2 };
const A6 = '0:A+ 1:A+ 2:A+ 3:A+ 4:A+ 5:A+';

test.each<Row>([
  ['none by default', { ...eight, groups: `${A6} 6:B- 7:B+` }, 'hold GroupsNotReady'],
  [
    'one tolerated, LWS can still move',
    { ...eight, failureThreshold: 1, groups: `${A6} 6:B- 7:B+` },
    'StepReady: step 2/3, partition 6 → 4 => B.2 2/3 floor=4',
  ],
  [
    'a share of the updated groups',
    { ...eight, failureThreshold: '50%', groups: `${A6} 6:B- 7:B+` },
    'StepReady: step 2/3, partition 6 → 4 => B.2 2/3 floor=4',
  ],
  [
    'one tolerated, but the budget ends above the next group',
    { ...eight, failureThreshold: 1, groups: `${A6} 6:B+ 7:B-` },
    'hold BlockedByFailedGroup',
  ],
  ['budget 1', { ...eight, u: 1, failureThreshold: 1, groups: `${A6} 6:B- 7:B+` }, 'hold BlockedByFailedGroup'],
  ['more than tolerated', { ...eight, failureThreshold: 1, groups: `${A6} 6:B- 7:B-` }, 'hold GroupsNotReady'],
  ['not while none is ready', { ...eight, failureThreshold: 2, groups: `${A6} 6:B- 7:B-` }, 'hold GroupsNotReady'],
])('failureThreshold, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  [
    'the current step raised',
    { ...one, steps: '50%/0 75% 100%', record: { doneAgo: 9, steps: '25%/0 50%! 100%' } },
    'StepsEdited: step 1/3, partition 3 → 2 => B.2 1/3 floor=2',
  ],
  [
    'the current step lowered: the first that fits',
    { ...two, steps: '25% 25% 50%', record: { doneAgo: 9, steps: '25% 50% 100%' }, intents: { approve: '2@B.2' } },
    'StepsEdited: step 3/3 => B.2 3/3 floor=2',
  ],
  [
    'the current step lowered in its pause: that is served first',
    { ...two, steps: '25% 25% 100%', record: { doneAgo: 9, steps: '25% 50% 100%' } },
    'hold PausedForApproval',
  ],
  [
    'the current step lowered in a timed pause',
    { ...two, steps: '25% 25%/60 100%', record: { doneAgo: 9, steps: '25% 50%/60 100%' } },
    'hold PauseDuration',
  ],
  [
    'the current step raised in its pause: that is served first',
    { ...two, steps: '25% 75% 100%', record: { doneAgo: 9, steps: '25% 50% 100%' } },
    'hold PausedForApproval',
  ],
  [
    'a later step only',
    { ...one, steps: '25%/0 75% 100%', record: { doneAgo: 9, steps: '25%/0 50% 100%' } },
    'StepReady: step 2/3, partition 3 → 1 => B.2 2/3 floor=1',
  ],
  ['a pause only', { ...two, steps: '25%/0 50%/5 100%', record: { doneAgo: 9, steps: '25%/0 50%! 100%' } }, step3],
  [
    'raised, but groups are missing',
    { ...one, groups: '0:A+ 1:A+ 2:A+ 3:B-', steps: '50%/0 75% 100%', record: { steps: '25%/0 50%! 100%' } },
    'hold GroupsNotReady',
  ],
  [
    'raised while paused',
    { ...one, rollout: { paused: true }, steps: '50%/0 75% 100%', record: { doneAgo: 9, steps: '25%/0 50%! 100%' } },
    'hold Paused',
  ],
  ['another number of steps', { ...one, steps: '25%/0 100%' }, 'hold StepCountChanged'],
  [
    'all beyond what is done gone',
    { ...two, steps: '25% 25% 25%', record: { doneAgo: 9, steps: '25% 50% 100%' } },
    'hold Overshoot PausedForApproval',
  ],
])('steps edited, %s', (_, of, then) => expect(planned(of)).toBe(then));

const scaled = { doneAgo: 30, replicas: 4, partition: 3 } as const;

test.each<Row>([
  [
    'up: the next step uses N as read',
    { ...one, n: 8, groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+ 5:B+ 6:B+ 7:B+', record: scaled },
    'hold Overshoot',
  ],
  [
    'up, accepted',
    { ...one, n: 8, groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+ 5:B+ 6:B+ 7:B+', record: scaled, accept: 'Overshoot@B.2' },
    'StepReady: step 2/3 => B.2 2/3 floor=3',
  ],
  [
    'up, and an approval, which stands for the pause alone',
    { ...one, n: 8, groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+ 5:B+ 6:B+ 7:B+', record: scaled, intents: { approve: '1@B.2' } },
    'hold Overshoot',
  ],
  [
    'up, accepted when there were others',
    { ...one, n: 8, groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+ 5:B+ 6:B+ 7:B+', record: scaled, accept: 'Overshoot@B.2#other' },
    'hold Overshoot',
  ],
  [
    'up, accepted for another release',
    { ...one, n: 8, groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+ 5:B+ 6:B+ 7:B+', record: scaled, accept: 'Overshoot@B.1' },
    'hold Overshoot',
  ],
  ['up and down again', one, step2],
  [
    'down past the step: no group of it is left to show anything',
    { ...one, n: 2, groups: '0:A+ 1:A+', record: scaled },
    'hold StepScaledAway',
  ],
  [
    'down past the step, accepted at another N',
    { ...one, n: 2, groups: '0:A+ 1:A+', record: scaled, accept: 'StepScaledAway@B.2#other' },
    'hold StepScaledAway',
  ],
  [
    'down past the step, and someone accepts that: the next P uses N as read',
    { ...one, n: 2, groups: '0:A+ 1:A+', record: scaled, accept: 'StepScaledAway@B.2' },
    'StepReady: step 2/3, partition 3 → 1 => B.2 2/3 floor=1',
  ],
  [
    'down, groups above still ending',
    { ...one, n: 3, groups: '0:A+ 1:A+ 2:A+ 3:B+', record: scaled },
    'hold StepScaledAway',
  ],
  [
    'an autoscaler owns N',
    {
      ...one,
      n: undefined,
      liveN: 8,
      scaler: 'HPA vllm',
      groups: '0:A+ 1:A+ 2:A+ 3:B+ 4:B+ 5:B+ 6:B+ 7:B+',
      record: scaled,
    },
    'hold Overshoot',
  ],
  ['scalers unreadable, N equal live', { ...one, scaler: 'unknown' }, step2],
  ['nothing readable', { ...one, n: undefined, scaler: 'unknown', live: 'unknown' }, 'hold ClusterUnreadable'],
  ['scalers unreadable, N not equal', { ...one, n: 3, liveN: 4, scaler: 'unknown' }, 'hold ScalerUnreadable'],
])('scaled, %s', (_, of, then) => expect(planned(of)).toBe(then));

const ours = { doneAgo: 30, partition: 3 } as const;

test.each<Row>([
  [
    'lowered, one group went',
    { ...one, p: 1, groups: '0:A+ 1:A+ 2:B- 3:B+', record: ours },
    'PartitionRestored: step 1/3, partition 1 → 2 => B.2 1/3 floor=1 | PartitionEdited',
  ],
  [
    'lowered, none went yet',
    { ...one, p: 1, record: ours },
    'PartitionRestored: step 1/3, partition 1 → 3 => B.2 1/3 floor=1 | PartitionEdited',
  ],
  [
    'lowered, not applied yet',
    { ...one, p: 1, live: { p: 3 }, record: ours },
    'PartitionRestored: step 1/3, partition 1 → 3 => B.2 1/3 floor=1 | PartitionEdited',
  ],
  [
    'lowered, all went',
    { ...one, p: 1, groups: '0:A+ 1:B+ 2:B+ 3:B+', record: ours },
    'hold PartitionEdited Overshoot',
  ],
  [
    'lowered, cluster unreadable',
    { ...one, p: 1, live: 'unknown', record: ours },
    'PartitionRestored: step 1/3, partition 1 → 3 => B.2 1/3 floor=1 | PartitionEdited',
  ],
  [
    'lowered while paused',
    { ...one, p: 1, rollout: { paused: true }, record: ours },
    'PartitionRestored: step 1/3, partition 1 → 3 => B.2 1/3 floor=1 | PartitionEdited',
  ],
  [
    'lowered, approved: that ends a pause, and nothing else',
    { ...one, p: 1, groups: '0:A+ 1:B+ 2:B+ 3:B+', record: ours, intents: { approve: '1@B.2' } },
    'hold PartitionEdited Overshoot',
  ],
  [
    'lowered under an approved pause: put back',
    { ...one, p: 0, groups: '0:A+ 1:A+ 2:A+ 3:B+', record: ours, intents: { approve: '1@B.2' } },
    'PartitionRestored: step 1/3, partition 0 → 3 => B.2 1/3 floor=0 | PartitionEdited',
  ],
  [
    'lowered, and that alone is accepted',
    { ...one, p: 1, groups: '0:A+ 1:B+ 2:B+ 3:B+', record: ours, accept: 'PartitionEdited@B.2' },
    'hold Overshoot',
  ],
  [
    'lowered, accepted at another partition',
    {
      ...one,
      p: 1,
      groups: '0:A+ 1:B+ 2:B+ 3:B+',
      record: ours,
      accept: 'PartitionEdited@B.2#other Overshoot@B.2',
    },
    'hold PartitionEdited',
  ],
  [
    'lowered, accepted with the groups that went',
    { ...one, p: 1, groups: '0:A+ 1:B+ 2:B+ 3:B+', record: ours, accept: 'PartitionEdited@B.2 Overshoot@B.2' },
    'StepReady: step 2/3 => B.2 2/3 floor=1',
  ],
  [
    'to 0',
    { ...one, p: 0, groups: '0:A+ 1:A+ 2:B- 3:B+', record: ours },
    'PartitionRestored: step 1/3, partition 0 → 2 => B.2 1/3 floor=0 | PartitionEdited',
  ],
  ['raised', { ...one, p: 4, record: ours }, 'hold PartitionEdited'],
  ['raised to the sentinel', { ...one, p: 1000000, record: ours }, 'hold PartitionEdited'],
  [
    'raised, accepted',
    { ...one, p: 4, record: ours, accept: 'PartitionEdited@B.2' },
    'StepReady: step 2/3, partition 4 → 2 => B.2 2/3 floor=2',
  ],
  [
    'lowered, the record lost',
    { ...one, p: 1, groups: '0:A+ 1:A+ 2:B- 3:B+', record: undefined },
    'PartitionRestored: step 1/3, partition 1 → 2 => B.2 1/3 floor=1 | PartitionEdited',
  ],
  ['to the sentinel, the record lost', { ...one, p: 1000000, record: undefined }, 'hold PartitionEdited PauseDuration'],
  ['missing', { ...one, p: 'missing', record: ours }, 'hold Stalled'],
])('partition edited, %s', (_, of, then) => expect(planned(of)).toBe(then));

const fresh: World = { ...one, groups: '0:B- 1:B+ 2:B+ 3:B+', live: { uid: 'lws-2', revisions: '-' } };

test.each<Row>([
  ['LWS', fresh, 'hold Recreated'],
  ['leader StatefulSet', { ...fresh, live: { setUid: 'set-2' } }, 'hold Recreated'],
  [
    'accepted: whole',
    { ...fresh, accept: 'Recreated@B.2' },
    'Locked: step 1/3, locked, partition 3 → 1000000 => B.2 1/3 floor=0',
  ],
  ['accepted for another release', { ...fresh, accept: 'Recreated@B.1' }, 'hold Recreated'],
  ['accepted for other objects', { ...fresh, accept: 'Recreated@B.2#other' }, 'hold Recreated'],
  ['approved before', { ...fresh, intents: { approve: '1@B.2' } }, 'hold Recreated'],
  [
    'aborted',
    { ...fresh, intents: { abort: 'B.2' } },
    'Aborted: rollback, partition 3 → 0, maxUnavailable 1 → 2 => A.1 rollback floor=0 u=1>2 aborted=B.2 text A',
  ],
  [
    'aborted before its leaders are there',
    { ...fresh, groups: '', intents: { abort: 'B.2' } },
    'Aborted: rollback, partition 3 → 0 => A.1 rollback floor=0 aborted=B.2 text A',
  ],
  ['the record lost: the groups tell', { ...fresh, record: undefined }, 'hold Overshoot PauseDuration'],
])('recreated, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  [
    'step and restore alone, aborted',
    { ...one, marks: 'B.2', lost: 'B.2 1/3 floor=3', stable: 'A', intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
  [
    'step and restore alone, aborted with a newer template',
    { ...one, text: 'C', marks: 'B.2', lost: 'B.2 1/3 floor=3', stable: 'A', intents: { abort: 'B.2 C' } },
    'Aborted: rollback => A.1 rollback floor=3 aborted=C.3,B.2 text A',
  ],
  [
    'step and restore alone, and an abort of an older serial',
    { ...one, marks: 'B.2', lost: 'B.2 1/3 floor=3', stable: 'A', intents: { abort: 'B.1' } },
    'hold AnnotationsGone',
  ],
  ['step and restore alone', { ...one, marks: 'B.2', lost: 'B.2 1/3 floor=3', stable: 'A' }, 'hold AnnotationsGone'],
  [
    'step and restore alone, and a newer template',
    { ...one, text: 'C', marks: 'B.2', lost: 'B.2 1/3 floor=3', stable: 'A' },
    'hold AnnotationsGone',
  ],
  [
    'step and restore alone, in a rollback',
    { ...one, text: 'A', marks: 'A.1 aborted=B.2', lost: 'A.1 rollback floor=2 aborted=B.2', stable: 'A' },
    'AnnotationsRestored: annotations restored => A.1 rollback floor=2 aborted=B.2',
  ],
  ['in mid-delivery', { ...one, marks: 'none', record: { marks: 'B.2 1/3 floor=3' } }, 'hold AnnotationsGone'],
  [
    'in mid-rollback',
    { ...one, marks: 'none', text: 'A', record: { marks: 'A.1 rollback floor=2' } },
    'hold AnnotationsGone',
  ],
  ['restore only', { ...one, marks: 'B.2 1/3' }, step2],
])('annotations gone, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('LWS before 0.9 is read twice, five seconds apart', () => {
  const old: World = { ...one, live: { old: true } };
  expect(planned(old)).toBe('hold NotObserved');
  const seen = again({ ...old, now: 1_750_000_004 }, old);
  expect(planned(seen)).toBe('hold NotObserved');
  const twice = { ...seen, now: 1_750_000_005 };
  expect(planned(twice)).toBe('hold PauseDuration');
  expect(planned(again({ ...twice, now: 1_750_000_010 }, twice))).toBe(step2);
});

test('LWS before 0.9 whose StatefulSet does not carry the template is never done', () => {
  const old: World = { ...one, live: { old: true, setText: 'A' }, record: { doneAgo: 60, appliedAgo: 60 } };
  expect(planned(old)).toBe('hold NotObserved');
});

test('a step that is written is not written again', () => {
  const next: World = { ...one, marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:A+ 3:B+' };
  expect(planned(again(next, one))).toBe('hold GroupsNotUpdated');
});

test('a fixed field of the Rollout that is edited in a delivery holds it', () => {
  const record = again(one).record;
  if (record === undefined || !('version' in record) || record.step === undefined) throw new Error('no step');
  const frozen = { workloadRef: { name: 'other' }, trafficRoutings: [], style: 'partition', steps: 3 };
  const step = {
    ...record.step,
    release: { digest: 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', serial: 2 },
    index: 1,
    partition: 3,
    frozen,
  };
  const held = { ...one, record: { ...record, step } };
  expect(planned(held)).toContain('hold FrozenFieldChanged');
  expect(plan(world(held)).holds[0]?.message).toMatch(
    /Put spec\.workloadRef back as it was when the delivery started, or go back: tranche abort vllm$/,
  );
});

test('a group that is seen to fall in a pause restarts it', () => {
  const paused: World = { ...one, steps: '25%/60 50%! 100%', record: { doneAgo: 50 }, now: 1_750_000_000 };
  const fallen: World = { ...paused, groups: '0:A+ 1:A+ 2:A+ 3:B-', now: 1_750_000_005 };
  expect(planned(fallen)).toBe('hold GroupsNotReady');
  const back: World = { ...again(fallen), groups: '0:A+ 1:A+ 2:A+ 3:B+', now: 1_750_000_020 };
  expect(planned(back), '70 s since it was first done').toBe('hold PauseDuration');
});
