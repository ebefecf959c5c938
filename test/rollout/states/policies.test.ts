/** What policies hold back, in every row that they reach: who says so, and what goes on all the same. */

import { expect, test } from 'vitest';
import { plan } from '../../../src/rollout/plan.ts';
import { planned, type Row } from '../../support/planned.ts';
import { type World, world } from '../../support/snapshot.ts';

const OLD = '0:A+ 1:A+ 2:A+ 3:A+';
/** Ada has asked for B. */
const asked: World = { text: 'B', groups: OLD, record: {} };
/** Step 1 of three is done, its pause over. */
const one: World = {
  ...asked,
  marks: 'B.2 1/3 floor=3',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  record: { doneAgo: 100_000 },
};
const absent = [{ name: 'production', why: 'absent' }] as const;

test.each<Row>([
  ['a required policy is absent', { ...asked, missingPolicies: absent }, 'hold PolicyMissing'],
  [
    'aborted, and one is absent',
    { ...asked, missingPolicies: absent, intents: { abort: 'B.2' } },
    'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A',
  ],
])('requested, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  ['a required policy is absent', { ...one, missingPolicies: absent }, 'hold PolicyMissing'],
  [
    'aborted, and one is absent',
    { ...one, missingPolicies: absent, intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
])('in a step, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<readonly [missing: NonNullable<World['missingPolicies']>[number], said: string]>([
  [{ name: 'prod', why: 'absent' }, 'there is no prod on the configured paths.'],
  [{ name: 'prod', why: 'absent', near: 'production' }, 'there is no prod on the configured paths, but production.'],
  [{ name: 'prod', why: 'unmatched', place: 'a.yaml:6' }, 'prod (a.yaml:6) does not mean this one.'],
  [{ name: 'prod', why: 'wrong', place: 'a.yaml:6' }, 'prod (a.yaml:6) cannot be read.'],
])('PolicyMissing says of %j: %s', (missing, said) => {
  const [hold] = plan(world({ ...asked, missingPolicies: [missing] })).holds;
  expect(hold?.message).toContain(`tranche.yaml requires policies for every Rollout: ${said} Without it`);
});
