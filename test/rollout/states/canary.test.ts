/** The rows of a delivery that fills a second workload, canary: what Git has and what is seen, the commit or the hold. */

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { unknown } from '../../../src/api/known.ts';
import { NO_RULES } from '../../../src/api/policy-rules.ts';
import { SENTINEL } from '../../../src/api/workload.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { AT, abort, after, asked, edited, files, NEWER, ONE, requested, stands } from '../../support/ladder-stands.ts';
import { ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

const HEALTHY = [
  'StepReady: step 1/3, template: vllm-canary',
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
  'Promoted: promote, primary',
  'RouteRestored: promote, route-restored',
  'hold GracePeriod Draining',
  'Settled: settled',
  'hold ',
];

test('a healthy release, rung by rung, and rest', () => expect(passes(requested).told).toEqual(HEALTHY));

test('after it everything is as before but for the template, our annotations and our documents', () => {
  const { stand } = passes(requested);
  expect(stand.texts.get(ROUTE_FILE)).toBe(files.get(ROUTE_FILE));
  expect(stand.texts.get(SERVICE_FILE)?.startsWith(files.get(SERVICE_FILE) ?? '?')).toBe(true);
  expect(stand.texts.get(LWS_FILE)).not.toMatch(/tranche.dev\/(step|rung|restore)/);
  expect(stand.texts.get(LWS_FILE)).toContain(`partition: ${SENTINEL}`);
});

test('a second release starts with the groups of none, and takes the same rungs', () => {
  const { stand } = passes(requested);
  const told = passes(asked({ ...stand, stable: stand.stable }, NEW, NEWER)).told;
  expect(told.slice(0, 3)).toEqual(HEALTHY.slice(0, 3));
  expect(told.at(-2)).toBe('Settled: settled');
});

type Row = readonly [what: string, stand: Stand, found: Found, told: readonly string[]];

const DEAD: Found = { view: { second: '0:G- 1:G- 2:G- 3:G-' } };
const WAITS = ['Aborted: rollback, template', 'hold NotServing'];
const LOST: Found = { view: { own: '0:O- 1:O- 2:O- 3:O-' } };
const UNREAD: Found = { snapshot: { traffic: undefined } };
const FRESH: Found = { view: { own: '0:G+ 1:G+ 2:G+ 3:G+', ownLws: { uid: 'another' } } };
const HALF: Found = { view: { own: '0:O+ 1:O+ 2:G+ 3:G+' } };
const BACK = ['hold Draining', 'RolledBack: rolled back', 'hold '];
const paused = (stand: Stand): Stand => edited(stand, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');

/** A template that was aborted before its first step, a release that goes to the primary, and the template aborted again. */
function unwanted(): Stand {
  const asks = asked(passed(settledOn(files)).stand, OLD, NEWER);
  const order = { intents: { abort: `${releaseDigest(asks)}.2` } };
  const withdrawn = passed(asks, order).stand;
  return asked(after(AT.primary, asked(withdrawn, OLD, NEW)), NEW, NEWER);
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
  ['abort, at the template', stands.text, abort(stands.text), ['Aborted: rollback, route-restored', ...BACK.slice(1)]],
  ['abort, at the groups', stands.pods, abort(stands.pods), ['Aborted: rollback, route-restored', ...BACK.slice(1)]],
  ['abort, with a share', stands.second, abort(stands.second), ['Aborted: rollback, route-restored', ...BACK]],
  ['abort, paused', paused(stands.second), abort(stands.second), ['Aborted: rollback, route-restored', ...BACK]],
  ['the stable template put back', asked(stands.second, NEW, OLD), {}, ['Reverted: rollback, route-restored', ...BACK]],
  [
    'abort, nothing else read',
    stands.second,
    { ...UNREAD, ...abort(stands.second) },
    ['Aborted: rollback, route-restored', 'hold ClusterUnreadable'],
  ],
  ['abort, the primary serves nothing', stands.second, { ...LOST, ...abort(stands.second) }, WAITS],
  [
    'abort, in the primary',
    stands.primary,
    abort(stands.primary),
    [
      'Aborted: rollback, primary',
      'RouteRestored: rollback, route-restored',
      'hold Draining',
      'RolledBack: rolled back',
      'hold ',
    ],
  ],
  [
    'abort, in the primary, the new version serves nothing',
    stands.primary,
    { ...DEAD, ...abort(stands.primary) },
    ['Aborted: rollback, primary', ...BACK],
  ],
  ['abort, on stable', stands.home, abort(stands.home), ['Aborted: rollback, primary', ...BACK.slice(1)]],
])('rollback: %s', (_, stand, found, told) => expect(passes(stand, { found: () => found }).told).toEqual(told));

test('rollback: all re-created on the release, as from the primary', () => {
  const first = stands.second;
  const found = (now: Stand): Found => (now === first ? { ...FRESH, ...abort(first) } : abort(first));
  expect(passes(first, { found }).told).toEqual([
    'Aborted: rollback, primary',
    'RouteRestored: rollback, route-restored',
    ...BACK,
  ]);
});

test.each<Row>([
  [
    'in steps, by its own step 1 through no groups',
    asked(stands.second, NEW, NEWER),
    {},
    [
      'Superseded: step 1/3, route-restored',
      'hold GracePeriod Draining',
      'CanaryEmptied: step 1/3, empty: canary 2 → 0',
      ...HEALTHY,
    ],
  ],
  ['in steps, the primary serves nothing', asked(stands.second, NEW, NEWER), LOST, ['hold StableNotServing']],
  [
    'in the primary, stopped where it is',
    asked(stands.primary, NEW, NEWER),
    {},
    [
      'Superseded: step 1/3, stopped',
      'RouteRestored: step 1/3, route-restored',
      'hold GracePeriod Draining',
      'CanaryEmptied: step 1/3, empty: canary 4 → 0',
      ...HEALTHY,
    ],
  ],
  [
    'on stable, queued',
    asked(stands.home, NEW, NEWER),
    {},
    ['hold GracePeriod Draining RequestQueued', 'Settled: settled', ...HEALTHY],
  ],
])('a newer template: %s', (_, stand, found, told) => expect(passes(stand, { found: () => found }).told).toEqual(told));

test('a newer template on a rollback whose primary a hand has released for update: no group goes before its last requests are answered', () => {
  const home = passed(stands.second, abort(stands.second)).stand;
  const loose = asked(asked(home, `partition: ${SENTINEL}`, 'partition: 3'), OLD, NEWER);
  const soon = { ...loose, now: home.now - 3600 };
  const stopped = passed(soon);
  expect(stopped.told).toBe('Superseded: step 1/3, stopped');
  expect(passed({ ...stopped.stand, now: soon.now + 30 }).told).toBe('hold Draining');
  expect(passed({ ...stopped.stand, now: soon.now + 90 }).told).toBe('CanaryEmptied: step 1/3, empty: canary 2 → 0');
});

test('a newer template in the primary is stopped, and the rollback from its steps is that of the primary', () => {
  const stopped = after('step 1/3, stopped', asked(stands.primary, NEW, NEWER));
  expect(passes(stopped, { found: () => abort(stopped) }).told).toEqual([
    'Aborted: rollback, primary',
    'RouteRestored: rollback, route-restored',
    ...BACK,
  ]);
});

test('a template that was aborted is stopped in the primary, and the release goes on once it is gone', () => {
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
    'in a step, until someone accepts it',
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
    'in the primary, which goes on',
    stands.primary,
    DEAD,
    [
      'TrafficWithdrawn: promote, traffic withdrawn',
      'RouteRestored: promote, route-restored',
      'Settled: settled',
      'hold ',
    ],
  ],
  [
    'not where nobody serves',
    stands.second,
    { view: { ...DEAD.view, ...LOST.view } },
    ['hold GracePeriod GroupsNotReady StableNotServing', 'hold GroupsNotReady StableNotServing'],
  ],
  ['not where that cannot be read', stands.second, UNREAD, ['hold ClusterUnreadable']],
])('withdrawn: %s', (_, stand, found, told) => expect(passes(stand, { found: () => found }).told).toEqual(told));

test('the share that was taken back comes again when someone accepts that, and once only', () => {
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

test('at rest a route that sends to the new version goes to stable, and nothing else changes', () => {
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
    'the template of the copy',
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
    ['Aborted: rollback, route-restored'],
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
    'locked in a step',
    asked(stands.second, /partition: 1000000/, 'partition: 2'),
    {},
    ['PartitionRestored: step 2/3, partition 2 → 1000000'],
  ],
])('a partition that a hand has written: %s', (_, stand, found, told) =>
  expect(passed(stand, found).told).toBe(told[0]),
);

const raised = asked(stands.primary, /partition: 0/, 'partition: 3');

test('a primary that someone has stopped by its partition waits for someone', () => {
  for (const stand of [raised, asked(stands.primary, /partition: 0/, 'partition: 1000000')]) {
    expect(passed(stand).told).toBe('hold PartitionEdited');
    expect(passed(stand, abort(stand)).told).toBe('Aborted: rollback, primary');
  }
});

test('a primary that someone has stopped goes on when someone accepts that', () => {
  const held = passed(raised).plan.holds.find(({ reason }) => reason === 'PartitionEdited');
  expect(held?.facts).toEqual({ partition: 3, expected: 0 });
  const accept = `PartitionEdited@${releaseIn(raised)}#${factsDigest(held?.facts ?? {})}`;
  expect(passed(raised, { intents: { accept } }).told).toBe('PartitionRestored: promote, partition 3 → 0');
  const again = asked(passed(raised, { intents: { accept } }).stand, /partition: 0/, 'partition: 3');
  expect(passed(again, { intents: { accept } }).told, 'stopped once more').toBe('hold PartitionEdited');
  expect(passed(again, abort(again)).told).toBe('Aborted: rollback, primary');
});

test.each<Row>([
  ['paused before it starts', paused(requested), {}, ['hold Paused']],
  [
    'a document of that name is somebody else’s',
    edited(asked(after('settled'), NEW, NEWER), LWS_FILE, /tranche.dev\/made-for: .*/, 'example.com/of: them'),
    {},
    ['hold CanaryEdited'],
  ],
  ['its Rollout is gone', stands.second, { snapshot: { rollout: undefined } }, ['hold LockedWithoutRollout']],
  [
    'its Rollout asks for another strategy',
    stands.second,
    { snapshot: { rollout: steppedIn(stands.second) } },
    ['hold FrozenFieldChanged'],
  ],
  ['paused between two rungs', paused(stands.pods), {}, ['hold Paused']],
  ['the route was not taken up', stands.traffic, { view: { route: () => ({ spec: {} }) } }, ['hold NotApplied']],
  ['groups not ready', stands.pods, { view: { second: '0:G-' } }, ['hold GroupsNotReady NotServing']],
  ['the primary serves nothing', stands.pods, LOST, ['hold NotServing StableNotServing']],
  ['all re-created on the release', stands.second, FRESH, ['hold Recreated']],
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
    ['StepReady: step 1/3, template: vllm-canary'],
  ],
  [
    'a wrong file',
    stands.pods,
    {
      snapshot: { issues: [{ file: 'a.yaml', line: 1, path: '', reason: 'Wrong', message: 'wrong', hint: 'mend it' }] },
    },
    ['hold Stalled'],
  ],
  ['groups released for update by a hand before it starts', requested, HALF, ['hold MixedRevisions']],
  ['all of it on the request before it starts', requested, FRESH, ['hold MixedRevisions Recreated']],
  [
    'one group, and a last step that does not carry all',
    requested,
    {
      snapshot: {
        issues: [
          {
            file: 'rollouts/vllm.yaml',
            line: 9,
            path: '',
            reason: 'PrimaryNotCovered',
            message: 'so',
            hint: 'mend it',
          },
        ],
      },
    },
    ['hold PrimaryNotCovered'],
  ],
  [
    'the template to go back to is not found',
    stands.second,
    { snapshot: { stable: { kind: 'absent' } } },
    ['hold GracePeriod StableUnavailable'],
  ],
])('held: %s', (_, stand, found, told) => expect(passed(stand, found).told).toBe(told[0]));

test('all re-created, and accepted: the promotion goes on', () => {
  const held = passed(stands.second, FRESH).plan.holds[0]?.facts;
  const accept = `Recreated@${releaseIn(stands.second)}#${factsDigest(held ?? {})}`;
  expect(passed(stands.second, { ...FRESH, intents: { accept } }).told).toBe('Promoted: promote, primary');
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
    'an edit of the step is not lost by a commit that only locks the primary again',
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
    'StepReady: step 1/2, template: vllm-canary',
    'RungReady: step 1/2, pods: canary 0 → 1',
    'hold PauseDuration',
    'StepReady: step 2/2, pods: canary 1 → 4',
    'hold PauseDuration',
    'Promoted: promote, primary',
    'RouteRestored: promote, route-restored',
    'Settled: settled',
    'hold ',
  ]);
});

/** Of the two groups that are on the release the lower one does not come up. */
const BROKEN = '0:O+ 1:O+ 2:G- 3:G+';

test('rollback: a broken group of the primary has spent the budget, which is raised, and put back in the end', () => {
  const first = passed(stands.primary, { view: { own: BROKEN }, ...abort(stands.primary) });
  expect(first.told).toBe('Aborted: rollback, primary');
  expect(first.stand.texts.get(LWS_FILE)).toContain('maxUnavailable: 2');
  const { told, stand } = passes(first.stand);
  expect(told.at(-2)).toBe('RolledBack: rolled back');
  expect(stand.texts.get(LWS_FILE)).toContain('maxUnavailable: 1 ');
});

test('rollback: started unseen, the budget is raised once a broken group is found in the way', () => {
  const { live } = snapshotAt(stands.primary);
  const unread = { snapshot: { live: { ...live, lws: unknown('forbidden') } }, ...abort(stands.primary) };
  const first = passed(stands.primary, unread);
  expect(first.told).toBe('Aborted: rollback, primary');
  expect(first.stand.texts.get(LWS_FILE)).toContain('maxUnavailable: 1 ');
  const stuck = passed(first.stand, { view: { own: '0:G+ 1:G+ 2:O- 3:O+' } });
  expect(stuck.told).toBe('BudgetRaised: rollback, budget');
  expect(stuck.stand.texts.get(LWS_FILE)).toContain('maxUnavailable: 2');
  expect(passes(stuck.stand).told.at(-2)).toBe('RolledBack: rolled back');
});

test('one group: the canary takes all requests before the primary is released for update, and again before it goes back', () => {
  const start = asked(passed(settledOn(ONE)).stand, OLD, NEW);
  expect(passes(start).told).toEqual([
    'StepReady: step 1/2, template: vllm-canary',
    'RungReady: step 1/2, pods: canary 0 → 1',
    'RungReady: step 1/2, traffic: – → 5%',
    'hold GracePeriod',
    'hold PauseDuration',
    'StepReady: step 2/2, traffic: 5% → 100%',
    'hold GracePeriod Draining',
    'hold PauseDuration',
    'Promoted: promote, primary',
    'RouteRestored: promote, route-restored',
    'hold GracePeriod Draining',
    'Settled: settled',
    'hold ',
  ]);
  const home = after(AT.home, start);
  expect(passes(home, { found: () => abort(home) }).told).toEqual([
    'Aborted: rollback, all: – → 100%',
    'hold GracePeriod Draining',
    'Aborted: rollback, primary',
    'RouteRestored: rollback, route-restored',
    'hold Draining',
    'RolledBack: rolled back',
    'hold ',
  ]);
});

test('rollback of one group: requests stay where they are until it is on the stable template', () => {
  const primary = after('promote, primary', asked(passed(settledOn(ONE)).stand, OLD, NEW));
  const { stand } = passed(primary, abort(primary));
  expect(passed(stand, { view: { own: '0:O+' } }).told).toBe('hold GroupsNotUpdated');
  expect(passed(stand, { view: { own: '0:G+' } }).told).toBe('RouteRestored: rollback, route-restored');
});

test('a second newer template: the rollback is still that of the primary that was released for update', () => {
  const stopped = after('step 1/3, stopped', asked(stands.primary, NEW, NEWER));
  const { stand } = passed(asked(after(AT.pods, stopped), NEWER, NEWER.replace(/99$/, '77')));
  expect(passed(stand, abort(stand)).told).toBe('Aborted: rollback, primary');
});

test('groups that went by a partition of a hand, or by an object re-created: the rollback is that of the primary', () => {
  const hand = asked(stands.second, /partition: 1000000/, 'partition: 2');
  const back = passed(hand);
  expect(back.told).toBe('PartitionRestored: step 2/3, partition 2 → 1000000');
  expect(passed(back.stand, abort(back.stand)).told).toBe('Aborted: rollback, primary');
  const fresh = { ...stands.second, record: undefined };
  expect(passed(fresh, { view: { own: '0:O+ 1:O+ 2:G+ 3:G+' }, ...abort(fresh) }).told).toBe(
    'Aborted: rollback, primary',
  );
});

test.each<readonly [string, (stand: Stand) => Found]>([
  ['nothing was read', () => UNREAD],
  ['the agent was slow', () => ({ view: { route: () => parse(files.get(ROUTE_FILE) ?? '') } })],
])('a share that was never seen is drained all the same: %s', (_, found) => {
  const shared = passed(stands.pods).stand;
  const back = passed(shared, { ...found(shared), ...abort(shared) });
  expect(back.told).toBe('Aborted: rollback, route-restored');
  expect(passed(back.stand).told).toBe('hold Draining');
});
