/** The rows of a delivery that fills a second workload, canary: what Git has and what is seen, the commit or the hold. */

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { unknown } from '../../../src/api/known.ts';
import { NO_RULES } from '../../../src/api/policy-fields.ts';
import { SENTINEL } from '../../../src/api/workload.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { planIntent } from '../../../src/rollout/orders/intent.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { AT, abort, after, asked, edited, files, NEWER, ONE, requested, stands } from '../../support/ladder-stands.ts';
import { ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

const HEALTHY = [
  'StepReady: step 1/3, text: vllm-canary',
  'RungReady: step 1/3, pods: canary 0 → 1',
  'RungReady: step 1/3, traffic: – → 5%',
  'hold GracePeriod',
  'hold PauseDuration',
  'StepReady: step 2/3, pods: canary 1 → 2',
  'RungReady: step 2/3, traffic: 5% → 20%',
  'hold GracePeriod',
  'hold PauseDuration',
  'StepReady: step 3/3, pods: canary 2 → 4',
  'RungReady: step 3/3, traffic: 20% → 50%',
  'hold GracePeriod',
  'hold PauseDuration',
  'Promoted: promote, fleet',
  'BroughtHome: promote, home',
  'hold GracePeriod Draining',
  'Settled: settled',
  'hold ',
];

test('a healthy release, rung by rung, and rest', () => expect(passes(requested).told).toEqual(HEALTHY));

test('after it everything is as before but for the text, our annotations and our documents', () => {
  const { stand } = passes(requested);
  expect(stand.texts.get(ROUTE_FILE)).toBe(files.get(ROUTE_FILE));
  expect(stand.texts.get(SERVICE_FILE)?.startsWith(files.get(SERVICE_FILE) ?? '?')).toBe(true);
  expect(stand.texts.get(LWS_FILE)).not.toMatch(/tranche.dev\/(step|at|restore)/);
  expect(stand.texts.get(LWS_FILE)).toContain(`partition: ${SENTINEL}`);
});

test('a second release begins with the groups of none, and takes the same rungs', () => {
  const { stand } = passes(requested);
  const told = passes(asked({ ...stand, stable: stand.stable }, NEW, NEWER)).told;
  expect(told.slice(0, 3)).toEqual(HEALTHY.slice(0, 3));
  expect(told.at(-2)).toBe('Settled: settled');
});

type Row = readonly [what: string, stand: Stand, found: Found, told: readonly string[]];

const DEAD: Found = { sight: { second: '0- 1- 2- 3-' } };
const WAITS = ['Aborted: rollback, text', 'hold NotServing'];
const LOST: Found = { sight: { own: '0o- 1o- 2o- 3o-' } };
const UNREAD: Found = { snapshot: { traffic: undefined } };
const ANEW: Found = { sight: { own: '0+ 1+ 2+ 3+', ownLws: { uid: 'another' } } };
const HALF: Found = { sight: { own: '0o+ 1o+ 2+ 3+' } };
const BACK = ['hold Draining', 'RolledBack: rolled back', 'hold '];
const paused = (stand: Stand): Stand => edited(stand, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');

/** A text that was given up before its first step, a release that goes to the fleet, and the text given up again. */
function unwanted(): Stand {
  const asks = asked(passed(settledOn(files)).stand, OLD, NEWER);
  const order = { intents: { abort: `${releaseDigest(asks)}.2` } };
  const withdrawn = passed(asks, order).stand;
  return asked(after(AT.fleet, asked(withdrawn, OLD, NEW)), NEW, NEWER);
}

/** The Rollout with the strategy that steps the workload itself. */
function steppedIn(stand: Stand): Snapshot['rollout'] {
  const { rollout } = snapshotAt(stand);
  return rollout === undefined ? undefined : { ...rollout, rollout: { ...rollout.rollout, style: 'partition' } };
}

function releaseDigest(stand: Stand): string {
  return snapshotAt(stand).workload?.digest ?? '';
}

/** The last of what passes tell that there are, and no more than these. */
test.each<Row>([
  ['abort, at the text', stands.text, abort(stands.text), ['Aborted: rollback, home', ...BACK.slice(1)]],
  ['abort, at the groups', stands.pods, abort(stands.pods), ['Aborted: rollback, home', ...BACK.slice(1)]],
  ['abort, with a share', stands.second, abort(stands.second), ['Aborted: rollback, home', ...BACK]],
  ['abort, paused', paused(stands.second), abort(stands.second), ['Aborted: rollback, home', ...BACK]],
  ['the stable text put back', asked(stands.second, NEW, OLD), {}, ['Reverted: rollback, home', ...BACK]],
  [
    'abort, nothing else read',
    stands.second,
    { ...UNREAD, ...abort(stands.second) },
    ['Aborted: rollback, home', 'hold ClusterUnreadable'],
  ],
  ['abort, the fleet serves nothing', stands.second, { ...LOST, ...abort(stands.second) }, WAITS],
  [
    'abort, in the fleet',
    stands.fleet,
    abort(stands.fleet),
    ['Aborted: rollback, fleet', 'BroughtHome: rollback, home', 'hold Draining', 'RolledBack: rolled back', 'hold '],
  ],
  [
    'abort, in the fleet, the new version serves nothing',
    stands.fleet,
    { ...DEAD, ...abort(stands.fleet) },
    ['Aborted: rollback, fleet', ...BACK],
  ],
  ['abort, at home', stands.home, abort(stands.home), ['Aborted: rollback, fleet', ...BACK.slice(1)]],
])('way back: %s', (_, stand, found, told) => expect(passes(stand, { found: () => found }).told).toEqual(told));

test('way back: all made anew on the release, as from the fleet', () => {
  const first = stands.second;
  const found = (now: Stand): Found => (now === first ? { ...ANEW, ...abort(first) } : abort(first));
  expect(passes(first, { found }).told).toEqual(['Aborted: rollback, fleet', 'BroughtHome: rollback, home', ...BACK]);
});

test.each<Row>([
  [
    'in steps, by its own step 1 through no groups',
    asked(stands.second, NEW, NEWER),
    {},
    ['Superseded: step 1/3, home', 'hold GracePeriod Draining', 'Emptied: step 1/3, void: canary 2 → 0', ...HEALTHY],
  ],
  ['in steps, the fleet serves nothing', asked(stands.second, NEW, NEWER), LOST, ['hold StableLost']],
  [
    'in the fleet, stopped where it is',
    asked(stands.fleet, NEW, NEWER),
    {},
    [
      'Superseded: step 1/3, stopped',
      'BroughtHome: step 1/3, home',
      'hold GracePeriod Draining',
      'Emptied: step 1/3, void: canary 4 → 0',
      ...HEALTHY,
    ],
  ],
  [
    'at home, queued',
    asked(stands.home, NEW, NEWER),
    {},
    ['hold GracePeriod Draining RequestQueued', 'Settled: settled', ...HEALTHY],
  ],
])('a newer text: %s', (_, stand, found, told) => expect(passes(stand, { found: () => found }).told).toEqual(told));

test('a newer text on a way back whose fleet a hand has let go: no group goes before its last requests are answered', () => {
  const home = passed(stands.second, abort(stands.second)).stand;
  const loose = asked(asked(home, `partition: ${SENTINEL}`, 'partition: 3'), OLD, NEWER);
  const soon = { ...loose, now: home.now - 3600 };
  const stopped = passed(soon);
  expect(stopped.told).toBe('Superseded: step 1/3, stopped');
  expect(passed({ ...stopped.stand, now: soon.now + 30 }).told).toBe('hold Draining');
  expect(passed({ ...stopped.stand, now: soon.now + 90 }).told).toBe('Emptied: step 1/3, void: canary 2 → 0');
});

test('a newer text in the fleet is stopped, and the way back from its steps is that of the fleet', () => {
  const stopped = after('step 1/3, stopped', asked(stands.fleet, NEW, NEWER));
  expect(passes(stopped, { found: () => abort(stopped) }).told).toEqual([
    'Aborted: rollback, fleet',
    'BroughtHome: rollback, home',
    ...BACK,
  ]);
});

test('a text that was given up is stopped in the fleet, and the release goes on once it is gone', () => {
  const stopped = passed(unwanted());
  expect(stopped.told).toBe('RollStopped: promote, stopped');
  expect(passed(stopped.stand).told).toBe('hold ReleaseAborted');
  expect(passes(asked(stopped.stand, NEWER, NEW)).told).toEqual([
    'PartitionRestored: promote, partition 1000000 → 0',
    ...HEALTHY.slice(-4),
  ]);
});

test.each<Row>([
  [
    'in a step, until a person accepts it',
    stands.second,
    DEAD,
    ['TrafficWithdrawn: step 2/3, traffic withdrawn', 'hold GroupsNotReady NotServing TrafficWithdrawn'],
  ],
  [
    'paused',
    paused(stands.second),
    DEAD,
    ['TrafficWithdrawn: step 2/3, traffic withdrawn', 'hold GroupsNotReady NotServing Paused TrafficWithdrawn'],
  ],
  [
    'in the fleet, which goes on',
    stands.fleet,
    DEAD,
    ['TrafficWithdrawn: promote, traffic withdrawn', 'BroughtHome: promote, home', 'Settled: settled', 'hold '],
  ],
  [
    'not where nobody serves',
    stands.second,
    { sight: { ...DEAD.sight, ...LOST.sight } },
    ['hold GracePeriod GroupsNotReady StableLost', 'hold GroupsNotReady StableLost'],
  ],
  ['not where that cannot be read', stands.second, UNREAD, ['hold ClusterUnreadable']],
])('withdrawn: %s', (_, stand, found, told) => expect(passes(stand, { found: () => found }).told).toEqual(told));

test('the share that was taken back comes again when a person accepts that, and once only', () => {
  const { stand } = passed(stands.second, DEAD);
  expect(passed(stand).told).toBe('hold TrafficWithdrawn');
  const facts = snapshotAt(stand);
  const held = passed(stand).plan.holds.find(({ reason }) => reason === 'TrafficWithdrawn')?.facts;
  expect(held).toEqual({ times: 1 });
  const accept = `TrafficWithdrawn@${releaseIn(stand)}#${factsDigest(held ?? {})}`;
  expect(facts.workload?.workload.marks?.restore?.withdrawn).toBe(1);
  const returned = passed(stand, { intents: { accept } });
  expect(returned.told).toBe('RungReady: step 2/3, traffic: – → 20%');
  const again = passed(returned.stand, { intents: { accept }, ...DEAD });
  expect(again.told).toBe('TrafficWithdrawn: step 2/3, traffic withdrawn');
  expect(passed(again.stand, { intents: { accept } }).told).toBe('hold TrafficWithdrawn');
});

test('at rest a route that sends to the new version goes home, and nothing else changes', () => {
  const { stand } = passes(requested);
  const stray = { ...stand, texts: new Map([...stand.texts, [ROUTE_FILE, stands.second.texts.get(ROUTE_FILE) ?? '']]) };
  const home = passed(stray);
  expect(home.told).toBe('TrafficWithdrawn: traffic withdrawn');
  expect(home.stand.texts.get(LWS_FILE)).toBe(stand.texts.get(LWS_FILE));
  expect(passes(home.stand).told).toEqual(['hold ']);
});

test.each<Row>([
  ['a share', edited(stands.second, ROUTE_FILE, /weight: 20\b/, 'weight: 60'), {}, ['hold GracePeriod CanaryEdited']],
  [
    'the text of the copy',
    edited(stands.second, LWS_FILE, /(name: vllm-canary[^]*?)v0.10.1/, '$1v0.10.7'),
    {},
    ['hold GracePeriod CanaryEdited'],
  ],
  [
    'the partition of the copy',
    edited(stands.second, LWS_FILE, /(name: vllm-canary[^]*?)1000000/, '$10'),
    {},
    ['hold GracePeriod CanaryEdited'],
  ],
  [
    'the groups of the copy',
    edited(stands.second, LWS_FILE, /(name: vllm-canary[^]*?replicas: )2/, '$13'),
    {},
    ['hold GracePeriod CanaryEdited'],
  ],
  [
    'the size of the copy',
    edited(stands.second, LWS_FILE, /(name: vllm-canary[^]*?size: )2/, '$13'),
    {},
    ['hold GracePeriod CanaryEdited'],
  ],
  [
    'maxSurge of the copy',
    edited(stands.second, LWS_FILE, /(name: vllm-canary[^]*?maxSurge: )0/, '$11'),
    {},
    ['hold GracePeriod CanaryEdited'],
  ],
  [
    'the ports of the Service',
    edited(stands.second, SERVICE_FILE, 'targetPort: 8080', 'targetPort: 9090'),
    {},
    ['hold GracePeriod CanaryEdited'],
  ],
  [
    'a share that an earlier step has written',
    edited(after('step 2/3, pods: canary 1 → 2'), ROUTE_FILE, /weight: 5\b/, 'weight: 90'),
    {},
    ['hold CanaryEdited'],
  ],
  [
    'the groups of the copy, and abort',
    edited(stands.second, LWS_FILE, /(name: vllm-canary[^]*?replicas: )2/, '$13'),
    abort(stands.second),
    ['Aborted: rollback, home'],
  ],
  [
    'the size of the copy, and it serves nothing',
    edited(stands.second, LWS_FILE, /(name: vllm-canary[^]*?size: )2/, '$13'),
    DEAD,
    ['TrafficWithdrawn: step 2/3, traffic withdrawn'],
  ],
  [
    'the Service of the copy',
    edited(stands.pods, SERVICE_FILE, /(leaderworkerset.sigs.k8s.io.name: )"?vllm-canary"?/, '$1vllm'),
    {},
    ['hold NotServing CanaryEdited'],
  ],
  [
    'the Service of the copy, with a share that reaches none of it',
    edited(stands.second, SERVICE_FILE, /(leaderworkerset.sigs.k8s.io.name: )"?vllm-canary"?/, '$1vllm'),
    {},
    ['TrafficWithdrawn: step 2/3, traffic withdrawn'],
  ],
  ['a document that is gone', stands.second, { snapshot: { ladder: undefined } }, ['hold CanaryEdited']],
])('edited by hand: %s', (_, stand, found, told) => expect(passed(stand, found).told).toBe(told[0]));

test('what was edited by hand is accepted as it is', () => {
  const stand = edited(stands.second, ROUTE_FILE, /weight: 20\b/, 'weight: 21');
  const settled = passed(passed(stand).stand).stand;
  const held = passed(settled).plan.holds.find(({ reason }) => reason === 'CanaryEdited')?.facts;
  const accept = `CanaryEdited@${releaseIn(stand)}#${factsDigest(held ?? {})}`;
  expect(passed(settled, { intents: { accept } }).told).toBe('StepReady: step 3/3, pods: canary 2 → 4');
});

test.each<Row>([
  [
    'armed in a step',
    asked(stands.second, /partition: 1000000/, 'partition: 2'),
    {},
    ['PartitionRestored: step 2/3, partition 2 → 1000000'],
  ],
])('a partition that a hand has written: %s', (_, stand, found, told) =>
  expect(passed(stand, found).told).toBe(told[0]),
);

const raised = asked(stands.fleet, /partition: 0/, 'partition: 3');

test('a fleet that a person has stopped by its partition waits for a person', () => {
  for (const stand of [raised, asked(stands.fleet, /partition: 0/, 'partition: 1000000')]) {
    expect(passed(stand).told).toBe('hold PartitionEdited');
    expect(passed(stand, abort(stand)).told).toBe('Aborted: rollback, fleet');
  }
});

test('a fleet that a person has stopped goes on when a person accepts that', () => {
  const held = passed(raised).plan.holds.find(({ reason }) => reason === 'PartitionEdited');
  expect(held?.facts).toEqual({ partition: 3, expected: 0 });
  const accept = `PartitionEdited@${releaseIn(raised)}#${factsDigest(held?.facts ?? {})}`;
  expect(passed(raised, { intents: { accept } }).told).toBe('PartitionRestored: promote, partition 3 → 0');
});

test.each<Row>([
  ['paused before it begins', paused(requested), {}, ['hold Paused']],
  [
    'a document of that name is somebody else’s',
    edited(asked(after('settled'), NEW, NEWER), LWS_FILE, /tranche.dev\/of: .*/, 'example.com/of: them'),
    {},
    ['hold CanaryEdited'],
  ],
  ['its Rollout is gone', stands.second, { snapshot: { rollout: undefined } }, ['hold OrphanArmed']],
  [
    'its Rollout asks for another strategy',
    stands.second,
    { snapshot: { rollout: steppedIn(stands.second) } },
    ['hold FrozenFieldChanged'],
  ],
  ['paused between two rungs', paused(stands.pods), {}, ['hold Paused']],
  ['the route was not taken up', stands.traffic, { sight: { route: () => ({ spec: {} }) } }, ['hold NotApplied']],
  ['groups not ready', stands.pods, { sight: { second: '0-' } }, ['hold GroupsNotReady NotServing']],
  ['the fleet serves nothing', stands.pods, LOST, ['hold NotServing StableLost']],
  ['all made anew on the release', stands.second, ANEW, ['hold Recreated']],
  [
    'an autoscaler',
    requested,
    { snapshot: { live: { ...snapshotAt(requested).live, scaler: { kind: 'known', value: 'HPA vllm' } } } },
    ['hold ScalerRefused'],
  ],
  [
    'another size',
    asked(requested, 'size: 2', 'size: 3'),
    { snapshot: { policy: { ...NO_RULES, sizeChange: 'Whole' } } },
    ['hold ChangeRefused'],
  ],
  [
    'a step larger than a policy lets it be',
    requested,
    { snapshot: { policy: { ...NO_RULES, maxStepGroups: 1 } } },
    ['hold StepTooLarge'],
  ],
  [
    'more GPUs than a policy allows',
    requested,
    { snapshot: { policy: { ...NO_RULES, maxExtraGpus: 0 } } },
    ['StepReady: step 1/3, text: vllm-canary'],
  ],
  [
    'a wrong file',
    stands.pods,
    {
      snapshot: { issues: [{ file: 'a.yaml', line: 1, path: '', reason: 'Wrong', message: 'wrong', hint: 'mend it' }] },
    },
    ['hold Stalled'],
  ],
  ['groups let go by a hand before it begins', requested, HALF, ['hold MixedRevisions']],
  ['all of it on the request before it begins', requested, ANEW, ['hold MixedRevisions Recreated']],
  [
    'one group, and a last step that does not carry all',
    requested,
    {
      snapshot: {
        issues: [
          { file: 'rollouts/vllm.yaml', line: 9, path: '', reason: 'FleetUncovered', message: 'so', hint: 'mend it' },
        ],
      },
    },
    ['hold FleetUncovered'],
  ],
  [
    'the text to go back to is not found',
    stands.second,
    { snapshot: { stable: { kind: 'absent' } } },
    ['hold GracePeriod StableUnavailable'],
  ],
])('held: %s', (_, stand, found, told) => expect(passed(stand, found).told).toBe(told[0]));

test('all made anew, and accepted: the promotion goes on', () => {
  const held = passed(stands.second, ANEW).plan.holds[0]?.facts;
  const accept = `Recreated@${releaseIn(stands.second)}#${factsDigest(held ?? {})}`;
  expect(passed(stands.second, { ...ANEW, intents: { accept } }).told).toBe('Promoted: promote, fleet');
});

test.each<Row>([
  [
    'a jump skips steps and their pauses',
    stands.traffic,
    { intents: { jump: `3@${releaseIn(stands.traffic)}` } },
    [
      'hold GracePeriod',
      'Jumped: step 3/3, pods: canary 1 → 4',
      'RungReady: step 3/3, traffic: 5% → 50%',
      ...HEALTHY.slice(11),
    ],
  ],
  [
    'an edit of the step takes it again from the top',
    edited(stands.second, ROLLOUT_FILE, 'traffic: 20%', 'traffic: 30%'),
    {},
    [
      'hold GracePeriod',
      'StepsEdited: step 2/3, traffic: 20% → 30%',
      'hold GracePeriod',
      'hold PauseDuration',
      HEALTHY[9] ?? '',
      'RungReady: step 3/3, traffic: 30% → 50%',
      ...HEALTHY.slice(11),
    ],
  ],
  [
    'an edit of the step is not lost by a commit that only arms the fleet again',
    edited(
      edited(stands.second, ROLLOUT_FILE, 'traffic: 20%', 'traffic: 30%'),
      LWS_FILE,
      `partition: ${SENTINEL}`,
      'partition: 0',
    ),
    {},
    [
      'PartitionRestored: step 2/3, partition 0 → 1000000',
      'StepsEdited: step 2/3, traffic: 20% → 30%',
      'hold GracePeriod',
    ],
  ],
  [
    'more groups: those of the step come again before more is sent to it',
    asked(stands.second, 'replicas: 4', 'replicas: 16'),
    {},
    ['RungReady: step 2/3, pods: canary 2 → 8', 'hold PauseDuration'],
  ],
])('the plan: %s', (_, stand, found, told) =>
  expect(passes(stand, { found: () => found }).told.slice(0, told.length)).toEqual(told),
);

test('without routes there are groups and no shares', () => {
  const plain = ladderFiles(
    ladderRollout('canary', ['replicas: 1, pause: {duration: 60}', 'replicas: 100%, pause: {duration: 60}'], false),
  );
  expect(passes(asked(passed(settledOn(plain)).stand, OLD, NEW)).told).toEqual([
    'StepReady: step 1/2, text: vllm-canary',
    'RungReady: step 1/2, pods: canary 0 → 1',
    'hold PauseDuration',
    'StepReady: step 2/2, pods: canary 1 → 4',
    'hold PauseDuration',
    'Promoted: promote, fleet',
    'BroughtHome: promote, home',
    'Settled: settled',
    'hold ',
  ]);
});

/** Of the two groups that are on the release the lower one does not come up. */
const BROKEN = '0o+ 1o+ 2- 3+';

test('way back: a broken group of the fleet has spent the budget, which is raised, and put back in the end', () => {
  const first = passed(stands.fleet, { sight: { own: BROKEN }, ...abort(stands.fleet) });
  expect(first.told).toBe('Aborted: rollback, fleet');
  expect(first.stand.texts.get(LWS_FILE)).toContain('maxUnavailable: 2');
  const { told, stand } = passes(first.stand);
  expect(told.at(-2)).toBe('RolledBack: rolled back');
  expect(stand.texts.get(LWS_FILE)).toContain('maxUnavailable: 1 ');
});

test('way back: begun unseen, the budget is raised once a broken group is found in the way', () => {
  const { live } = snapshotAt(stands.fleet);
  const unread = { snapshot: { live: { ...live, lws: unknown('forbidden') } }, ...abort(stands.fleet) };
  const first = passed(stands.fleet, unread);
  expect(first.told).toBe('Aborted: rollback, fleet');
  expect(first.stand.texts.get(LWS_FILE)).toContain('maxUnavailable: 1 ');
  const stuck = passed(first.stand, { sight: { own: '0+ 1+ 2o- 3o+' } });
  expect(stuck.told).toBe('BudgetRaised: rollback, budget');
  expect(stuck.stand.texts.get(LWS_FILE)).toContain('maxUnavailable: 2');
  expect(passes(stuck.stand).told.at(-2)).toBe('RolledBack: rolled back');
});

test('one group: the canary takes all requests before the fleet is let go, and again before it goes back', () => {
  const start = asked(passed(settledOn(ONE)).stand, OLD, NEW);
  expect(passes(start).told).toEqual([
    'StepReady: step 1/2, text: vllm-canary',
    'RungReady: step 1/2, pods: canary 0 → 1',
    'RungReady: step 1/2, traffic: – → 5%',
    'hold GracePeriod',
    'hold PauseDuration',
    'StepReady: step 2/2, traffic: 5% → 100%',
    'hold GracePeriod Draining',
    'hold PauseDuration',
    'Promoted: promote, fleet',
    'BroughtHome: promote, home',
    'hold GracePeriod Draining',
    'Settled: settled',
    'hold ',
  ]);
  const home = after(AT.home, start);
  expect(passes(home, { found: () => abort(home) }).told).toEqual([
    'Aborted: rollback, all: – → 100%',
    'hold GracePeriod Draining',
    'Aborted: rollback, fleet',
    'BroughtHome: rollback, home',
    'hold Draining',
    'RolledBack: rolled back',
    'hold ',
  ]);
});

test('way back of one group: requests stay where they are until it is on the stable text', () => {
  const fleet = after('promote, fleet', asked(passed(settledOn(ONE)).stand, OLD, NEW));
  const { stand } = passed(fleet, abort(fleet));
  expect(passed(stand, { sight: { own: '0o+' } }).told).toBe('hold GroupsNotUpdated');
  expect(passed(stand, { sight: { own: '0+' } }).told).toBe('BroughtHome: rollback, home');
});

test('a second newer text: the way back is still that of the fleet that was let go', () => {
  const stopped = after('step 1/3, stopped', asked(stands.fleet, NEW, NEWER));
  const { stand } = passed(asked(after(AT.pods, stopped), NEWER, NEWER.replace(/99$/, '77')));
  expect(passed(stand, abort(stand)).told).toBe('Aborted: rollback, fleet');
});

test('groups that went by a partition of a hand, or by an object made anew: the way back is that of the fleet', () => {
  const hand = asked(stands.second, /partition: 1000000/, 'partition: 2');
  const back = passed(hand);
  expect(back.told).toBe('PartitionRestored: step 2/3, partition 2 → 1000000');
  expect(passed(back.stand, abort(back.stand)).told).toBe('Aborted: rollback, fleet');
  const anew = { ...stands.second, record: undefined };
  expect(passed(anew, { sight: { own: '0o+ 1o+ 2+ 3+' }, ...abort(anew) }).told).toBe('Aborted: rollback, fleet');
});

test.each<readonly [string, (stand: Stand) => Found]>([
  ['nothing was read', () => UNREAD],
  ['the agent was slow', () => ({ sight: { route: () => parse(files.get(ROUTE_FILE) ?? '') } })],
])('a share that was never seen is drained all the same: %s', (_, found) => {
  const shared = passed(stands.pods).stand;
  const back = passed(shared, { ...found(shared), ...abort(shared) });
  expect(back.told).toBe('Aborted: rollback, home');
  expect(passed(back.stand).told).toBe('hold Draining');
});

test('a route that is not in the files any more keeps its share from being forgotten, with and without a record', () => {
  const unnamed = edited(stands.second, ROLLOUT_FILE, / *trafficRoutings: .*\n/, '');
  for (const stand of [unnamed, { ...unnamed, record: undefined }]) {
    expect(passed(stand).told).toMatch(/^hold (FrozenFieldChanged|CanaryEdited)/);
    const back = passed(stand, abort(stand));
    expect(back.told).toBe('Aborted: rollback, home');
    expect(passed(back.stand).told).toBe('hold CanaryEdited');
  }
});

test('marks are lost while the fleet restarts: a share is not sent to what serves nothing', () => {
  const lostMarks = snapshotAt(stands.fleet).workload?.workload.marks;
  const gone = edited(stands.fleet, LWS_FILE, /^ *tranche\.dev\/(release|step|at|stable|restore): .*\n/gm, '');
  expect(passed(gone, { ...LOST, snapshot: { lostMarks } }).told).toBe('hold StableLost');
});

test('whether there is an autoscaler is not known: nothing begins', () => {
  const { live } = snapshotAt(requested);
  const snapshot = { live: { ...live, scaler: unknown('forbidden') } };
  expect(passed(requested, { snapshot }).told).toBe('hold ScalerUnreadable');
});

test('more groups while those of a step come up: they are asked for before the share', () => {
  const more = asked(after('step 3/3, pods: canary 2 → 4'), 'replicas: 4', 'replicas: 16');
  expect(passed(more).told).toBe('RungReady: step 3/3, pods: canary 4 → 16');
});

test.each([['abort, in a promotion', { kind: 'abort', keepNewer: false } as const, 'write']])(
  'orders: %s',
  (_, intent, kind) =>
    expect(planIntent(intent, { snapshot: snapshotAt(stands.fleet), digestOf: factsDigest }).kind).toBe(kind),
);
