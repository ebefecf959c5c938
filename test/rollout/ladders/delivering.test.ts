/** The facts of a delivery are worked out once a decision, and never taken for those of another question. */

import { expect, test } from 'vitest';
import { delivering } from '../../../src/rollout/ladders/delivering.ts';
import { type Situation, situationOf } from '../../../src/rollout/situation.ts';
import { snapshotAt } from '../../support/ladder-pass.ts';
import { stands } from '../../support/ladder-stands.ts';

/** A canary in its first step. */
function inStep(): { readonly situation: Situation; readonly marks: NonNullable<Situation['marks']> } {
  const snapshot = snapshotAt(stands.traffic);
  if (snapshot.workload === undefined) throw new Error('no workload');
  const situation = situationOf(snapshot, snapshot.workload);
  if (situation.marks === undefined) throw new Error('no marks');
  return { situation, marks: situation.marks };
}

test('one decision works a delivery and its memory out once', () => {
  const { situation, marks } = inStep();
  const [first, second] = [delivering(situation, marks, marks.release), delivering(situation, marks, marks.release)];
  expect(first?.delivery).toBeDefined();
  expect(second?.delivery).toBe(first?.delivery);
  expect(second?.view?.memory()).toBe(first?.view?.memory());
});

test.each<readonly [what: string, change: (now: Situation) => Partial<Situation>]>([
  ['another template in the file', () => ({ digest: '0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d' })],
  ['another number of groups', () => ({ replicas: 9 })],
  ['another snapshot', ({ snapshot }) => ({ snapshot: { ...snapshot, traffic: undefined } })],
])('a question about %s is answered for itself', (_, change) => {
  const { situation, marks } = inStep();
  const first = delivering(situation, marks, marks.release);
  const other = { ...situation, ...change(situation) } as Situation;
  const second = delivering(other, marks, marks.release);
  expect(second?.situation).toBe(other);
  expect(second?.delivery).not.toBe(first?.delivery);
  const asked = delivering({ ...other, deliveries: [] }, marks, marks.release);
  expect({ ...second, situation: undefined, view: undefined }).toEqual({
    ...asked,
    situation: undefined,
    view: undefined,
  });
  expect(second?.view?.memory()).toEqual(asked?.view?.memory());
});

test('so are other marks, and another release', () => {
  const { situation, marks } = inStep();
  const first = delivering(situation, marks, marks.release);
  const restored = { ...marks, restore: undefined };
  expect(delivering(situation, restored, marks.release)?.marks).toBe(restored);
  const newer = { ...marks.release, serial: marks.release.serial + 1 };
  expect(delivering(situation, marks, newer)?.delivery.release).toBe(newer);
  expect(delivering(situation, marks, marks.release)?.delivery).toBe(first?.delivery);
});
