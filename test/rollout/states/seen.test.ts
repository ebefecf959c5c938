/** What a delivery with a second workload waits for: each condition of its ladders, seen and not seen. */

import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/api/json.ts';
import { absent, unknown } from '../../../src/api/known.ts';
import { parseLiveService } from '../../../src/api/live-traffic.ts';
import { MARK, type Marks, parseMarks } from '../../../src/api/marks.ts';
import { NO_RULES } from '../../../src/api/policy-rules.ts';
import type { TrafficRecord } from '../../../src/api/record.ts';
import { withAside } from '../../../src/api/restore.ts';
import { hold } from '../../../src/rollout/hold.ts';
import type { Condition } from '../../../src/rollout/ladders/condition.ts';
import { annotationsOf, type Delivery } from '../../../src/rollout/ladders/delivery.ts';
import { differences } from '../../../src/rollout/ladders/differences.ts';
import { trafficAfter } from '../../../src/rollout/ladders/memory.ts';
import { unseen } from '../../../src/rollout/ladders/seen.ts';
import { isAbandoned, serving } from '../../../src/rollout/ladders/traffic-view.ts';
import { climbed, ladderFiles, ladderRollout, placeOf } from '../../support/ladder.ts';
import { emptyRecord } from '../../support/record.ts';
import { NOTHING, NOW, rolloutFile, type ViewChange, viewOf } from '../../support/traffic-view.ts';

const STEPS = ['replicas: 1, traffic: 5%', 'replicas: 100%, traffic: 50%'];
const canary = ladderFiles(ladderRollout('canary', STEPS));
const blueGreen = ladderFiles(ladderRollout('blueGreen', STEPS));

/** What Git has after the commit of this name. */
function after(git: typeof canary, place: string): Delivery {
  const found = climbed(git).find(({ commit }) => placeOf(commit) === place);
  if (found === undefined) throw new Error(`no ${place}`);
  return found.after;
}

const text = after(canary, '1/2 template');
const pods = after(canary, '1/2 pods');
const shared = after(canary, '1/2 traffic');
const home = after(canary, 'promote route-restored');
const matched = after(
  ladderFiles(
    ladderRollout('canary', [
      'replicas: 1, matches: [{headers: [{name: x-canary, value: "1"}]}]',
      'replicas: 1, matches: [{headers: [{name: x-canary, value: "2"}]}]',
    ]),
  ),
  '2/2 traffic',
);
const switched = after(blueGreen, 'promote switch');
const all = after(blueGreen, 'promote all');

const STEPS_OF_TWO = ladderRollout('canary', ['replicas: 2, traffic: 5%']);
const two = after(ladderFiles(STEPS_OF_TWO), '1/1 pods');
/** Half of the groups of a step may fail. */
const tolerated = rolloutFile(STEPS_OF_TWO.replace('      steps:', '      failureThreshold: 50%\n      steps:'));

/** Kruise goes by a grace of 0 in its clean-up alone. */
const atOnce = rolloutFile(
  ladderRollout('canary', STEPS).replace('{service: vllm-svc,', '{service: vllm-svc, gracePeriodSeconds: 0,'),
);

/** All that is remembered has lasted for an hour. */
const long = NOW - 3600;
const MADE_FOR = 'HTTPRoute chat 5 5%';
const lasting = { accepted: { since: long, of: MADE_FOR }, drained: { stable: long, canary: long } };
/** The stable version has got no requests for this long. */
const bakedFor = (seconds: number) => ({ ...lasting, drained: { stable: NOW - seconds, canary: long } });

const live: Condition = { kind: 'live' };
const accepted: Condition = { kind: 'accepted' };
const served = (side: 'stable' | 'canary', groups: number): Condition => ({ kind: 'serving', side, groups });
const ready = (side: 'stable' | 'canary', groups: number): Condition => ({ kind: 'newVersion', side, groups });
const tolerant: Condition = { kind: 'newVersion', side: 'canary', groups: 2, tolerant: true };
const drained = (side: 'stable' | 'canary'): Condition => ({ kind: 'drained', side });
const reached = (side: 'stable' | 'canary'): Condition => ({ kind: 'reached', side });

/** The route with another value at one place of its first parent. */
function saying(condition: { readonly [key: string]: Json }): (route: JsonObject) => JsonObject {
  const parents = [
    {
      parentRef: { name: 'inference' },
      conditions: [
        { type: 'Accepted', status: 'True', observedGeneration: 5, reason: 'Accepted', message: '' },
        {
          type: 'ResolvedRefs',
          status: 'True',
          observedGeneration: 5,
          reason: 'ResolvedRefs',
          message: '',
          ...condition,
        },
      ],
    },
  ];
  return (route) => ({ ...route, status: { parents } });
}

const silent = (route: JsonObject): JsonObject => ({ ...route, status: { parents: [] } });

/** The rule of a step as a server stores it, which knows no names of rules. */
function matching(value: string): (route: JsonObject) => JsonObject {
  const path = { type: 'PathPrefix', value: '/v1' };
  const ref = { group: '', kind: 'Service', port: 80, weight: 1 };
  const timeouts = { request: '30s' };
  const rules = [
    { matches: [{ path }], timeouts, backendRefs: [{ ...ref, name: 'vllm-svc' }] },
    {
      matches: [{ path, headers: [{ type: 'Exact', name: 'x-canary', value }] }],
      timeouts,
      backendRefs: [{ ...ref, name: 'vllm-svc-canary' }],
    },
  ];
  return (route) => ({ ...route, spec: { parentRefs: [{ name: 'inference' }], rules } });
}

const withoutShare = (route: JsonObject): JsonObject => ({
  ...route,
  spec: { rules: [{ backendRefs: [{ name: 'vllm-svc', port: 80 }] }] },
});
/** The same delivery with routes that do not say how long a request may take. */
const unsaid: Delivery = {
  ...home,
  routes: home.routes.map((one) => ({
    ...one,
    route: { ...one.route, value: { ...one.route.value, spec: withoutShare(one.route.value)['spec'] ?? {} } },
  })),
};
const forbidden = unknown(
  'list endpointslices.discovery.k8s.io in llm: forbidden; needs verb list on endpointslices.discovery.k8s.io in namespace llm',
);

/** The workload is there, and LWS has made nothing of it. */
const unmade = { ...viewOf(text).traffic.second, leaderSet: absent };

/** The Service of the new version as an API server gives it back, which fills in the protocol of its ports. */
function withPort(targetPort: number) {
  const { metadata, spec } = shared.canaryService!.value as {
    readonly metadata: JsonObject;
    readonly spec: JsonObject;
  };
  const ports = [{ name: 'http', port: 80, targetPort, protocol: 'TCP' }];
  return parseLiveService({ metadata, spec: { ...spec, ports } });
}

type Row = readonly [what: string, git: Delivery, condition: Condition, change: ViewChange, wanted: string];

test.each<Row>([
  ['all is live', shared, live, {}, 'seen'],
  [
    'the own workload is not live',
    shared,
    live,
    { view: { notApplied: hold('NotApplied', { seen: 'partition is 0', waits: 'controllers' }) } },
    'hold NotApplied',
  ],
  ['the second has other replicas', pods, live, { secondLws: { replicas: 0 } }, 'hold NotApplied'],
  ['the second has another template', text, live, { secondLws: { annotations: {} } }, 'hold NotApplied'],
  ['the second is not there', text, live, { traffic: { second: NOTHING } }, 'hold NotApplied'],
  ['the Service selects others', shared, live, { traffic: { canaryService: absent } }, 'hold NotApplied'],
  ['the Service has another port', shared, live, { traffic: { canaryService: withPort(8000) } }, 'hold NotApplied'],
  ['the Service has its port, filled in', shared, live, { traffic: { canaryService: withPort(8080) } }, 'seen'],
  ['the route has no share yet', shared, live, { route: withoutShare }, 'hold NotApplied'],
  [
    'the route has no share for ten minutes',
    shared,
    live,
    { route: withoutShare, record: { notAppliedSince: NOW - 600 } },
    'hold AgentNotApplying',
  ],
  ['LWS has not made its StatefulSet yet', text, live, { traffic: { second: unmade } }, 'hold NotObserved'],
  [
    'nor has its StatefulSet flipped',
    text,
    { kind: 'flipped', side: 'canary' },
    { traffic: { second: unmade } },
    'hold NotObserved',
  ],
  ['nor does it serve', pods, served('canary', 1), { traffic: { second: unmade } }, 'hold NotObserved'],
  ['LWS has not observed the second', pods, live, { secondLws: { observedGeneration: 2 } }, 'hold NotObserved'],
  ['the Service could not be read', shared, live, { traffic: { service: forbidden } }, 'hold ClusterUnreadable'],

  ['a group serves', pods, served('canary', 1), {}, 'seen'],
  [
    'its leader is no endpoint yet',
    pods,
    served('canary', 1),
    { withoutEndpoint: ['vllm-canary-0'] },
    'hold NotServing',
  ],
  ['its group is not ready', pods, served('canary', 1), { second: '0:G-' }, 'hold NotServing'],
  ['too few of the primary serve', pods, served('stable', 3), { own: '0:G+ 1:G+ 2:G- 3:G-' }, 'hold NotServing'],
  ['enough of the primary serve', pods, served('stable', 3), { own: '0:G+ 1:G+ 2:G+ 3:G-' }, 'seen'],
  [
    'endpoints could not be read',
    pods,
    served('canary', 1),
    { traffic: { endpoints: forbidden } },
    'hold ClusterUnreadable',
  ],
  ['the stable version serves', shared, { kind: 'servingStable', groups: 3 }, { own: '0:O+ 1:O+ 2:O+ 3:O+' }, 'seen'],
  ['only the request serves', shared, { kind: 'servingStable', groups: 3 }, {}, 'hold PrimaryReplaced'],

  ['the groups are on the release', pods, ready('canary', 1), {}, 'seen'],
  ['a group is on another template', pods, ready('canary', 1), { second: '0:O+' }, 'hold GroupsNotUpdated'],
  ['a group is not there yet', pods, ready('canary', 1), { second: '' }, 'hold GroupsNotUpdated'],
  ['a group on the release is not ready', pods, ready('canary', 1), { second: '0:G-' }, 'hold GroupsNotReady'],
  ['one of two is not ready', two, tolerant, { second: '0:G+ 1:G-' }, 'hold GroupsNotReady'],
  ['one of two may fail', two, tolerant, { second: '0:G+ 1:G-', view: { rollout: tolerated } }, 'seen'],
  [
    'one of two may fail, and none is ready',
    two,
    tolerant,
    { second: '0:G- 1:G-', view: { rollout: tolerated } },
    'hold GroupsNotReady',
  ],
  [
    'one of two may fail in a step, and all must be ready to take over',
    two,
    ready('canary', 2),
    { second: '0:G+ 1:G-', view: { rollout: tolerated } },
    'hold GroupsNotReady',
  ],
  ['the second is gone', pods, ready('canary', 1), { traffic: { second: NOTHING } }, 'hold WorkloadAbsent'],
  ['all groups are back on the stable template', home, { kind: 'stableText' }, {}, 'seen'],
  ['a group is not back yet', home, { kind: 'stableText' }, { own: '0:G+ 1:G+ 2:G+ 3:O+' }, 'hold GroupsNotUpdated'],

  ['both have the same template', pods, { kind: 'sameTemplate' }, {}, 'seen'],
  [
    'the copy was changed on its way',
    pods,
    { kind: 'sameTemplate' },
    { secondLws: { content: { leaderWorkerTemplate: { size: 3 } } } },
    'hold CanaryDiffers',
  ],
  ['no pod is left', text, { kind: 'noPods' }, {}, 'seen'],
  ['a pod is left', text, { kind: 'noPods' }, { second: '0:G-' }, 'hold CanaryNotEmpty'],
  ['the StatefulSet has flipped', text, { kind: 'flipped', side: 'canary' }, {}, 'seen'],
  [
    'the StatefulSet has not flipped',
    text,
    { kind: 'flipped', side: 'canary' },
    { unflipped: 'second' },
    'hold StatefulSetNotFlipped',
  ],

  ['the share was accepted long ago', shared, accepted, { record: lasting }, 'seen'],
  ['the share is accepted since now', shared, accepted, {}, 'hold GracePeriod'],
  ['with a grace of 0 in a step, too', shared, accepted, { view: { rollout: atOnce } }, 'hold GracePeriod'],
  ['with a grace of 0 route restored is accepted at once', home, accepted, { view: { rollout: atOnce } }, 'seen'],
  [
    'another share was accepted long ago',
    shared,
    accepted,
    { record: { accepted: { since: long, of: 'HTTPRoute chat 4 0%' } } },
    'hold GracePeriod',
  ],
  ['the share is not live', shared, accepted, { route: withoutShare, record: lasting }, 'hold NotApplied'],
  [
    'a parent refuses the share',
    shared,
    accepted,
    { route: saying({ status: 'False', reason: 'BackendNotFound' }), record: lasting },
    'hold RouteNotAccepted',
  ],
  [
    'a parent has not seen it yet',
    shared,
    accepted,
    { route: saying({ observedGeneration: 4 }), record: lasting },
    'hold RouteNotAccepted',
  ],
  [
    'a parent that never accepted it refuses',
    shared,
    accepted,
    { route: saying({ status: 'False' }), record: { ...lasting, parents: [] } },
    'seen',
  ],

  [
    'a parent that had accepted it says nothing any more',
    shared,
    accepted,
    { route: silent, record: { ...lasting, parents: ['HTTPRoute chat: inference'] } },
    'hold RouteNotAccepted',
  ],
  [
    'a parent that refuses it, and nobody bears out that it did before',
    shared,
    accepted,
    {
      route: saying({ status: 'False' }),
      record: { ...lasting, parents: [] },
      view: { unsigned: {} },
    },
    'hold RouteNotAccepted',
  ],
  [
    'the same, borne out',
    shared,
    accepted,
    { route: saying({ status: 'False' }), record: { ...lasting, parents: [] } },
    'seen',
  ],
  [
    'accepted since ever by a record that nobody bears out',
    shared,
    accepted,
    { record: lasting, view: { unsigned: { rungAt: NOW - 1 } } },
    'hold GracePeriod',
  ],
  ['a parent that has never said a word', shared, accepted, { route: silent, record: lasting }, 'seen'],
  ['the rules of the step before are live', matched, accepted, { route: matching('1') }, 'hold NotApplied'],
  [
    'the rules are live, with what the server fills in',
    matched,
    accepted,
    { route: matching('2'), record: { accepted: { since: long, of: 'HTTPRoute chat 5 0% and 1 rule' } } },
    'seen',
  ],

  ['nobody sends to it for an hour', home, drained('canary'), { record: lasting }, 'seen'],
  ['nobody sends to it since now', home, drained('canary'), {}, 'hold Draining'],
  ['as long as a request may take', home, drained('canary'), { record: { drained: { canary: NOW - 60 } } }, 'seen'],
  [
    'not as long as a policy wants',
    home,
    drained('canary'),
    { record: { drained: { canary: NOW - 60 } }, view: { policy: { ...NO_RULES, drainSeconds: 61 } } },
    'hold Draining',
  ],
  [
    'a policy that wants less takes nothing away',
    home,
    drained('canary'),
    { record: { drained: { canary: NOW - 59 } }, view: { policy: { ...NO_RULES, drainSeconds: 1 } } },
    'hold Draining',
  ],
  [
    'not for 600 s where the route does not say how long, and a policy does',
    unsaid,
    drained('canary'),
    { record: { drained: { canary: NOW - 90 } }, view: { policy: { ...NO_RULES, drainSeconds: 90 } } },
    'seen',
  ],
  [
    'for 600 s where neither says how long',
    unsaid,
    drained('canary'),
    { record: { drained: { canary: NOW - 599 } } },
    'hold Draining',
  ],
  [
    'for as long by a clock that is 130 s ahead of the servers',
    home,
    drained('canary'),
    { record: { drained: { canary: NOW - 189 } }, view: { clockOffSeconds: -130 } },
    'hold Draining',
  ],
  [
    'forged, and the rung is young on main',
    home,
    drained('canary'),
    { record: lasting, view: { unsigned: { rungAt: NOW - 59 } } },
    'hold Draining',
  ],
  [
    'forged, and the rung is as old on main',
    home,
    drained('canary'),
    { record: lasting, view: { unsigned: { rungAt: NOW - 60 } } },
    'seen',
  ],
  [
    'forged, and the route was written later than the rung',
    home,
    drained('canary'),
    {
      record: lasting,
      written: NOW - 59,
      view: { unsigned: { rungAt: NOW - 6000 } },
    },
    'hold Draining',
  ],
  ['the same, and it is borne out', home, drained('canary'), { record: lasting, written: NOW - 59 }, 'seen'],
  [
    'forged for the time to come',
    home,
    drained('canary'),
    { record: { drained: { canary: NOW + 9_000_000 } }, view: { unsigned: { rungAt: NOW - 6000 } } },
    'hold Draining',
  ],
  [
    'forged, and the commit is dated ahead',
    home,
    drained('canary'),
    { record: lasting, view: { unsigned: { rungAt: NOW + 6000 } } },
    'hold Draining',
  ],
  ['the route still sends to it', home, drained('canary'), { route: shareOf(5), record: lasting }, 'hold Draining'],
  ['the primary still gets the rest', shared, drained('stable'), { record: lasting }, 'hold Draining'],
  ['all goes to the new version', all, drained('stable'), { record: lasting }, 'seen'],

  [
    'the Service reaches the new version',
    switched,
    reached('canary'),
    { record: { reached: { since: long, of: 'canary' } } },
    'seen',
  ],
  ['the Service reaches it since now', switched, reached('canary'), {}, 'hold GracePeriod'],
  [
    'the Service reaches the stable version',
    switched,
    reached('stable'),
    { record: lasting },
    'hold EndpointsElsewhere',
  ],
  [
    'the Service reaches nobody',
    switched,
    reached('canary'),
    { second: '0:G- 1:G- 2:G- 3:G-' },
    'hold EndpointsElsewhere',
  ],
  ['the stable version was left long ago', all, { kind: 'bake' }, { record: lasting }, 'seen'],
  ['the stable version was just left', all, { kind: 'bake' }, {}, 'hold Baking'],
  ['the stable version was left ten minutes ago', all, { kind: 'bake' }, { record: bakedFor(600) }, 'seen'],
  [
    'not as long ago as a policy wants',
    all,
    { kind: 'bake' },
    { record: bakedFor(600), view: { policy: { ...NO_RULES, bakeSeconds: 601 } } },
    'hold Baking',
  ],
  [
    'a policy that wants a shorter bake takes nothing away',
    all,
    { kind: 'bake' },
    { record: bakedFor(599), view: { policy: { ...NO_RULES, bakeSeconds: 1 } } },
    'hold Baking',
  ],
  ['people and policies are asked elsewhere', shared, { kind: 'gates' }, {}, 'seen'],
])('seen: %s', (_, git, condition, change, wanted) => {
  const holds = unseen([condition], git, viewOf(git, change));
  expect(holds.map(({ reason }) => `hold ${reason}`).join(', ') || 'seen').toBe(wanted);
});

test('groups that are asked for of the colour that serves no more are named in the bake, with the one that counts', () => {
  const value = JSON.parse(JSON.stringify(all.own.value).replace('"replicas":4', '"replicas":6'));
  const raised: Delivery = { ...all, own: { ...all.own, value } };
  const said = (delivery: Delivery) => unseen([{ kind: 'bake' }], delivery, viewOf(delivery, {}))[0]?.message;
  expect(said(raised)).toMatch(
    /^vllm asks for 6 groups, and all requests are with vllm-green, which asks for 4: its own replicas count from here on; vllm keeps its groups/,
  );
  expect(said(all)).toMatch(/^vllm keeps its groups/);
});

function shareOf(weight: number): (route: JsonObject) => JsonObject {
  const backendRefs = [
    { name: 'vllm-svc', port: 80, weight: 100 - weight },
    { name: 'vllm-svc-canary', port: 80, weight },
  ];
  return (route) => ({ ...route, spec: { rules: [{ backendRefs }] } });
}

test.each<readonly [what: string, git: Delivery, change: ViewChange, wanted: boolean]>([
  ['it serves', shared, {}, false],
  ['its only group died', shared, { second: '0:G-' }, true],
  ['it is not there', shared, { traffic: { second: NOTHING } }, true],
  ['its endpoints could not be read', shared, { second: '0:G+', traffic: { endpoints: forbidden } }, false],
  ['it has no share', pods, { second: '0:G-' }, false],
  ['it has the Service itself', switched, { second: '' }, true],
])('a share is left alone: %s', (_, git, change, wanted) => {
  expect(isAbandoned(git, viewOf(git, change))).toBe(wanted);
});

test('a drain that a clock saw start which was behind the servers counts from the later of both', () => {
  const record = trafficAfter(home, viewOf(home, { view: { clockOffSeconds: 3600 } }));
  expect(record.drained?.canary).toBe(NOW + 3600);
  // The clock is set right, and half a minute has passed.
  const later = viewOf(home, { record, view: { now: NOW + 3630 } });
  expect(unseen([drained('canary')], home, later)).toMatchObject([{ reason: 'Draining' }]);
});

test('a drain counts from when the routes had been read, which a slow pass does long after it started', () => {
  const record = trafficAfter(home, viewOf(home, { view: { readSeconds: 76 } }));
  expect(record.drained?.canary).toBe(NOW + 76);
  // A slow pass has seen no more of a drain than a fast one.
  const view = { now: NOW + 76 + 59, readSeconds: 76 };
  expect(unseen([drained('canary')], home, viewOf(home, { record, view }))).toMatchObject([{ reason: 'Draining' }]);
});

test.each<readonly [what: string, change: (now: Marks) => Partial<Marks>, since: number]>([
  ['of Git', () => ({}), long],
  ['of another step', () => ({ step: { kind: 'step', index: 2, of: 4 } }), NOW],
  ['of another rung', () => ({ at: 'pods' }), NOW],
  [
    'of the same step before an edit',
    ({ restore }) => ({ restore: withAside(restore, { plan: '0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d' }) }),
    NOW,
  ],
  ['of before its share was taken back', ({ restore }) => ({ restore: withAside(restore, { withdrawn: 1 }) }), NOW],
  ['of another release', () => ({ release: { digest: '0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d', serial: 9 } }), NOW],
])('what was waited for is known by a record of the place %s', (_, change, since) => {
  const before: TrafficRecord = { ...lasting, reached: { since: long, of: 'canary' } };
  const seen: readonly (readonly [delivery: Delivery, at: (of: TrafficRecord) => number | undefined])[] = [
    [home, ({ drained: of }) => of?.canary],
    [all, ({ drained: of }) => of?.stable],
    [shared, ({ accepted: of }) => of?.since],
    [switched, ({ reached: of }) => of?.since],
  ];
  for (const [delivery, at] of seen) {
    const written = annotationsOf(delivery.own);
    const release = written[MARK.step]?.split('@')[1] ?? '9c41d2e09c41d2e09c41d2e09c41d2e0.7';
    const annotations = { ...written, [MARK.release]: release };
    const git = { ...delivery, own: { ...delivery.own, value: { ...delivery.own.value, metadata: { annotations } } } };
    const now = parseMarks(annotations);
    if (now === undefined || !('release' in now)) throw new Error('no marks');
    const record = emptyRecord({ traffic: before, marks: { ...now, ...change(now) } });
    expect(at(trafficAfter(git, viewOf(git, { view: { record } })))).toBe(since);
  }
});

test('a leader that was made again is no endpoint of the one before', () => {
  const view = viewOf(pods);
  const slices = view.traffic.endpoints;
  if (slices.kind !== 'known') throw new Error('no endpoints');
  const renewed = slices.value.map((slice) => ({
    ...slice,
    endpoints: slice.endpoints.map((endpoint) => ({ ...endpoint, uid: `${endpoint.uid}-before` })),
  }));
  const traffic = { ...view.traffic, endpoints: { ...slices, value: renewed } };
  expect(serving(pods, { ...view, traffic }, 'canary')).toEqual({ kind: 'known', value: [] });
});

test('each object says its first field that is not what Git says', () => {
  const view = viewOf(shared, { secondLws: { replicas: 2 }, route: shareOf(7) });
  expect(differences(shared, view)).toEqual({
    kind: 'known',
    value: [
      { object: shared.second?.object, field: 'replicas', git: '1', live: '2' },
      { object: shared.routes[0]?.route.object, field: 'share', git: '5%', live: '7%' },
    ],
  });
});
