/** Laws of policies, over worlds that need not make sense: one more never makes a plan bolder, unless it grants. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { POLICY_FIELDS } from '../../src/api/policy-fields.ts';
import { type RolloutPolicy } from '../../src/api/policy-rules.ts';
import { together } from '../../src/api/policy-together.ts';
import type { HoldReason } from '../../src/rollout/hold.ts';
import { plan } from '../../src/rollout/plan.ts';
import type { Snapshot, WindowFacts } from '../../src/rollout/snapshot.ts';
import { arbitraryWorld } from '../support/arbitrary-world.ts';
import { ladderFiles, ladderRollout } from '../support/ladder.ts';
import { passed, releaseIn, type Stand, settledOn, snapshotAt } from '../support/ladder-pass.ts';
import { NOW, type World, world } from '../support/snapshot.ts';
import { NEW, OLD } from '../support/vllm.ts';

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
    maxStepTrafficPercent: percent,
    maxFirstTrafficPercent: percent,
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
    analyses: fc.constant(['chat']),
  },
  { requiredKeys: [] },
);

/** Of an Analysis whose provider nobody has asked. */
const ERRORS = { name: 'errors', leadsTo: 'rollback', isBound: true } as const;

function under(of: World, policies: readonly RolloutPolicy[]): Snapshot {
  const { surge = 0, sizeChange = 'Refuse', recreate = 'Refuse' } = of;
  const rules = together([{ surge, sizeChange, recreate }, ...policies]);
  const analyses = rules.analyses?.map((name) => ({ name, blob: '4f1c', metrics: [ERRORS] }));
  return { ...world({ ...of, rules }), ...(analyses === undefined ? {} : { analyses }) };
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
      // Someone has yet to approve it, whatever else says no or did before.
      if (tight.commit?.delivery === 'proposal') {
        expect(tight.commit.way).toBe('forward');
        return;
      }
      if (tight.commit === undefined && loose.commit !== undefined) {
        // A newer request starts, which lets nothing go that was not on its way.
        if (loose.commit.reason !== 'Superseded') expect(loose.commit.way).toBe('forward');
        expect(tight.holds).not.toEqual([]);
        held += 1;
        return;
      }
      expect(tight.commit?.changes).toEqual(loose.commit?.changes);
    }),
    RUNS,
  );
  expect(held).toBeGreaterThan(3);
});

/** Every place of a delivery with a share, or a second workload: as it is, aborted there, and told to jump to its last step. */
function filledWorlds(style: 'canary' | 'blueGreen' | 'partition', steps: readonly string[]): readonly Snapshot[] {
  const files = ladderFiles(ladderRollout(style, steps));
  const begun = passed(settledOn(files)).stand;
  const asked = [...begun.texts].map(([path, text]) => [path, text.replaceAll(OLD, NEW)] as const);
  let stand: Stand = { ...begun, texts: new Map(asked) };
  const found: Snapshot[] = [];
  for (let count = 0; count < PLACES_MOST; count += 1) {
    const release = releaseIn(stand);
    for (const intents of [{}, { abort: release }, { jump: `${steps.length}@${release}` }])
      found.push(snapshotAt(stand, { intents }));
    const now = passed(stand);
    if (now.told === 'hold ') break;
    stand = now.stand;
  }
  return found;
}

const PLACES_MOST = 30;
const filled = [
  ...filledWorlds('canary', ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 100%, traffic: 50%']),
  ...filledWorlds('blueGreen', ['replicas: 2, traffic: 20%', 'replicas: 100%, traffic: 50%']),
  ...filledWorlds('partition', ['replicas: 1, traffic: 5%', 'replicas: 50%, traffic: 50%', 'replicas: 100%']),
];
const shut: WindowFacts = { open: false, changesAt: NOW + 3600, shutBy: [] };
const others = ['llm/chat (1/2)'];
const turn = {
  field: 'maxDeliveriesPerCluster',
  policy: 'a',
  file: 'a.yaml',
  line: 1,
  most: 1,
  underWay: others,
} as const;
/** What policies say next to their fields. */
const beside: fc.Arbitrary<Partial<Snapshot>> = fc.constantFrom(
  {},
  {},
  { windows: shut },
  { turns: [turn] },
  { missingPolicies: [{ name: 'a', why: 'absent' }] },
);
/** What a commit changes, but for the longest drain, which the delivery keeps in its annotation for when a policy goes. */
const apartFromDrain = ({ commit }: ReturnType<typeof plan>): string =>
  JSON.stringify(commit?.changes ?? []).replaceAll(/,\\*"drainSeconds\\*":\d+/g, '');

/** Last requests, and the colour before, get their time on a rollback as well. */
const PACES: readonly HoldReason[] = ['Draining', 'Baking'];

test('over a second workload, and over versions of one that share requests, as well: its groups and those of the primary, its share, and where it returns to stable', () => {
  let [held, back] = [0, 0];
  fc.assert(
    fc.property(fc.constantFrom(...filled), strict, strict, beside, (of, some, more, told) => {
      const loose = plan({ ...of, policy: together([some]) });
      const tight = plan({ ...of, ...told, policy: together([some, more]) });
      back += loose.commit?.way === 'back' ? 1 : 0;
      if (tight.commit?.delivery === 'proposal') {
        expect(tight.commit.way).toBe('forward');
      } else if (tight.commit === undefined && loose.commit !== undefined) {
        const isPaced = tight.holds.some(({ reason }) => PACES.includes(reason));
        if (!isPaced) expect(loose.commit.way).toBe('forward');
        expect(tight.holds).not.toEqual([]);
        held += 1;
      } else expect(apartFromDrain(tight)).toEqual(apartFromDrain(loose));
    }),
    { numRuns: 350 },
  );
  expect([held > 20, back > 20]).toEqual([true, true]);
});
