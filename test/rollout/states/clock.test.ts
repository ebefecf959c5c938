/** Clocks that run ahead: what they wrote into the record must not stop a rollout until the time has really come. */

import { expect, test } from 'vitest';
import { SENTINEL } from '../../../src/api/workload.ts';
import { hold } from '../../../src/rollout/hold.ts';
import { plan, planHeld } from '../../../src/rollout/plan.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { NOW, type World, world } from '../../support/snapshot.ts';

const YEAR = 31_536_000;
const STEP: World = {
  marks: 'B.2 1/3 floor=3',
  p: 3,
  text: 'B',
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  steps: '25%/60 50% 100%',
};

test('a soak that started in the future starts now, and ends', () => {
  const ahead = world({ ...STEP, record: { doneAgo: -YEAR } });
  const first = plan(ahead);
  expect(first.commit).toBeUndefined();
  expect(first.record?.step?.doneSince).toBe(NOW);
  const later = plan({ ...ahead, record: first.record, now: NOW + 61 });
  expect(later.commit?.subject).toContain('step 2/3');
});

test('a clock that runs ahead of the servers ends no pause and no soak early', () => {
  const done = world({ ...STEP, record: { doneAgo: 200 } });
  const off = (clockOffSeconds: number) => plan({ ...done, clockOffSeconds });
  expect(plan(done).commit?.subject).toContain('step 2/3');
  expect(off(-180).holds).toMatchObject([
    {
      reason: 'PauseDuration',
      seen: 'Step 1 is done; its pause lasts another 41 s; the clock of this machine is 180 s ahead of the servers that it asks, which may make this 180 s longer: set it right',
    },
  ]);
  // 200 s by ours, 61 s by theirs: over by both.
  expect(off(-139).commit?.subject).toContain('step 2/3');
  // Behind: the servers' clock would end it sooner, ours does not.
  const young = world({ ...STEP, record: { doneAgo: 20 } });
  expect(plan({ ...young, clockOffSeconds: 3600 }).holds).toMatchObject([{ reason: 'PauseDuration' }]);
  const soaked = { ...done, policy: { ...done.policy, soakSeconds: 100 }, clockOffSeconds: -130 };
  expect(plan(soaked).holds).toMatchObject([{ reason: 'Soaking' }]);
});

test('a pause that such a clock saw start takes that much longer, and says so', () => {
  const ahead = { clockOffSeconds: -3600 };
  let { record } = plan({ ...world({ ...STEP, record: {} }), ...ahead });
  const after = (seconds: number) => {
    const made = plan({ ...world(STEP), ...ahead, record, now: NOW + seconds });
    ({ record } = made);
    return made.commit?.subject ?? made.holds[0]?.seen;
  };
  expect(after(600)).toMatch(/another 61 s; .* 3600 s ahead of the servers .* 3600 s longer: set it right$/);
  expect(after(3659)).toContain('set it right');
  expect(after(3661)).toContain('step 2/3');
});

test('a soak that started in the past keeps its beginning', () => {
  expect(plan(world({ ...STEP, record: { doneAgo: 10 } })).record?.step?.doneSince).toBe(NOW - 10);
});

test('a second read after one in the future', () => {
  const live = { old: true };
  const ahead = world({ ...STEP, live, record: { appliedAgo: -YEAR } });
  expect(plan(ahead).record?.appliedSince).toBe(NOW);
});

test('groups that were last seen in the future, and an audit of then', () => {
  const ahead = world({ ...STEP, groups: '0:A+ 1:A+ 2:A+ 3:B-', record: {} });
  const first = plan(ahead).record;
  if (first === undefined) throw new Error('no record');
  const record = {
    ...first,
    auditedAt: NOW + YEAR,
    groups: first.groups.map((group) => ({ ...group, since: NOW + YEAR })),
  };
  const after = plan({ ...ahead, record, audit: false }).record;
  expect(after?.groups.map((group) => group.since)).toEqual([NOW, NOW, NOW, NOW]);
  expect(after?.auditedAt).toBe(NOW);
});

test('a pass that cannot read the groups neither ends a soak nor starts it again', () => {
  const blind = plan(world({ ...STEP, live: 'unknown', record: { doneAgo: 40 } }));
  expect(blind.commit).toBeUndefined();
  expect(blind.record?.step?.doneSince).toBe(NOW - 40);
  const unready = plan(world({ ...STEP, groups: '0:A+ 1:A+ 2:A+ 3:B-', record: { doneAgo: 40 } }));
  expect(unready.record?.step?.doneSince).toBeUndefined();
});

test.each<readonly [when: string, of: World, subject: string]>([
  ['the next step', STEP, 'step 2/3'],
  [
    'the next pause, locked',
    { ...STEP, marks: 'B.2 2/3 floor=0', p: SENTINEL, groups: '0:B+ 1:B+ 2:B+ 3:B+', steps: '25% 100%/60 100%' },
    'step 3/3',
  ],
  [
    'what settles',
    { ...STEP, marks: 'B.2 3/3 floor=0', p: SENTINEL, groups: '0:B+ 1:B+ 2:B+ 3:B+', steps: '25% 50% 100%/60' },
    'settled',
  ],
])('where %s cannot be written, the soak before it goes on', (_, of, subject) => {
  const snapshot = world({ ...of, record: { doneAgo: 70 } });
  const made = plan(snapshot);
  expect(made.commit?.subject).toContain(subject);
  const held = planHeld(made, snapshot, hold('PushRefused', { seen: 'a rule', waits: 'people' }));
  expect(held.record.step?.doneSince).toBe(NOW - 70);
  expect(plan({ ...snapshot, record: held.record, now: NOW + 30 }).commit?.subject).toBe(made.commit?.subject);
});

/** Leaders with the times that the API server tells, by group, in seconds before now. */
function aged(
  snapshot: Snapshot,
  ages: Readonly<Record<number, { readonly created: number; readonly ready: number }>>,
) {
  const { leaders } = snapshot.live;
  if (leaders.kind !== 'known') throw new Error('no leaders');
  const value = leaders.value.map((leader) => {
    const age = ages[leader.groupIndex];
    if (age === undefined) return leader;
    return { ...leader, createdAt: NOW - age.created, readyAt: NOW - age.ready };
  });
  return { ...snapshot, live: { ...snapshot.live, leaders: { kind: 'known', value } as const } };
}

/** A step with a pause of 60 s, its group ready, and what the record and the group say of since when. */
test.each([
  // first seen done, its commit, group 3 created, ready → since when it counts
  ['nothing but the record', { done: 40 }, undefined, 40],
  ['all agree', { done: 40, written: 90 }, { created: 80, ready: 45 }, 40],
  ['the record was written by a clock that was a day behind', { done: 86_400 }, { created: 80, ready: 30 }, 30],
  ['restarted in place between two passes', { done: 300 }, { created: 500, ready: 20 }, 20],
  ['recreated between two passes', { done: 300 }, { created: 25, ready: 20 }, 20],
  ['no group came with the step: its commit', { done: 86_400, written: 50 }, { created: 900, ready: 800 }, 50],
  ['the commit was dated by a clock that ran ahead', { done: 40, written: -500 }, { created: 80, ready: 45 }, 40],
  ['the clock of a node runs ahead', { done: 40 }, { created: 80, ready: -500 }, 40],
  ['the record was written by a clock that ran ahead', { done: -500, written: -520 }, { created: 80, ready: 45 }, 0],
])('since when a step is done: %s', (_title, record, group, since) => {
  const made = world({ ...STEP, record: { doneAgo: record.done } });
  const step = made.record?.step;
  if (made.record === undefined || step === undefined) throw new Error('no record');
  const writtenAt = 'written' in record ? NOW - record.written : undefined;
  const snapshot = aged(
    { ...made, record: { ...made.record, step: { ...step, writtenAt } } },
    group === undefined ? {} : { 3: group },
  );
  const planned = plan(snapshot);
  expect(planned.record?.step?.doneSince).toBe(NOW - since);
  expect(planned.holds[0]?.requeueAfterSeconds).toBe(61 - since);
  const approved = plan({ ...snapshot, rollout: approvedIn(snapshot) });
  const told = (approved.commit?.message ?? '').replaceAll(/\s+/g, ' ');
  expect(told).toContain(since === 0 ? 'and ready.' : `and ready for ${since} s.`);
});

function approvedIn({ rollout }: Snapshot): Snapshot['rollout'] {
  if (rollout === undefined) throw new Error('no Rollout');
  const release = { digest: 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', serial: 2 };
  return { ...rollout, intents: { ...rollout.intents, approve: { index: 1, release, partition: undefined } } };
}

test('a date to come stays while groups show that our own clock is behind, and else counts from now', () => {
  const made = world({ ...STEP, record: { doneAgo: 40 } });
  const step = made.record?.step;
  if (made.record === undefined || step === undefined) throw new Error('no record');
  const ahead = { ...made, record: { ...made.record, step: { ...step, writtenAt: NOW + 900 } } };
  expect(plan(aged(ahead, { 3: { created: 80, ready: 45 } })).record?.step?.writtenAt).toBe(NOW);
  expect(plan(aged(ahead, { 3: { created: -800, ready: -850 } })).record?.step?.writtenAt).toBe(NOW + 900);
  // Where main dates it at every pass, nothing is gained by another date, which each pass would write again.
  const byMain = { ...aged(ahead, { 3: { created: 80, ready: 45 } }), unsigned: { rungAt: NOW + 900 } };
  expect(plan(byMain).record?.step?.writtenAt).toBe(NOW + 900);
});

test('failures that are tolerated do not start a soak again', () => {
  const made = world({
    ...STEP,
    marks: 'B.2 2/3 floor=2',
    p: 2,
    groups: '0:A+ 1:A+ 2:B+ 3:B+',
    record: { doneAgo: 300 },
  });
  const flapping = aged(made, { 2: { created: 900, ready: 500 }, 3: { created: 900, ready: 20 } });
  expect(plan(flapping).record?.step?.doneSince).toBe(NOW - 20);
  const { rollout } = flapping;
  if (rollout === undefined) throw new Error('no Rollout');
  const tolerant = { ...flapping, rollout: { ...rollout, rollout: { ...rollout.rollout, failureThreshold: 1 } } };
  expect(plan(tolerant).record?.step?.doneSince).toBe(NOW - 300);
});
