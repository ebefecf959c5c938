/** Templates that have one name: made by somebody, and never taken one for the other. */

import { expect, test } from 'vitest';
import { type Release, releasesMeant } from '../../../src/api/release.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { planIntent } from '../../../src/rollout/orders/intent.ts';
import { plan } from '../../../src/rollout/plan.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { digestOf } from '../../support/marks-notation.ts';
import { show } from '../../support/planned.ts';
import { contentOf, type World, world } from '../../support/snapshot.ts';

/** The first eight digits of `left`, and the others of `right`. */
const like = (left: string, right: string): string => digestOf(left).slice(0, 8) + digestOf(right).slice(8);

const A4 = '0:A+ 1:A+ 2:A+ 3:A+';
const requested: World = { text: 'B', groups: A4, live: {} };

function asking(of: World, digest: string): Snapshot {
  const snapshot = world(of);
  const { workload } = snapshot;
  return workload === undefined ? snapshot : { ...snapshot, workload: { ...workload, digest } };
}

test.each<readonly [string, Snapshot, string]>([
  ['the delivered one', asking(requested, like('A', 'B')), 'hold ReleasesAlike'],
  ['an aborted one', asking({ ...requested, marks: 'A.1 aborted=C.2' }, like('C', 'B')), 'hold ReleasesAlike'],
  ['none', asking(requested, digestOf('B')), 'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3'],
])('a request that is shown as another release, as %s', (_, snapshot, then) => expect(show(snapshot)).toBe(then));

test('what is shown as another release is named with all digits, and with what to do', () => {
  const [hold] = plan(asking(requested, like('A', 'B'))).holds;
  expect(hold?.message).toContain(
    `has the digest ${like('A', 'B')}, and an earlier release of it has ${digestOf('A')}`,
  );
  expect(hold?.message).toContain('both are shown as aaaaaaaa');
  expect(hold?.message).toContain('Look at who made this template');
});

const delivering: World = {
  marks: 'B.2 1/3 floor=3',
  text: 'A',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  live: { text: 'A', setText: 'A' },
};

/** The same snapshot with another template of the same digest in the file. */
function collided(of: World): Snapshot {
  const snapshot = world(of);
  const { workload } = snapshot;
  if (workload === undefined) throw new Error('no workload');
  return { ...snapshot, workload: { ...workload, workload: { ...workload.workload, content: contentOf('C') } } };
}

test('a template with the digest of the stable one is no rollback to it', () => {
  expect(plan(world(delivering)).commit?.reason).toBe('Reverted');
  // It rolls already: the roll is stopped as that of any newer template, and goes no further.
  expect(plan(collided(delivering)).commit?.reason).toBe('Superseded');
  const taken: World = {
    ...delivering,
    marks: 'A.3 1/3 floor=3',
    groups: '0:B+ 1:B+ 2:B+ 3:A+',
    intents: { approve: '1@A.3' },
  };
  expect(plan(collided(taken)).holds.map(({ reason }) => reason)).toContain('ReleasesAlike');
});

test('an abort goes back, whatever the template in the file is called', () => {
  const aborted = world({ ...delivering, text: 'B', live: {}, intents: { abort: 'B.2' } });
  expect(plan(aborted).commit?.reason).toBe('Aborted');
  const release: Release = { digest: like('A', 'B'), serial: 2 };
  const alike = asking({ ...delivering, text: 'C', live: {}, intents: { abort: 'B.2 C' } }, release.digest);
  expect(plan(alike).commit?.way === 'forward').toBe(false);
});

test.each<readonly [wish: string, digests: readonly string[] | undefined]>([
  ['bbbbbbbb.2', [digestOf('B')]],
  [`${digestOf('B')}.2`, [digestOf('B')]],
  ['bbbbbbbb.3', []],
  ['cccccccc.2', []],
  ['dddddddd.4', [digestOf('D'), like('D', 'E')]],
  [`${like('D', 'E')}.4`, [like('D', 'E')]],
  ['bbbbbbb.2', undefined],
  ['bbbbbbbb', undefined],
  [`${digestOf('B')}b.2`, undefined],
])('somebody who orders %s means the releases that start so', (wish, digests) => {
  const known = [
    { digest: digestOf('B'), serial: 2 },
    { digest: digestOf('D'), serial: 4 },
    { digest: like('D', 'E'), serial: 4 },
  ];
  expect(releasesMeant(wish, known)?.map(({ digest }) => digest)).toEqual(digests);
});

test('an order that could mean two releases is refused, and both are named with all digits', () => {
  const snapshot = world({ marks: 'A.1 aborted=B.2' });
  const marks = snapshot.workload?.workload.marks;
  if (snapshot.workload === undefined || marks === undefined) throw new Error('no marks');
  const aborted = [...marks.aborted, { digest: like('B', 'C'), serial: 2 }];
  const workload = { ...snapshot.workload, workload: { ...snapshot.workload.workload, marks: { ...marks, aborted } } };
  const order = planIntent(
    { kind: 'retry', release: 'bbbbbbbb.2' },
    { snapshot: { ...snapshot, workload }, digestOf: factsDigest },
  );
  expect(order).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining(`${digestOf('B')}.2, ${like('B', 'C')}.2`),
  });
});
