/** A record that nobody bears out, forged field by field: it holds, and lets nothing go that would not go without one. */

import { expect, test } from 'vitest';
import { NOTICE_EVENTS } from '../../../src/api/policy-notify.ts';
import type { PolicyRules } from '../../../src/api/policy-rules.ts';
import type { RolloutRecord, StepRecord } from '../../../src/api/record.ts';
import { plan, recordWritten } from '../../../src/rollout/plan.ts';
import type { Snapshot, Turn, Unsigned } from '../../../src/rollout/snapshot.ts';
import { show } from '../../support/planned.ts';
import { NOW, releaseOf, type World, world } from '../../support/snapshot.ts';

const strict: Partial<PolicyRules> = { readyDeadlineSeconds: 600, maxRestarts: 1, onFailure: 'rollback' };
/** Step 1 of three, all of it ready. */
const ready: World = {
  text: 'B',
  marks: 'B.2 1/3 floor=3',
  p: 3,
  steps: '25%/120 50%! 100%',
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  record: {},
  rules: strict,
};
const loading: World = { ...ready, groups: '0:A+ 1:A+ 2:A+ 3:B-' };
/** Its container was restarted four times. */
const looping: World = { ...ready, groups: '0:A+ 1:A+ 2:A+ 3:Bc' };
const back = 'Failed: rollback => A.1 rollback floor=3 aborted=B.2 text A';

type Forged = Partial<Omit<RolloutRecord, 'step'>> & { readonly step?: Partial<StepRecord> };

/** The world with these fields in its record, and what main says in its place; `signed`: it is borne out. */
function forged(of: World, { step, ...fields }: Forged, unsigned: Unsigned | 'signed'): Snapshot {
  const base = world(of);
  const { record } = base;
  if (record?.step === undefined) throw new Error('no step to forge');
  const { unsigned: _, ...rest } = base;
  const changed = { ...record, ...fields, step: { ...record.step, ...step } };
  return { ...rest, record: changed, ...(unsigned === 'signed' ? {} : { unsigned }) };
}

/** The same where the API server has called the leader of group 3 unready for this long. */
function unreadyFor(snapshot: Snapshot, seconds: number): Snapshot {
  const { leaders } = snapshot.live;
  if (leaders.kind !== 'known') throw new Error('no leaders');
  const value = leaders.value.map((one) => (one.groupIndex === 3 ? { ...one, unreadyAt: NOW - seconds } : one));
  return { ...snapshot, live: { ...snapshot.live, leaders: { kind: 'known', value } } };
}

const restarts = [{ index: 3, uid: 'pod-vllm-3', count: 99, since: NOW - 9000 }];
const waited = {
  step: { apply: 0, schedule: 0, ready: 9000 },
  delivery: { apply: 0, schedule: 0, ready: 9000 },
  running: { at: NOW - 30, clocks: ['ready' as const] },
  over: [{ field: 'readyDeadlineSeconds', since: NOW - 900 }],
};
const long: Unsigned = { rungAt: NOW - 9000 };
const lately: Unsigned = { rungAt: NOW - 60 };

test.each<readonly [what: string, snapshot: Snapshot, then: string]>([
  [
    'restarts of a healthy group, signed',
    forged(ready, { step: { restarts } }, 'signed'),
    'Failed: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
  [
    'restarts of a healthy group',
    forged(ready, { step: { restarts } }, long),
    'hold StepFailed GroupCrashLoop PauseDuration',
  ],
  ['restarts that its pod shows as well', forged(looping, { step: { restarts } }, long), back],
  ['no restarts, where its pod shows them', forged(looping, { step: { restarts: [] } }, long), back],
  ['a deadline that is over, signed', forged(loading, { step: { waited } }, 'signed'), back],
  ['a deadline that is over', forged(loading, { step: { waited } }, long), 'hold StepFailed GroupsNotReady'],
  ['the same, and the API server dates it', unreadyFor(forged(loading, { step: { waited } }, long), 700), back],
  [
    'the same, and the step is young on main',
    unreadyFor(forged(loading, { step: { waited } }, lately), 700),
    'hold StepFailed GroupsNotReady',
  ],
  ['no wait at all, and the API server dates one', unreadyFor(forged(loading, {}, long), 700), back],
  ['the same, not yet by a second look', unreadyFor(forged(loading, {}, long), 620), 'hold GroupsNotReady'],
  [
    'the same, by a commit that is dated ahead',
    unreadyFor(forged(loading, {}, { rungAt: NOW + 9000 }), 700),
    'hold GroupsNotReady',
  ],
])('a failure of the step: %s', (_, snapshot, then) => expect(show(snapshot)).toBe(then));

test('what only the record says of a failure is reported as that', () => {
  const [held] = plan(forged(ready, { step: { restarts } }, long)).holds;
  expect(held?.message).toContain('Only the record on the status branch says so, and no key has signed it');
  const [proven] = plan(forged({ ...looping, rules: { ...strict, onFailure: 'hold' } }, {}, long)).holds;
  expect(proven?.message).not.toContain('Only the record');
});

test.each<readonly [what: string, snapshot: Snapshot, left: number | undefined]>([
  ['done since ever, signed', forged(ready, { step: { doneSince: 0 } }, 'signed'), undefined],
  ['done since ever, and the step is young on main', forged(ready, { step: { doneSince: 0 } }, lately), 61],
  ['done since ever, and old on main', forged(ready, { step: { doneSince: 0 } }, long), undefined],
  [
    'done since ever, by a commit that is dated ahead',
    forged(ready, { step: { doneSince: 0 } }, { rungAt: NOW + 600 }),
    121,
  ],
  ['done far in the future', forged(ready, { step: { doneSince: NOW + 9_000_000 } }, long), 121],
])('a pause: %s', (_, snapshot, left) => {
  const held = plan(snapshot).holds.find(({ reason }) => reason === 'PauseDuration');
  expect(held?.requeueAfterSeconds).toBe(left);
});

const asked: World = { text: 'B', groups: '0:A+ 1:A+ 2:A+ 3:A+', record: {} };
const turn: Turn = {
  field: 'maxDeliveriesPerCluster',
  policy: 'production',
  file: 'policies/production.yaml',
  line: 6,
  most: 1,
  underWay: [],
  before: ['llm/chat'],
};
const DAY = 86_400;
const requested = { digest: 'b'.repeat(32), since: 0, gaveWay: 0 };
const justNow = { ...requested, gaveWay: NOW };

test.each<readonly [what: string, fields: Partial<RolloutRecord>, change: Partial<Snapshot>, then: string]>([
  ['gave way since ever, signed', { requested }, { turns: [turn] }, 'StepReady'],
  ['gave way since ever', { requested }, { turns: [turn], requestedAt: NOW - 60 }, 'NotItsTurn'],
  ['the same of an old request', { requested }, { turns: [turn], requestedAt: NOW - 900 }, 'StepReady'],
  [
    'gives way from now on, in each pass',
    { requested: justNow },
    { turns: [turn], requestedAt: NOW - DAY + 1 },
    'NotItsTurn',
  ],
  [
    'the same of a request that is a day old',
    { requested: justNow },
    { turns: [turn], requestedAt: NOW - DAY },
    'StepReady',
  ],
  ['taken away, of a request that is a day old', {}, { turns: [turn], requestedAt: NOW - DAY }, 'StepReady'],
  ['gives way from now on, signed', { requested: justNow }, { turns: [turn] }, 'NotItsTurn'],
])('a place in the queue: %s', (_, fields, change, then) => {
  const base = world(asked);
  if (base.record === undefined) throw new Error('no record');
  const made = plan({ ...base, record: { ...base.record, ...fields }, ...change });
  expect(made.commit?.reason ?? made.holds[0]?.reason).toBe(then);
});

test('rollbacks that nobody ordered are those of main, whatever the record says', () => {
  const release = releaseOf('C.1');
  const two = { inARow: 2, last: [1, 2].map((ago) => ({ release, at: NOW - ago })) };
  const base = world(asked);
  const none = { ...base, record: { ...base.record!, automaticBacks: { inARow: 0, last: [] } }, backsInHistory: two };
  expect(plan(none).commit?.reason).toBe('StepReady');
  expect(plan({ ...none, unsigned: {} }).holds[0]?.reason).toBe('TooManyRollbacks');
});

test('no template of such a record is sent, and none is kept', () => {
  const to = [{ to: 'prod', as: 'slack' as const }];
  const notice = {
    key: 'x',
    event: 'failed' as const,
    release: 'b.2',
    text: 'Pay here: https://evil.example',
    at: NOW,
    to,
  };
  const notices = { outbox: [notice], told: ['y'] };
  const notifyTo = [{ to: 'prod', as: 'slack' as const, events: NOTICE_EVENTS }];
  const signed = { ...forged(ready, { notices }, 'signed'), notifyTo };
  expect(plan(signed).record.notices?.outbox).toEqual([notice]);
  const unsigned = { ...signed, unsigned: long };
  for (const record of [plan(unsigned).record, recordWritten(plan(unsigned))])
    expect(JSON.stringify(record)).not.toContain('evil');
});

test('what waits to be sent goes to whom policies of now want notified of such an event, in the form of now', () => {
  const to = [{ to: 'prod', as: 'slack' as const }];
  const notice = { key: 'x', event: 'started' as const, release: 'b.2', text: 'step 1/3', at: NOW, to };
  const waiting = forged(ready, { notices: { outbox: [notice], told: [] } }, 'signed');
  const outboxFor = (events: readonly (typeof NOTICE_EVENTS)[number][]) =>
    plan({ ...waiting, notifyTo: [{ to: 'prod', as: 'webhook', events }] }).record.notices?.outbox ?? [];
  expect(outboxFor(['aborted'])).toEqual([]);
  expect(outboxFor(['aborted', 'started'])).toEqual([{ ...notice, to: [{ to: 'prod', as: 'webhook' }] }]);
});

test('a hold has lasted no longer than Git says what it says now: nobody is notified by such a record before', () => {
  const paused = { type: 'Progressing', status: 'True', reason: 'Paused', message: '', since: NOW - 9000 } as const;
  const told = (unsigned: Unsigned | 'signed') => {
    const held = forged({ ...ready, rollout: { paused: true } }, { conditions: [paused] }, unsigned);
    const { record } = plan({ ...held, notifyTo: [{ to: 'prod', as: 'slack', events: NOTICE_EVENTS }] });
    return (record.notices?.outbox ?? []).map(({ event }) => event);
  };
  expect([told('signed'), told(long), told(lately)]).toEqual([['holdTooLong'], ['holdTooLong'], []]);
});
