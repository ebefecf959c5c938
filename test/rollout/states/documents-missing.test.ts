/** A Service or a route that a delivery hangs on is taken out of the files: nothing goes further, and what goes back does. */

import { expect, test } from 'vitest';
import { SENTINEL } from '../../../src/api/workload.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import type { LadderFiles } from '../../../src/rollout/ladders/ladder-files.ts';
import { planIntent } from '../../../src/rollout/orders/intent.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import {
  type Found,
  type Passed,
  passed,
  passes,
  releaseIn,
  type Stand,
  settledOn,
  snapshotAt,
} from '../../support/ladder-pass.ts';
import { abort, after, asked, edited, NEWER, ONE, stands } from '../../support/ladder-stands.ts';
import { ordered } from '../../support/rollout-changed.ts';
import { INGRESS_FILE, INGRESS_FILES, ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const gone = {
  route: (files: LadderFiles): LadderFiles => ({
    ...files,
    routes: [],
    missing: [{ kind: 'HTTPRoute', name: 'chat' }],
  }),
  // Its file has the one that we made still.
  own: (files: LadderFiles): LadderFiles => ({
    ...files,
    service: undefined,
    missing: [{ kind: 'Service', name: 'vllm-svc' }],
  }),
  service: (files: LadderFiles): LadderFiles => ({
    ...files,
    service: undefined,
    canaryService: undefined,
    missing: [{ kind: 'Service', name: 'vllm-svc' }],
  }),
} as const;
type Gone = keyof typeof gone;

const without = (stand: Stand, what: Gone, more: Found = {}): Found => {
  const { ladder } = snapshotAt(stand, more);
  return { ...more, snapshot: { ladder: ladder === undefined ? undefined : gone[what](ladder) } };
};

const colours = ladderFiles(ladderRollout('blueGreen', ['replicas: 100%, traffic: 50%, pause: {duration: 60}']));
const switched = after('promote, switch: vllm-svc → vllm-green', asked(passed(settledOn(colours)).stand, OLD, NEW));
const oneHome = after('promote, route-restored', asked(passed(settledOn(ONE)).stand, OLD, NEW));
const DEAD: Found = { view: { second: '0:G- 1:G- 2:G- 3:G-' } };
const now = (stand: Stand): Found => ({ intents: { abort: `${releaseIn(stand)} now` } });

const named = ({ plan: { holds } }: Passed): string =>
  holds
    .filter(({ reason }) => reason === 'CanaryEdited')
    .map(({ message }) => message)
    .join();

/** The document is taken out of its file, and the agent has deleted nothing yet. */
const removed = (path: string, text: RegExp): string => {
  const texts = new Map(stands.second.texts).set(path, (stands.second.texts.get(path) ?? '').replace(text, ''));
  expect(texts.get(path)).not.toBe(stands.second.texts.get(path));
  return passed({ ...stands.second, texts }, { snapshot: { traffic: snapshotAt(stands.second).traffic } }).told;
};

// The agent deletes its groups with its next look at Git: 34 requests failed in the 12 s between the two.
test('the copy is taken out of Git with a share: traffic is withdrawn before the agent deletes it', () => {
  const told = 'TrafficWithdrawn: step 2/3, traffic withdrawn';
  expect(removed(LWS_FILE, /---\n[^]*?name: vllm-canary[^]*/)).toBe(told);
  expect(removed(SERVICE_FILE, /---\n(?:(?!---)[^])*name: vllm-svc-canary[^]*/)).toBe(told);
});

test.each<readonly [what: string, gone: Gone, stand: Stand, found: Found, told: string]>([
  ['a route, in a step', 'route', stands.second, {}, 'hold CanaryEdited PauseDuration'],
  ['a Service, in a step', 'service', stands.second, {}, 'hold CanaryEdited GracePeriod'],
  ['a route, in the primary', 'route', stands.primary, {}, 'RouteRestored: promote, route-restored'],
  ['a Service, in the primary', 'service', stands.primary, {}, 'RouteRestored: promote, route-restored'],
  ['a Service, K serves nothing', 'service', stands.second, DEAD, 'TrafficWithdrawn: step 2/3, traffic withdrawn'],
])('out of the files, nothing goes further: %s', (_, what, stand, found, told) => {
  const pass = passed(stand, without(stand, what, found));
  expect(pass.told).toBe(told);
  if (pass.plan.commit === undefined)
    expect(named(pass)).toContain(what === 'route' ? 'HTTPRoute chat' : 'Service vllm-svc');
  // Without its Service no request would find the primary.
  const isRestored = !(pass.stand.texts.get(ROUTE_FILE) ?? '').includes('vllm-svc-canary');
  expect(isRestored).toBe(what === 'service' && found === DEAD);
});

const NO_SHARE = ['Aborted: rollback, route-restored', 'hold CanaryEdited'];
const PRIMARY = ['Aborted: rollback, primary', 'hold CanaryEdited'];
const AGAIN = ['RouteRestored: rollback, route-restored', 'hold Draining', 'RolledBack: rolled back'];

test.each<readonly [what: string, gone: Gone, stand: Stand, told: readonly string[], again: readonly string[]]>([
  ['a route, in a step', 'route', stands.second, NO_SHARE, AGAIN],
  ['a route, in the primary', 'route', stands.primary, PRIMARY, AGAIN],
  ['a Service, in a step', 'service', stands.second, NO_SHARE, AGAIN],
  ['a Service, in the primary', 'service', stands.primary, PRIMARY, AGAIN],
  [
    'a Service, switched',
    'service',
    switched,
    NO_SHARE,
    ['RouteRestored: rollback, route-restored', 'hold GracePeriod Draining', 'RolledBack: rolled back'],
  ],
])('out of the files, abort: %s', (_, what, stand, told, again) => {
  const order = abort(stand);
  const back = passes(stand, { found: (at) => without(at, what, order) });
  expect(back.told).toEqual(told);
  // The second workload keeps what it has, and its share with it.
  expect(back.stand.texts.get(LWS_FILE)).toMatch(/name: vllm-(canary|green)[^]*replicas: [1-4]\n/);
  expect(back.stand.texts.get(ROUTE_FILE)).toContain('vllm-svc-canary');
  const end = passes(back.stand, { found: () => order });
  expect(end.told.slice(0, again.length)).toEqual(again);
  expect(end.stand.texts.get(ROUTE_FILE)).not.toContain('vllm-svc-canary');
  expect(end.stand.texts.get(SERVICE_FILE)).toMatch(
    /name: vllm-svc\n[^]*leaderworkerset.sigs.k8s.io\/name: "?vllm"?\n/,
  );
});

// Released for update, every group would take it, past all of its steps.
test('a newer template that was stopped on stable while a route was out of the files waits on once the route is back', () => {
  const rolls = edited(asked(stands.home, NEW, NEWER), LWS_FILE, `partition: ${SENTINEL}`, 'partition: 1');
  const stopped = passed(rolls, without(rolls, 'route'));
  expect(stopped.told).toBe('RollStopped: promote, stopped');
  expect(passed(stopped.stand, without(stopped.stand, 'route')).told).toBe('hold CanaryEdited');
  expect(passes(stopped.stand, { most: 2 }).told).toEqual(['hold GracePeriod RequestQueued', 'Settled: settled']);
  const again = passed(asked(stopped.stand, NEWER, NEW));
  expect(again.told).toBe('PartitionRestored: promote, partition 1000000 → 0');
});

// What no file has any more may still send to it: the agent of some people deletes nothing.
test('out of the files, and the primary opened by a hand on stable: the canary keeps its groups', () => {
  for (const what of ['route', 'own', 'service'] as const) {
    const home = passed(stands.primary, without(stands.primary, what)).stand;
    const open = edited(home, LWS_FILE, `partition: ${SENTINEL}`, 'partition: 0');
    const all = passes(open, { found: (at) => without(at, what) });
    expect(all.told.join(), what).not.toContain('CanaryEmptied');
    expect(all.told.at(-1)).toMatch(/^hold .*CanaryEdited/);
    expect(all.stand.texts.get(LWS_FILE)).toMatch(/name: vllm-canary[^]*replicas: 4\n/);
  }
});

test('out of the files, abort, and it is back with its share: route restored waits for the primary', () => {
  const order = abort(stands.second);
  const away = passed(stands.second, without(stands.second, 'route', order));
  // As it was before it was taken out.
  const route = stands.second.texts.get(ROUTE_FILE) ?? '';
  const back = { ...away.stand, texts: new Map([...away.stand.texts, [ROUTE_FILE, route]]) };
  const lost = { own: '0:G- 1:G- 2:G- 3:G-' };
  const held = passed(back, { ...order, view: lost });
  expect(held.told).toBe('hold StableNotServing');
  expect(held.plan.holds.map(({ message }) => message).join()).not.toContain('--now');
  const home = 'RouteRestored: rollback, route-restored';
  expect(passed(back, { ...order, view: { own: '0:G+ 1:G- 2:G- 3:G-' } }).told).toBe(home);
  expect(passed(back, { view: lost, ...now(stands.second) }).told).toBe('hold StableNotServing');
  const outage = { intents: { abort: `${releaseIn(stands.second)} now outage` } };
  expect(passed(back, { view: lost, ...outage }).told).toBe(home);
  // Nothing of either serves, or nobody can see it: Git is enough.
  expect(passed(back, { ...order, view: { ...lost, ...DEAD.view } }).told).toBe(home);
});

test.each<readonly [what: string, start: Stand]>([
  ['the primary', stands.primary],
  ['a switched colour', switched],
])('a share back after route restored on a rollback waits for enough that serve: %s', (_, start) => {
  const [few, enough] = ['0:G+ 1:G+ 2:G- 3:G-', '0:G+ 1:G+ 2:G+ 3:G-'];
  const order = abort(start);
  const home = passes(start, { found: (at) => (at === start ? order : {}), most: 2 }).stand;
  const shared = new Map([...home.texts, [ROUTE_FILE, stands.second.texts.get(ROUTE_FILE) ?? '']]);
  const back = { ...home, texts: shared };
  const again = 'RouteRestored: rollback, route-restored';
  const held = passed(back, { ...order, view: { own: few } });
  expect(held.told).toMatch(/^hold NotServing/);
  expect(held.plan.holds.map(({ message }) => message).join()).toContain('tranche abort vllm --now');
  const intent = { kind: 'abort', keepNewer: false, now: true } as const;
  const word = planIntent(intent, { snapshot: snapshotAt(back), digestOf: factsDigest });
  expect(JSON.stringify(word)).toContain(`"${releaseIn(start)} now"`);
  expect(passed(back, { ...order, view: { own: enough } }).told).toBe(again);
  expect(passed(back, { view: { own: few }, ...now(start) }).told).toBe(again);
  // Of a version that serves nothing there is nothing to wait for.
  expect(passed(back, { ...order, view: { own: '0:G- 1:G- 2:G- 3:G-', ...DEAD.view } }).told).toBe(again);
});

// Nobody can tell whether all requests have left the only group: it is not restarted, unless someone says so.
test.each<readonly [what: string, gone: Gone, stand: Stand, order: Found, told: string]>([
  ['one group on stable, its route', 'route', oneHome, abort(oneHome), 'hold GracePeriod CanaryEdited'],
  ['one group on stable, its route, --now', 'route', oneHome, now(oneHome), 'Aborted: rollback, primary'],
  ['in a step, a Service, --now', 'service', stands.second, now(stands.second), 'Aborted: rollback, route-restored'],
  ['in the primary, a Service, --now', 'service', stands.primary, now(stands.primary), 'Aborted: rollback, primary'],
])('out of the files, abort of %s', (_, what, stand, order, told) => {
  const pass = passed(stand, without(stand, what, order));
  expect(pass.told).toBe(told);
  if (pass.plan.commit === undefined) expect(named(pass)).toContain('HTTPRoute chat');
  if (what === 'service') expect(pass.stand.texts.get(ROUTE_FILE)).not.toContain('vllm-svc-canary');
});

const oneWorkload = ladderFiles(
  ladderRollout('partition', [
    'replicas: 1, traffic: 5%, pause: {duration: 60}',
    'replicas: 50%, traffic: 20%, pause: {duration: 60}',
    'replicas: 100%',
  ]),
);
const versions = asked(passed(settledOn(oneWorkload)).stand, OLD, NEW);
const shares = after('step 2/3, traffic: 5% → 20%', versions);
const whole = after('step 3/3, pods, partition 2 → 0', versions);
const UNREACHED: Found = { view: { own: '0:O+ 1:O+ 2:G- 3:G-' } };
/** The Service of the new version takes in all leaders of the workload. */
const OPEN = /name: vllm-svc-canary\n[^]*selector:(?![^]*tranche.dev\/version)/;
const WAY = ['Aborted: rollback, route-restored', 'hold GracePeriod Draining', 'Aborted: rollback'];
const REST = ['RolledBack: rolled back, partition 2 → 1000000', 'hold '];

test.each<readonly [what: string, gone: Gone, stand: Stand, found: Found, told: readonly string[]]>([
  ['a route', 'route', shares, {}, ['hold CanaryEdited']],
  ['a Service', 'own', shares, {}, ['hold GracePeriod CanaryEdited', 'hold CanaryEdited']],
  ['both Services', 'service', shares, {}, ['hold GracePeriod CanaryEdited', 'hold CanaryEdited']],
  [
    'a route, abort',
    'route',
    shares,
    abort(shares),
    ['Aborted: rollback, route-restored', 'hold GracePeriod', 'Aborted: rollback', ...REST],
  ],
  [
    'a Service, abort',
    'own',
    shares,
    abort(shares),
    ['Aborted: rollback, route-restored', 'hold GracePeriod', 'Aborted: rollback', ...REST],
  ],
  ['both Services, abort', 'service', shares, abort(shares), [...WAY, ...REST]],
  ['a route, abort --now', 'route', shares, now(shares), ['Aborted: rollback', ...REST]],
  ['a Service, abort --now', 'own', shares, now(shares), ['Aborted: rollback', ...REST]],
  [
    'a Service, nothing of the release serves',
    'own',
    shares,
    UNREACHED,
    ['TrafficWithdrawn: step 2/3, traffic withdrawn', 'hold GroupsNotReady CanaryEdited'],
  ],
  [
    'a Service, a newer template',
    'own',
    asked(shares, NEW, NEWER),
    {},
    [
      'RouteRestored: step 2/3, route-restored',
      'hold GracePeriod',
      'Superseded: step 1/3',
      'hold CanaryEdited Overshoot',
    ],
  ],
  ['a route, every group released for update', 'route', whole, {}, ['Locked: step 3/3, locked, partition 0 → 1000000']],
])('one workload, out of the files: %s', (_, what, stand, found, told) => {
  const all = passes(stand, { found: (at) => without(at, what, found), most: told.length });
  expect(all.told).toEqual(told);
  const [services = '', route = ''] = [all.stand.texts.get(SERVICE_FILE), all.stand.texts.get(ROUTE_FILE)];
  if (!told.some((one) => /rollback|withdrawn|home/.test(one))) return;
  // What no file has any more may still send to our Service: anyone who serves answers there.
  if (what !== 'service') expect(services).toMatch(OPEN);
  expect(route.includes('vllm-svc-canary')).toBe(what !== 'service');
});

/** Nothing in the files tells how it was started: its Rollout and its documents are deleted. */
const BLIND: Found = { snapshot: { rollout: undefined, ladder: undefined } };

test('one workload, its Rollout and its documents are deleted: an abort waits, unless someone does not', () => {
  const order = (word: string): Stand => ordered(shares, word);
  const held = passed(order(''), BLIND);
  expect(held.told).toBe('hold LockedWithoutRollout CanaryEdited');
  expect(held.plan.holds.map(({ message }) => message).join()).toContain('tranche abort vllm --now');
  expect(passed(order(' now'), BLIND).told).toBe('Aborted: rollback');
  expect(passed(asked(shares, NEW, OLD), BLIND).told).toBe('Reverted: rollback');
});

test('one workload, out of the files, abort, and it is back with its share: route restored again, drained, the template', () => {
  const order = abort(shares);
  const away = passed(shares, without(shares, 'route', order));
  // As it was before it was taken out.
  const route = shares.texts.get(ROUTE_FILE) ?? '';
  const back = { ...away.stand, texts: new Map([...away.stand.texts, [ROUTE_FILE, route]]) };
  const { told, stand } = passes(back, { found: () => order });
  expect(told).toEqual([
    'RouteRestored: rollback, route-restored',
    'hold GracePeriod Draining',
    'Aborted: rollback',
    ...REST,
  ]);
  expect(stand.texts.get(ROUTE_FILE)).toBe(oneWorkload.get(ROUTE_FILE));
});

test('the second Ingress is taken out of Git with a share: put back, the delivery goes on; an abort asks for none', () => {
  const byIngress = new Map([...Object.entries(INGRESS_FILES), [LWS_FILE, colours.get(LWS_FILE) ?? '']]);
  const { told, stand } = passes(asked(passes(settledOn(byIngress)).stand, OLD, NEW), { most: 5 });
  expect(told.slice(-3)).toEqual([
    'RungReady: step 1/3, traffic: – → matches',
    'hold GracePeriod',
    'hold PausedForApproval',
  ]);
  const taken = edited(stand, INGRESS_FILE, /---\n[^]*/, '');
  const { plan } = passed(taken);
  expect(plan.holds).toMatchObject([
    {
      reason: 'CanaryEdited',
      message: `${INGRESS_FILE}: there is no Ingress chat-canary that could be given a share. Put it back as the last commit of tranche wrote it.`,
    },
  ]);
  expect(passed({ ...taken, texts: stand.texts }).told).toBe('hold PausedForApproval');
  expect(passes(taken, { found: () => abort(stand) }).told).toEqual([
    'Aborted: rollback, route-restored',
    'RolledBack: rolled back',
    'hold ',
  ]);
});
