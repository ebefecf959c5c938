/** The row `step k, whole` of the specification: partition 0, then the sentinel with the step kept, then settled. */

import { expect, test } from 'vitest';
import { plan } from '../../../src/rollout/plan.ts';
import { again, planned, type Row } from '../../support/planned.ts';
import { issueOf, type World, world } from '../../support/snapshot.ts';

const B4 = '0:B+ 1:B+ 2:B+ 3:B+';
/** Step 3 of three at partition 0. */
const rolling: World = { text: 'B', marks: 'B.2 3/3 floor=0', p: 0, groups: B4, record: {} };
/** The same, locked again. */
const locked: World = { ...rolling, p: 1000000, record: { doneAgo: 30 } };
const lost = { kind: 'rewritten', recorded: 'c'.repeat(40), acknowledged: false } as const;
const lock = 'Locked: step 3/3, locked, partition 0 → 1000000 => B.2 3/3 floor=0';
const settle = 'Settled: settled => B.2 stable=main';

test.each<Row>([
  ['all on it, flipped', rolling, lock],
  ['not applied', { ...rolling, live: { p: 2 } }, 'hold NotApplied'],
  ['not observed', { ...rolling, live: { unobserved: true } }, 'hold NotObserved'],
  ['two still old', { ...rolling, groups: '0:A+ 1:A+ 2:B- 3:B+' }, 'hold GroupsNotUpdated'],
  ['the last is loading', { ...rolling, groups: '0:B- 1:B+ 2:B+ 3:B+' }, 'hold StatefulSetNotFlipped'],
  ['flipped with workers unready', { ...rolling, groups: '0:Bw 1:B+ 2:B+ 3:B+', live: { flipped: true } }, lock],
  ['not flipped yet', { ...rolling, live: { flipped: false } }, 'hold StatefulSetNotFlipped'],
  [
    'a group is being recreated',
    { ...rolling, groups: '1:B+ 2:B+ 3:B+', live: { flipped: true } },
    'hold GroupsNotUpdated',
  ],
  ['paused: locked all the same', { ...rolling, rollout: { paused: true } }, lock],
  ['disabled: locked all the same', { ...rolling, rollout: { disabled: true } }, lock],
  ['Rollout deleted: locked all the same', { ...rolling, rollout: 'absent' }, lock],
  ['wrong files: locked all the same', { ...rolling, issues: [issueOf('X')] }, lock],
  ['history rewritten: locked all the same', { ...rolling, history: lost }, lock],
  ['no rollback known: locked all the same', { ...rolling, stable: 'unknown' }, lock],
  ['another number of steps: locked all the same', { ...rolling, steps: '50% 100%' }, lock],
  ['cluster unreadable', { ...rolling, live: 'unknown' }, 'hold ClusterUnreadable'],
  ['LWS deleted', { ...rolling, live: 'absent' }, 'hold WorkloadAbsent'],
  ['scaled to zero', { ...rolling, n: 0, groups: '' }, 'hold ScaledToZero'],
  ['scaled up meanwhile', { ...rolling, n: 5 }, 'hold GroupsNotUpdated'],
  ['recreated', { ...rolling, live: { uid: 'lws-2', revisions: '-' } }, 'hold Recreated'],
  ['recreated, accepted', { ...rolling, live: { uid: 'lws-2' }, accept: 'Recreated@B.2' }, lock],
  ['recreated, approved', { ...rolling, live: { uid: 'lws-2' }, intents: { approve: '3@B.2' } }, 'hold Recreated'],
  [
    'one group',
    { ...rolling, n: 1, marks: 'B.2 1/3 floor=0', groups: '0:B+' },
    'Locked: step 1/3, locked, partition 0 → 1000000 => B.2 1/3 floor=0',
  ],
  [
    'partition raised by hand',
    { ...rolling, p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B+', record: { partition: 0 } },
    'hold PartitionEdited',
  ],
  [
    'partition raised by hand, all there',
    { ...rolling, p: 2, record: { partition: 0 } },
    'Locked: step 3/3, locked, partition 2 → 1000000 => B.2 3/3 floor=0',
  ],
])('rolling, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['last step of 100 % passes', locked, settle],
  ['a group not ready', { ...locked, groups: '0:B+ 1:B- 2:B+ 3:B+' }, 'hold GroupsNotReady'],
  ['workers not ready', { ...locked, groups: '0:B+ 1:Bw 2:B+ 3:B+' }, 'hold GroupsNotReady'],
  [
    'never settles with a tolerated failure',
    { ...locked, failureThreshold: 1, groups: '0:B+ 1:B- 2:B+ 3:B+' },
    'hold GroupsNotReady',
  ],
  [
    'a group came back old',
    { ...locked, groups: '0:B+ 1:A+ 2:B+ 3:B+', live: { flipped: true } },
    'hold GroupsNotUpdated',
  ],
  ['not applied', { ...locked, live: { p: 0 } }, 'hold NotApplied'],
  ['cluster unreadable', { ...locked, live: 'unknown' }, 'hold ClusterUnreadable'],
  ['paused', { ...locked, rollout: { paused: true } }, 'hold Paused'],
  ['disabled', { ...locked, rollout: { disabled: true } }, 'hold Disabled'],
  ['Rollout deleted', { ...locked, rollout: 'absent' }, 'hold LockedWithoutRollout'],
  ['wrong files', { ...locked, issues: [issueOf('X')] }, 'hold Stalled'],
  ['history rewritten', { ...locked, history: lost }, 'hold HistoryRewritten'],
  ['another number of steps', { ...locked, steps: '100%' }, 'hold StepCountChanged'],
  ['scaled to zero', { ...locked, n: 0, groups: '' }, 'hold ScaledToZero'],
  [
    'scaled up, the new ones load',
    { ...locked, n: 5, groups: `${B4} 4:B-`, live: { flipped: true } },
    'hold GroupsNotReady',
  ],
  ['no commit has its template', { ...locked, delivered: 'unknown' }, 'hold StableUnavailable'],
  ['a written pause is served locked', { ...locked, steps: '25% 50% 100%!' }, 'hold PausedForApproval'],
  ['and approved', { ...locked, steps: '25% 50% 100%!', intents: { approve: '3@B.2' } }, settle],
  ['a timed one', { ...locked, steps: '25% 50% 100%/60' }, 'hold PauseDuration'],
  ['over', { ...locked, steps: '25% 50% 100%/29' }, settle],
  [
    'the only step, as a count, waits for someone',
    { ...locked, marks: 'B.2 1/1 floor=0', steps: '4' },
    'hold PausedForApproval',
  ],
  [
    'maxUnavailable comes back',
    { ...locked, marks: 'B.2 3/3 floor=0 u=1>2', u: 2 },
    'Settled: settled, maxUnavailable 2 → 1 => B.2 stable=main',
  ],
  [
    'and goes where it was not written',
    { ...locked, marks: 'B.2 3/3 floor=0 u=->2', u: 2 },
    'Settled: settled, maxUnavailable 2 → unset => B.2 stable=main',
  ],
  ["but not over someone's", { ...locked, marks: 'B.2 3/3 floor=0 u=1>2', u: 3 }, settle],
])('locked, %s', (_, of, then) => expect(planned(of)).toBe(then));

/** Whole at step 1 of three: what is left of the plan is served locked. */
const first: World = { ...locked, n: 1, groups: '0:B+', marks: 'B.2 1/3 floor=0' };

test.each<Row>([
  ['the next label', first, 'StepReady: step 2/3 => B.2 2/3 floor=0'],
  ['its pause', { ...first, marks: 'B.2 2/3 floor=0' }, 'hold PausedForApproval'],
  [
    'approved',
    { ...first, marks: 'B.2 2/3 floor=0', intents: { approve: '2@B.2' } },
    'StepReady: step 3/3 => B.2 3/3 floor=0',
  ],
  ['jump of another release', { ...first, intents: { jump: '3@B.1' } }, 'StepReady: step 2/3 => B.2 2/3 floor=0'],
  ['jump to the last', { ...first, intents: { jump: '3@B.2' } }, 'Jumped: step 3/3 => B.2 3/3 floor=0'],
  [
    'jump back is refused',
    { ...first, marks: 'B.2 2/3 floor=0', intents: { jump: '1@B.2' } },
    'hold PausedForApproval JumpRefused',
  ],
  [
    'a tolerated failure before the end',
    { ...first, n: 4, groups: '0:B+ 1:B- 2:B+ 3:B+', failureThreshold: 1 },
    'StepReady: step 2/3 => B.2 2/3 floor=0',
  ],
])('whole early, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  [
    'inert until this one is settled',
    { ...locked, text: 'C', live: { setText: 'C' }, steps: '25% 50% 100%!' },
    'hold PausedForApproval RequestQueued',
  ],
  ['and then this one is settled first', { ...locked, text: 'C' }, 'Settled: settled => B.2 stable=B | RequestQueued'],
  ['not live yet', { ...locked, text: 'C', live: { text: 'B' } }, 'Settled: settled => B.2 stable=B | RequestQueued'],
  ['groups astray', { ...locked, text: 'C', groups: '0:B+ 1:C+ 2:B+ 3:B+' }, 'hold GroupsNotUpdated RequestQueued'],
  [
    'locked by hand before a group had gone',
    { ...locked, text: 'C', groups: '0:A+ 1:A+ 2:A+ 3:A+' },
    'hold GroupsNotUpdated RequestQueued',
  ],
  [
    'this one is aborted: the newer takes step 1',
    { ...locked, text: 'C', intents: { abort: 'B.2' } },
    'Superseded: step 1/3, partition 1000000 → 3 => C.3 1/3 floor=0 aborted=B.2',
  ],
  [
    'aborted, the newer not live',
    { ...locked, text: 'C', live: { text: 'B' }, intents: { abort: 'B.2' } },
    'hold NotApplied',
  ],
  ['aborted, paused', { ...locked, text: 'C', rollout: { paused: true }, intents: { abort: 'B.2' } }, 'hold Paused'],
  [
    'aborted with a broken group',
    {
      ...locked,
      text: 'C',
      groups: '0:B+ 1:B- 2:B+ 3:B+',
      intents: { abort: 'B.2' },
      record: { unreadyFor: { 1: 601 } },
    },
    'Superseded: step 1/3, partition 1000000 → 3, maxUnavailable 1 → 2 => C.3 1/3 floor=0 u=1>2 aborted=B.2',
  ],
  [
    'aborted, the newer aborted before',
    { ...locked, text: 'C', marks: 'B.3 3/3 floor=0 aborted=C.2', intents: { abort: 'B.3' } },
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.3,C.2 text A',
  ],
  [
    'an aborted template is no request',
    { ...locked, text: 'C', marks: 'B.3 3/3 floor=0 aborted=C.2' },
    'Settled: settled => B.3 aborted=C.2 stable=B | RequestQueued',
  ],
])('a newer request while locked, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  [
    'lowered by hand: locked again',
    { ...locked, p: 2, record: { partition: 1000000 } },
    'Locked: step 3/3, locked, partition 2 → 1000000 => B.2 3/3 floor=0',
  ],
  ['lowered to 0: locked again', { ...locked, p: 0 }, lock],
  [
    'lowered, the record lost',
    { ...locked, p: 2, record: undefined },
    'Locked: step 3/3, locked, partition 2 → 1000000 => B.2 3/3 floor=0',
  ],
  ['missing', { ...locked, p: 'missing' }, 'hold Stalled'],
])('locked, partition %s', (_, of, then) => expect(planned(of)).toBe(then));

test('the soak of a whole step counts from when it is locked and seen', () => {
  const soak: World = { ...rolling, steps: '25% 50% 100%/60' };
  expect(planned(soak)).toBe(lock);
  const after = again({ ...soak, p: 1000000 }, soak);
  expect(planned(after)).toBe('hold PauseDuration');
  const seen = again({ ...after, now: 1_750_000_061 }, after);
  expect(planned(seen)).toBe(settle);
});

// Nobody has asked for a step of the newer template, and its groups are no evidence for this one.
test.each<readonly [what: string, of: World, then: string]>([
  ['the StatefulSet', { live: { setUid: 'sts-2' } }, 'hold Recreated'],
  ['the LeaderWorkerSet', { live: { uid: 'lws-2' } }, 'hold Recreated'],
  ['accepted', { live: { uid: 'lws-2' }, accept: 'Recreated@B.2' }, 'Settled'],
  ['none, and no commit has let them', {}, 'hold Recreated'],
  ['none, and accepted', { accept: 'Recreated@B.2' }, 'Settled'],
  ['none, and LWS has one revision for both', { record: { revision: 'key-C', revisionOf: 'B' } }, 'Settled'],
])('locked, a newer template is queued, re-created: %s', (_, of, then) => {
  expect(planned({ ...locked, text: 'C', groups: '0:C+ 1:C+ 2:C+ 3:C+', ...of })).toMatch(new RegExp(`^${then}\\b`));
});

test('locked, a newer template is queued: a record that nobody has signed is no proof that both are one revision', () => {
  const record = { revision: 'key-C', revisionOf: 'B' };
  const told = world({ ...locked, text: 'C', groups: '0:C+ 1:C+ 2:C+ 3:C+', record });
  expect(plan(told).commit?.reason).toBe('Settled');
  const unsigned = plan({ ...told, unsigned: {} });
  expect(unsigned.holds.map(({ reason }) => reason)).toContain('Recreated');
  expect(unsigned.commit).toBeUndefined();
});

test.each<readonly [what: string, of: World, says: string]>([
  ['after the StatefulSet has flipped', { live: { flipped: true } }, 'Delete the leader pod'],
  ['locked by hand before', { live: { flipped: false } }, 'Put partition 0 back, or: tranche abort vllm'],
  // Partition 0 would let the newer template take the primary.
  ['with a newer template queued', { text: 'C', live: { flipped: false } }, 'Delete the leader pod'],
])('locked, a group on the old version, %s: what to do', (_, of, says) => {
  const found = plan(world({ ...locked, groups: '0:A+ 1:B+ 2:B+ 3:B+', ...of })).holds;
  expect(found.find(({ reason }) => reason === 'GroupsNotUpdated')?.message).toContain(says);
});
