/** For which groups a rollback raises maxUnavailable, with either state of the StatefulSet gate, and when it comes down. */

import { expect, test } from 'vitest';
import { known } from '../../../src/api/known.ts';
import { plan } from '../../../src/rollout/plan.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { show } from '../../support/planned.ts';
import { type World, world } from '../../support/snapshot.ts';

/** Pods that were created this many seconds ago, by ordinal. */
type Young = Readonly<Record<number, number>>;

function aged(of: World, young: Young): Snapshot {
  const snapshot = world(of);
  const { leaders } = snapshot.live;
  if (leaders.kind !== 'known') throw new Error('not known');
  const aging = leaders.value.map((leader) => {
    const ago = young[leader.groupIndex];
    return ago === undefined ? leader : { ...leader, createdAt: snapshot.now - ago };
  });
  return { ...snapshot, live: { ...snapshot.live, leaders: known(aging) } };
}

const at = (groups: string, of: Partial<World> = {}): World => ({
  text: 'B',
  marks: 'B.2 2/3 floor=2',
  p: 2,
  groups,
  intents: { abort: 'B.2' },
  record: { loads: [100, 300] },
  ...of,
});
const gate = { gate: 1 } as const;
const same = 'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A';
const one = 'Aborted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2 text A';
const now = { intents: { abort: 'B.2 now' } } as const;

test.each<[string, World, Young, string]>([
  ['below a ready group that goes back', at('0:A+ 1:A+ 2:B- 3:B+'), {}, one],
  ['at the top, gate off', at('0:A+ 1:A+ 2:B+ 3:B-'), {}, same],
  ['at the top, gate on (trace 15b)', at('0:A+ 1:A+ 2:B+ 3:B-', { live: gate }), {}, one],
  ['all that goes back, gate off', at('0:A+ 1:A+ 2:B- 3:B-'), {}, same],
  [
    'below the partition (trace 33d)',
    at('0:A- 1:A+ 2:B+ 3:B+', { record: { loads: [1], unreadyFor: { 0: 601 } } }),
    {},
    one,
  ],
  ['as young as the longest load', at('0:A+ 1:A+ 2:B- 3:B+'), { 2: 300 }, same],
  ['older than that', at('0:A+ 1:A+ 2:B- 3:B+'), { 2: 301 }, one],
  ['of 600 s, and no load was seen', at('0:A+ 1:A+ 2:B- 3:B+', { record: {} }), { 2: 600 }, same],
  ['older than 600 s, and no load was seen', at('0:A+ 1:A+ 2:B- 3:B+', { record: {} }), { 2: 601 }, one],
  ['young, in a crash loop', at('0:A+ 1:A+ 2:Bc 3:B+'), { 2: 1 }, one],
  ['young, with --now', at('0:A+ 1:A+ 2:B- 3:B+', now), { 2: 1 }, one],
  ['ends just now', at('0:A+ 1:A+ 2:B~ 3:B+'), {}, same],
  ['LWS 0.8, below a ready group that goes back', at('0:A+ 1:A+ 2:B- 3:B+', { live: { old: true } }), {}, one],
  ['LWS 0.8, at the top, gate off', at('0:A+ 1:A+ 2:B+ 3:B-', { live: { old: true } }), {}, same],
])('an unready group %s', (_, of, young, then) => expect(show(aged(of, young))).toBe(then));

const back = (groups: string, of: Partial<World> = {}): World => ({
  text: 'A',
  marks: 'A.1 rollback floor=2 u=1>2 aborted=B.2',
  p: 2,
  u: 2,
  groups,
  record: { loads: [300] },
  ...of,
});
const unraised = { u: 1, marks: 'A.1 rollback floor=2 aborted=B.2' } as const;
const lowered = 'BudgetLowered: rollback, maxUnavailable 2 → 1 => A.1 rollback floor=2 aborted=B.2';
const raised = 'BudgetRaised: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2';

test.each<[string, World, Young, string]>([
  ['it stands in the way', back('0:A+ 1:A+ 2:B- 3:B+'), {}, 'hold RollingBack'],
  ['it is ready', back('0:A+ 1:A+ 2:B+ 3:B+'), {}, lowered],
  ['it is replaced, and loads', back('0:A+ 1:A+ 2:A- 3:A+'), {}, lowered],
  ['it is the next one, gate off', back('0:A+ 1:A+ 2:B- 3:A+'), {}, lowered],
  ['it is the next one, gate on', back('0:A+ 1:A+ 2:B- 3:A+', { live: { gate: 2 } }), {}, 'hold RollingBack'],
  ["somebody's own value", back('0:A+ 1:A+ 2:A- 3:A+', { u: 3 }), {}, 'hold RollingBack'],
  [
    'one of two',
    back('0:A- 1:A+ 2:A- 3:A+', {
      u: 3,
      marks: 'A.1 rollback floor=2 u=1>3 aborted=B.2',
      record: { loads: [300], unreadyFor: { 0: 901 } },
    }),
    {},
    'BudgetLowered: rollback, maxUnavailable 3 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2',
  ],
])('raised for one group: %s', (_, of, young, then) => expect(show(aged(of, young))).toBe(then));

test.each<[string, World, Young, string]>([
  ['waited for', back('0:A+ 1:A+ 2:B- 3:B+', unraised), { 2: 300 }, 'hold RollingBack'],
  ['for too long', back('0:A+ 1:A+ 2:B- 3:B+', unraised), { 2: 301 }, raised],
  ['--now', back('0:A+ 1:A+ 2:B- 3:B+', { ...unraised, ...now }), { 2: 1 }, raised],
])('a group of the other version only loads: %s', (_, of, young, then) => expect(show(aged(of, young))).toBe(then));

test('the commit says which groups have not raised it, and the hold how not to wait for them', () => {
  const message = plan(aged(at('0:A+ 1:A+ 2:B- 3:B+'), { 2: 1 })).commit?.message.replaceAll('\n', ' ');
  expect(message).toContain('Group 2 only loads, and maxUnavailable is not raised for that.');
  const [waits] = plan(aged(back('0:A+ 1:A+ 2:B- 3:B+', unraised), { 2: 1 })).holds;
  expect(waits).toMatchObject({
    reason: 'RollingBack',
    action: 'Group 2 only loads and is waited for, 300 s at most; to go on without it: tranche abort vllm --now',
  });
});
