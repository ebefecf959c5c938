/** Groups that do not come, and why: no place, crash loops, a StatefulSet that never replaces a broken pod. */

import { expect, test } from 'vitest';
import { plan } from '../../../src/rollout/plan.ts';
import { planned, type Row } from '../../support/planned.ts';
import { NOW, type World, world } from '../../support/snapshot.ts';

/** Step 1 of three: group 3 on its way to B. */
const one: World = { text: 'B', marks: 'B.2 1/3 floor=3', p: 3, record: {} };
const A3 = '0:A+ 1:A+ 2:A+';
const step2 = 'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2';

/** The message of the first hold of that reason. */
function message(of: World, reason: string): string {
  return plan(world(of)).holds.find((hold) => hold.reason === reason)?.message ?? '';
}

test.each<Row>([
  ['its leader', { ...one, groups: `${A3} 3:Bu` }, 'hold Unschedulable'],
  ['one of its workers', { ...one, groups: `${A3} 3:Bv` }, 'hold Unschedulable'],
  ['its leader, the workers not there yet', { ...one, groups: `${A3} 3:B/Au` }, 'hold Unschedulable GroupsNotUpdated'],
  ['an image that cannot be pulled is another thing', { ...one, groups: `${A3} 3:B-` }, 'hold GroupsNotReady'],
  [
    'one of two',
    { ...one, marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:Bu 3:B-' },
    'hold Unschedulable GroupsNotReady',
  ],
  [
    'in the last batch',
    { ...one, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:A+ 1:Bu 2:B+ 3:B+' },
    'hold Unschedulable GroupsNotUpdated',
  ],
  ['an old group', { ...one, groups: '0:A+ 1:Au 2:A+ 3:B+', record: { doneAgo: 9 } }, 'hold BlockedByUnreadyGroup'],
  ['in the rollback', { marks: 'A.1 rollback floor=3 aborted=B.2', p: 3, groups: `${A3} 3:Au` }, 'hold RollingBack'],
  ['at rest', { groups: `${A3} 3:Au` }, 'hold NotAtRest'],
])('no capacity, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each([
  [
    'leader',
    { ...one, groups: `${A3} 3:Bu` },
    'Unschedulable',
    'Group 3 has no capacity: pod vllm-3: 0/8 nodes are available: 8 Insufficient nvidia.com/gpu.',
  ],
  [
    'worker',
    { ...one, groups: `${A3} 3:Bv` },
    'Unschedulable',
    'Group 3 has no capacity: pod vllm-3-1: 0/8 nodes are available: 8 Insufficient nvidia.com/gpu.',
  ],
  [
    'an old group',
    { ...one, groups: '0:A+ 1:Au 2:A+ 3:B+' },
    'BlockedByUnreadyGroup',
    'Group 1 is not ready (leader: Unschedulable, 0/8 nodes are available: 8 Insufficient nvidia.com/gpu)',
  ],
  [
    'in the rollback',
    { marks: 'A.1 rollback floor=3 aborted=B.2', p: 3, groups: `${A3} 3:Av` },
    'RollingBack',
    'vllm-3-1: Unschedulable, 0/8 nodes are available',
  ],
])('the scheduler is quoted, %s', (_, of, reason, text) => expect(message(of, reason)).toContain(text));

// LWS may make the workers only once their leader is ready: then the leader alone says what keeps the group.
test.each([
  [
    'one',
    { ...one, groups: `${A3} 3:B/A-` },
    'Group 3 is not on the release yet; the leader of group 3 is on it, its workers are not yet (leader: ImagePullBackOff). If it stays so: tranche abort vllm',
  ],
  [
    'two, in the last batch',
    { ...one, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:B/A- 1:B/A- 2:B+ 3:B+' },
    'Groups 0 and 1 are not on the release yet; the leaders of groups 0 and 1 are on it, their workers are not yet (leader: ImagePullBackOff). If it stays so: tranche abort vllm',
  ],
  ['still old', { ...one, groups: `${A3} 3:A+` }, 'Group 3 is not on the release yet'],
])('what a leader waits for whose workers are not on the release is said, %s', (_, of, text) =>
  expect(message(of, 'GroupsNotUpdated')).toBe(text),
);

/** One pass after another, 60 s apart, each with the record that the one before left. */
function passes(of: World, groups: readonly string[]): World {
  let last: World = { ...of, groups: groups[0] ?? '' };
  for (const [index, next] of groups.entries()) {
    if (index === 0) continue;
    const record = JSON.parse(JSON.stringify(plan(world(last)).record)) as NonNullable<World['record']>;
    last = { ...last, record, groups: next, now: NOW + 60 * index };
  }
  return last;
}

const leaders = (...states: readonly string[]): readonly string[] => states.map((state) => `${A3} ${state}`.trim());

test.each<readonly [when: string, groups: readonly string[], then: string]>([
  ['twice', leaders('3:B-', '3:B-#1', '3:B-#2'), 'hold GroupsNotReady'],
  ['three times', leaders('3:B-', '3:B-#1', '3:B-#2', '3:B-#3'), 'hold GroupCrashLoop'],
  ['three times, no leader in between', leaders('3:B-', '', '3:B-#1', '', '3:B-#2', '3:B-#3'), 'hold GroupCrashLoop'],
  [
    'three times, no workers yet',
    leaders('3:B/A-', '3:B/A-#1', '3:B/A-#2', '3:B/A-#3'),
    'hold GroupCrashLoop GroupsNotUpdated',
  ],
  ['the move to the release is no restart', leaders('3:A+', '3:B-#1', '3:B-#2', '3:B-#3'), 'hold GroupsNotReady'],
  ['an old leader that is replaced is none', leaders('3:A+', '3:A+#1', '3:A+#2', '3:A+#3'), 'hold GroupsNotUpdated'],
  ['ready just now', leaders('3:B-', '3:B-#1', '3:B-#2', '3:B+#3'), 'hold GroupCrashLoop PauseDuration'],
  ['ready for ten minutes', leaders('3:B-', '3:B-#1', '3:B-#2', ...Array.from({ length: 11 }, () => '3:B+#3')), step2],
])('crash loop, restarted %s', (_, groups, then) => expect(planned(passes(one, groups))).toBe(then));

test('a container that is restarted in place counts as well', () => {
  expect(planned({ ...one, groups: `${A3} 3:Bc` })).toBe('hold GroupCrashLoop');
  expect(message({ ...one, groups: `${A3} 3:Bc` }, 'GroupCrashLoop')).toBe(
    'A container of group 3 was restarted 4 times. Group 3 is not ready (leader: CrashLoopBackOff, container leader ended with exit code 1 (Error)). To see why: kubectl -n llm logs vllm-3 -c leader --previous. To abort the release: tranche abort vllm',
  );
});

test('a crash loop says how often, since when, and what to do', () => {
  const looping = passes(one, leaders('3:B-', '3:B-#1', '3:B-#2', '3:B-#3'));
  expect(message(looping, 'GroupCrashLoop')).toBe(
    'Group 3 was restarted 3 times in this step, the first time seen at 2025-06-15T15:07:40Z. Group 3 is not ready (leader: ImagePullBackOff). Look at the logs of its pods while they live, and at the events. To abort the release: tranche abort vllm',
  );
});

test('a crash loop that is over for the moment is a matter of someone', () => {
  const ready = passes(one, leaders('3:B-', '3:B-#1', '3:B-#2', '3:B+#3', '3:B+#3'));
  expect(planned({ ...ready, accept: 'GroupCrashLoop@B.2' })).toBe(step2);
  expect(planned({ ...ready, intents: { approve: '1@B.2' } })).toBe('hold GroupCrashLoop');
  const once: World = { ...ready, accept: 'GroupCrashLoop@B.2#other' };
  expect(planned(once), 'accepted before it was restarted once more').toBe('hold GroupCrashLoop');
});

test('the counting starts again with each step, and an unchanged world leaves the record as it is', () => {
  const looping = passes(one, leaders('3:B-', '3:B-#1', '3:B-#2', '3:B-#3', '3:B-#3'));
  const left = plan(world(looping)).record;
  expect(left?.step?.restarts).toEqual([{ index: 3, uid: 'pod-vllm-3#3', count: 3, since: NOW + 60 }]);
  expect(plan(world({ ...looping, record: left, now: NOW + 900 })).record).toEqual({ ...left, auditedAt: NOW + 900 });
  const next = { ...looping, marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B- 3:B-#4', record: left };
  expect(planned(next)).toBe('hold GroupsNotReady');
});

const gate = { gate: 1 } as const;

test.each<Row>([
  ['gate off: it is replaced next', { ...one, groups: `${A3} 3:A-` }, 'hold GroupsNotUpdated'],
  ['gate on', { ...one, live: gate, groups: `${A3} 3:A-` }, 'hold GroupsNotUpdated BlockedByStatefulSetGate'],
  ['gate on, budget left', { ...one, u: 2, live: { gate: 2 }, groups: `${A3} 3:A-` }, 'hold GroupsNotUpdated'],
  ['gate on, on its way out', { ...one, live: gate, groups: `${A3} 3:A~` }, 'hold GroupsNotUpdated'],
  ['gate on, ready and not yet replaced', { ...one, live: gate, groups: `${A3} 3:A+` }, 'hold GroupsNotUpdated'],
  ['gate on, the release itself is broken', { ...one, live: gate, groups: `${A3} 3:B-` }, 'hold GroupsNotReady'],
  [
    'gate on, in the last batch',
    { ...one, marks: 'B.2 3/3 floor=0', p: 0, live: gate, groups: '0:A+ 1:A- 2:B+ 3:B+' },
    'hold GroupsNotUpdated BlockedByStatefulSetGate',
  ],
])('StatefulSet gate, %s', (_, of, then) => expect(planned(of)).toBe(then));
