/** Clocks that run ahead: what they wrote into the record must not stop a rollout until the time has really come. */

import { expect, test } from 'vitest';
import { plan } from '../../src/rollout/plan.ts';
import { NOW, type World, world } from '../support/snapshot.ts';

const YEAR = 31_536_000;
const STEP: World = {
  marks: 'B.2 1/3 floor=3',
  p: 3,
  text: 'B',
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  steps: '25%/60 50% 100%',
};

test('a soak that began in the future begins now, and ends', () => {
  const ahead = world({ ...STEP, record: { doneAgo: -YEAR } });
  const first = plan(ahead);
  expect(first.commit).toBeUndefined();
  expect(first.record?.step?.doneSince).toBe(NOW);
  const later = plan({ ...ahead, record: first.record, now: NOW + 61 });
  expect(later.commit?.subject).toContain('step 2/3');
});

test('a soak that began in the past keeps its beginning', () => {
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

test('a pass that cannot read the groups neither ends a soak nor begins it anew', () => {
  const blind = plan(world({ ...STEP, live: 'unknown', record: { doneAgo: 40 } }));
  expect(blind.commit).toBeUndefined();
  expect(blind.record?.step?.doneSince).toBe(NOW - 40);
  const unready = plan(world({ ...STEP, groups: '0:A+ 1:A+ 2:A+ 3:B-', record: { doneAgo: 40 } }));
  expect(unready.record?.step?.doneSince).toBeUndefined();
});
