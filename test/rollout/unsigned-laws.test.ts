/** Laws of records that nobody bears out, over worlds and forgeries that need not make sense. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NOTICE_EVENTS } from '../../src/api/policy-notify.ts';
import type { RolloutRecord, StepRecord } from '../../src/api/record.ts';
import type { GroupRecord } from '../../src/api/record-groups.ts';
import { plan, recordWritten } from '../../src/rollout/plan.ts';
import type { Snapshot } from '../../src/rollout/snapshot.ts';
import { arbitraryWorld } from '../support/arbitrary-world.ts';
import { emptyRecord } from '../support/record.ts';
import { NOW, world } from '../support/snapshot.ts';

const RUNS = { numRuns: 800 };
const EVIL = 'https://evil.example';

/** A time that somebody would like: ever, long ago, lately, now, to come. */
const time = fc.constantFrom(0, NOW - 90_000, NOW - 60, NOW, NOW + 60, NOW + 9_000_000);
const seconds = fc.constantFrom(0, 1, 900, 90_000);
const waits = fc.record({ apply: seconds, schedule: seconds, ready: seconds });
const clock = fc.constantFrom('apply' as const, 'schedule' as const, 'ready' as const);

const step: fc.Arbitrary<Partial<StepRecord>> = fc.record(
  {
    doneSince: time,
    restarts: fc.array(fc.record({ index: fc.nat(5), uid: fc.constant('x'), count: fc.nat(99), since: time })),
    waited: fc.record({
      step: waits,
      delivery: waits,
      running: fc.record({ at: time, clocks: fc.array(clock) }),
      over: fc.array(fc.record({ field: fc.constant('readyDeadlineSeconds'), since: time })),
    }),
  },
  { requiredKeys: [] },
);

const group: fc.Arbitrary<GroupRecord> = fc.record({
  index: fc.nat(5),
  uid: fc.nat(5).map((index) => `pod-${index}`),
  version: fc.constantFrom('release' as const, 'stable' as const, 'other' as const),
  ready: fc.boolean(),
  since: time,
});

const record: fc.Arbitrary<Partial<RolloutRecord>> = fc.record(
  {
    appliedSince: time,
    notAppliedSince: time,
    loads: fc.array(fc.constantFrom(1, 600, 86_400), { minLength: 1 }),
    groups: fc.array(group, { maxLength: 3 }),
    automaticBacks: fc.constant({ inARow: 0, last: [] }),
    notices: fc.constant({
      outbox: [
        {
          key: EVIL,
          event: 'failed' as const,
          release: 'b.2',
          text: EVIL,
          at: NOW,
          to: [{ to: 'prod', as: 'slack' as const }],
        },
      ],
      told: [],
    }),
    message: fc.constant(EVIL),
    settled: fc.boolean(),
  },
  { requiredKeys: [] },
);

const rules = { maxRestarts: 1, readyDeadlineSeconds: 600, onFailure: 'rollback' as const };

/** The world with a record that says what it wants of what no commit of main tells, and with one that says nothing of it. */
function both(of: Snapshot, made: Partial<RolloutRecord>, inStep: Partial<StepRecord>) {
  const known = of.record?.step;
  const plain: StepRecord | undefined =
    known === undefined ? undefined : { ...known, doneSince: undefined, restarts: undefined, waited: undefined };
  const notifyTo = [{ to: 'prod', as: 'slack' as const, events: NOTICE_EVENTS }];
  const marks = of.lostMarks ?? of.workload?.workload.marks;
  const base = { ...of, policy: { ...of.policy, ...rules }, notifyTo, unsigned: { rungAt: of.now } };
  const nothing = emptyRecord({ marks, step: plain, blobs: of.blobs, uids: of.record?.uids });
  const forged = { ...nothing, ...made, step: plain === undefined ? undefined : { ...plain, ...inStep } };
  return { without: plan({ ...base, record: nothing }), by: plan({ ...base, record: forged }) };
}

test('what goes by a forged record goes without one, and what brakes or goes back by none does by a forged one', () => {
  fc.assert(
    fc.property(arbitraryWorld, record, step, (of, made, inStep) => {
      const { without, by } = both(world(of), made, inStep);
      const [wanted, got] = [without.commit, by.commit];
      if (got !== undefined && (got.way === 'forward' || got.reason === 'Failed'))
        expect(got.subject).toBe(wanted?.subject);
      if (wanted !== undefined && wanted.way !== 'forward') expect(got?.subject).toBe(wanted.subject);
    }),
    RUNS,
  );
});

test('no text of a forged record is kept or sent', () => {
  fc.assert(
    fc.property(arbitraryWorld, record, step, (of, made, inStep) => {
      const { by } = both(world(of), made, inStep);
      for (const one of [by.record, recordWritten(by)]) expect(JSON.stringify(one)).not.toContain(EVIL);
    }),
    RUNS,
  );
});
