/** What people are to be told, pass by pass: once each, no matter who wants it, and nothing of what only goes on. */

import { describe, expect, test } from 'vitest';
import type { Notice, Notices } from '../../src/api/notice.ts';
import { NOTICE_EVENTS } from '../../src/api/policy-notify.ts';
import { noticeBody } from '../../src/reconcile/notify/notice-body.ts';
import { hold } from '../../src/rollout/hold.ts';
import { plan, planHeld, recordWritten } from '../../src/rollout/plan.ts';
import { NOW, type World, world } from '../support/snapshot.ts';

const OLD = '0:A+ 1:A+ 2:A+ 3:A+';
const asked: World = { text: 'B', groups: OLD, record: {} };
const one: World = {
  ...asked,
  marks: 'B.2 1/3 floor=3',
  p: 3,
  groups: '0:A+ 1:A+ 2:A+ 3:B+',
  record: { doneAgo: 100_000 },
};
const whole: World = { ...one, marks: 'B.2 3/3 floor=0', p: 1_000_000, groups: '0:B+ 1:B+ 2:B+ 3:B+' };
const paused: World = { ...one, rollout: { paused: true } };
const all = [{ to: 'prod', as: 'slack', events: NOTICE_EVENTS } as const];

/** The record after the pass; with `held`, the reason that it has stood still for, and for how long. */
function after(
  of: World,
  more: {
    readonly notices?: Notices;
    readonly held?: readonly [reason: string, ago: number];
    readonly to?: typeof all;
  } = {},
): Notices | undefined {
  const base = world(of);
  const since =
    more.held === undefined
      ? []
      : [
          {
            type: 'Progressing',
            status: 'True',
            message: '',
            reason: more.held[0],
            since: NOW - more.held[1],
          } as const,
        ];
  const record = base.record === undefined ? undefined : { ...base.record, conditions: since, notices: more.notices };
  return recordWritten(plan({ ...base, record, notifyTo: more.to ?? all })).notices;
}
const keysOf = (notices: Notices | undefined): readonly string[] =>
  (notices?.outbox ?? []).map(({ key }) => key.replace('default/llm/vllm bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2 ', ''));

describe('what is new', () => {
  test.each<readonly [what: string, of: World, held: readonly [string, number] | undefined, wanted: readonly string[]]>(
    [
      ['a delivery starts', asked, undefined, ['started delivery', 'step 1']],
      ['extra groups start first', { ...asked, surge: 1 }, undefined, ['started delivery']],
      ['the next step', one, undefined, ['step 2']],
      ['all is delivered', whole, undefined, ['done Settled bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.2']],
      ['aborted', { ...one, intents: { abort: 'B.2' } }, undefined, ['aborted delivery']],
      ['aborted before it started', { ...asked, intents: { abort: 'B.2' } }, undefined, ['aborted delivery']],
      ['groups load', { ...one, groups: '0:A+ 1:A+ 2:A+ 3:B-' }, undefined, []],
      ['a pause, for less than an hour', paused, ['Paused', 3599], []],
      ['a pause, for an hour', paused, ['Paused', 3600], [`holdTooLong Paused ${NOW - 3600}`]],
      ['a pause, after something else', paused, ['GroupsNotReady', 7200], []],
      [
        'a pause, for less than a policy wants',
        { ...paused, rules: { notifyHoldSeconds: 7201 } },
        ['Paused', 7200],
        [],
      ],
      [
        'a window is shut for long',
        { ...one, windows: { open: false, changesAt: NOW + 9, shutBy: [] } },
        ['WindowClosed', 7200],
        [],
      ],
      ['at rest', { text: 'A', marks: 'A.1', groups: OLD, record: {} }, undefined, []],
    ],
  )('%s', (_, of, held, wanted) => expect(keysOf(after(of, held === undefined ? {} : { held }))).toEqual(wanted));

  test('goes to who asks for it, once each, and to nobody else', () => {
    const to = [
      { to: 'prod', as: 'slack', events: ['done'] },
      { to: 'ops', as: 'webhook', events: ['step'] },
      { to: 'ops', as: 'slack', events: ['step'] },
    ] as const;
    const base = world(asked);
    const { outbox = [] } = recordWritten(plan({ ...base, notifyTo: to })).notices ?? {};
    expect(outbox.map(({ event, to: names }) => [event, names])).toEqual([['step', [{ to: 'ops', as: 'webhook' }]]]);
    expect(plan(base).record.notices).toBeUndefined();
  });
});

describe('a group far beyond the loads that were measured', () => {
  const loading = (seconds: number, loads: readonly number[]): World => ({
    ...one,
    groups: '0:A+ 1:A+ 2:A+ 3:B-',
    record: { unreadyFor: { 3: seconds }, loads },
  });
  test.each<readonly [what: string, of: World, wanted: readonly string[]]>([
    ['within four times the longest', loading(2400, [300, 600]), []],
    ['beyond that', loading(2401, [300, 600]), ['holdTooLong group 3']],
    ['loads of seconds: not before ten minutes', loading(600, [5]), []],
    ['loads of seconds: after ten minutes', loading(601, [5]), ['holdTooLong group 3']],
    ['no load was measured', loading(100_000, []), []],
    ['a deadline says it', { ...loading(2401, [600]), rules: { readyDeadlineSeconds: 9000 } }, []],
    ['ready since', { ...loading(2401, [600]), groups: '0:A+ 1:A+ 2:A+ 3:B+' }, []],
    [
      'in a rollback as well',
      { ...loading(2401, [600]), text: 'A', marks: 'A.1 rollback floor=3 aborted=B.2', groups: '0:A+ 1:A+ 2:A+ 3:A-' },
      ['default/llm/vllm aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.1 holdTooLong group 3'],
    ],
  ])('%s', (_, of, wanted) => expect(keysOf(after(of))).toEqual(wanted));

  test('is said once for a group and a release, however long it lasts', () => {
    const first = after(loading(2401, [600]));
    const told = (first?.outbox ?? []).map(({ key }) => key);
    expect(first?.outbox[0]?.text).toMatch(
      /^Group 3 has not been ready for 40 min; the longest load .* took 10 min\. /,
    );
    expect(after(loading(90_000, [600]), { notices: { outbox: [], told } })?.outbox).toEqual([]);
  });
});

describe('what was new', () => {
  const sent: Notice = {
    key: 'k',
    event: 'step',
    release: 'r',
    text: '',
    at: NOW - 60,
    to: [{ to: 'prod', as: 'slack' }],
  };

  test('is told once: neither again from the outbox, nor after it was told', () => {
    const first = after(one);
    expect(keysOf(after(one, { notices: first! }))).toEqual(['step 2']);
    const told = (first?.outbox ?? []).map(({ key }) => key);
    expect(after(one, { notices: { outbox: [], told } })).toEqual({ outbox: [], told });
  });

  test('waits for a day, for targets that are still asked for', () => {
    const kept = (more: Partial<Notice>) =>
      after(paused, { notices: { outbox: [{ ...sent, ...more }], told: ['x'] } })?.outbox.length;
    expect([
      kept({}),
      kept({ at: NOW - 86_399 }),
      kept({ at: NOW - 86_400 }),
      kept({ to: [{ to: 'gone', as: 'slack' }] }),
    ]).toEqual([1, 1, 0, 0]);
  });

  test('is not forgotten by a clock that runs a day ahead of the servers', () => {
    const base = world(paused);
    const record = { ...base.record!, notices: { outbox: [{ ...sent, at: NOW - 86_460 }], told: [] } };
    const left = (clockOffSeconds: number) =>
      plan({ ...base, record, notifyTo: all, clockOffSeconds }).record.notices?.outbox.length ?? 0;
    expect([left(0), left(-86_400)]).toEqual([0, 1]);
  });

  test('is bounded, the newest stay', () => {
    const outbox = Array.from({ length: 30 }, (_, at) => ({ ...sent, key: `k${at}` }));
    const told = outbox.map(({ key }) => key);
    const kept = after(paused, { notices: { outbox, told } });
    expect([kept?.outbox.length, kept?.outbox.at(-1)?.key, kept?.told.length, kept?.told.at(-1)]).toEqual([
      20,
      'k29',
      20,
      'k29',
    ]);
  });

  test('keeps a settled Rollout awake until it was told', () => {
    const rest: World = { text: 'A', marks: 'A.1', groups: OLD, record: {} };
    const base = world(rest);
    const settledWith = (outbox: readonly Notice[]) =>
      plan({ ...base, notifyTo: all, record: base.record && { ...base.record, notices: { outbox, told: [] } } }).record
        .settled;
    expect([settledWith([]), settledWith([sent])]).toEqual([true, false]);
  });
});

test('no text of people or of the cluster calls anybody or formats anything', () => {
  const key = { cluster: 'default', namespace: 'llm', name: 'vllm' };
  const notice: Notice = {
    key: 'k',
    event: 'failed',
    release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7',
    text: '<!channel> <@U1> a&b\n<https://x|y> \u001b[31m',
    at: NOW,
    to: [],
  };
  expect(JSON.parse(noticeBody('slack', { key, notice }))).toEqual({
    text: 'llm/vllm in default: a step has failed (9c41d2e0.7). &lt;!channel&gt; &lt;@U1&gt; a&amp;b &lt;https://x|y&gt;  [31m',
    mrkdwn: false,
    parse: 'none',
    link_names: false,
  });
  expect(JSON.parse(noticeBody('webhook', { key, notice }))).toMatchObject({
    version: 1,
    key: 'k',
    event: 'failed',
    name: 'vllm',
    release: '9c41d2e09c41d2e09c41d2e09c41d2e0.7',
  });
});

describe('what the server refuses', () => {
  const often: World = { ...one, groups: '0:A+ 1:A+ 2:A+ 3:Bc', rules: { maxRestarts: 3, onFailure: 'rollback' } };
  const refusedTwice = (of: World, reason: 'RollbackRefused' | 'PushRefused', seconds: number): readonly string[] => {
    const snapshot = { ...world(of), notifyTo: all };
    const held = hold(reason, { seen: 'main is frozen', waits: 'people' });
    const first = planHeld(plan(snapshot), snapshot, held).record;
    const again = { ...snapshot, now: NOW + seconds, record: first };
    return keysOf(planHeld(plan(again), again, held).record.notices);
  };

  test('a rollback that nobody has ordered is told at once, and once', () => {
    expect(plan(world(often)).commit?.reason).toBe('Failed');
    expect(refusedTwice(often, 'RollbackRefused', 30)).toEqual(['failed RollbackRefused']);
  });

  test('a step is told after an hour', () => {
    expect(refusedTwice(one, 'PushRefused', 3599)).toEqual([]);
    expect(refusedTwice(one, 'PushRefused', 3600)).toEqual([`holdTooLong PushRefused ${NOW}`]);
  });
});
