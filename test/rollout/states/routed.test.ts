/** The rows of a partition delivery whose Rollout routes traffic: two versions of one workload share its requests. */

import { expect, test } from 'vitest';
import { known, unknown } from '../../../src/api/known.ts';
import { NO_RULES } from '../../../src/api/policy-rules.ts';
import { SENTINEL } from '../../../src/api/workload.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { abort, after, asked, edited, NEWER } from '../../support/ladder-stands.ts';
import { ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

const STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 50%, traffic: 20%, pause: {duration: 60}',
  'replicas: 100%',
];
const files = ladderFiles(ladderRollout('partition', STEPS));
const requested = asked(passed(settledOn(files)).stand, OLD, NEW);

const TO_SECOND = [
  'hold GracePeriod',
  'hold PauseDuration',
  'StepReady: step 2/3, partition 3 → 2',
  'RungReady: step 2/3, traffic: 5% → 20%',
];
const TO_END = [
  'hold GracePeriod',
  'hold PauseDuration',
  'StepReady: step 3/3, route-restored',
  'hold GracePeriod',
  'RungReady: step 3/3, pods, partition 2 → 0',
  `Locked: step 3/3, locked, partition 0 → ${SENTINEL}`,
  'Settled: settled',
  'hold ',
];
const HEALTHY = [
  'StepReady: step 1/3, template',
  'hold GracePeriod',
  `RungReady: step 1/3, pods, partition ${SENTINEL} → 3`,
  'RungReady: step 1/3, traffic: – → 5%',
  ...TO_SECOND,
  ...TO_END,
];

test('a healthy release, rung by rung, and rest', () => expect(passes(requested).told).toEqual(HEALTHY));

test('after it everything is as before but for the template, its label, our annotations and our Service', () => {
  const { stand } = passes(requested);
  expect(stand.texts.get(ROUTE_FILE)).toBe(files.get(ROUTE_FILE));
  expect(stand.texts.get(SERVICE_FILE)?.startsWith(files.get(SERVICE_FILE) ?? '?')).toBe(true);
  expect(stand.texts.get(LWS_FILE)).not.toMatch(/tranche.dev\/(step|rung|restore)/);
  expect(stand.texts.get(LWS_FILE)).toMatch(/tranche.dev\/version: "?[0-9a-f]{32}\.2/);
});

/** One pod a group, and no template of leaders: LWS makes all pods from the one that there is. */
const BARE = ladderFiles(ladderRollout('partition', STEPS), [
  ['    size: 2\n', '    size: 1\n'],
  [/ {4}leaderTemplate:\n(?: {6}.*\n)+/, ''],
]);

test('groups of one pod, without a template of leaders', () => {
  const { told, stand } = passes(asked(passed(settledOn(BARE)).stand, OLD, NEW));
  expect(told).toEqual(HEALTHY);
  const [, template = ''] = (stand.texts.get(LWS_FILE) ?? '').split('    workerTemplate:\n');
  expect(template).toMatch(/^ {6}metadata:\n {8}labels:\n {10}tranche.dev\/version: "[0-9a-f]{32}\.2"$/m);
});

test('a second release tells the stable version by its label, and rests as the first', () => {
  const { stand } = passes(requested);
  const again = asked(
    { ...stand, stable: settledOn(stand.texts).stable, primary: settledOn(stand.texts).primary },
    NEW,
    NEWER,
  );
  const found = (at: Stand): Found => labelled(at, stand);
  const told = passes(again, { found }).told;
  expect(told).toEqual(HEALTHY);
  expect(passed(again, found(again)).stand.texts.get(SERVICE_FILE)).toMatch(/tranche.dev\/version: "?[0-9a-f]{32}\.2/);
});

/** The groups of the stable version carry the label of the release that they came with. */
function labelled(at: Stand, before: Stand): Found {
  const version = /tranche.dev\/version: "([^"]*)"/.exec(before.texts.get(LWS_FILE) ?? '')?.[1];
  const { live } = snapshotAt(at);
  const leaders = live.leaders.kind === 'known' ? live.leaders.value : [];
  const told = leaders.map((leader) => (leader.revisionKey.endsWith('-before') ? { ...leader, version } : leader));
  const reached = { kind: 'known', value: told } as const;
  const slices = ['vllm-svc', 'vllm-svc-canary'].map((service) => ({
    service,
    endpoints: told
      .filter((leader) => service === 'vllm-svc' || leader.version !== version)
      .map(({ name, uid }) => ({ pod: name, uid, ready: true })),
  }));
  const traffic = { endpoints: { kind: 'known', value: slices } as const };
  const snapshot = snapshotAt(at, { view: { traffic } });
  return { view: { traffic }, snapshot: { live: { ...snapshot.live, leaders: reached } } };
}

const AT = {
  text: 'step 1/3, template',
  pods: `step 1/3, pods, partition ${SENTINEL} → 3`,
  traffic: 'step 1/3, traffic: – → 5%',
  second: 'step 2/3, traffic: 5% → 20%',
  home: 'step 3/3, route-restored',
  whole: 'step 3/3, pods, partition 2 → 0',
} as const;
const stands = Object.fromEntries(
  Object.entries(AT).map(([name, subject]) => [name, after(subject, requested)]),
) as Readonly<Record<keyof typeof AT, Stand>>;

/** The step with a share, and an edit of the plan. */
function planned(from: string, to: string): Stand {
  return edited(stands.second, ROLLOUT_FILE, from, to);
}

type Row = readonly [what: string, stand: Stand, found: Found, told: readonly string[]];

/** The record is one that is not understood, and stays so. */
const NEWER_RECORD: Found = { snapshot: { record: undefined, newerRecord: 2 } };
const DEAD: Found = { view: { own: '0:O+ 1:O+ 2:G- 3:G-' } };
const LOST: Found = { view: { own: '0:O- 1:O- 2:G+ 3:G+' } };
const FRESH: Found = { view: { own: '0:G+ 1:G+ 2:G+ 3:G+', ownLws: { uid: 'another' } } };
const UNREAD: Found = { snapshot: { traffic: undefined } };
const paused = (stand: Stand): Stand => edited(stand, ROLLOUT_FILE, 'strategy:\n', 'strategy:\n    paused: true\n');
const ENDED = ['Aborted: rollback', `RolledBack: rolled back, partition 2 → ${SENTINEL}`, 'hold '];
/** From the first share: three groups of the stable version serve, which is enough for all requests. */
const BACK = ['Aborted: rollback', `RolledBack: rolled back, partition 3 → ${SENTINEL}`, 'hold '];

test.each<Row>([
  [
    'at the template: nothing has moved',
    stands.text,
    abort(stands.text),
    ['Aborted: rollback', 'RolledBack: rolled back', 'hold '],
  ],
  [
    'with a share: route restored first, then its last requests',
    stands.traffic,
    abort(stands.traffic),
    ['Aborted: rollback, route-restored', 'hold GracePeriod Draining', ...BACK],
  ],
  [
    'paused, with a share',
    paused(stands.traffic),
    abort(stands.traffic),
    ['Aborted: rollback, route-restored', 'hold GracePeriod Draining', ...BACK],
  ],
  [
    'with a share, and it serves nothing: one commit',
    stands.second,
    { ...DEAD, ...abort(stands.second) },
    ['Aborted: rollback'],
  ],
  [
    'recreated with a share: its requests find all groups first',
    stands.second,
    { view: { own: '0:G- 1:G- 2:G- 3:G-', ownLws: { uid: 'another' } }, ...abort(stands.second) },
    ['Aborted: rollback, route-restored', 'hold GracePeriod', 'Aborted: rollback, partition 2 → 0'],
  ],
  [
    'with a share, and nothing else serves',
    stands.second,
    { ...LOST, ...abort(stands.second) },
    ['hold StableNotServing'],
  ],
  [
    'with a share, and nothing else serves, at once: every request would fail',
    stands.second,
    { ...LOST, intents: { abort: `${abort(stands.second).intents?.['abort']} now` } },
    ['hold StableNotServing'],
  ],
  [
    'the same, and someone says that they may',
    stands.second,
    { ...LOST, intents: { abort: `${abort(stands.second).intents?.['abort']} now outage` } },
    ['Aborted: rollback'],
  ],
  [
    'nothing else read',
    stands.second,
    { ...UNREAD, ...abort(stands.second) },
    ['Aborted: rollback, route-restored', 'hold ClusterUnreadable'],
  ],
  [
    'the record is not understood: nobody counts the drain',
    stands.traffic,
    { ...NEWER_RECORD, ...abort(stands.traffic) },
    ['Aborted: rollback, route-restored', 'hold NewerRecord GracePeriod Draining'],
  ],
  [
    'the same, and nobody is to wait',
    stands.second,
    { ...NEWER_RECORD, intents: { abort: `${abort(stands.second).intents?.['abort']} now` } },
    ['Aborted: rollback', `RolledBack: rolled back, partition 2 → ${SENTINEL}`, 'hold NewerRecord'],
  ],
  [
    'on stable, before the whole step',
    stands.home,
    abort(stands.home),
    ['Aborted: rollback, route-restored', ...ENDED],
  ],
  [
    'on stable, and it serves nothing: one commit',
    stands.home,
    { ...DEAD, ...abort(stands.home) },
    ['Aborted: rollback'],
  ],
  [
    'at partition 0',
    stands.whole,
    abort(stands.whole),
    ['Aborted: rollback', `RolledBack: rolled back, partition 0 → ${SENTINEL}`, 'hold '],
  ],
  [
    'the stable template put back by someone',
    asked(stands.traffic, NEW, OLD),
    {},
    ['Reverted: rollback', `RolledBack: rolled back, partition 3 → ${SENTINEL}`, 'hold '],
  ],
  [
    'the stable template put back under a raised partition',
    asked(asked(stands.traffic, NEW, OLD), 'partition: 3', `partition: ${SENTINEL}`),
    { view: { own: '0:O+ 1:O+ 2:O+ 3:G+' } },
    ['Reverted: rollback, route-restored', 'hold GracePeriod Draining', `Aborted: rollback, partition ${SENTINEL} → 3`],
  ],
])('rollback: %s', (_, stand, found, told) =>
  expect(passes(stand, { found: () => found }).told.slice(0, told.length)).toEqual(told),
);

test('a drain that nobody counts names the order that does not wait for it', () => {
  const found = { ...NEWER_RECORD, ...abort(stands.traffic) };
  const { stand } = passes(stands.traffic, { found: () => found, most: 1 });
  const [held] = passed(stand, found).plan.holds.filter(({ reason }) => reason === 'Draining');
  expect(held?.message).toContain('No record counts them, and HTTPRoute chat, ');
  const [undated] = passed(stand, { ...found, view: { written: 0 } }).plan.holds.filter(
    ({ reason }) => reason === 'Draining',
  );
  expect(undated?.message).toContain('and no commit of main is found that brought this rollback as it is. It counts');
  expect(held?.message).toMatch(/though requests may be in progress: tranche abort \S+ --now$/);
});

/** Where the stable template is in Git: the groups that are not release yet are on the release that was aborted. */
function takenBack(stand: Stand, more: Found = {}): Found {
  const text = stand.texts.get(LWS_FILE) ?? '';
  if (!/tranche.dev\/rung: "back"/.test(text)) return { ...abort(stands.second), ...more };
  const given = /tranche.dev\/aborted: "([^"]*)"/.exec(text)?.[1];
  const partition = Number(/partition: (\d+)/.exec(text)?.[1]);
  const stableKey = 'key-vllm-before';
  const { live, traffic } = snapshotAt(stand);
  const [leaders, leaderSet, workerSets] = [live.leaders, live.leaderSet, live.workerSets];
  if (leaders.kind !== 'known' || leaderSet.kind !== 'known' || workerSets.kind !== 'known') throw new Error('unread');
  const isGiven = (index: number): boolean => index >= 2 && index < partition;
  const told = leaders.value.map((leader) =>
    isGiven(leader.groupIndex)
      ? { ...leader, revisionKey: 'key-vllm-given', version: given }
      : { ...leader, revisionKey: stableKey, version: undefined },
  );
  const sets = workerSets.value.map((set) => ({
    ...set,
    revisionKey: isGiven(set.groupIndex ?? 0) ? 'key-vllm-given' : stableKey,
  }));
  const slices = ['vllm-svc', 'vllm-svc-canary'].map((service) => ({
    service,
    endpoints: told
      .filter((leader) => (service === 'vllm-svc') === (leader.revisionKey === stableKey))
      .map(({ name, uid }) => ({ pod: name, uid, ready: true })),
  }));
  const set = { ...leaderSet.value, revisionKey: stableKey };
  return {
    ...more,
    snapshot: {
      live: {
        ...live,
        leaders: { kind: 'known', value: told },
        leaderSet: { kind: 'known', value: set },
        workerSets: { kind: 'known', value: sets },
      },
      ...(traffic === undefined ? {} : { traffic: { ...traffic, endpoints: { kind: 'known', value: slices } } }),
    },
  };
}

const FIRST = 'Aborted: rollback, partition 2 → 4';
const WEIGHTED = [
  FIRST,
  'RollbackWidened: rollback, partition 4 → 3',
  'RouteRestored: rollback, traffic: 20% → –',
  'hold GracePeriod',
  'RollbackWidened: rollback, partition 3 → 2',
  `RolledBack: rolled back, partition 2 → ${SENTINEL}`,
];

test.each<readonly [what: string, stand: Stand, found: (stand: Stand) => Found, told: readonly string[]]>([
  ['a share below what suits it stays, and its groups go one at a time', stands.second, takenBack, WEIGHTED],
  [
    'nobody is to wait any more: the rest at once',
    after(FIRST.slice('Aborted: '.length), stands.second, abort(stands.second)),
    (stand) => takenBack(stand, { intents: { abort: `${abort(stands.second).intents?.['abort']} now` } }),
    ['RouteRestored: rollback, traffic: 20% → –', 'RollbackWidened: rollback, partition 4 → 2'],
  ],
])('too few groups of the stable version: %s', (_, stand, found, told) =>
  expect(passes(stand, { found, most: told.length }).told).toEqual(told),
);

test('after a rollback the Service and the route are as they were', () => {
  const { stand } = passes(stands.second, { found: () => abort(stands.second) });
  expect(stand.texts.get(ROUTE_FILE)).toBe(files.get(ROUTE_FILE));
  expect(stand.texts.get(SERVICE_FILE)?.startsWith(files.get(SERVICE_FILE) ?? '?')).toBe(true);
  expect(stand.texts.get(LWS_FILE)).not.toMatch(/tranche.dev\/(step|rung|restore|version)/);
});

const NEWER_TEMPLATE = asked(stands.second, NEW, NEWER);

/** An autoscaler may own the number of groups, and nobody can tell. */
function uncounted(stand: Stand): Found {
  const view = { ownLws: { replicas: 5 } };
  return { view, snapshot: { live: { ...snapshotAt(stand, { view }).live, scaler: unknown('forbidden') } } };
}

test('an autoscaler has fewer groups than the file: the step that releases all of them leaves the Service as it is', () => {
  const view = { own: '0:O+', ownLws: { replicas: 1 } };
  const scaler = known('tranche.yaml, autoscaled');
  const found = (stand: Stand): Found => ({
    view,
    snapshot: { live: { ...snapshotAt(stand, { view }).live, scaler } },
  });
  const { told, stand } = passes(requested, { found, most: 3 });
  expect(told).toEqual([
    'StepReady: step 1/3, template',
    `RungReady: step 1/3, pods, partition ${SENTINEL} → 0`,
    'hold GroupsNotUpdated',
  ]);
  const [own = ''] = (stand.texts.get(SERVICE_FILE) ?? '').split('---\n');
  expect(own).not.toMatch(/tranche.dev\/version|template-revision-hash/);
});

test.each<readonly [what: string, own: string, isKept: boolean]>([
  ['no group has loaded it', '0:O+ 1:O+ 2:O+ 3:O+', false],
  ['a group has loaded it', '0:O+ 1:O+ 2:O+ 3:G+', true],
])('a newer template under a partition that a hand has raised: %s', (_, own, isKept) => {
  const restored = after('step 2/3, route-restored', NEWER_TEMPLATE);
  const raised = asked(restored, 'partition: 2', 'partition: 4');
  const { told, stand } = passes(raised, { found: () => ({ view: { own } }), most: 2 });
  expect(told.at(-1)).toMatch(/^(Superseded|StepReady): step 1\/3/);
  const labelIn = ({ texts }: Stand) => /tranche.dev\/version: "([^"]*)"/.exec(texts.get(LWS_FILE) ?? '')?.[1];
  expect(labelIn(stand) === labelIn(raised)).toBe(isKept);
});

const labelOf = (stand: Stand): Stand => asked(stand, /(tranche.dev\/version: ")[^"]*/, '$1another');
const unshared = (stand: Stand): Stand => edited(stand, ROUTE_FILE, /weight: 80/, 'weight: 60');

test.each<Row>([
  [
    'a share that nothing of the release serves',
    stands.second,
    DEAD,
    ['TrafficWithdrawn: step 2/3, traffic withdrawn'],
  ],
  ['a share, and nothing of the stable version serves', stands.second, LOST, ['hold']],
  [
    'a newer template with a share',
    asked(stands.second, NEW, NEWER),
    {},
    ['RouteRestored: step 2/3, route-restored', 'hold GracePeriod', 'Superseded: step 1/3'],
  ],
  [
    'a newer template while paused',
    paused(asked(stands.second, NEW, NEWER)),
    {},
    ['RouteRestored: step 2/3, route-restored'],
  ],
  ['a newer template without a share', asked(stands.pods, NEW, NEWER), {}, ['Superseded: step 1/3']],
  [
    'another share in the plan',
    planned('20%', '10%'),
    {},
    ['hold GracePeriod', 'StepsEdited: step 2/3, traffic: 20% → 10%'],
  ],
  [
    'no share in the plan',
    planned(', traffic: 20%', ''),
    {},
    ['hold GracePeriod', 'StepsEdited: step 2/3, route-restored'],
  ],
  [
    'all groups in the plan',
    planned('50%, traffic: 20%', '99%'),
    {},
    ['hold GracePeriod', 'hold PauseDuration', 'StepsEdited: step 2/3, route-restored', 'hold GracePeriod'],
  ],
  [
    'a newer template, and N is not known',
    NEWER_TEMPLATE,
    uncounted(NEWER_TEMPLATE),
    ['RouteRestored: step 2/3, route-restored', 'hold ScalerUnreadable'],
  ],
  ['the label edited with a share', labelOf(stands.second), {}, ['RouteRestored: step 2/3, label']],
  ['the label edited at the template', labelOf(stands.text), {}, ['RouteRestored: step 1/3, label']],
  ['a weight edited by hand', unshared(stands.second), {}, ['hold GracePeriod CanaryEdited']],
  ['recreated with a share', stands.second, FRESH, ['RouteRestored: step 2/3, route-restored', 'hold Recreated']],
  [
    'a leader that the Service does not reach yet',
    stands.text,
    { view: { withoutEndpoint: ['vllm-1'] } },
    ['hold EndpointsElsewhere'],
  ],
  ['the release serves nobody yet', stands.pods, { view: { withoutEndpoint: ['vllm-3'] } }, ['hold NotServing']],
  [
    'endpoints not readable',
    stands.text,
    { view: { traffic: { endpoints: unknown('forbidden') } } },
    ['hold ClusterUnreadable'],
  ],
])('held or protected: %s', (_, stand, found, told) => {
  const now = passes(stand, { found: () => found, most: told.length }).told;
  expect(now.map((one, at) => one.slice(0, told[at]?.length))).toEqual(told);
});

test('a share edited while the groups of its step come up is held to the limits of policies', () => {
  const policy = { ...NO_RULES, maxFirstTrafficPercent: 10 };
  const told = (share: string): string =>
    passed(edited(stands.pods, ROLLOUT_FILE, 'traffic: 5%', `traffic: ${share}`), { snapshot: { policy } }).told;
  expect(told('10%')).toBe('RungReady: step 1/3, traffic: – → 10%');
  expect(told('11%')).toBe('hold ShareTooLarge');
});

test('refused before the first commit: extra groups', () => {
  expect(passed(requested, { snapshot: { policy: { ...NO_RULES, surge: 1 } } }).told).toBe('hold SurgeRefused');
});

test('refused before the first commit: a Service of somebody else', () => {
  const own = files.get(SERVICE_FILE) ?? '';
  const theirs = `${own}---\n${own.replace('name: vllm-svc', 'name: vllm-svc-canary')}`;
  const stand = { ...requested, texts: new Map([...requested.texts, [SERVICE_FILE, theirs]]) };
  expect(passed(stand).told).toBe('hold CanaryEdited');
});

const PINNED = /leaderworkerset.sigs.k8s.io\/template-revision-hash: "?key-vllm-before"?/;
const turned = (stand: Stand, to: string): Stand => edited(stand, SERVICE_FILE, PINNED, to);
const releaseOf = (stand: Stand): string =>
  /tranche.dev\/release: "([^"]*)"/.exec(stand.texts.get(LWS_FILE) ?? '')?.[1] ?? '';
const toRelease = turned(stands.second, `tranche.dev/version: "${releaseOf(stands.second)}"`);
const toNobody = turned(stands.second, 'leaderworkerset.sigs.k8s.io/template-revision-hash: "another"');
const opened = edited(stands.second, SERVICE_FILE, /\n.*template-revision-hash.*/, '');

test.each<Row>([
  ['to the release', toRelease, {}, ['hold GracePeriod CanaryEdited']],
  [
    'to the release, before its share',
    turned(stands.pods, `tranche.dev/version: "${releaseOf(stands.pods)}"`),
    {},
    ['hold CanaryEdited'],
  ],
  ['to nobody', toNobody, {}, ['hold GracePeriod CanaryEdited']],
  ['to all', opened, {}, ['hold GracePeriod CanaryEdited']],
  [
    'to the release, abort',
    toRelease,
    abort(toRelease),
    ['Aborted: rollback, route-restored', 'hold GracePeriod Draining', ...ENDED],
  ],
  ['to all, abort', opened, abort(opened), ['Aborted: rollback, route-restored', 'hold GracePeriod', ...ENDED]],
  [
    'to the release, nothing read, abort',
    toRelease,
    { ...UNREAD, ...abort(toRelease) },
    ['Aborted: rollback, route-restored', 'hold ClusterUnreadable'],
  ],
])('the selector of the Service was edited: %s', (_, stand, found, told) => {
  const all = passes(stand, { found: () => found });
  expect(all.told.slice(0, told.length)).toEqual(told);
  if (all.told.at(-1) === 'hold ')
    expect(all.stand.texts.get(SERVICE_FILE)?.startsWith(files.get(SERVICE_FILE) ?? '?')).toBe(true);
});

test('at rest a Service that names a version is left to lint where all have it, and opened where some have not', () => {
  const { stand } = passes(requested);
  const pin = /(name: vllm-svc\n[^]*?worker-index: "0"\n)/;
  const pinnedTo = (version: string): Stand =>
    edited(stand, SERVICE_FILE, pin, `$1    tranche.dev/version: "${version}"\n`);
  const found = (at: Stand): Found => {
    const { live } = snapshotAt(at);
    const leaders = live.leaders.kind === 'known' ? live.leaders.value : [];
    const told = leaders.map((leader) => ({ ...leader, version: releaseOf(stand) }));
    return { snapshot: { live: { ...live, leaders: { kind: 'known', value: told } } } };
  };
  const told = (at: Stand): readonly string[] => passes(at, { found }).told;
  expect(told(pinnedTo(releaseOf(stand)))).toEqual(['hold ']);
  expect(told(pinnedTo('another'))).toEqual(['TrafficWithdrawn: traffic withdrawn', 'hold ']);
});

test('scaled down past a step before its share: held until someone goes on without it', () => {
  const away = asked(stands.pods, 'replicas: 4', 'replicas: 3');
  expect(passed(away).told).toBe('hold StepScaledAway');
  const accept = `StepScaledAway@${releaseIn(away)}#${factsDigest({ replicas: 3, step: 1 })}`;
  const told = ['hold PauseDuration', 'StepReady: step 2/3, partition 3 → 1', 'RungReady: step 2/3, traffic: – → 20%'];
  expect(passes(away, { found: () => ({ intents: { accept } }), most: told.length }).told).toEqual(told);
});

test('a partition that keeps the groups of a step back, accepted before its share: what to put back', () => {
  const kept = edited(stands.pods, LWS_FILE, 'partition: 3', `partition: ${SENTINEL}`);
  const accept = `PartitionEdited@${releaseIn(kept)}#${factsDigest({ partition: SENTINEL, expected: 3 })}`;
  const of = { view: { own: '0:O+ 1:O+ 2:O+ 3:O+' }, intents: { accept } };
  const { told, plan } = passed(kept, of);
  expect(told).toBe('hold NotServing PartitionEdited');
  expect(plan.holds.map(({ message }) => message).join('\n')).toContain('Put partition 3 back');
});
