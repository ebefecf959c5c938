/** The rows of the specification at rest: unmanaged, settled, requested. */

import { expect, test } from 'vitest';
import { plan, recordWritten } from '../../../src/rollout/plan.ts';
import { planned, type Row } from '../../support/planned.ts';
import { issueOf, type World, world } from '../../support/snapshot.ts';

const A4 = '0:A+ 1:A+ 2:A+ 3:A+';
const unmanaged: World = { marks: 'none' };
const requested: World = { text: 'B', groups: A4, live: {} };
const lost = { kind: 'rewritten', recorded: 'c'.repeat(40), acknowledged: false } as const;

test('unmanaged and not at rest: not healthy, and who can help', () => {
  const made = plan(world({ ...unmanaged, groups: '0:A+ 1:A+ 2:A+ 3:A-' }));
  expect(made.record?.phase).toBe('Initial');
  expect(made.holds.map(({ message }) => message)).toEqual([
    'Group 3 is not ready (leader: ImagePullBackOff). Not taken over yet: that is done once all groups are ready on one template. If it stays so, mend the template in apps/vllm/lws.yaml, or put the one back that worked',
  ]);
  expect(recordWritten(plan(world(unmanaged))).phase).toBe('Healthy');
});

test.each<Row>([
  ['at rest, applied', { ...unmanaged, p: 'missing' }, 'Adopted: adopt, partition unset → 1000000 => A.1 stable=main'],
  ['locked already', unmanaged, 'Adopted: adopt => A.1 stable=main'],
  [
    'intents of an earlier time under management: the new serial lies above them',
    { ...unmanaged, intents: { approve: '1@A.3', abort: 'B.7' } },
    'Adopted: adopt => A.8 stable=main',
  ],
  ['one group', { ...unmanaged, n: 1, p: 0 }, 'Adopted: adopt, partition 0 → 1000000 => A.1 stable=main'],
  ['scaled to zero', { ...unmanaged, n: 0, p: 0 }, 'Adopted: adopt, partition 0 → 1000000 => A.1 stable=main'],
  ['groups of one pod', { ...unmanaged, size: 1, p: 0 }, 'Adopted: adopt, partition 0 → 1000000 => A.1 stable=main'],
  ['a group not ready', { ...unmanaged, groups: '0:A+ 1:A- 2:A+ 3:A+' }, 'hold NotAtRest'],
  ['workers not ready', { ...unmanaged, groups: '0:A+ 1:Aw 2:A+ 3:A+' }, 'hold NotAtRest'],
  ['a group missing', { ...unmanaged, groups: '0:A+ 1:A+ 2:A+' }, 'hold NotAtRest'],
  ['a surplus group', { ...unmanaged, groups: `${A4} 4:A+` }, 'hold NotAtRest'],
  ['a group on another revision', { ...unmanaged, groups: '0:A+ 1:B+ 2:A+ 3:A+' }, 'hold NotAtRest'],
  ['StatefulSet not flipped', { ...unmanaged, live: { flipped: false } }, 'hold NotAtRest'],
  ['template differs live', { ...unmanaged, live: { text: 'B' } }, 'hold NotApplied'],
  ['cluster unreadable', { ...unmanaged, live: 'unknown' }, 'hold ClusterUnreadable'],
  ['workload absent', { ...unmanaged, live: 'absent' }, 'hold WorkloadAbsent'],
  ['disabled', { ...unmanaged, rollout: { disabled: true } }, 'hold Disabled'],
  [
    'paused is no reason to leave it unarmed',
    { ...unmanaged, rollout: { paused: true } },
    'Adopted: adopt => A.1 stable=main',
  ],
  ['lint finds surge', { ...unmanaged, issues: [issueOf('SurgeUnsupported')] }, 'hold Stalled'],
  ['history rewritten', { ...unmanaged, history: lost }, 'hold HistoryRewritten'],
  ['no Rollout names it', { ...unmanaged, rollout: 'absent' }, 'nothing'],
])('unmanaged, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['nothing to do', {}, 'nothing'],
  ['live differs', { live: { text: 'B', setText: 'B' }, groups: A4 }, 'hold Drift'],
  ['live partition differs', { live: { p: 0 } }, 'hold Drift'],
  ['a group not ready', { groups: '0:A+ 1:A- 2:A+ 3:A+' }, 'hold NotAtRest'],
  ['a group astray', { groups: '0:A+ 1:B+ 2:A+ 3:A+' }, 'hold GroupsElsewhere'],
  ['all groups astray', { groups: '0:B+ 1:B+ 2:B+ 3:B+' }, 'hold GroupsElsewhere'],
  [
    'groups astray, accepted',
    { groups: '0:A+ 1:B+ 2:B+ 3:B+', accept: 'GroupsElsewhere@A.2' },
    'Reverted: rollback, partition 1000000 → 1 => A.1 rollback floor=1 stable=main',
  ],
  [
    'groups astray, accepted when there were others',
    { groups: '0:A+ 1:B+ 2:B+ 3:B+', accept: 'GroupsElsewhere@A.2#other' },
    'hold GroupsElsewhere',
  ],
  [
    'a broken group astray, accepted: one more may be down',
    { groups: '0:B- 1:B+ 2:B+ 3:B+', accept: 'GroupsElsewhere@A.2' },
    'Reverted: rollback, partition 1000000 → 0, maxUnavailable 1 → 2 => A.1 rollback floor=0 u=1>2 stable=main',
  ],
  ['partition lowered by hand', { p: 2 }, 'Relocked: lock, partition 2 → 1000000 => A.1'],
  ['partition 0 by hand', { p: 0 }, 'Relocked: lock, partition 0 → 1000000 => A.1'],
  [
    'partition lowered, disabled',
    { p: 0, rollout: { disabled: true } },
    'Relocked: lock, partition 0 → 1000000 => A.1',
  ],
  ['partition lowered, paused', { p: 0, rollout: { paused: true } }, 'Relocked: lock, partition 0 → 1000000 => A.1'],
  [
    'partition lowered, Rollout deleted',
    { p: 0, rollout: 'absent' },
    'Relocked: lock, partition 0 → 1000000 => A.1 | LockedWithoutRollout',
  ],
  [
    'partition lowered, files wrong',
    { p: 0, issues: [issueOf('UnknownField')] },
    'Relocked: lock, partition 0 → 1000000 => A.1 | Stalled',
  ],
  [
    'partition lowered, cluster unreadable',
    { p: 0, live: 'unknown' },
    'Relocked: lock, partition 0 → 1000000 => A.1 | ClusterUnreadable',
  ],
  ['partition lowered, a group still comes back', { p: 2, groups: '0:A+ 1:A+ 2:A+ 3:B+' }, 'hold NotAtRest'],
  ['partition missing', { p: 'missing' }, 'hold Stalled'],
  ['Rollout deleted', { rollout: 'absent' }, 'hold LockedWithoutRollout'],
  ['history rewritten', { history: lost }, 'hold HistoryRewritten'],
  ['history rewritten and acknowledged', { history: { ...lost, acknowledged: true } }, 'nothing'],
  ['abort of what is settled', { intents: { abort: 'A.1' } }, 'hold AbortRefused'],
  ['abort of an older release', { marks: 'C.3', text: 'C', intents: { abort: 'B.2' } }, 'nothing'],
  ['unreadable annotations with a record', { marks: 'none', record: { marks: 'A.1' } }, 'hold AnnotationsGone'],
  [
    'annotations gone, disabled',
    { marks: 'none', record: { marks: 'A.1' }, rollout: { disabled: true } },
    'hold Disabled',
  ],
])('settled, %s', (_, of, then) => expect(planned(of)).toBe(then));

const step1 = 'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3';

test.each<Row>([
  ['gates open', requested, step1],
  ['not live yet', { ...requested, live: { text: 'A' } }, 'hold NotApplied'],
  ['not observed', { ...requested, live: { unobserved: true } }, 'hold NotObserved'],
  ['LWS has not put it on its StatefulSet', { ...requested, live: { setText: 'A' } }, 'hold NotObserved'],
  ['cluster unreadable', { ...requested, live: 'unknown' }, 'hold ClusterUnreadable'],
  ['workload absent', { ...requested, live: 'absent' }, 'hold WorkloadAbsent'],
  ['workload being deleted', { ...requested, live: { deleting: true } }, 'hold WorkloadDeleting'],
  ['leaders unreadable', { ...requested, live: { unread: 'leaders' } }, 'hold ClusterUnreadable'],
  ['paused', { ...requested, rollout: { paused: true } }, 'hold Paused'],
  ['disabled', { ...requested, rollout: { disabled: true } }, 'hold Disabled'],
  ['Rollout deleted', { ...requested, rollout: 'absent' }, 'hold LockedWithoutRollout'],
  ['a wrong file', { ...requested, issues: [issueOf('ChangeNotSupportedYet')] }, 'hold Stalled'],
  ['no rollback', { ...requested, stable: 'unknown' }, 'hold StableUnavailable'],
  ['history rewritten', { ...requested, history: lost }, 'hold HistoryRewritten'],
  ['history acknowledged', { ...requested, history: { ...lost, acknowledged: true } }, step1],
  ['several holds', { ...requested, rollout: { paused: true }, live: { text: 'A' } }, 'hold Paused NotApplied'],
  ['an old group unready, budget spent', { ...requested, groups: '0:A+ 1:A- 2:A+ 3:A+' }, 'hold BlockedByUnreadyGroup'],
  [
    'an old group unready, budget left',
    { ...requested, u: 2, groups: '0:A+ 1:A- 2:A+ 3:A+' },
    'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3',
  ],
  ['a group on neither text', { ...requested, groups: '0:A+ 1:C+ 2:A+ 3:A+' }, 'hold MixedRevisions'],
  ['scaled to zero', { ...requested, n: 0, groups: '' }, 'hold ScaledToZero'],
  ['came up from zero', { ...requested, groups: '0:B+ 1:B+ 2:B+ 3:B+', live: { revisions: 'A' } }, 'hold Overshoot'],
  ['came up from zero, accepted', { ...requested, groups: '0:B+ 1:B+ 2:B+ 3:B+', accept: 'Overshoot@B.2' }, step1],
  ['put back to the template of the release', { text: 'A' }, 'nothing'],
  ['an aborted template', { ...requested, marks: 'A.1 aborted=B.2' }, 'hold ReleaseAborted'],
  [
    'an aborted template, retried',
    { ...requested, marks: 'A.1 aborted=B.2', intents: { retry: 'B.2' } },
    'StepReady: step 1/3, partition 1000000 → 3 => B.3 1/3 floor=3',
  ],
  [
    'an aborted template, retried under an older name',
    { ...requested, marks: 'A.1 aborted=B.3', intents: { retry: 'B.2' } },
    'hold ReleaseAborted',
  ],
  [
    'an aborted template, retried and aborted again',
    { ...requested, marks: 'A.1 aborted=B.3,B.2', intents: { retry: 'B.2' } },
    'hold ReleaseAborted',
  ],
  [
    'another template after an abort takes the next serial',
    { ...requested, text: 'C', marks: 'A.1 aborted=B.7' },
    'StepReady: step 1/3, partition 1000000 → 3 => C.8 1/3 floor=3 aborted=B.7',
  ],
  ['jump', { ...requested, intents: { jump: '2@B.2' } }, 'Jumped: step 2/3, partition 1000000 → 2 => B.2 2/3 floor=2'],
  ['jump of another release', { ...requested, intents: { jump: '2@B.1' } }, step1],
  ['jump too far', { ...requested, intents: { jump: '4@B.2' } }, step1],
  [
    'one group',
    { ...requested, n: 1, groups: '0:A+' },
    'StepReady: step 1/3, partition 1000000 → 0 => B.2 1/3 floor=0',
  ],
  [
    'first step 100 %',
    { ...requested, steps: '100%' },
    'StepReady: step 1/1, partition 1000000 → 0 => B.2 1/1 floor=0',
  ],
  ['a count', { ...requested, steps: '1 3 100%' }, 'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3'],
  [
    'a count above replicas',
    { ...requested, steps: '9' },
    'StepReady: step 1/1, partition 1000000 → 0 => B.2 1/1 floor=0',
  ],
  [
    'a percentage is rounded up',
    { ...requested, steps: '26% 100%' },
    'StepReady: step 1/2, partition 1000000 → 2 => B.2 1/2 floor=2',
  ],
])('requested, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['an autoscaler owns N', { ...requested, scaler: 'HPA vllm', n: undefined, liveN: 4 }, step1],
  ['Git has another N', { ...requested, scaler: 'HPA vllm', n: 2, liveN: 4 }, step1],
  [
    'N as it is live',
    { ...requested, scaler: 'HPA vllm', n: 4, liveN: 2, groups: '0:A+ 1:A+' },
    'StepReady: step 1/3, partition 1000000 → 1 => B.2 1/3 floor=1',
  ],
  ['scalers unreadable, N differs', { ...requested, scaler: 'unknown', n: 2, liveN: 4 }, 'hold ScalerUnreadable'],
  ['scalers unreadable, N the same', { ...requested, scaler: 'unknown' }, step1],
  ['the workload unreadable as well', { ...requested, scaler: 'unknown', live: 'unknown' }, 'hold ClusterUnreadable'],
])('autoscaler, %s', (_, of, then) => expect(planned(of)).toBe(then));

const inert: World = { digest: 'B' };

test.each<Row>([
  ['LWS made no new revision', inert, 'NoNewRevision: settled => B.2 stable=main'],
  ['also while paused', { ...inert, rollout: { paused: true } }, 'NoNewRevision: settled => B.2 stable=main'],
  ['not observed yet', { ...inert, live: { unobserved: true } }, 'hold NotObserved'],
  ['disabled', { ...inert, rollout: { disabled: true } }, 'hold Disabled'],
  ['history rewritten', { ...inert, history: lost }, 'hold HistoryRewritten'],
  ['aborted before', { ...inert, marks: 'A.1 aborted=B.2' }, 'hold ReleaseAborted'],
])('an edit that changes nothing, %s', (_, of, then) => expect(planned(of)).toBe(then));

const revert: World = { ...requested, marks: 'A.1 aborted=B.2' };

test.each<Row>([
  [
    'before its first step',
    { ...requested, intents: { abort: 'B.2' } },
    'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A',
  ],
  [
    'not even live',
    { ...requested, live: { text: 'A' }, intents: { abort: 'B.2' } },
    'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A',
  ],
  [
    'cluster unreadable',
    { ...requested, live: 'unknown', intents: { abort: 'B.2' } },
    'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A',
  ],
  [
    'paused and wrong',
    { ...requested, rollout: { paused: true, disabled: true }, issues: [issueOf('X')], intents: { abort: 'B.2' } },
    'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A',
  ],
  [
    'scaled to zero, partition lowered by hand',
    { ...requested, n: 0, groups: '', p: 2, intents: { abort: 'B.2' } },
    'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A',
  ],
  ['by an older name', { ...requested, intents: { abort: 'B.1' } }, step1],
  ['stable template lost', { ...requested, stable: 'unknown', intents: { abort: 'B.2' } }, 'hold StableUnavailable'],
  [
    'the sixth is forgotten',
    { ...requested, marks: 'A.1 aborted=C.6,D.5,E.4,C.3,D.2', intents: { abort: 'B.7' } },
    'RequestWithdrawn: withdraw => A.1 aborted=B.7,C.6,D.5,E.4,C.3 text A',
  ],
  [
    'partition lowered by hand, a group moved',
    { ...requested, p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B+', intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
  [
    'recreated, everything moved',
    {
      ...requested,
      groups: '0:B+ 1:B+ 2:B+ 3:B+',
      live: { uid: 'lws-2', revisions: '-' },
      record: {},
      intents: { abort: 'B.2' },
    },
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.2 text A',
  ],
  [
    'came up from zero',
    { ...requested, groups: '0:B+ 1:B+ 2:B+ 3:B+', intents: { abort: 'B.2' } },
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.2 text A',
  ],
])('requested and aborted, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['a lowered partition is step 1', { ...requested, p: 2 }, 'Superseded: step 1/3, partition 2 → 3 => B.2 1/3 floor=2'],
  ['one that step 1 allows stays', { ...requested, p: 3 }, 'Superseded: step 1/3 => B.2 1/3 floor=3'],
  ['above step 1: the step decides', { ...requested, p: 4 }, 'StepReady: step 1/3, partition 4 → 3 => B.2 1/3 floor=3'],
  ['above step 1, paused', { ...requested, p: 4, rollout: { paused: true } }, 'hold Paused'],
  [
    'under an aborted template: stopped',
    { ...revert, p: 2, groups: '0:A+ 1:A+ 2:A+ 3:B-' },
    'RollStopped: stopped, partition 2 → 1000000 => A.1 aborted=B.2 | ReleaseAborted',
  ],
  [
    'Rollout deleted: stopped',
    { ...requested, p: 2, rollout: 'absent', groups: '0:A+ 1:A+ 2:A+ 3:B+' },
    'RollStopped: stopped, partition 2 → 1000000 => A.1 | LockedWithoutRollout',
  ],
  [
    'Rollout deleted: locked already',
    { ...requested, rollout: 'absent', groups: '0:A+ 1:A+ 2:A+ 3:B+' },
    'hold LockedWithoutRollout',
  ],
])('requested at an edited partition, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  [
    'held',
    { ...requested, groups: '0:B+ 1:B+ 2:B+ 3:B+', live: { setUid: 'set-2' }, record: {} },
    'hold Recreated Overshoot',
  ],
  [
    'accepted: whole',
    {
      ...requested,
      groups: '0:B+ 1:B- 2:B+ 3:B+',
      live: { setUid: 'set-2' },
      record: {},
      accept: 'Recreated@B.2',
    },
    'Locked: step 1/3, locked => B.2 1/3 floor=0',
  ],
  [
    'accepted, and a group is on the stable template: it goes by the steps',
    { ...requested, groups: '0:A+ 1:A+ 2:A+ 3:B+', live: { setUid: 'set-2' }, record: {}, accept: 'Recreated@B.2' },
    'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3',
  ],
  [
    'accepted, and more are on the release than step 1 lets',
    { ...requested, groups: '0:A- 1:A+ 2:B+ 3:B+', live: { setUid: 'set-2' }, record: {}, accept: 'Recreated@B.2' },
    'hold BlockedByUnreadyGroup Overshoot',
  ],
  [
    'accepted, and no group is there',
    { ...requested, groups: '', live: { setUid: 'set-2' }, record: {}, accept: 'Recreated@B.2' },
    'hold BlockedByUnreadyGroup',
  ],
  [
    'accepted, and some are there',
    { ...requested, groups: '2:B+ 3:B+', live: { setUid: 'set-2' }, record: {}, accept: 'Recreated@B.2' },
    'hold BlockedByUnreadyGroup',
  ],
  ['settled: nothing pending, nothing held', { live: { setUid: 'set-2' }, record: {} }, 'hold Recreated'],
  ['before the request: all on the stable template', { ...requested, live: { uid: 'lws-2' }, record: {} }, step1],
  [
    'one group did not come up yet',
    { ...requested, groups: '0:A+ 1:A+ 2:A+', live: { uid: 'lws-2' }, record: {} },
    'hold Recreated BlockedByUnreadyGroup',
  ],
])('recreated at rest, %s', (_, of, then) => expect(planned(of)).toBe(then));

const aborted: World = { marks: 'A.1 aborted=B.2', intents: { retry: 'B.2' }, retryText: 'B' };

test.each<Row>([
  ['its template comes back', aborted, 'Retried: retry bbbbbbbb => A.1 aborted=B.2 text B'],
  [
    'paused: it is only a request',
    { ...aborted, rollout: { paused: true } },
    'Retried: retry bbbbbbbb => A.1 aborted=B.2 text B',
  ],
  ['disabled', { ...aborted, rollout: { disabled: true } }, 'hold Disabled'],
  ['a wrong file', { ...aborted, issues: [issueOf('X')] }, 'hold Stalled'],
  ['text lost', { ...aborted, retryText: 'unknown' }, 'hold RetryRefused'],
  ['another template found', { ...aborted, retryText: 'C' }, 'hold RetryRefused'],
  ['a release that was not aborted', { ...aborted, intents: { retry: 'C.9' } }, 'nothing'],
  ['aborted again since', { ...aborted, marks: 'A.1 aborted=B.3,B.2' }, 'nothing'],
  ['delivered since', { ...aborted, text: 'B', marks: 'B.3 stable=B' }, 'nothing'],
  [
    'of the last of two',
    { ...aborted, marks: 'A.1 aborted=C.4,B.3', intents: { retry: 'B.3 4' } },
    'Retried: retry bbbbbbbb => A.1 aborted=C.4,B.3 text B',
  ],
  [
    'of one that another was started after, before the order',
    { ...aborted, text: 'C', marks: 'C.3 aborted=B.2', intents: { retry: 'B.2 3' } },
    'Retried: retry bbbbbbbb => C.3 aborted=B.2 text B',
  ],
  [
    'void: another was started after the order, and is settled',
    { ...aborted, text: 'C', marks: 'C.3 aborted=B.2' },
    'nothing',
  ],
  ['void: another was started after the order, and aborted', { ...aborted, marks: 'A.1 aborted=C.3,B.2' }, 'nothing'],
])('settled, retry, %s', (_, of, then) => expect(planned(of)).toBe(then));
