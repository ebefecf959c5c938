/** The row `step k, whole` of the specification: partition 0, then the sentinel with the step kept, then settled. */

import { expect, test } from 'vitest';
import { plan } from '../../../src/rollout/plan.ts';
import { again, planned, type Row } from '../../support/planned.ts';
import { issueOf, type World, world } from '../../support/snapshot.ts';

const B4 = '0:B+ 1:B+ 2:B+ 3:B+';
/** Step 3 of three at partition 0. */
const rolling: World = { text: 'B', marks: 'B.2 3/3 floor=0', p: 0, groups: B4, record: {} };
/** The same, armed again. */
const armed: World = { ...rolling, p: 1000000, record: { doneAgo: 30 } };
const lost = { kind: 'rewritten', recorded: 'c'.repeat(40), acknowledged: false } as const;
const arm = 'Armed: step 3/3, armed, partition 0 → 1000000 => B.2 3/3 floor=0';
const settle = 'Settled: settled => B.2 stable=main';

test.each<Row>([
  ['all on it, flipped', rolling, arm],
  ['not applied', { ...rolling, live: { p: 2 } }, 'hold NotApplied'],
  ['not observed', { ...rolling, live: { unobserved: true } }, 'hold NotObserved'],
  ['two still old', { ...rolling, groups: '0:A+ 1:A+ 2:B- 3:B+' }, 'hold GroupsNotUpdated'],
  ['the last is loading', { ...rolling, groups: '0:B- 1:B+ 2:B+ 3:B+' }, 'hold StatefulSetNotFlipped'],
  ['flipped with workers unready', { ...rolling, groups: '0:Bw 1:B+ 2:B+ 3:B+', live: { flipped: true } }, arm],
  ['not flipped yet', { ...rolling, live: { flipped: false } }, 'hold StatefulSetNotFlipped'],
  [
    'a group is being recreated',
    { ...rolling, groups: '1:B+ 2:B+ 3:B+', live: { flipped: true } },
    'hold GroupsNotUpdated',
  ],
  ['paused: armed all the same', { ...rolling, rollout: { paused: true } }, arm],
  ['disabled: armed all the same', { ...rolling, rollout: { disabled: true } }, arm],
  ['Rollout deleted: armed all the same', { ...rolling, rollout: 'absent' }, arm],
  ['wrong files: armed all the same', { ...rolling, issues: [issueOf('X')] }, arm],
  ['history rewritten: armed all the same', { ...rolling, history: lost }, arm],
  ['no way back known: armed all the same', { ...rolling, stable: 'unknown' }, arm],
  ['another number of steps: armed all the same', { ...rolling, steps: '50% 100%' }, arm],
  ['cluster unreadable', { ...rolling, live: 'unknown' }, 'hold ClusterUnreadable'],
  ['LWS deleted', { ...rolling, live: 'absent' }, 'hold WorkloadAbsent'],
  ['scaled to zero', { ...rolling, n: 0, groups: '' }, 'hold ScaledToZero'],
  ['scaled up meanwhile', { ...rolling, n: 5 }, 'hold GroupsNotUpdated'],
  ['recreated', { ...rolling, live: { uid: 'lws-2', revisions: '-' } }, 'hold Recreated'],
  ['recreated, accepted', { ...rolling, live: { uid: 'lws-2' }, accept: 'Recreated@B.2' }, arm],
  ['recreated, approved', { ...rolling, live: { uid: 'lws-2' }, intents: { approve: '3@B.2' } }, 'hold Recreated'],
  [
    'one group',
    { ...rolling, n: 1, marks: 'B.2 1/3 floor=0', groups: '0:B+' },
    'Armed: step 1/3, armed, partition 0 → 1000000 => B.2 1/3 floor=0',
  ],
  [
    'partition raised by hand',
    { ...rolling, p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B+', record: { partition: 0 } },
    'hold PartitionEdited',
  ],
  [
    'partition raised by hand, all there',
    { ...rolling, p: 2, record: { partition: 0 } },
    'Armed: step 3/3, armed, partition 2 → 1000000 => B.2 3/3 floor=0',
  ],
])('rolling, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['last step of 100 % passes', armed, settle],
  ['a group not ready', { ...armed, groups: '0:B+ 1:B- 2:B+ 3:B+' }, 'hold GroupsNotReady'],
  ['workers not ready', { ...armed, groups: '0:B+ 1:Bw 2:B+ 3:B+' }, 'hold GroupsNotReady'],
  [
    'never settles with a tolerated failure',
    { ...armed, failureThreshold: 1, groups: '0:B+ 1:B- 2:B+ 3:B+' },
    'hold GroupsNotReady',
  ],
  [
    'a group came back old',
    { ...armed, groups: '0:B+ 1:A+ 2:B+ 3:B+', live: { flipped: true } },
    'hold GroupsNotUpdated',
  ],
  ['not applied', { ...armed, live: { p: 0 } }, 'hold NotApplied'],
  ['cluster unreadable', { ...armed, live: 'unknown' }, 'hold ClusterUnreadable'],
  ['paused', { ...armed, rollout: { paused: true } }, 'hold Paused'],
  ['disabled', { ...armed, rollout: { disabled: true } }, 'hold Disabled'],
  ['Rollout deleted', { ...armed, rollout: 'absent' }, 'hold OrphanArmed'],
  ['wrong files', { ...armed, issues: [issueOf('X')] }, 'hold Stalled'],
  ['history rewritten', { ...armed, history: lost }, 'hold HistoryRewritten'],
  ['another number of steps', { ...armed, steps: '100%' }, 'hold StepCountChanged'],
  ['scaled to zero', { ...armed, n: 0, groups: '' }, 'hold ScaledToZero'],
  [
    'scaled up, the new ones load',
    { ...armed, n: 5, groups: `${B4} 4:B-`, live: { flipped: true } },
    'hold GroupsNotReady',
  ],
  ['no commit has its template', { ...armed, delivered: 'unknown' }, 'hold StableUnavailable'],
  ['a written pause is served armed', { ...armed, steps: '25% 50% 100%!' }, 'hold PausedForApproval'],
  ['and approved', { ...armed, steps: '25% 50% 100%!', intents: { approve: '3@B.2' } }, settle],
  ['a timed one', { ...armed, steps: '25% 50% 100%/60' }, 'hold PauseDuration'],
  ['over', { ...armed, steps: '25% 50% 100%/29' }, settle],
  [
    'the only step, as a count, waits for a person',
    { ...armed, marks: 'B.2 1/1 floor=0', steps: '4' },
    'hold PausedForApproval',
  ],
  [
    'maxUnavailable comes back',
    { ...armed, marks: 'B.2 3/3 floor=0 u=1>2', u: 2 },
    'Settled: settled, maxUnavailable 2 → 1 => B.2 stable=main',
  ],
  [
    'and goes where it was not written',
    { ...armed, marks: 'B.2 3/3 floor=0 u=->2', u: 2 },
    'Settled: settled, maxUnavailable 2 → unset => B.2 stable=main',
  ],
  ["but not over a person's", { ...armed, marks: 'B.2 3/3 floor=0 u=1>2', u: 3 }, settle],
])('armed, %s', (_, of, then) => expect(planned(of)).toBe(then));

/** Whole at step 1 of three: what is left of the plan is served armed. */
const first: World = { ...armed, n: 1, groups: '0:B+', marks: 'B.2 1/3 floor=0' };

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
    { ...armed, text: 'C', live: { setText: 'C' }, steps: '25% 50% 100%!' },
    'hold PausedForApproval RequestQueued',
  ],
  ['and then this one is settled first', { ...armed, text: 'C' }, 'Settled: settled => B.2 stable=B | RequestQueued'],
  ['not live yet', { ...armed, text: 'C', live: { text: 'B' } }, 'Settled: settled => B.2 stable=B | RequestQueued'],
  ['groups astray', { ...armed, text: 'C', groups: '0:B+ 1:C+ 2:B+ 3:B+' }, 'hold GroupsNotUpdated RequestQueued'],
  [
    'armed by hand before a group had gone',
    { ...armed, text: 'C', groups: '0:A+ 1:A+ 2:A+ 3:A+' },
    'hold GroupsNotUpdated RequestQueued',
  ],
  [
    'this one is given up: the newer takes step 1',
    { ...armed, text: 'C', intents: { abort: 'B.2' } },
    'Superseded: step 1/3, partition 1000000 → 3 => C.3 1/3 floor=0 aborted=B.2',
  ],
  [
    'given up, the newer not live',
    { ...armed, text: 'C', live: { text: 'B' }, intents: { abort: 'B.2' } },
    'hold NotApplied',
  ],
  ['given up, paused', { ...armed, text: 'C', rollout: { paused: true }, intents: { abort: 'B.2' } }, 'hold Paused'],
  [
    'given up with a broken group',
    {
      ...armed,
      text: 'C',
      groups: '0:B+ 1:B- 2:B+ 3:B+',
      intents: { abort: 'B.2' },
      record: { unreadyFor: { 1: 601 } },
    },
    'Superseded: step 1/3, partition 1000000 → 3, maxUnavailable 1 → 2 => C.3 1/3 floor=0 u=1>2 aborted=B.2',
  ],
  [
    'given up, the newer aborted before',
    { ...armed, text: 'C', marks: 'B.3 3/3 floor=0 aborted=C.2', intents: { abort: 'B.3' } },
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.3,C.2 text A',
  ],
  [
    'an aborted text is no request',
    { ...armed, text: 'C', marks: 'B.3 3/3 floor=0 aborted=C.2' },
    'Settled: settled => B.3 aborted=C.2 stable=B | RequestQueued',
  ],
])('a newer request while armed, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  [
    'lowered by hand: armed again',
    { ...armed, p: 2, record: { partition: 1000000 } },
    'Armed: step 3/3, armed, partition 2 → 1000000 => B.2 3/3 floor=0',
  ],
  ['lowered to 0: armed again', { ...armed, p: 0 }, arm],
  [
    'lowered, the record lost',
    { ...armed, p: 2, record: undefined },
    'Armed: step 3/3, armed, partition 2 → 1000000 => B.2 3/3 floor=0',
  ],
  ['missing', { ...armed, p: 'missing' }, 'hold Stalled'],
])('armed, partition %s', (_, of, then) => expect(planned(of)).toBe(then));

test('the soak of a whole step counts from when it is armed and seen', () => {
  const soak: World = { ...rolling, steps: '25% 50% 100%/60' };
  expect(planned(soak)).toBe(arm);
  const after = again({ ...soak, p: 1000000 }, soak);
  expect(planned(after)).toBe('hold PauseDuration');
  const seen = again({ ...after, now: 1_750_000_061 }, after);
  expect(planned(seen)).toBe(settle);
});

test.each<readonly [what: string, of: World, says: string]>([
  ['after the StatefulSet has flipped', { live: { flipped: true } }, 'Delete the leader pod'],
  ['armed by hand before', { live: { flipped: false } }, 'Put partition 0 back, or: tranche abort vllm'],
  // Partition 0 would let the newer text take the fleet.
  ['with a newer text queued', { text: 'C', live: { flipped: false } }, 'Delete the leader pod'],
])('armed, a group on the old version, %s: what to do', (_, of, says) => {
  const found = plan(world({ ...armed, groups: '0:A+ 1:B+ 2:B+ 3:B+', ...of })).holds;
  expect(found.find(({ reason }) => reason === 'GroupsNotUpdated')?.message).toContain(says);
});
