/** Laws of policies, over worlds that need not make sense: one more never makes a plan bolder, unless it grants. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { POLICY_FIELDS, type RolloutPolicy, together } from '../../src/api/policy-fields.ts';
import { plan } from '../../src/rollout/plan.ts';
import type { Snapshot } from '../../src/rollout/snapshot.ts';
import { arbitraryWorld } from '../support/arbitrary-world.ts';
import { type World, world } from '../support/snapshot.ts';

const RUNS = { numRuns: 1500 };
const groups = fc.integer({ min: 1, max: 6 });
const percent = fc.constantFrom(1, 25, 50, 75, 100);
const gpus = fc.constantFrom(0, 16, 48, 64, 80);

/** What holds back; of these policies none grants anything. */
const strict: fc.Arbitrary<RolloutPolicy> = fc.record(
  {
    maxStepGroups: groups,
    maxStepPercent: percent,
    maxFirstStepGroups: groups,
    maxUnavailableGroups: groups,
    minReadyGroups: groups,
    minReadyPercent: percent,
    maxGpus: gpus,
    maxExtraGpus: gpus,
    maxDeliveriesPerNamespace: groups,
    maxDeliveriesPerCluster: groups,
    maxDeliveriesPerPolicy: groups,
    allow: fc.constant([]),
    deny: fc.constant([]),
    leaveAtLeastSeconds: groups,
    soakSeconds: fc.constantFrom(30, 200),
    finalSoakSeconds: fc.constantFrom(30, 200),
    drainSeconds: fc.constantFrom(30, 700),
    bakeSeconds: fc.constantFrom(30, 700),
    promotion: fc.constantFrom('commit', 'pullRequest'),
    approvals: fc.constant([{ people: 1, bots: [], notAuthor: true }]),
    applyDeadlineSeconds: groups,
    scheduleDeadlineSeconds: groups,
    readyDeadlineSeconds: fc.constantFrom(20, 300),
    deliveryApplyDeadlineSeconds: groups,
    deliveryScheduleDeadlineSeconds: groups,
    deliveryReadyDeadlineSeconds: fc.constantFrom(20, 300),
    maxRestarts: fc.constantFrom(0, 3),
  },
  { requiredKeys: [] },
);

function under(of: World, policies: readonly RolloutPolicy[]): Snapshot {
  const { surge = 0, sizeChange = 'Refuse', recreate = 'Refuse' } = of;
  return world({ ...of, rules: together([{ surge, sizeChange, recreate }, ...policies]) });
}

test('every field that may hold is in these worlds', () => {
  const named = Object.entries(POLICY_FIELDS).flatMap(([name, { composition }]) =>
    ['grant', 'choice', 'observer', 'parameter'].includes(composition) ? [] : [name],
  );
  const seen = new Set(fc.sample(strict, { seed: 1, numRuns: 200 }).flatMap((policy) => Object.keys(policy)));
  expect([...seen].sort()).toEqual(named.sort());
});

test('one more policy leaves the commit as it is, or holds it where it leads forward', () => {
  let held = 0;
  fc.assert(
    fc.property(arbitraryWorld, strict, strict, (of, some, more) => {
      const loose = plan(under(of, [some]));
      const tight = plan(under(of, [some, more]));
      // A person has yet to approve it, whatever else says no or did before.
      if (tight.commit?.delivery === 'proposal') {
        expect(tight.commit.way).toBe('forward');
        return;
      }
      if (tight.commit === undefined && loose.commit !== undefined) {
        // A newer request begins, which lets nothing go that was not on its way.
        if (loose.commit.reason !== 'Superseded') expect(loose.commit.way).toBe('forward');
        expect(tight.holds).not.toEqual([]);
        held += 1;
        return;
      }
      expect(tight.commit?.changes).toEqual(loose.commit?.changes);
    }),
    RUNS,
  );
  expect(held).toBeGreaterThan(10);
});
