/** Deadlines, restarts and what follows on them (`onFailure`) while a second workload is filled: by steps, and after them. */

import { expect, test } from 'vitest';
import { absent } from '../../../src/api/known.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, releaseIn, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { after, asked, edited, files, NEWER, stands } from '../../support/ladder-stands.ts';
import { often, outcome, type Rules, ticks, under } from '../../support/ladder-ticks.ts';
import { ROUTE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

// The drain and the bake last longer than all passes of a row.
const READY: Rules = { readyDeadlineSeconds: 60, drainSeconds: 7200, bakeSeconds: 7200 };
const BACK: Rules = { ...READY, onFailure: 'rollback' };
const AWAY: Rules = { ...READY, onFailure: 'withdraw' };

const canary = (groups: string): Found => ({ view: { second: groups } });
const primary = (groups: string): Found => ({ view: { own: groups } });

const BLUE_GREEN = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 100%, traffic: 50%, pause: {duration: 60}',
];
const slowly = ladderRollout('blueGreen', BLUE_GREEN).replace(
  '{service: vllm-svc,',
  '{service: vllm-svc, gracePeriodSeconds: 600,',
);
const green = asked(passed(settledOn(ladderFiles(slowly))).stand, OLD, NEW);
const shared = after('step 2/2, traffic: 5% → 50%', green);
const all = after('promote, all: 50% → 100%', green);
const switched = after('promote, switch: vllm-svc → vllm-green', green);
const bluesRestored = after('promote, route-restored', green);

const six = (stand: Stand, rules: Rules, found: Found): string => outcome(stand, often(under(rules, found)));

type Row = readonly [what: string, stand: Stand, rules: Rules, found: Found, outcome: string];

const ONE_LATE = canary('0:G+ 1:G-');
const PRIMARY_LATE = primary('0:G- 1:G+ 2:O+ 3:O+');

test.each<Row>([
  ['at the groups, no deadline', stands.pods, {}, canary('0:G-'), 'hold GroupsNotReady NotServing'],
  ['at the groups, hold', stands.pods, READY, canary('0:G-'), 'hold StepFailed GroupsNotReady NotServing'],
  [
    'at the groups, no share to withdraw',
    stands.pods,
    AWAY,
    canary('0:G-'),
    'hold StepFailed GroupsNotReady NotServing',
  ],
  ['at the groups, rollback', stands.pods, BACK, canary('0:G-'), 'Failed: rollback, route-restored'],
  ['with a share, no deadline', stands.second, {}, ONE_LATE, 'hold GroupsNotReady'],
  ['after the last step, no deadline', stands.last, {}, canary('0:G+ 1:G+ 2:G- 3:G+'), 'hold GroupsNotReady'],
  ['with a share, hold', stands.second, READY, ONE_LATE, 'hold StepFailed GroupsNotReady'],
  ['with a share, withdraw', stands.second, AWAY, ONE_LATE, 'TrafficWithdrawn: step 2/3, traffic withdrawn'],
  ['with a share, rollback', stands.second, BACK, ONE_LATE, 'Failed: rollback, route-restored'],
  [
    'with a share, withdraw, and too few of the primary serve',
    stands.second,
    AWAY,
    { view: { second: '0:G+ 1:G-', own: '0:O+ 1:O- 2:O- 3:O-' } },
    'hold StepFailed NotServing',
  ],
  [
    'a share that nobody serves',
    stands.second,
    BACK,
    canary('0:G- 1:G-'),
    'TrafficWithdrawn: step 2/3, traffic withdrawn',
  ],
  ['it waits for a node', stands.pods, BACK, canary('0:Gu'), 'hold GroupsNotReady NotServing'],
  [
    'it waits too long for a node',
    stands.pods,
    { scheduleDeadlineSeconds: 60, onFailure: 'rollback' },
    canary('0:Gu'),
    'hold StepOverdue GroupsNotReady NotServing',
  ],
  [
    'it waits too long for the agent',
    stands.second,
    { ...BACK, applyDeadlineSeconds: 60 },
    { view: { second: '0:G+ 1:G-', secondLws: { replicas: 1 } } },
    'hold StepOverdue NotApplied GroupsNotReady',
  ],
  ['not read', stands.pods, BACK, { snapshot: { traffic: undefined } }, 'hold ClusterUnreadable'],
  [
    'paused',
    edited(stands.pods, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n'),
    BACK,
    canary('0:G-'),
    'hold GroupsNotReady NotServing Paused',
  ],
  [
    'a hand has changed its groups, rollback',
    edited(stands.second, LWS_FILE, /(vllm-canary[\s\S]*replicas: )2/, '$13'),
    BACK,
    canary('0:G+ 1:G- 2:G+'),
    'hold StepFailed GroupsNotReady CanaryEdited',
  ],
  [
    'a hand has changed its groups, withdraw',
    edited(stands.second, LWS_FILE, /(vllm-canary[\s\S]*replicas: )2/, '$13'),
    AWAY,
    canary('0:G+ 1:G- 2:G+'),
    'TrafficWithdrawn: step 2/3, traffic withdrawn',
  ],
  ['in the primary, hold', stands.primary, READY, PRIMARY_LATE, 'hold StepFailed GroupsNotUpdated'],
  ['in the primary, nothing to withdraw to', stands.primary, AWAY, PRIMARY_LATE, 'hold StepFailed GroupsNotUpdated'],
  ['in the primary, rollback', stands.primary, BACK, PRIMARY_LATE, 'Failed: rollback, primary'],
  [
    'in the primary, a group of before',
    stands.primary,
    BACK,
    primary('0:G+ 1:G+ 2:O- 3:O+'),
    'hold GroupsNotUpdated BlockedByUnreadyGroup',
  ],
  [
    'in the primary, a group of the canary',
    stands.primary,
    BACK,
    { view: { second: '0:G+ 1:G+ 2:G+ 3:G-', own: '0:G+ 1:O+ 2:O+ 3:O+' } },
    'hold GroupsNotUpdated',
  ],
  [
    'on stable, too few of the primary serve, no deadline',
    stands.home,
    {},
    primary('0:G+ 1:G+ 2:G- 3:G-'),
    'hold NotServing',
  ],
  ['on stable, rollback', stands.home, BACK, primary('0:G- 1:G+ 2:G+ 3:G+'), 'Failed: rollback, primary'],
  [
    'on stable, a newer template waits',
    asked(stands.home, NEW, NEWER),
    BACK,
    primary('0:G- 1:G+ 2:G+ 3:G+'),
    'hold NewerRequestWaits Draining',
  ],
])('canary: %s', (_, stand, rules, found, told) => expect(six(stand, rules, found)).toBe(told));

const GREEN_LATE = canary('0:G+ 1:G+ 2:G+ 3:G-');
const GREEN_AWAY = 'TrafficWithdrawn: promote, traffic withdrawn';

test.each<Row>([
  ['with a share, rollback', shared, BACK, GREEN_LATE, 'Failed: rollback, route-restored'],
  ['with all requests, rollback', all, BACK, GREEN_LATE, 'Failed: rollback, route-restored'],
  ['with all requests, withdraw', all, AWAY, GREEN_LATE, GREEN_AWAY],
  ['switched, rollback', switched, BACK, GREEN_LATE, 'Failed: rollback, route-restored'],
  ['switched, withdraw', switched, AWAY, GREEN_LATE, GREEN_AWAY],
  ['while it bakes, hold', bluesRestored, READY, GREEN_LATE, 'hold StepFailed GracePeriod GroupsNotReady'],
  ['while it bakes, rollback', bluesRestored, BACK, GREEN_LATE, 'Failed: rollback, route-restored'],
  [
    'while it bakes, rollback, and the colour before serves nothing',
    bluesRestored,
    BACK,
    { view: { second: '0:G+ 1:G+ 2:G+ 3:G-', own: '0:O- 1:O- 2:O- 3:O-' } },
    'hold StepFailed NotServing',
  ],
])('blueGreen: %s', (_, stand, rules, found, told) => expect(six(stand, rules, found)).toBe(told));

const PARTS = ['replicas: 1, traffic: 5%', 'replicas: 50%, traffic: 20%', 'replicas: 100%'].map(
  (step) => `${step}, pause: {duration: 60}`,
);
const parted = asked(passed(settledOn(ladderFiles(ladderRollout('partition', PARTS)))).stand, OLD, NEW);
const parts = {
  pods: after('step 1/3, pods, partition 1000000 → 3', parted),
  second: after('step 2/3, traffic: 5% → 20%', parted),
};
const PART_LATE = primary('0:O+ 1:O+ 2:G- 3:G+');
const unserved: Found = { view: { ...PART_LATE.view, traffic: { canaryService: absent } } };

test.each<Row>([
  [
    'at its groups, withdraw: there is no share',
    parts.pods,
    AWAY,
    primary('0:O+ 1:O+ 2:O+ 3:G-'),
    'hold StepFailed GroupsNotReady',
  ],
  ['at its groups, rollback', parts.pods, BACK, primary('0:O+ 1:O+ 2:O+ 3:G-'), 'Failed: rollback'],
  ['with a share, hold', parts.second, READY, PART_LATE, 'hold StepFailed GroupsNotReady'],
  ['with a share, withdraw', parts.second, AWAY, PART_LATE, 'TrafficWithdrawn: step 2/3, traffic withdrawn'],
  ['with a share, rollback', parts.second, BACK, PART_LATE, 'Failed: rollback, route-restored'],
  [
    'with a share, and one of the stable version is down',
    parts.second,
    AWAY,
    primary('0:O- 1:O+ 2:G- 3:G+'),
    'TrafficWithdrawn: step 2/3, traffic withdrawn',
  ],
  [
    'with a share, and nobody else serves',
    parts.second,
    AWAY,
    primary('0:O- 1:O- 2:G- 3:G+'),
    'hold StepFailed NotServing',
  ],
  ['a group of the stable version', parts.second, BACK, primary('0:O- 1:O+ 2:G+ 3:G+'), 'hold BlockedByUnreadyGroup'],
  [
    'the agent has not applied its Service',
    parts.second,
    { ...BACK, applyDeadlineSeconds: 60 },
    unserved,
    'hold StepOverdue GroupsNotReady NotApplied',
  ],
])('partition with traffic: %s', (_, stand, rules, found, told) => expect(six(stand, rules, found)).toBe(told));

/** Groups that are made again, each pass another time. */
const restarting = (groups: (pod: string) => string): readonly Found[] =>
  ['', '#2', '#3', '#4'].map((pod) => under({ maxRestarts: 1, onFailure: 'rollback' }, canary(groups(pod))));

test('a group of the canary is restarted too often', () => {
  const { told } = ticks(
    stands.second,
    restarting((pod) => `0:G+ 1:G+${pod}`),
  );
  expect(told.find((one) => one.startsWith('Failed'))).toBe('Failed: rollback, route-restored');
});

test('what is counted in a step is counted over its rungs, and the promotion starts at nothing', () => {
  const rules: Rules = { readyDeadlineSeconds: 900, deliveryReadyDeadlineSeconds: 9000, maxRestarts: 9 };
  const waits = ticks(stands.pods, often(under(rules, canary('0:G-')), 3)).stand;
  expect(waits.record?.step?.waited?.step.ready).toBe(60);
  const again = ticks(
    waits,
    ['#2', '#3'].map((pod) => under(rules, canary(`0:G-${pod}`))),
  ).stand;
  const next = passed(again, under(rules, canary('0:G+#3')));
  expect(next.told).toBe('RungReady: step 1/3, traffic: – → 5%');
  expect(next.stand.record?.step?.restarts).toMatchObject([{ index: 0, count: 2 }]);
  expect(next.stand.record?.step?.waited?.step.ready).toBe(150);
  const later = after('promote, primary', next.stand, under(rules));
  expect(later.record?.step).toMatchObject({
    promotes: true,
    waited: { step: { ready: 0 }, delivery: { ready: 150 } },
  });
  expect(later.record?.step?.restarts).toBeUndefined();
});

test('an acceptance of what failed in a step is none of what fails in the primary', () => {
  const facts = (promotion: object): string => factsDigest({ ...promotion, deadlines: ['readyDeadlineSeconds 60'] });
  const accepting = (stand: Stand, digest: string): Found => ({
    intents: { accept: `StepFailed@${releaseIn(stand)}#${digest}` },
  });
  const fails = { ...PRIMARY_LATE, ...accepting(stands.primary, facts({})) };
  expect(six(stands.primary, BACK, fails)).toBe('Failed: rollback, primary');
  const takes = { ...PRIMARY_LATE, ...accepting(stands.primary, facts({ promotion: true })) };
  expect(six(stands.primary, BACK, takes)).toBe('hold GroupsNotUpdated');
});

test('a share that was taken back for a failure returns when someone accepts that', () => {
  const gone = ticks(stands.second, often(under(AWAY, ONE_LATE))).stand;
  expect(gone.texts.get(ROUTE_FILE)).toBe(files.get(ROUTE_FILE));
  expect(ticks(gone, often(under(AWAY, canary('0:G+ 1:G+')))).told.at(-1)).toBe('hold TrafficWithdrawn');
  const intents = { accept: `TrafficWithdrawn@${releaseIn(gone)}#${factsDigest({ times: 1 })}` };
  const accepted = ticks(gone, often(under(AWAY, { ...canary('0:G+ 1:G+'), intents })));
  expect(accepted.told).toContain('RungReady: step 2/3, traffic: – → 20%');
});

test('the commit says by what it has failed, of which workload, and that nobody has ordered it', () => {
  let stand = stands.second;
  for (const found of restarting((pod) => `0:G+ 1:G+${pod}`)) {
    const now = passed(stand, found);
    const { commit } = now.plan;
    stand = now.stand;
    if (commit?.reason !== 'Failed') continue;
    expect(commit.message.replaceAll(/\s+/g, ' ')).toContain(
      'has failed: group 1 of vllm-canary was restarted 2 times; a RolloutPolicy allows 1 (maxRestarts). Nobody has ordered this.',
    );
    return;
  }
  throw new Error('no commit');
});
