/** Windows on the calendars of their zones: over both changes of the clocks, together, and what is wrong with them. */

import { Cron } from 'croner';
import { describe, expect, test, vi } from 'vitest';
import type { RolloutPolicy } from '../../src/api/policy-rules.ts';
import { parseRolloutPolicy } from '../../src/api/rollout-policy.ts';
import { parseInstant, printInstant } from '../../src/api/time.ts';
import { localClock } from '../../src/reconcile/policies/local-clock.ts';
import type { PolicyReading } from '../../src/reconcile/policies/policy-scope.ts';
import { NO_SCOPE } from '../../src/reconcile/policies/read-policy.ts';
import { windowsAt } from '../../src/reconcile/policies/windows.ts';

function reading(name: string, policy: RolloutPolicy): PolicyReading {
  const lines = { allow: 6, deny: 7 };
  return { kind: 'read', name, file: `${name}.yaml`, lines, line: 1, selection: {}, policy, issues: [] };
}

/** `open until …`, `shut by a/deny until …`; `always`: it never changes. */
function at(time: string, ...policies: readonly RolloutPolicy[]): string {
  const now = parseInstant(time);
  if (now === undefined) throw new Error(`${time} is no time`);
  const matching = policies.map((policy, index) => reading('abc'[index] ?? 'z', policy));
  const facts = windowsAt(now)({ ...NO_SCOPE, matching });
  if (facts === undefined) return 'none';
  const known = facts.sameUntil === undefined ? 'always' : `at least until ${printInstant(facts.sameUntil)}`;
  const until = facts.changesAt === undefined ? known : `until ${printInstant(facts.changesAt)}`;
  const by = facts.shutBy.map(({ policy, field }) => `${policy}/${field}`).join(' ');
  return facts.open ? `open ${until}` : `shut by ${by} ${until}`;
}

const daily = (cron: string, minutes: number, timeZone: string) => ({ cron, minutes, timeZone });
const once = (from: string, to: string) => ({ from: parseInstant(from) ?? 0, to: parseInstant(to) ?? 0 });

describe('an hour at half past two, local time, where the clocks change', () => {
  test.each<readonly [zone: string, before: string, opens: string, closes: string, then: string]>([
    // Skipped: at the next instant. Berlin goes from 2:00 to 3:00, New York too, Lord Howe from 2:00 to 2:30.
    ['Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00Z', '2026-03-29T02:00:00Z', '2026-03-30T00:30:00Z'],
    [
      'America/New_York',
      '2026-03-07T12:00:00Z',
      '2026-03-08T07:00:00Z',
      '2026-03-08T08:00:00Z',
      '2026-03-09T06:30:00Z',
    ],
    [
      'Australia/Lord_Howe',
      '2026-10-03T12:00:00Z',
      '2026-10-03T15:30:00Z',
      '2026-10-03T16:30:00Z',
      '2026-10-04T15:30:00Z',
    ],
    // Repeated: once.
    ['Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-26T01:30:00Z'],
    [
      'America/New_York',
      '2026-11-01T04:00:00Z',
      '2026-11-01T07:30:00Z',
      '2026-11-01T08:30:00Z',
      '2026-11-02T07:30:00Z',
    ],
    [
      'Australia/Lord_Howe',
      '2026-04-04T12:00:00Z',
      '2026-04-04T16:00:00Z',
      '2026-04-04T17:00:00Z',
      '2026-04-05T16:00:00Z',
    ],
  ])('%s after %s', (zone, before, opens, closes, then) => {
    const policy = { allow: [daily('30 2 * * *', 60, zone)] };
    expect([at(before, policy), at(opens, policy), at(closes, policy)]).toEqual([
      `shut by a/allow until ${opens}`,
      `open until ${closes}`,
      `shut by a/allow until ${then}`,
    ]);
  });
});

test.each<readonly [zone: string, cron: string, before: string, opens: string, closes: string, then: string]>([
  // New York repeats 1:00 to 2:00, Lord Howe 1:30 to 2:00.
  [
    'America/New_York',
    '30 1 * * *',
    '2026-11-01T04:00:00Z',
    '2026-11-01T05:30:00Z',
    '2026-11-01T06:30:00Z',
    '2026-11-02T06:30:00Z',
  ],
  [
    'Australia/Lord_Howe',
    '45 1 * * *',
    '2026-04-04T12:00:00Z',
    '2026-04-04T14:45:00Z',
    '2026-04-04T15:45:00Z',
    '2026-04-05T15:15:00Z',
  ],
])('a time that %s repeats opens once', (zone, cron, before, opens, closes, then) => {
  const policy = { allow: [daily(cron, 60, zone)] };
  expect([at(before, policy), at(opens, policy), at(closes, policy)]).toEqual([
    `shut by a/allow until ${opens}`,
    `open until ${closes}`,
    `shut by a/allow until ${then}`,
  ]);
});

test.each<readonly [what: string, cron: string, from: string, starts: readonly string[]]>([
  [
    'in an hour that is repeated, each once',
    '0,30 2 * * *',
    '2026-10-24T12:00:00Z',
    ['2026-10-25T00:00:00Z', '2026-10-25T00:30:00Z', '2026-10-26T01:00:00Z'],
  ],
  [
    'around an hour that is repeated, none in its second',
    '0 1-3 * * *',
    '2026-10-24T12:00:00Z',
    ['2026-10-24T23:00:00Z', '2026-10-25T00:00:00Z', '2026-10-25T02:00:00Z'],
  ],
  [
    'in and after an hour that is skipped',
    '30 2,5 * * *',
    '2026-03-28T12:00:00Z',
    ['2026-03-29T01:00:00Z', '2026-03-29T03:30:00Z', '2026-03-30T00:30:00Z'],
  ],
])('several starts %s', (_, cron, from, starts) => {
  const policy = { allow: [daily(cron, 10, 'Europe/Berlin')] };
  let now = from;
  const seen = starts.map(() => {
    const opens = at(now, policy).split(' until ')[1] ?? '';
    now = at(opens, policy).split(' until ')[1] ?? '';
    return opens;
  });
  expect(seen).toEqual(starts);
});

test.each([
  ['Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Africa/Casablanca', '2026-03-22T02:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
])('in %s every minute that a clock shows around %s is found where it shows it first', (zone, change) => {
  const clock = localClock(zone);
  const middle = parseInstant(change) ?? 0;
  const minutes = Array.from({ length: 480 }, (_none, index) => middle + 60 * (index - 240));
  const shown = minutes.map(clock.shows);
  const last = Math.max(...shown);
  for (let time = Math.min(...shown); time <= last; time += 60) {
    // The first that is shown, or of those after it where nothing shows this.
    const index = shown.includes(time) ? shown.indexOf(time) : shown.findIndex((other) => other > time);
    expect(clock.firstShows(time), printInstant(time)).toBe(minutes[index]);
  }
});

const work = daily('0 9 * * 1-5', 480, 'Europe/Berlin');
const friday = daily('0 12 * * 5', 3 * 1440, 'Europe/Berlin');
const holidays = once('2026-12-20T00:00:00Z', '2027-01-04T00:00:00Z');

test.each<readonly [what: string, time: string, policies: readonly RolloutPolicy[], wanted: string]>([
  ['nothing said', '2026-11-23T10:00:00Z', [{}, { surge: 1 }], 'none'],
  ['inside', '2026-11-23T10:00:00Z', [{ allow: [work] }], 'open until 2026-11-23T16:00:00Z'],
  ['at its first second', '2026-11-23T08:00:00Z', [{ allow: [work] }], 'open until 2026-11-23T16:00:00Z'],
  ['at its end', '2026-11-23T16:00:00Z', [{ allow: [work] }], 'shut by a/allow until 2026-11-24T08:00:00Z'],
  ['over the weekend', '2026-11-27T17:00:00Z', [{ allow: [work] }], 'shut by a/allow until 2026-11-30T08:00:00Z'],
  [
    'one of two',
    '2026-11-23T20:00:00Z',
    [{ allow: [work, once('2026-11-23T19:00:00Z', '2026-11-23T21:00:00Z')] }],
    'open until 2026-11-23T21:00:00Z',
  ],
  [
    'one that follows at once',
    '2026-11-23T15:00:00Z',
    [{ allow: [work, once('2026-11-23T16:00:00Z', '2026-11-23T17:00:00Z')] }],
    'open until 2026-11-23T17:00:00Z',
  ],
  [
    'a deny over an allow',
    '2026-11-27T12:00:00Z',
    [{ allow: [work], deny: [friday] }],
    'shut by a/deny until 2026-11-30T11:00:00Z',
  ],
  ['only a deny', '2026-11-26T12:00:00Z', [{ deny: [friday] }], 'open until 2026-11-27T11:00:00Z'],
  [
    'two policies with allows: both',
    '2026-11-23T12:00:00Z',
    [{ allow: [work] }, { allow: [daily('0 14 * * *', 60, 'UTC')] }],
    'shut by b/allow until 2026-11-23T14:00:00Z',
  ],
  [
    'two that never meet',
    '2026-11-23T12:00:00Z',
    [{ allow: [work] }, { allow: [daily('0 20 * * *', 60, 'UTC')] }],
    'shut by b/allow always',
  ],
  [
    'the deny of another',
    '2026-12-21T10:00:00Z',
    [{ allow: [work] }, { deny: [holidays] }],
    'shut by b/deny until 2027-01-04T08:00:00Z',
  ],
  ['dates that are over', '2027-02-01T10:00:00Z', [{ deny: [holidays] }], 'open always'],
  ['an allow that is over', '2027-02-01T10:00:00Z', [{ allow: [holidays] }], 'shut by a/allow always'],
  [
    'a day that never comes',
    '2026-11-23T10:00:00Z',
    [{ allow: [daily('0 0 31 2 *', 60, 'UTC')] }],
    'shut by a/allow always',
  ],
  [
    'the whole week, without a gap',
    '2026-11-23T10:00:00Z',
    [{ allow: [daily('0 0 * * *', 1440, 'UTC')] }],
    'open always',
  ],
  [
    'a month minute by minute, further than is looked',
    '2026-11-03T10:00:00Z',
    [{ deny: [daily('* * * 11 *', 1, 'UTC')] }],
    'shut by a/deny at least until 2026-11-04T11:00:00Z',
  ],
])('%s', (_, time, policies, wanted) => {
  expect(at(time, ...policies)).toBe(wanted);
});

test('every cron that is read has a calendar, and no step is longer than its field', () => {
  const longest = [60, 24, 31, 12, 7];
  const read = longest.flatMap((most, field) =>
    [most, most + 1, 99].flatMap((step) =>
      ['*', '1-5'].map((part) => {
        const cron = longest.map((_, index) => (index === field ? `${part}/${step}` : '*')).join(' ');
        const metadata = { name: 'a' };
        const allow = [{ cron, minutes: 5, timeZone: 'Europe/Berlin' }];
        const { policy } = parseRolloutPolicy({ metadata, spec: { allow } });
        if (policy !== undefined) at('2026-11-22T08:00:00Z', policy);
        return policy === undefined ? 'refused' : step - most;
      }),
    ),
  );
  expect(read).toEqual(longest.flatMap(() => [0, 0, 'refused', 'refused', 'refused', 'refused']));
});

test('a start that never comes, which takes long to find out, is looked for once', () => {
  const asked = vi.spyOn(Cron.prototype, 'nextRun');
  const berlin = (cron: string, minutes: number) => daily(cron, minutes, 'Europe/Berlin');
  const [allow, deny] = [[berlin('0 0 31 2 *', 60)], [berlin('0 0 * * *', 1440)]];
  expect(at('2026-11-23T10:00:00Z', { allow, deny })).toBe('shut by a/allow a/deny always');
  const never = asked.mock.results.filter(({ value }) => value === null);
  asked.mockRestore();
  expect(never.length).toBe(1);
});

describe('a release with an exception', () => {
  const freeze: RolloutPolicy = { deny: [holidays] };
  const until = (time: string, release = '9c41d2e09c41d2e09c41d2e09c41d2e0.7') => ({
    release,
    approver: 'ana',
    until: parseInstant(time) ?? 0,
  });
  const some = { ...freeze, exceptions: [until('2026-12-22T00:00:00Z'), until('2026-12-23T00:00:00Z')] };

  test.each<readonly [what: string, time: string, policies: readonly RolloutPolicy[], wanted: string | undefined]>([
    ['until the last of them', '2026-12-21T10:00:00Z', [some], 'open until 2026-12-23T00:00:00Z'],
    ['only until then', '2026-12-23T00:00:00Z', [some], undefined],
    [
      'of its own policy alone',
      '2026-12-21T10:00:00Z',
      [some, { allow: [daily('0 14 * * *', 60, 'UTC')] }],
      'shut by b/allow until 2026-12-21T14:00:00Z',
    ],
    [
      'of the allows as well',
      '2026-11-23T20:00:00Z',
      [{ allow: [work], exceptions: [until('2026-11-24T12:00:00Z')] }],
      'open until 2026-11-24T16:00:00Z',
    ],
    [
      'of another',
      '2026-12-21T10:00:00Z',
      [{ ...freeze, exceptions: [until('2027-01-01T00:00:00Z', 'x')] }],
      undefined,
    ],
  ])('%s', (_, time, policies, wanted) => {
    const now = parseInstant(time) ?? 0;
    const matching = policies.map((policy, index) => reading('abc'[index] ?? 'z', policy));
    const facts = windowsAt(now)({ ...NO_SCOPE, matching });
    const own = facts?.excepted?.find(({ release }) => release === '9c41d2e09c41d2e09c41d2e09c41d2e0.7');
    const ends = own?.changesAt === undefined ? 'always' : `until ${printInstant(own.changesAt)}`;
    const by = own?.shutBy.map(({ policy, field }) => `${policy}/${field}`).join(' ');
    expect(own === undefined ? undefined : own.open ? `open ${ends}` : `shut by ${by} ${ends}`).toBe(wanted);
    expect(facts).toMatchObject({ open: false });
  });
});
