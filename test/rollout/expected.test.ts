/** How long the rest takes: measured in the record, median of the last loads, times batches; words for people. */

import { expect, test } from 'vitest';
import type { Expected, RolloutRecord } from '../../src/api/record.ts';
import type { Texts } from '../../src/reconcile/ladder/delivery-parts.ts';
import { inPercent } from '../../src/rollout/ladders/shares.ts';
import { plan, recordWritten } from '../../src/rollout/plan.ts';
import { printExpected, printTotal } from '../../src/rollout/progress/expected.ts';
import type { Snapshot } from '../../src/rollout/snapshot.ts';
import { countsOf } from '../../src/rollout/texts/sentences.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { passed, type Stand, settledOn, snapshotAt } from '../support/ladder-pass.ts';
import { AT, after, asked, files as canaryFiles } from '../support/ladder-stands.ts';
import { NOW, type World, world } from '../support/snapshot.ts';
import { NEW, OLD } from '../support/vllm.ts';

const A3 = '0:A+ 1:A+ 2:A+';
const one: World = { text: 'B', marks: 'B.2 1/3 floor=3', p: 3, record: {} };

function recordOf(snapshot: Snapshot): RolloutRecord {
  const record = recordWritten(plan(snapshot));
  return JSON.parse(JSON.stringify(record)) as typeof record;
}

/** Passes at these seconds, each with the record of the one before. */
function passes(of: World, at: readonly (readonly [seconds: number, groups: string])[]): Snapshot {
  let last = world({ ...of, groups: at[0]?.[1] ?? '', now: NOW + (at[0]?.[0] ?? 0) });
  for (const [seconds, groups] of at.slice(1))
    last = world({ ...of, groups, now: NOW + seconds, record: recordOf(last) });
  return last;
}

test.each<readonly [when: string, at: readonly (readonly [number, string])[], loads: readonly number[]]>([
  [
    'seen coming and getting ready',
    [
      [0, `${A3} 3:A+`],
      [30, `${A3} 3:B-#1`],
      [630, `${A3} 3:B+#1`],
    ],
    [600],
  ],
  [
    'workers after the leader',
    [
      [0, `${A3} 3:A+`],
      [30, `${A3} 3:B/A-#1`],
      [300, `${A3} 3:Bw#1`],
      [730, `${A3} 3:B+#1`],
    ],
    [700],
  ],
  [
    'no leader in between',
    [
      [0, `${A3} 3:A+`],
      [30, A3],
      [60, `${A3} 3:B-#1`],
      [360, `${A3} 3:B+#1`],
    ],
    [300],
  ],
  [
    'unready for a while later: no load',
    [
      [0, `${A3} 3:A+`],
      [30, `${A3} 3:A-`],
      [99, `${A3} 3:A+`],
    ],
    [],
  ],
  [
    'each leader of a crash loop starts again',
    [
      [0, `${A3} 3:A+`],
      [30, `${A3} 3:B-#1`],
      [100, `${A3} 3:B-#2`],
      [150, `${A3} 3:B+#2`],
    ],
    [50],
  ],
  [
    'ready at the first sight of it, and it says nothing',
    [
      [0, `${A3} 3:A+`],
      [30, `${A3} 3:B+#1`],
    ],
    [],
  ],
  [
    'there from the first pass on: nobody saw it come',
    [
      [0, `${A3} 3:B-`],
      [900, `${A3} 3:B+`],
    ],
    [],
  ],
  [
    'longer than a day',
    [
      [0, `${A3} 3:A+`],
      [30, `${A3} 3:B-#1`],
      [90_000, `${A3} 3:B+#1`],
    ],
    [],
  ],
])('a load is measured, %s', (_, at, loads) => {
  expect(recordOf(passes(one, at)).loads).toEqual(loads);
});

test('a leader that loaded between two passes tells its own times', () => {
  const before = recordOf(world({ ...one, groups: `${A3} 3:A+` }));
  const now = world({ ...one, groups: `${A3} 3:B+#1`, record: before, now: NOW + 900 });
  if (now.live.leaders.kind !== 'known') throw new Error('unread');
  const value = now.live.leaders.value.map((leader) =>
    leader.groupIndex === 3 ? { ...leader, createdAt: NOW + 100, readyAt: NOW + 820 } : leader,
  );
  const told = { ...now, live: { ...now.live, leaders: { kind: 'known' as const, value } } };
  expect(recordOf(told).loads).toEqual([720]);
  expect(recordOf({ ...told, record: undefined }).loads).toEqual([]);
});

test('the last five loads are kept, and an unchanged world leaves them alone', () => {
  const filled = world({ ...one, groups: `${A3} 3:B-` });
  const record = { ...recordOf(filled), loads: [1, 2, 3, 4, 5] };
  const loading = {
    ...record,
    groups: record.groups.map((found) => (found.ready ? found : { ...found, loadingSince: NOW - 60 })),
  };
  const ready = world({ ...one, groups: `${A3} 3:B+`, record: loading });
  const written = recordOf(ready);
  expect(written.loads).toEqual([2, 3, 4, 5, 60]);
  expect(recordOf(world({ ...one, groups: `${A3} 3:B+`, record: written, now: NOW + 1 })).loads).toEqual(written.loads);
  const unread = recordOf(world({ ...one, live: 'unknown', record: written }));
  expect([unread.loads, unread.groups]).toEqual([written.loads, written.groups]);
});

function expectedIn(of: World, loads: readonly number[] = [660, 720, 840]): Expected | undefined {
  const { record, ...rest } = world(of);
  return recordWritten(plan({ ...rest, record: record === undefined ? undefined : { ...record, loads } })).expected;
}

test.each<readonly [when: string, of: World, step: number, rest: number, pauses: Expected['pauses']]>([
  [
    'requested and held',
    { text: 'B', groups: `${A3} 3:A+`, rollout: { paused: true }, record: {} },
    1,
    3,
    { seconds: 0, manual: 1 },
  ],
  ['step 1 is written', { text: 'B', groups: `${A3} 3:A+`, record: {} }, 1, 3, { seconds: 0, manual: 1 }],
  ['step 1 loads', { ...one, groups: `${A3} 3:B-` }, 1, 3, { seconds: 0, manual: 1 }],
  [
    'step 1 is done',
    { ...one, steps: '25%/90 50%/60 100%/30', groups: `${A3} 3:B+` },
    0,
    3,
    { seconds: 180, manual: 0 },
  ],
  ['someone in the end', { ...one, steps: '25%! 50%! 100%!', groups: `${A3} 3:B+` }, 0, 3, { seconds: 0, manual: 3 }],
  [
    'the last batch',
    { ...one, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:A+ 1:A+ 2:B- 3:B+' },
    3,
    0,
    { seconds: 0, manual: 0 },
  ],
  [
    'locked',
    { ...one, marks: 'B.2 3/3 floor=0', p: 1000000, groups: '0:B+ 1:B+ 2:B- 3:B+' },
    1,
    0,
    { seconds: 0, manual: 0 },
  ],
  [
    'going back is written',
    { ...one, groups: `${A3} 3:B-`, intents: { abort: 'B.2' } },
    1,
    0,
    { seconds: 0, manual: 0 },
  ],
  [
    'going back',
    { marks: 'A.1 rollback floor=2 aborted=B.2', p: 2, groups: '0:A+ 1:A+ 2:B+ 3:A-', record: {} },
    2,
    0,
    { seconds: 0, manual: 0 },
  ],
])('what is left, %s', (_, of, step, rest, pauses) => {
  const expected = expectedIn(of);
  expect([expected?.step, expected?.rest, expected?.pauses]).toEqual([
    { groups: step, seconds: step * 720 },
    { groups: rest, seconds: rest * 720 },
    pauses,
  ]);
});

test.each<readonly [when: string, of: World]>([
  ['settled', { record: {} }],
  ['not managed', { marks: 'none', record: undefined }],
  [
    'the step that settles',
    { ...one, marks: 'B.2 3/3 floor=0', p: 1000000, groups: '0:B+ 1:B+ 2:B+ 3:B+', record: { doneAgo: 9 } },
  ],
])('nothing is expected, %s', (_, of) => expect(expectedIn(of)).toBeUndefined());

const last: World = { ...one, marks: 'B.2 3/3 floor=0', p: 0, u: 2, groups: '0:A+ 1:A+ 2:A+ 3:B+' };

test.each<readonly [when: string, of: World, loads: readonly number[], text: string, total: string]>([
  [
    'gate off: one at a time, whatever maxUnavailable says',
    last,
    [660, 720, 840],
    'about 36 min for this step (3 groups to load); one group at a time, although maxUnavailable allows 2: the feature gate MaxUnavailableStatefulSet of the cluster is off; from 3 groups that took 11 min – 14 min',
    'about 36 min',
  ],
  [
    'gate on: two at a time',
    { ...last, live: { gate: 2 } },
    [720],
    'about 24 min for this step (3 groups to load); 2 groups at a time; from 1 group that took 12 min',
    'about 24 min',
  ],
  [
    'the step is done',
    { ...one, groups: `${A3} 3:B+` },
    [720],
    'the groups of this step are there, about 36 min after it (3 groups); one group at a time; from 1 group that took 12 min; pauses come on top: one that waits for someone',
    'about 36 min',
  ],
  [
    'nothing is known',
    { ...one, groups: `${A3} 3:B-` },
    [],
    'not known yet, no group has been seen loading (1 group in this step, 3 after it); one group at a time; pauses come on top: one that waits for someone',
    'not known yet',
  ],
  [
    'step and rest, and pauses of both kinds',
    { ...one, steps: '25%/5400 50%! 75%! 100%', marks: 'B.2 1/4 floor=3', groups: `${A3} 3:B-` },
    [700, 100, 800, 720, 900],
    'about 12 min for this step (1 group to load), about 36 min after it (3 groups); one group at a time; from 5 groups that took 100 s – 15 min; pauses come on top: 90 min, and 2 that wait for someone',
    'about 48 min',
  ],
])('in words, %s', (_, of, loads, text, total) => {
  const expected = expectedIn(of, loads);
  expect(expected === undefined ? '' : printExpected(expected)).toBe(text);
  expect(printTotal(expected)).toBe(total);
});

test('a cluster that cannot be read takes nothing back; time changes one thing: that it takes longer than usual', () => {
  const seen = recordOf(world({ ...one, groups: `${A3} 3:B-` }));
  expect(recordOf(world({ ...one, live: 'unknown', record: seen })).expected).toEqual(seen.expected);
  const at = (seconds: number, loads: readonly number[]) =>
    recordOf(world({ ...one, groups: `${A3} 3:B-`, record: { ...seen, loads }, now: NOW + seconds })).expected;
  expect(at(599, [])).toEqual(seen.expected);
  expect(at(5000, [2500])).toEqual(at(1, [2500]));
  for (const late of [at(601, []), at(5001, [2500])]) {
    expect(late?.overdue).toEqual([3]);
    expect(late === undefined ? '' : printExpected(late)).toMatch(/^longer than usual: group 3 should have been ready/);
    expect(printTotal(late)).toBe('longer than usual');
  }
});

test.each([
  ['of N, it is longer than usual', 4, [3]],
  ['beyond N it ends after a scale-down, and nobody waits for it', 3, undefined],
])('a group that is not ready for long: %s', (_, n, overdue) => {
  const at = { ...one, n, marks: 'B.2 1/3 floor=2', p: 2, groups: `${A3} 3:B-` };
  const { expected } = recordOf(world({ ...at, record: { unreadyFor: { 3: 5000 } } }));
  expect(expected?.overdue).toEqual(overdue);
});

test('where groups start side by side they are not said to start one at a time', () => {
  const { expected } = recordOf(snapshotAt(after(AT.second)));
  expect(expected?.atOnce).toBeGreaterThan(1);
  expect(printExpected(expected!)).not.toContain('one group at a time');
});

test('what people read of counts and shares has no zeros and no fifteen digits', () => {
  expect(countsOf({ 'leader pod': 0, 'worker pod': 2, StatefulSet: 0 })).toBe('2 worker pods');
  expect([200 / 3, 5, 100 / 3].map(inPercent)).toEqual(['66.7', '5', '33.3']);
});

const COLOURS = ladderFiles(
  ladderRollout('blueGreen', ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 100%, traffic: 50%']),
);
const bySubject = (files: Texts, subject: RegExp): Stand => {
  let stand = asked(passed(settledOn(files)).stand, OLD, NEW);
  for (let at = 0; at < 40; at++) {
    const next = passed(stand);
    if (subject.test(next.told)) return next.stand;
    stand = next.stand;
  }
  throw new Error(`never ${subject.source}`);
};
const before = (files: Texts): Stand => asked(passed(settledOn(files)).stand, OLD, NEW);

test.each<readonly [when: string, stand: Stand, step: number, rest: number]>([
  // Of 4 groups: 1, 2 and 4 next to the primary, which rolls after them.
  ['canary, asked for', before(canaryFiles), 1, 7],
  ['canary, step 2', bySubject(canaryFiles, /step 2\/3, pods/), 0, 6],
  ['canary, last step', bySubject(canaryFiles, /step 3\/3, traffic/), 0, 4],
  ['blueGreen, asked for', before(COLOURS), 1, 3],
  ['blueGreen, last step', bySubject(COLOURS, /step 2\/2, traffic/), 0, 0],
])('next to the primary: %s', (_, stand, step, rest) => {
  const { expected } = recordOf(snapshotAt(stand));
  expect(expected).toMatchObject({ step: { groups: step }, rest: { groups: rest }, extra: { groups: 4, gpus: 0 } });
});

test('what is taken next to the primary is said first', () => {
  const part = { groups: 1, seconds: 600 };
  const expected: Expected = {
    load: { seconds: 600, least: 600, most: 600, groups: 1 },
    atOnce: 1,
    budget: 1,
    step: part,
    rest: part,
    pauses: { seconds: 0, manual: 0 },
    extra: { groups: 4, gpus: 64 },
  };
  expect(printExpected(expected)).toMatch(
    /^up to 4 groups with 64 GPUs next to the primary; about 10 min for this step/,
  );
  expect(printExpected({ ...expected, extra: { groups: 1, gpus: 0 } })).toMatch(/^up to 1 group next to the primary; /);
});

test('the groups of a second workload are seen loading as those of the primary are, and once each', () => {
  const pods = after(AT.pods);
  const loading = passed(pods, { view: { second: '0:G-' } }).stand;
  expect(loading.record?.loads ?? []).toEqual([]);
  const ready = passed({ ...loading, now: loading.now - 3600 + 240 }, { view: { second: '0:G+' } }).stand;
  expect(ready.record).toMatchObject({ loads: [240], expected: { load: { seconds: 240 } } });
  expect(passed(ready, { view: { second: '0:G+' } }).stand.record?.loads).toEqual([240]);
});

test('where every group is there, no time is told', () => {
  const expected = expectedIn({ ...one, groups: '0:A+ 1:A+ 2:A+ 3:B+', steps: '1' }, [60]);
  expect(expected === undefined ? '' : printTotal({ ...expected, rest: { groups: 0, seconds: 0 } })).toBe(
    'no group has yet to load',
  );
});
