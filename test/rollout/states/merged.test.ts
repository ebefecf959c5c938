/** A step that people merged, as a pass finds it: it held, or it is put back as far as nothing has followed. */

import { expect, test } from 'vitest';
import { type Plan, plan, recordWritten } from '../../../src/rollout/plan.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { again, planned, show } from '../../support/planned.ts';
import { type World, world } from '../../support/snapshot.ts';

const rules = { promotion: 'pullRequest' } as const;
/** Step 1 of three: group 3 on B and ready, its pause over; step 2 is proposed. */
const one: World = {
  text: 'B',
  marks: 'B.2 1/3 floor=3',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  rules,
  record: { doneAgo: 30 },
};
/** Merged, and the agent was not there yet. */
const two: World = { ...one, marks: 'B.2 2/3 floor=2', p: 2, live: { p: 3 }, record: { partition: 2 } };
/** The same, applied: the next group restarts. */
const followed: World = { ...two, live: {}, groups: '0:A+ 1:A+ 2:B- 3:B+' };
const requested: World = { text: 'B', groups: '0:A+ 1:A+ 2:A+ 3:A+', rules, record: {} };
const first: World = { ...requested, marks: 'B.2 1/3 floor=3', p: 3, live: { p: 1000000 }, record: { partition: 3 } };

/** Of a merge that the record does not know yet. */
function merged({
  before,
  after,
  all = {},
}: {
  readonly before: World;
  readonly after: World;
  readonly all?: World;
}): Snapshot {
  const was = world({ ...before, ...all }).record;
  const { merged: _, ...is } = world({ ...after, ...all });
  return { ...is, merged: { marks: was?.marks, step: was?.step } };
}

type MergedRow = readonly [when: string, before: World, after: World, all: World, then: string];
const back3 = 'PartitionRestored: step 2/3, partition 2 → 3 => B.2 2/3 floor=2 | LateMerge';

test.each<MergedRow>([
  ['it held, and is not applied yet', one, two, {}, 'hold NotApplied'],
  ['it held, and the next group restarts', one, followed, {}, 'hold GroupsNotReady'],
  ['it held, and LWS has not seen it', one, { ...followed, live: { unobserved: true } }, {}, 'hold NotObserved'],
  ['the first step held', requested, first, {}, 'hold NotApplied'],
  [
    'the first step held, and its group restarts',
    requested,
    { ...first, live: {}, groups: '0:A+ 1:A+ 2:A+ 3:B-' },
    {},
    'hold GroupsNotReady',
  ],
  ['paused, and nothing has followed', one, two, { rollout: { paused: true } }, back3],
  ['paused, and a group has followed', one, followed, { rollout: { paused: true } }, 'hold LateMerge'],
  ['a group of the step before is not ready', one, two, { groups: '0:A+ 1:A+ 2:A+ 3:B-' }, back3],
  [
    'a group of the step before is not ready, and others follow',
    { ...one, u: 2 },
    { ...followed, marks: 'B.2 2/3 floor=1', p: 1, u: 2, groups: '0:A+ 1:A+ 2:B- 3:B-' },
    { steps: '25%/0 75% 100%' },
    'PartitionRestored: step 2/3, partition 1 → 2 => B.2 2/3 floor=1 | LateMerge',
  ],
  ['its soak was not over', { ...one, record: { doneAgo: 30 } }, two, { rules: { ...rules, soakSeconds: 600 } }, back3],
  ['the plan is another by now', one, two, { steps: '25%/0 75% 100%' }, back3],
  [
    'a tighter policy',
    one,
    { ...two, marks: 'B.2 2/3 floor=1', p: 1 },
    { steps: '25%/0 75% 100%', rules: { ...rules, maxStepGroups: 1 } },
    'PartitionRestored: step 2/3, partition 1 → 3 => B.2 2/3 floor=1 | LateMerge',
  ],
  [
    'outside of its window: nothing is undone',
    one,
    followed,
    { windows: { open: false, shutBy: [] } },
    'hold GroupsNotReady WindowClosed',
  ],
  [
    'the first step, paused',
    requested,
    first,
    { rollout: { paused: true } },
    'PartitionRestored: step 1/3, partition 3 → 1000000 => B.2 1/3 floor=3 | LateMerge',
  ],
  [
    'the last step, paused: it is not whole any more',
    { ...one, marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B+' },
    { ...two, marks: 'B.2 3/3 floor=0', p: 0, live: {}, groups: '0:A+ 1:B- 2:B+ 3:B+', record: { partition: 0 } },
    { rollout: { paused: true } },
    'PartitionRestored: step 3/3, partition 0 → 1 => B.2 3/3 floor=0 | LateMerge',
  ],
  [
    'an abort was ordered: that comes first',
    one,
    two,
    { intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  ['the cluster cannot be read: it is judged later', one, two, { live: 'unknown' }, 'hold ClusterUnreadable'],
])('merged, %s', (_, before, after, all, then) => expect(show(merged({ before, after, all }))).toBe(then));

/** The record of a pass, as the next one reads it. */
function recordOf(made: Plan): World['record'] {
  return JSON.parse(JSON.stringify(recordWritten(made)));
}

test('it waits where it was put back until someone lets it stand, whatever opens meanwhile', () => {
  const paused = plan(merged({ before: one, after: two, all: { rollout: { paused: true } } }));
  expect(paused.holds[0]?.facts).toEqual({ partition: 2, because: ['Paused'] });
  const restored: World = { ...two, p: 3, live: {}, record: recordOf(paused) };
  expect(planned(restored)).toBe('hold LateMerge');
  expect(planned(again(restored))).toBe('hold LateMerge');
  expect(planned({ ...restored, accept: 'LateMerge@B.2#other' })).toBe('hold LateMerge');
  const accepted: World = { ...restored, accept: 'LateMerge@B.2' };
  const letStand = 'MergeAccepted: step 2/3, partition 3 → 2 => B.2 2/3 floor=2';
  expect(planned(accepted)).toBe(letStand);
  expect(plan(world(accepted)).commit?.delivery).toBe('commit');
  expect(planned({ ...accepted, rollout: { paused: true } })).toBe('hold Paused');
  // Of more groups the step allows no more than it has by now.
  const grown = '0:A+ 1:A+ 2:A+ 3:A+ 4:A+ 5:A+ 6:A+ 7:B+';
  expect(planned({ ...accepted, n: 8, groups: grown })).not.toContain('MergeAccepted');
  const after = plan(world(accepted));
  const gone: World = { ...two, live: {}, groups: '0:A+ 1:A+ 2:B- 3:B+', record: recordOf(after) };
  expect(planned(gone)).toBe('hold GroupsNotReady');
  expect(recordWritten(after).step?.stale).toBeUndefined();
});

test('the rollback is open from there', () => {
  const paused = plan(merged({ before: one, after: followed, all: { rollout: { paused: true } } }));
  const held: World = { ...followed, record: recordOf(paused) };
  expect(planned(held)).toBe('hold LateMerge');
  expect(planned({ ...held, intents: { abort: 'B.2' } })).toMatch(/^Aborted: rollback/);
  expect(planned({ ...held, p: 0 })).toMatch(/^PartitionRestored: step 2\/3, partition 0 → 2 /);
});

test('what cannot be judged yet is judged by the pass that can', () => {
  for (const all of [{ live: 'unknown' }, { live: { unobserved: true } }] as const) {
    const made = plan(merged({ before: one, after: { ...followed, ...all } }));
    const record = recordWritten(made);
    const was = world(one).record;
    expect([record.step, record.marks]).toEqual([was?.step, was?.marks]);
  }
});

test('a step that held is remembered as it was merged, and nothing is said of it', () => {
  const made = plan(merged({ before: one, after: followed }));
  expect(recordWritten(made).step).toMatchObject({ index: 2, partition: 2 });
  expect(recordWritten(made).step?.stale).toBeUndefined();
});
