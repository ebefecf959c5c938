/** The rows of a delivery by blueGreen: two colours that take turns, and the Service that follows. */

import { expect, test } from 'vitest';
import { known, unknown } from '../../../src/api/known.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { NOTHING } from '../../support/traffic-view.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 100%, traffic: 50%, pause: {duration: 60}',
];
const files = ladderFiles(ladderRollout('blueGreen', STEPS));
const NEWER = NEW.replace(/[0-9]+$/, '99');
const NEWEST = NEW.replace(/[0-9]+$/, '98');

/** The template of the user's own document, which is the first of its file. */
function asked(stand: Stand, from: string, to: string): Stand {
  const text = stand.texts.get(LWS_FILE) ?? '';
  const end = text.includes('---') ? text.indexOf('---') : text.length;
  const own = text.slice(0, end).replaceAll(from, to);
  return { ...stand, texts: new Map([...stand.texts, [LWS_FILE, own + text.slice(end)]]) };
}

const workloadDigest = (stand: Stand): string => snapshotAt(stand).workload?.digest ?? '';

const requested = asked(passed(settledOn(files)).stand, OLD, NEW);
const abort = (stand: Stand): Found => ({ intents: { abort: releaseIn(stand) } });

/** The same passes, with the newer template next to whatever they wait for. */
const beside = (told: string): string => (told.startsWith('hold') ? `${told} RequestQueued` : told);

const FIRST = [
  'StepReady: step 1/2, template: vllm-green',
  'RungReady: step 1/2, pods: vllm-green 0 → 1',
  'RungReady: step 1/2, traffic: – → 5%',
  'hold GracePeriod',
  'hold PauseDuration',
  'StepReady: step 2/2, pods: vllm-green 1 → 4',
  'RungReady: step 2/2, traffic: 5% → 50%',
  'hold GracePeriod',
  'hold PauseDuration',
  'Promoted: promote, all: 50% → 100%',
  'hold GracePeriod Draining',
  'RungReady: promote, switch: vllm-svc → vllm-green',
  'hold GracePeriod',
  'RouteRestored: promote, route-restored',
  'hold GracePeriod',
  'Settled: settled',
  'hold ',
];

test('a healthy release, and the next one back to the first colour', () => {
  const { told, stand } = passes(requested);
  expect(told).toEqual(FIRST);
  expect(stand.texts.get(LWS_FILE)).toContain('tranche.dev/serves: "green"');
  const second = passes(asked(stand, NEW, NEWER));
  expect(second.told).toEqual(FIRST.map((line) => line.replaceAll('vllm-green', 'vllm')));
  expect(second.stand.texts.get(LWS_FILE)).not.toContain('tranche.dev/serves');
});

function after(subject: string, start = requested): Stand {
  let stand = start;
  for (let count = 0; count < 40; count += 1) {
    const now = passed(stand);
    stand = now.stand;
    if (now.plan.commit?.subject.endsWith(`): ${subject}`) === true) return stand;
  }
  throw new Error(`no commit ${subject}`);
}

const shared = after('step 2/2, traffic: 5% → 50%');
const all = after('promote, all: 50% → 100%');
const switched = after('promote, switch: vllm-svc → vllm-green');
const home = after('promote, route-restored');
const LOST: Found = { view: { own: '0:O- 1:O- 2:O- 3:O-' } };
const DEAD: Found = { view: { second: '0:G- 1:G- 2:G- 3:G-' } };

const BACK = ['Aborted: rollback, route-restored', 'hold Draining', 'RolledBack: rolled back', 'hold '];
const WITHDRAWN = ['TrafficWithdrawn: promote, traffic withdrawn', 'hold GroupsNotReady NotServing TrafficWithdrawn'];

test.each<readonly [what: string, stand: Stand, found: Found, told: readonly string[]]>([
  ['abort, with a share', shared, abort(shared), BACK],
  ['abort, with all requests', all, abort(all), BACK],
  [
    'abort, switched',
    switched,
    abort(switched),
    ['Aborted: rollback, route-restored', 'hold GracePeriod Draining', 'RolledBack: rolled back', 'hold '],
  ],
  [
    'abort, on stable',
    home,
    abort(home),
    ['Aborted: rollback, route-restored', 'hold GracePeriod Draining', 'RolledBack: rolled back', 'hold '],
  ],
  [
    'withdrawn, with a share',
    shared,
    DEAD,
    ['TrafficWithdrawn: step 2/2, traffic withdrawn', 'hold GroupsNotReady NotServing TrafficWithdrawn'],
  ],
  [
    'the bake is over, and a group of the new colour is not ready: the one before stays',
    home,
    { view: { second: '0:G+ 1:G+ 2:G+ 3:G-' } },
    ['hold GracePeriod GroupsNotReady', 'hold GroupsNotReady'],
  ],
  ['withdrawn, with all requests', all, DEAD, WITHDRAWN],
  ['withdrawn, switched', switched, DEAD, WITHDRAWN],
  [
    'a newer template, in a step',
    asked(shared, NEW, NEWER),
    {},
    [
      'Superseded: step 1/2, route-restored',
      'hold GracePeriod Draining',
      'CanaryEmptied: step 1/2, empty: vllm-green 4 → 0',
      ...FIRST,
    ],
  ],
  [
    'a newer template, with all requests: queued',
    asked(all, NEW, NEWER),
    {},
    [...FIRST.slice(-7, -1).map(beside), ...FIRST.map((line) => line.replaceAll('vllm-green', 'vllm'))],
  ],
  [
    'a newer template, switched: queued',
    asked(switched, NEW, NEWER),
    {},
    [...FIRST.slice(-5, -1).map(beside), ...FIRST.map((line) => line.replaceAll('vllm-green', 'vllm'))],
  ],
  [
    'a newer template, switched, and an abort that does not name it',
    asked(switched, NEW, NEWER),
    abort(switched),
    [
      'Aborted: rollback, route-restored',
      'hold GracePeriod Draining RequestQueued',
      'RolledBack: rolled back',
      ...FIRST,
    ],
  ],
])('%s', (_, stand, found, told) => expect(passes(stand, { found: () => found }).told).toEqual(told));

test('a newer template stays in its file while the requests go back without it', () => {
  const { stand, plan } = passed(asked(home, NEW, NEWER), abort(home));
  expect(plan.commit?.label).toBe('rollback, route-restored');
  expect(plan.commit?.message).toContain('stays in the file');
  expect(stand.texts.get(LWS_FILE)).toContain(NEWER);
  expect(stand.texts.get(SERVICE_FILE)).toMatch(/leaderworkerset.sigs.k8s.io\/name: "?vllm"?\n/);
});

test.each<readonly [what: string, stand: Stand, told: readonly string[]]>([
  ['with its groups', after('step 2/2, pods: vllm-green 1 → 4'), ['RungReady: step 2/2, pods: vllm-green 4 → 2']],
  ['with a share', shared, ['RungReady: step 2/2, pods: vllm-green 4 → 2', 'hold PauseDuration']],
  ['in the first step', after('step 1/2, traffic: – → 5%'), ['hold GracePeriod']],
  ['with all requests', all, ['hold GracePeriod Draining', 'RungReady: promote, switch: vllm-svc → vllm-green']],
])('fewer groups on the way up, %s: followed until all requests go over', (_, stand, told) => {
  const { told: found } = passes(asked(stand, 'replicas: 4', 'replicas: 2'), { most: told.length });
  expect(found).toEqual(told);
});

test.each<readonly [what: string, found: Found, told: string]>([
  ['its template goes back, requests wait', { ...abort(switched), ...LOST }, 'Aborted: rollback, template'],
  ['--now', { intents: { abort: `${releaseIn(switched)} now` }, ...LOST }, 'Aborted: rollback, template'],
  [
    '--accept-outage',
    { intents: { abort: `${releaseIn(switched)} now outage` }, ...LOST },
    'Aborted: rollback, route-restored',
  ],
  [
    'nor does the other one',
    { ...abort(switched), view: { own: '0:O- 1:O- 2:O- 3:O-', second: '0:G- 1:G- 2:G- 3:G-' } },
    'Aborted: rollback, route-restored',
  ],
])('abort, switched, and the colour before serves nothing: %s', (_, found, told) =>
  expect(passed(switched, found).told).toBe(told),
);

test('without a Service: aborted in a step, the rollback settles', () => {
  const start = asked(passed(settledOn(ladderFiles(ladderRollout('blueGreen', STEPS, false)))).stand, OLD, NEW);
  const filled = after('step 1/2, pods: vllm-green 0 → 1', start);
  const { told } = passes(filled, { found: (at) => abort(at) });
  expect(told).toEqual(['Aborted: rollback, route-restored', 'RolledBack: rolled back', 'hold AbortRefused']);
});

test('withdrawn, where no step has a share: all requests return when someone accepts that', () => {
  const unshared = asked(
    passed(settledOn(ladderFiles(ladderRollout('blueGreen', ['replicas: 100%, pause: {duration: 60}'])))).stand,
    OLD,
    NEW,
  );
  const whole = after('promote, all: – → 100%', unshared);
  const { told, stand } = passed(whole, DEAD);
  expect(told).toBe('TrafficWithdrawn: promote, traffic withdrawn');
  expect(passes(stand).told.at(-1)).toBe('hold TrafficWithdrawn');
});

/** No route: the Service sends, and it selects the colour before until the switch. */
const unrouted = ladderRollout('blueGreen', ['replicas: 100%, pause: {duration: 60}']).replace(
  ', gateway: {httpRouteName: chat}',
  '',
);

test('withdrawn, where the Service alone sends: all return when someone accepts that', () => {
  const start = asked(passed(settledOn(ladderFiles(unrouted))).stand, OLD, NEW);
  const { told, stand } = passed(after('promote, switch: vllm-svc → vllm-green', start), DEAD);
  expect(told).toBe('TrafficWithdrawn: promote, traffic withdrawn');
  const held = passes(stand);
  expect(held.told).toEqual(['hold TrafficWithdrawn PauseDuration', 'hold TrafficWithdrawn']);
  const accept = `TrafficWithdrawn@${releaseIn(stand)}#${factsDigest({ times: 1 })}`;
  const again = passed(held.stand, { intents: { accept } });
  expect(again.told).toBe('Promoted: promote, switch: vllm-svc → vllm-green');
  expect(passes(again.stand).told.at(-2)).toBe('Settled: settled');
});

test('withdrawn, switched: the Service and the routes go back together', () => {
  const { stand } = passed(switched, DEAD);
  expect(stand.texts.get(SERVICE_FILE)).toMatch(/selector:\n +leaderworkerset.sigs.k8s.io\/name: "?vllm"?\n/);
  expect(stand.texts.get(ROUTE_FILE)).not.toContain('vllm-svc-canary');
});

/** The user's own is on the release: re-created, all of it; or as far as a hand has let it go. */
const FRESH: Found = { view: { own: '0:G+ 1:G+ 2:G+ 3:G+' } };
const HALF: Found = { view: { own: '0:O+ 1:O+ 2:G+ 3:G+' } };
const byHand = (stand: Stand): Stand => asked(stand, 'partition: 1000000', 'partition: 2');
/** Found once, and the order in every pass. */
const once = (stand: Stand, found: Found, told: readonly string[], order = abort(stand)): Told =>
  [stand, (at) => (at === stand ? { ...found, ...order } : order), told] as const;
type Told = readonly [stand: Stand, found: (at: Stand) => Found, told: readonly string[]];

const PRIMARY_BACK = ['Aborted: rollback, primary', 'RouteRestored: rollback, route-restored'];
const [, , ...SETTLED] = BACK;
const FROM_STEPS = [...PRIMARY_BACK, 'hold Draining', ...SETTLED];
const FROM_SWITCH = [...PRIMARY_BACK, 'hold GracePeriod Draining', ...SETTLED];
const second = passes(requested).stand;
const filledOwn = after('step 2/2, traffic: 5% → 50%', asked(second, NEW, NEWER));
const relocked = passed(byHand(shared), HALF).stand;
const one = after(
  'step 1/1, traffic: – → 50%',
  asked(
    passed(
      settledOn(
        ladderFiles(ladderRollout('blueGreen', ['replicas: 100%, traffic: 50%, pause: {duration: 60}']), [
          ['replicas: 4', 'replicas: 1'],
        ]),
      ),
    ).stand,
    OLD,
    NEW,
  ),
);

const oneUnrouted = after(
  'step 1/1, pods: vllm-green 0 → 1',
  asked(passed(settledOn(ladderFiles(unrouted, [['replicas: 4', 'replicas: 1']]))).stand, OLD, NEW),
);

test.each<readonly [what: string, ...Told]>([
  ['re-created with a share', ...once(shared, FRESH, FROM_STEPS)],
  ['re-created with all requests', ...once(all, FRESH, FROM_STEPS)],
  ['re-created, switched', ...once(switched, FRESH, FROM_SWITCH)],
  ['re-created on stable', ...once(home, FRESH, FROM_SWITCH)],
  ['released for update by a hand', ...once(byHand(shared), HALF, FROM_STEPS)],
  ['released for update by a hand and locked again', ...once(relocked, HALF, FROM_STEPS)],
  [
    're-created, and the new version serves nothing: route restored with the template',
    ...once(switched, { view: { own: '0:G+ 1:G+ 2:G+ 3:G+', second: '0:G- 1:G- 2:G- 3:G-' } }, [
      'Aborted: rollback, primary',
      'hold GracePeriod Draining',
      ...SETTLED,
    ]),
  ],
  [
    'its only group re-created: all requests first',
    ...once(one, { view: { own: '0:G+' } }, [
      'Aborted: rollback, all: 50% → 100%',
      'hold GracePeriod Draining',
      ...FROM_STEPS,
    ]),
  ],
  [
    'its only group re-created, and no route could send elsewhere: it goes back where it is',
    ...once(oneUnrouted, { view: { own: '0:G+' } }, ['Aborted: rollback, primary', ...SETTLED]),
  ],
  [
    'the colour that is filled re-created: it is to be on the release',
    ...once(filledOwn, { view: { own: '0:G+ 1:G+ 2:G+ 3:G+' } }, BACK),
  ],
  [
    'the colour that is filled released for update by a hand: locked with the template',
    ...once(byHand(filledOwn), {}, BACK),
  ],
])('the user’s own, abort: %s', (_, stand, found, told) => {
  const end = passes(stand, { found });
  expect(end.told.map((line) => line.replace('AbortRefused', ''))).toEqual(told);
  const text = end.stand.texts.get(LWS_FILE) ?? '';
  expect(text).not.toMatch(/partition: (?!1000000)/);
  expect(end.stand.texts.get(ROUTE_FILE)).not.toContain('vllm-svc-canary');
});

/** The second document, which serves by then, is taken out of its file. */
const withoutGreen = (stand: Stand): Stand => {
  const [own = ''] = (stand.texts.get(LWS_FILE) ?? '').split(/^---\n/m);
  return { ...stand, texts: new Map([...stand.texts, [LWS_FILE, own]]) };
};
const DEAD_GREEN: Found = { view: { traffic: { second: NOTHING } } };

test.each<readonly [what: string, stand: Stand, found: Found, told: string]>([
  ['settled', second, {}, 'hold CanaryEdited'],
  ['requested', asked(second, NEW, NEWER), {}, 'hold CanaryEdited'],
  ['on stable', after('promote, route-restored', asked(second, NEW, NEWER)), {}, 'hold GracePeriod CanaryEdited'],
  ['in the rollback', passed(filledOwn, abort(filledOwn)).stand, DEAD_GREEN, 'hold EndpointsElsewhere Draining'],
])('the colour that serves is taken out of the files: %s', (_, stand, found, told) => {
  const pass = passed(withoutGreen(stand), found);
  expect(pass.told).toBe(told);
  expect(pass.plan.holds.map(({ message }) => message).join()).toContain(
    'ut it back as the last commit of tranche left it',
  );
});

/** Groups of this notation, where `O` is on neither the stable template nor that of Git. */
function neither(stand: Stand, own: string): Found {
  const { live } = snapshotAt(stand, { view: { own } });
  const revisions = live.revisions.kind === 'known' ? live.revisions.value : [];
  const others = revisions.map((found) => (found.name === 'before' ? { ...found, content: {} } : found));
  return { snapshot: { live: { ...live, revisions: known(others) } } };
}

test('the user’s own was re-created, and nobody could see it: it goes back once that is seen', () => {
  for (const stand of [shared, switched]) {
    const back = passed(stand, abort(stand));
    expect(back.told).toBe('Aborted: rollback, route-restored');
    const widened = passed(back.stand, neither(back.stand, '0:G+ 1:O+ 2:O+ 3:O+'));
    expect(widened.told).toBe('RollbackWidened: rollback, primary');
    expect(passed(widened.stand, neither(widened.stand, '0:G+ 1:G+ 2:G+ 3:O+')).told).toMatch(/^hold GroupsNotUpdated/);
    expect(passes(widened.stand).told.slice(-2)).toEqual(SETTLED);
  }
});

test('the user’s own re-created: held until someone accepts it, and then by the same rungs', () => {
  for (const stand of [shared, all, switched, home]) {
    const held = passed(stand, FRESH);
    expect(held.told).toBe('hold Recreated');
    const accept = `Recreated@${releaseIn(stand)}#${factsDigest(held.plan.holds[0]?.facts ?? {})}`;
    const { told } = passes(held.stand, { found: () => ({ ...FRESH, intents: { accept } }) });
    expect(told).toContain('Settled: settled');
  }
});

test('a newer template that a hand has let roll after the last step is stopped, and waits', () => {
  for (const stand of [all, switched, home]) {
    const newer = asked(byHand(stand), NEW, NEWER);
    const { told } = passes(newer, { most: 1 });
    expect(told[0]).toMatch(/^PartitionRestored: promote, partition 2 → 1000000/);
    expect(passes(newer).told.at(-1)).toBe('hold ');
  }
});

test('a newer template, in the colour that is filled: queued', () => {
  const start = after('promote, all: 50% → 100%', asked(second, NEW, NEWER));
  const queued = asked(start, NEWER, NEWEST);
  const old: Found = { view: { own: '0:O+ 1:O+ 2:O+ 3:O+' } };
  const { told, stand } = passes(queued, { found: () => old, most: 6 });
  expect(told).toContain('hold GracePeriod RequestQueued');
  expect(told.at(-1)).toBe('Settled: settled');
  expect(passed(stand).told).toBe('StepReady: step 1/2, template: vllm-green');
  const two: Found = { view: { own: '0:O+ 1:O+ 2:G+ 3:G+' } };
  expect(passed(queued, two).told).toContain('GroupsNotUpdated');
});

test('another strategy while green serves: held', () => {
  const { stand } = passes(requested);
  const next = asked(stand, NEW, NEWER);
  const { rollout } = snapshotAt(next);
  const canary =
    rollout === undefined ? undefined : { ...rollout, rollout: { ...rollout.rollout, style: 'canary' as const } };
  expect(passed(next, { snapshot: { rollout: canary } }).told).toBe('hold GreenServes');
  // A mere request is aborted at once: nothing moves by that.
  const release = { digest: workloadDigest(next), serial: 3 };
  for (const style of ['canary', 'partition'] as const) {
    const given =
      rollout === undefined
        ? undefined
        : {
            ...rollout,
            rollout: { ...rollout.rollout, style },
            intents: { ...rollout.intents, abort: { release, newer: undefined } },
          };
    expect(passed(next, { snapshot: { rollout: given } }).told).toBe('RequestWithdrawn: withdraw');
  }
});

test.each([
  ['traffic', shared],
  ['all', all],
  ['switch', switched],
  ['route-restored', home],
])('another colour is marked as the one that serves: %s', (at, stand) => {
  const mark = `tranche.dev/rung: "${at}"`;
  const edited = asked(stand, mark, `${mark}\n    tranche.dev/serves: "green"`);
  const { plan } = passed(edited);
  expect(plan.commit).toBeUndefined();
  expect(plan.holds.map(({ message }) => message)).toEqual([expect.stringContaining('To go on: tranche repair vllm')]);
  const selected = at === 'traffic' || at === 'all' ? 'vllm' : 'vllm-green';
  expect(plan.holds[0]?.message).toContain(
    `vllm-green served before this release, and it is the one with its template, and Service vllm-svc selects ${selected}`,
  );
});

test('groups of the colour that does not serve are not taken away before someone has put them back', () => {
  const { stand } = passes(requested);
  // The user's own serves no longer, and its document is the one that people know.
  const scaled = asked(asked(stand, 'replicas: 0', 'replicas: 2'), NEW, NEWER);
  expect(passed(scaled).told).toBe('hold IdleScaled');
  expect(passed(asked(scaled, 'replicas: 2', 'replicas: 0')).told).toBe('StepReady: step 1/2, template: vllm');
  const back = passes(asked(stand, NEW, NEWER)).stand;
  const text = back.texts.get(LWS_FILE) ?? '';
  const green = text.replace(/(name: vllm-green[^]*?replicas: )0/, '$13');
  const other = asked({ ...back, texts: new Map([...back.texts, [LWS_FILE, green]]) }, NEWER, NEW);
  expect(passed(other).told).toBe('hold IdleScaled');
});

/** Settled on green, and on the first colour again. */
const onGreen = passes(requested).stand;
const onOwn = passes(asked(onGreen, NEW, NEWER)).stand;
const SHARED_BY_HAND: Found['view'] = {
  route: (route) => {
    const refs = [
      { name: 'vllm-svc', port: 80, weight: 95 },
      { name: 'vllm-svc-canary', port: 80, weight: 5 },
    ];
    return { ...route, spec: { rules: [{ backendRefs: refs }] } };
  },
};

test('at rest the Service selects the other colour: requests go to the one that serves, once it can take them', () => {
  const of = (file: string): string => switched.texts.get(file) ?? '';
  const service = (all.texts.get(SERVICE_FILE) ?? '').replace('name: vllm-green', 'name: vllm');
  const stray = {
    ...onGreen,
    texts: new Map([...onGreen.texts, [ROUTE_FILE, of(ROUTE_FILE)], [SERVICE_FILE, service]]),
  };
  expect(passed(stray, { view: { second: '0:G- 1:G- 2:G- 3:G-' } }).told).toBe('hold CanaryEdited');
  const { told, stand } = passed(stray);
  expect(told).toBe('TrafficWithdrawn: traffic withdrawn');
  expect(stand.texts.get(SERVICE_FILE)).toContain('name: "vllm-green"');
  expect(stand.texts.get(ROUTE_FILE)).toBe(onGreen.texts.get(ROUTE_FILE));
});

const byApp = known({ name: 'vllm-svc', selector: { app: 'vllm' }, deleting: false });

test.each<readonly [what: string, stand: Stand, view: NonNullable<Found['view']>, told: string]>([
  [
    'green scaled',
    onGreen,
    { secondLws: { replicas: 3 } },
    'Drift: Replicas of LeaderWorkerSet vllm-green is 3 in the cluster, Git says 4',
  ],
  [
    'green edited',
    onGreen,
    { secondLws: { content: {} } },
    'Drift: spec.leaderWorkerTemplate of LeaderWorkerSet vllm-green is another',
  ],
  [
    'green deleted',
    onGreen,
    { traffic: { second: NOTHING } },
    'Drift: LeaderWorkerSet vllm-green is not there in the cluster',
  ],
  [
    'green unready',
    onGreen,
    { second: '0:G+ 1:G- 2:G+ 3:G+' },
    'NotAtRest: vllm-green, which serves: Group 1 is not ready',
  ],
  [
    'green unread',
    onGreen,
    { traffic: { second: { ...NOTHING, lws: unknown('503') } } },
    'ClusterUnreadable: vllm-green, which serves: 503',
  ],
  ['a share', onGreen, SHARED_BY_HAND, 'Drift: Share of HTTPRoute chat is 5% in the cluster, Git says 0%'],
  ['a share, of none', onOwn, SHARED_BY_HAND, 'Drift: Share of HTTPRoute chat is'],
  ['the Service', onGreen, { traffic: { service: byApp } }, 'Drift: '],
  [
    'the idle colour scaled',
    onOwn,
    { secondLws: { replicas: 2 }, second: '0:G+ 1:G+' },
    'Drift: Replicas of LeaderWorkerSet vllm-green is 2 in the cluster, Git says 0',
  ],
])('at rest, edited by hand in the cluster: %s', (_, stand, view, told) => {
  expect(passed(stand).told).toBe('hold ');
  const [first, ...others] = passed(stand, { view }).plan.holds.map(({ reason, message }) => `${reason}: ${message}`);
  expect(first).toContain(told);
  expect(others.filter((other) => !other.startsWith('NotAtRest: vllm-green'))).toEqual([]);
});

test.each<readonly [settledAgo: number, says: string]>([
  [15, 'Waiting for the GitOps agent to apply it'],
  [599, 'Waiting for the GitOps agent to apply it'],
  [600, 'look at its sync errors, and at who else writes it'],
])('what differs %i s after the settling commit is the agent’s turn first, and then somebody’s', (settledAgo, says) => {
  const { stand, plan } = passed(onGreen);
  const fresh = { ...stand, record: { ...plan.record, auditedAt: stand.now - settledAgo } };
  const [drift] = passed(fresh, { view: SHARED_BY_HAND }).plan.holds;
  expect(`${drift?.reason}: ${drift?.message}`).toMatch(/^Drift: /);
  expect(drift?.message).toContain(says);
});

test('the user’s own goes back: the dip in capacity is in the text of the commit', () => {
  const { told, plan } = passed(shared, {
    ...abort(shared),
    view: { own: '0:G+ 1:G+ 2:G+ 3:G+', ownLws: { uid: 'another' } },
  });
  expect(told).toBe('Aborted: rollback, primary');
  const message = plan.commit?.message.replaceAll('\n', ' ');
  expect(message).toContain('Capacity: 4 of 4 groups are ready now, at the lowest 3 while they load');
});
