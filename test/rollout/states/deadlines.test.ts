/** Deadlines and restarts: what counts towards them, what a step that fails by them leads to, and who has the last word. */

import { expect, test } from 'vitest';
import type { PolicyRules } from '../../../src/api/policy-rules.ts';
import type { RolloutRecord } from '../../../src/api/record.ts';
import { plan, recordWritten } from '../../../src/rollout/plan.ts';
import { planned, type Row } from '../../support/planned.ts';
import { issueOf, NOW, releaseOf, type World, world } from '../../support/snapshot.ts';

/** Step 1 of three, its group not ready. */
const loading: World = {
  text: 'B',
  marks: 'B.2 1/3 floor=3',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B-',
  record: {},
};
const ready: World = { ...loading, groups: '0:A+ 1:A+ 2:A+ 3:B+' };
const unplaced: World = { ...loading, groups: '0:A+ 1:A+ 2:A+ 3:Bu' };
const unapplied: World = { ...loading, live: { text: 'A' }, groups: '0:A+ 1:A+ 2:A+ 3:A+' };
const paused: World = { ...loading, rollout: { paused: true } };
const unread: World = { ...loading, live: 'unknown' };
const old: World = { ...loading, groups: '0:A+ 1:A+ 2:A- 3:A+' };
const wrong: World = { ...loading, issues: [issueOf('BadNumber')] };
const strict: Partial<PolicyRules> = { readyDeadlineSeconds: 60, onFailure: 'rollback' };

/** Passes one after the other, each with the record of the one before: what they see, and seconds since the one before. */
function after(rules: Partial<PolicyRules>, ...passes: readonly (readonly [of: World, seconds: number])[]): World {
  let now = NOW;
  let last: World = { ...loading, rules };
  let record: World['record'] = loading.record;
  for (const [of, seconds] of passes) {
    now += seconds;
    last = { ...of, rules: { ...of.rules, ...rules }, now, record };
    record = JSON.parse(JSON.stringify(plan(world(last)).record)) as RolloutRecord;
  }
  return { ...last, record };
}

const times = (of: World, count: number, seconds = 30): readonly (readonly [World, number])[] =>
  Array.from({ length: count }, () => [of, seconds] as const);

const waited = ({ record }: World): unknown =>
  record !== undefined && 'version' in record ? record.step?.waited?.step : undefined;

test.each<
  readonly [passes: string, seen: readonly (readonly [World, number])[], apply: number, schedule: number, ready: number]
>([
  ['one sees nothing pass', times(loading, 1), 0, 0, 0],
  ['two that see it load', times(loading, 2), 0, 0, 30],
  [
    'two at the same time',
    [
      [loading, 0],
      [loading, 0],
    ],
    0,
    0,
    0,
  ],
  [
    'an hour in which none ran',
    [
      [loading, 0],
      [loading, 3600],
    ],
    0,
    0,
    30,
  ],
  [
    'a clock that went back',
    [
      [loading, 0],
      [loading, -3600],
      [loading, 10],
    ],
    0,
    0,
    10,
  ],
  [
    'a clock that was ahead once',
    [
      [loading, 0],
      [loading, 90_000],
      [loading, -89_990],
      [loading, 10],
    ],
    0,
    0,
    40,
  ],
  ['one that finds it ready', [...times(loading, 2), ...times(ready, 3)], 0, 0, 60],
  ['it falls unready again', [...times(loading, 2), ...times(ready, 2), ...times(loading, 2)], 0, 0, 90],
  ['it waits for a node', times(unplaced, 3), 0, 60, 0],
  ['it waits for a node, then loads', [...times(unplaced, 2), ...times(loading, 2)], 0, 30, 30],
  ['it loads, then loses its node', [...times(loading, 2), ...times(unplaced, 2)], 0, 30, 30],
  ['it waits for the agent', times(unapplied, 3), 60, 0, 0],
  ['people pause it', [...times(loading, 2), ...times(paused, 3), ...times(loading, 2)], 0, 0, 60],
  ['a file is wrong', [...times(loading, 2), ...times(wrong, 3)], 0, 0, 30],
  ['the cluster cannot be read', [...times(loading, 2), ...times(unread, 2), ...times(loading, 1)], 0, 0, 30],
  ['LWS has not started with its group', times(old, 3), 0, 0, 0],
])('%s', (_, seen, apply, schedule, readySeconds) => {
  const all = { applyDeadlineSeconds: 900, scheduleDeadlineSeconds: 900, readyDeadlineSeconds: 900 };
  expect(waited(after(all, ...seen))).toEqual({ apply, schedule, ready: readySeconds });
});

test('passes that come more seldom, as tranche.yaml has it, count for what lies between them', () => {
  const first = world({ ...loading, rules: strict });
  const second = { ...world({ ...loading, rules: strict, now: NOW + 300 }), record: plan(first).record };
  expect(plan(second).record.step?.waited?.step.ready).toBe(30);
  expect(plan({ ...second, intervalSeconds: 300 }).record.step?.waited?.step.ready).toBe(300);
});

test('without a deadline nothing is counted, and no pass changes the record', () => {
  expect(waited(after({}, ...times(loading, 3)))).toBeUndefined();
  expect(waited(after({ scheduleDeadlineSeconds: 60 }, ...times(loading, 3)))).toEqual({
    apply: 0,
    schedule: 0,
    ready: 0,
  });
});

const back = 'Failed: rollback => A.1 rollback floor=3 aborted=B.2 text A';
const failed = after(strict, ...times(loading, 3));
const again = (of: World, seconds = 30): World => ({ ...of, now: (of.now ?? NOW) + seconds });
const over = (change: Partial<World>, rules: Partial<PolicyRules> = strict): World => {
  const before = after(rules, ...times(loading, 3));
  return again({ ...before, ...change, rules });
};

test('who accepts that a step took too long to be ready has accepted that step; of the delivery, that of all its steps', () => {
  const second: World = { ...loading, marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B- 3:B+' };
  const factsOf = (of: World, rules: Partial<PolicyRules>): unknown => {
    const { holds } = plan(world({ ...again(after(rules, ...times(of, 3))), rules }));
    return holds.find(({ reason }) => reason === 'StepFailed')?.facts;
  };
  const [first, next] = [loading, second].map((of) => factsOf(of, { readyDeadlineSeconds: 60 }));
  expect(first).toEqual({ step: 1, partition: 3, deadlines: ['readyDeadlineSeconds 60'] });
  expect(next).toEqual({ step: 2, partition: 2, deadlines: ['readyDeadlineSeconds 60'] });
  const whole = [loading, second].map((of) => factsOf(of, { deliveryReadyDeadlineSeconds: 60 }));
  const facts = { deadlines: ['deliveryReadyDeadlineSeconds 60'] };
  expect(whole).toEqual([facts, facts]);
});

test.each<Row>([
  ['not over yet', after(strict, ...times(loading, 2)), 'hold GroupsNotReady'],
  [
    'over, seen by the first pass',
    { ...failed, record: after(strict, ...times(loading, 2)).record },
    'hold GroupsNotReady',
  ],
  ['over, seen by two at one time', failed, 'hold GroupsNotReady'],
  ['over, seen by two', again(failed), back],
  ['nothing is stated', over({}, { readyDeadlineSeconds: 60 }), 'hold StepFailed GroupsNotReady'],
  ['people are to go back', over({}, { ...strict, onFailure: 'hold' }), 'hold StepFailed GroupsNotReady'],
  ['there is no traffic to withdraw', over({}, { ...strict, onFailure: 'withdraw' }), 'hold StepFailed GroupsNotReady'],
  ['ready by then', over({ groups: ready.groups ?? '' }), 'hold PauseDuration'],
  ['paused', over({ rollout: { paused: true } }), 'hold GroupsNotReady Paused'],
  ['disabled', over({ rollout: { disabled: true } }), 'hold GroupsNotReady Disabled'],
  ['the Rollout is gone', over({ rollout: 'absent' }), 'hold GroupsNotReady LockedWithoutRollout'],
  ['a file is wrong', over({ issues: [issueOf('BadNumber')] }), 'hold GroupsNotReady Stalled'],
  [
    'the template to go back to is not found',
    over({ stable: 'unknown' }),
    'hold StepFailed GroupsNotReady StableUnavailable',
  ],
  ['the objects are others', over({ live: { uid: 'lws-2' } }), 'hold StepFailed Recreated'],
  ['the partition was raised', over({ p: 4 }), 'hold PartitionEdited PauseDuration'],
  ['accepted', over({ accept: 'StepFailed@B.2' }), 'hold GroupsNotReady'],
  ['accepted for something else', over({ accept: 'StepFailed@B.2#other' }), back],
  ['aborted', over({ intents: { abort: 'B.2' } }), back.replace('Failed', 'Aborted')],
  ['it waits for a node now', over({ groups: unplaced.groups ?? '' }), 'hold Unschedulable'],
  ['the policy lets it take longer now', over({}, { ...strict, readyDeadlineSeconds: 120 }), 'hold GroupsNotReady'],
  [
    'a newer template has come',
    over({ text: 'C', groups: '0:A+ 1:A+ 2:A+ 3:C-' }),
    'Superseded: step 1/3 => C.3 1/3 floor=3',
  ],
  ['for all steps together', over({}, { deliveryReadyDeadlineSeconds: 60, onFailure: 'rollback' }), back],
  [
    'it waits too long for its agent',
    again(after({ applyDeadlineSeconds: 60, onFailure: 'rollback' }, ...times(unapplied, 3))),
    'hold StepOverdue NotApplied',
  ],
  [
    'it waits too long for a node',
    again(after({ scheduleDeadlineSeconds: 60, onFailure: 'rollback' }, ...times(unplaced, 3))),
    'hold StepOverdue Unschedulable',
  ],
])('the deadline, %s', (_, of, then) => expect(planned(of)).toBe(then));

/** All groups have gone, and it is locked; group 0 falls unready. */
const whole: World = {
  ...loading,
  marks: 'B.2 3/3 floor=0',
  p: 1_000_000,
  groups: '0:B- 1:B+ 2:B+ 3:B+',
};
const queued: World = { ...whole, text: 'C' };

test.each<Row>([
  [
    'locked: all groups go back',
    again(after(strict, ...times(whole, 3))),
    'Failed: rollback, partition 1000000 → 0, maxUnavailable 1 → 2 => A.1 rollback floor=0 u=1>2 aborted=B.2 text A',
  ],
  [
    'locked, and a newer template waits',
    again(after(strict, ...times(queued, 3))),
    'hold NewerRequestWaits GroupsNotReady',
  ],
  [
    'locked, a newer template, and people are to go back',
    again(after({ readyDeadlineSeconds: 60 }, ...times(queued, 3))),
    'hold StepFailed GroupsNotReady RequestQueued',
  ],
  [
    'locked, a newer template, and both are aborted',
    again({ ...after(strict, ...times(queued, 3)), intents: { abort: 'B.2 C' } }),
    'Aborted: rollback, partition 1000000 → 0, maxUnavailable 1 → 2 => A.1 rollback floor=0 u=1>2 aborted=C.3,B.2 text A',
  ],
])('the deadline, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('a failed group that failureThreshold tolerates is waited for by nobody', () => {
  const two: World = { ...loading, marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B+ 3:B-', u: 2 };
  expect(waited(after(strict, ...times({ ...two, failureThreshold: 1 }, 3)))).toEqual({
    apply: 0,
    schedule: 0,
    ready: 0,
  });
  expect(waited(after(strict, ...times(two, 3)))).toEqual({ apply: 0, schedule: 0, ready: 60 });
});

test('the next step starts at nothing, and the release remembers', () => {
  const done = { ...after({ ...strict, readyDeadlineSeconds: 600 }, ...times(loading, 2), ...times(ready, 2)) };
  const made = plan(world(again(done)));
  expect(made.commit?.reason).toBe('StepReady');
  const { step, delivery } = recordWritten(made).step?.waited ?? {};
  expect(step).toEqual({ apply: 0, schedule: 0, ready: 0 });
  expect(delivery).toEqual({ apply: 0, schedule: 0, ready: 60 });
});

test('a step that somebody else has written, as by a merge, starts at nothing, and the release remembers', () => {
  const before = after({ deliveryReadyDeadlineSeconds: 9000 }, ...times(loading, 3));
  const merged: World = { ...before, marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:A+ 3:B+' };
  const { step, delivery } = plan(world(again(merged))).record.step?.waited ?? {};
  expect(step?.ready).toBe(0);
  expect(delivery?.ready).toBe(60);
});

/** The leader of group 3 was followed by another, twice. */
const restarted = (of: World, rules: Partial<PolicyRules>): World =>
  after(rules, ...['', '#2', '#3'].map((pod) => [{ ...of, groups: `0:A+ 1:A+ 2:A+ 3:B+${pod}` }, 30] as const));

test.each<Row>([
  [
    'as often as it may',
    restarted(ready, { maxRestarts: 2, onFailure: 'rollback' }),
    'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2',
  ],
  ['too often, and people are to go back', restarted(ready, { maxRestarts: 1 }), 'hold StepFailed'],
  [
    'too often',
    restarted(ready, { maxRestarts: 1, onFailure: 'rollback' }),
    'Failed: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
  [
    'too often, and accepted',
    { ...restarted(ready, { maxRestarts: 1 }), accept: 'StepFailed@B.2' },
    'StepReady: step 2/3, partition 3 → 2 => B.2 2/3 floor=2',
  ],
  [
    'in place',
    { ...loading, groups: '0:A+ 1:A+ 2:A+ 3:Bc', rules: { maxRestarts: 3, onFailure: 'rollback' } },
    'Failed: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
])('a group was restarted, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('the commit and the hold say what was seen, who allows less, and that nobody has ordered it', () => {
  const commit = plan(world(again(failed))).commit?.message ?? '';
  expect(commit.replaceAll(/\s+/g, ' ')).toContain(
    'Step 1 of release bbbbbbbb.2 has failed: this step has waited 90 s to be ready, on nodes, and RolloutPolicy production (policies/production.yaml:6) allows 60 s (readyDeadlineSeconds). Nobody has ordered this.',
  );
  const [held] = plan(world(restarted(ready, { maxRestarts: 1 }))).holds;
  expect(held?.message).toBe(
    'Step 1 has failed: group 3 was restarted 2 times; RolloutPolicy production (policies/production.yaml:6) allows 1 (maxRestarts). To go back: tranche abort vllm; to let it go on once its groups are ready: tranche approve vllm --hold StepFailed',
  );
});

/** Ada asks for C after rollbacks that nobody had ordered. */
function requestAfter(inARow: number, ...ago: readonly number[]): World {
  const asked: World = { text: 'C', groups: '0:A+ 1:A+ 2:A+ 3:A+', record: {} };
  const { record } = world(asked);
  if (record === undefined) throw new Error('no record');
  const last = ago.map((seconds, place) => ({ release: releaseOf(`B.${place + 2}`), at: NOW - seconds }));
  return { ...asked, record: { ...record, automaticBacks: { inARow, last } } };
}
const begins = 'StepReady: step 1/3, partition 1000000 → 3 => C.2 1/3 floor=3';

test.each<Row>([
  ['one', requestAfter(1, 60), begins],
  ['two in a row, days apart', requestAfter(2, 400_000, 200_000), 'hold TooManyRollbacks'],
  ['two in a day, and one settled between', requestAfter(1, 80_000, 60), 'hold TooManyRollbacks'],
  ['two, a day ago', requestAfter(1, 86_400, 60), begins],
  ['two, accepted', { ...requestAfter(2, 90, 60), accept: 'TooManyRollbacks@C.2' }, begins],
  [
    'two, others accepted',
    { ...requestAfter(2, 90, 60), accept: 'TooManyRollbacks@C.2#other' },
    'hold TooManyRollbacks',
  ],
  [
    'two, accepted for another release',
    { ...requestAfter(2, 90, 60), accept: 'TooManyRollbacks@D.2' },
    'hold TooManyRollbacks',
  ],
])('a request after rollbacks by themselves, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('a clock that runs ahead of the servers forgets none of them', () => {
  const ahead = 2 * 86_400;
  const asked = world(requestAfter(1, 80_000 + ahead, 60 + ahead));
  expect(plan(asked).commit?.reason).toBe('StepReady');
  const made = plan({ ...asked, clockOffSeconds: -ahead });
  expect(made.holds).toMatchObject([{ reason: 'TooManyRollbacks', seen: expect.stringContaining('2 within a day') }]);
  expect(made.record.automaticBacks?.last).toHaveLength(2);
});

test('they are counted when the commit is written, and a settled release ends the row', () => {
  const made = plan(world(again(failed)));
  expect(made.record.automaticBacks).toBeUndefined();
  const release = releaseOf('B.2');
  expect(recordWritten(made).automaticBacks).toEqual({ inARow: 1, last: [{ release, at: NOW + 120 }] });
  const settles: World = { ...whole, groups: '0:B+ 1:B+ 2:B+ 3:B+', record: { doneAgo: 100_000 } };
  const record = world(settles).record;
  if (record === undefined) throw new Error('no record');
  const counted = { ...record, automaticBacks: { inARow: 1, last: [{ release, at: NOW - 90_000 }] } };
  const end = plan(world({ ...settles, record: counted }));
  expect(end.commit?.reason).toBe('Settled');
  expect(end.record.automaticBacks).toEqual(counted.automaticBacks);
  expect(recordWritten(end).automaticBacks).toBeUndefined();
});
