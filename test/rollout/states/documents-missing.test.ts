/** A Service or a route that a delivery hangs on is taken out of the files: nothing goes further, and what goes back does. */

import { expect, test } from 'vitest';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import type { LadderFiles } from '../../../src/rollout/ladder-files.ts';
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
import { abort, after, asked, NEWER, ONE, stands } from '../../support/ladder-stands.ts';
import { ordered } from '../../support/rollout-changed.ts';
import { ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
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
const oneHome = after('promote, home', asked(passed(settledOn(ONE)).stand, OLD, NEW));
const DEAD: Found = { sight: { second: '0- 1- 2- 3-' } };
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
  ['a route, in the fleet', 'route', stands.fleet, {}, 'BroughtHome: promote, home'],
  ['a Service, in the fleet', 'service', stands.fleet, {}, 'BroughtHome: promote, home'],
  ['a Service, K serves nothing', 'service', stands.second, DEAD, 'TrafficWithdrawn: step 2/3, traffic withdrawn'],
])('out of the files, nothing goes further: %s', (_, what, stand, found, told) => {
  const pass = passed(stand, without(stand, what, found));
  expect(pass.told).toBe(told);
  if (pass.plan.commit === undefined)
    expect(named(pass)).toContain(what === 'route' ? 'HTTPRoute chat' : 'Service vllm-svc');
  // Without its Service no request would find the fleet.
  const isHome = !(pass.stand.texts.get(ROUTE_FILE) ?? '').includes('vllm-svc-canary');
  expect(isHome).toBe(what === 'service' && found === DEAD);
});

const HOME = ['Aborted: rollback, home', 'hold CanaryEdited'];
const FLEET = ['Aborted: rollback, fleet', 'hold CanaryEdited'];
const AGAIN = ['BroughtHome: rollback, home', 'hold Draining', 'RolledBack: rolled back'];

test.each<readonly [what: string, gone: Gone, stand: Stand, told: readonly string[], again: readonly string[]]>([
  ['a route, in a step', 'route', stands.second, HOME, AGAIN],
  ['a route, in the fleet', 'route', stands.fleet, FLEET, AGAIN],
  ['a Service, in a step', 'service', stands.second, HOME, AGAIN],
  ['a Service, in the fleet', 'service', stands.fleet, FLEET, AGAIN],
  [
    'a Service, switched',
    'service',
    switched,
    HOME,
    ['BroughtHome: rollback, home', 'hold GracePeriod Draining', 'RolledBack: rolled back'],
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

test('out of the files, abort, and it is back with its share: home waits for the fleet', () => {
  const order = abort(stands.second);
  const away = passed(stands.second, without(stands.second, 'route', order));
  // As it was before it was taken out.
  const route = stands.second.texts.get(ROUTE_FILE) ?? '';
  const back = { ...away.stand, texts: new Map([...away.stand.texts, [ROUTE_FILE, route]]) };
  const lost = { own: '0- 1- 2- 3-' };
  const held = passed(back, { ...order, sight: lost });
  expect(held.told).toBe('hold StableLost');
  expect(held.plan.holds.map(({ message }) => message).join()).not.toContain('--now');
  const home = 'BroughtHome: rollback, home';
  expect(passed(back, { ...order, sight: { own: '0+ 1- 2- 3-' } }).told).toBe(home);
  expect(passed(back, { sight: lost, ...now(stands.second) }).told).toBe('hold StableLost');
  const outage = { intents: { abort: `${releaseIn(stands.second)} now outage` } };
  expect(passed(back, { sight: lost, ...outage }).told).toBe(home);
  // Nothing of either serves, or nobody can see it: Git is enough.
  expect(passed(back, { ...order, sight: { ...lost, ...DEAD.sight } }).told).toBe(home);
});

test.each<readonly [what: string, start: Stand]>([
  ['the fleet', stands.fleet],
  ['a switched colour', switched],
])('a share back after home on a way back waits for enough that serve: %s', (_, start) => {
  const [few, enough] = ['0+ 1+ 2- 3-', '0+ 1+ 2+ 3-'];
  const order = abort(start);
  const home = passes(start, { found: (at) => (at === start ? order : {}), most: 2 }).stand;
  const shared = new Map([...home.texts, [ROUTE_FILE, stands.second.texts.get(ROUTE_FILE) ?? '']]);
  const back = { ...home, texts: shared };
  const again = 'BroughtHome: rollback, home';
  const held = passed(back, { ...order, sight: { own: few } });
  expect(held.told).toMatch(/^hold NotServing/);
  expect(held.plan.holds.map(({ message }) => message).join()).toContain('tranche abort vllm --now');
  const intent = { kind: 'abort', keepNewer: false, now: true } as const;
  const word = planIntent(intent, { snapshot: snapshotAt(back), digestOf: factsDigest });
  expect(JSON.stringify(word)).toContain(`"${releaseIn(start)} now"`);
  expect(passed(back, { ...order, sight: { own: enough } }).told).toBe(again);
  expect(passed(back, { sight: { own: few }, ...now(start) }).told).toBe(again);
  // Of a version that serves nothing there is nothing to wait for.
  expect(passed(back, { ...order, sight: { own: '0- 1- 2- 3-', ...DEAD.sight } }).told).toBe(again);
});

// Nobody can tell whether all requests have left the only group: it is not restarted, unless a person says so.
test.each<readonly [what: string, gone: Gone, stand: Stand, order: Found, told: string]>([
  ['one group at home, its route', 'route', oneHome, abort(oneHome), 'hold GracePeriod CanaryEdited'],
  ['one group at home, its route, --now', 'route', oneHome, now(oneHome), 'Aborted: rollback, fleet'],
  ['in a step, a Service, --now', 'service', stands.second, now(stands.second), 'Aborted: rollback, home'],
  ['in the fleet, a Service, --now', 'service', stands.fleet, now(stands.fleet), 'Aborted: rollback, fleet'],
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
const UNREACHED: Found = { sight: { own: '0o+ 1o+ 2- 3-' } };
/** The Service of the new version takes in all leaders of the workload. */
const OPEN = /name: vllm-svc-canary\n[^]*selector:(?![^]*tranche.dev\/version)/;
const WAY = ['Aborted: rollback, home', 'hold GracePeriod Draining', 'Aborted: rollback'];
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
    ['Aborted: rollback, home', 'hold GracePeriod', 'Aborted: rollback', ...REST],
  ],
  [
    'a Service, abort',
    'own',
    shares,
    abort(shares),
    ['Aborted: rollback, home', 'hold GracePeriod', 'Aborted: rollback', ...REST],
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
    'a Service, a newer text',
    'own',
    asked(shares, NEW, NEWER),
    {},
    ['BroughtHome: step 2/3, home', 'hold GracePeriod', 'Superseded: step 1/3', 'hold CanaryEdited Overshoot'],
  ],
  ['a route, every group let go', 'route', whole, {}, ['Armed: step 3/3, armed, partition 0 → 1000000']],
])('one workload, out of the files: %s', (_, what, stand, found, told) => {
  const all = passes(stand, { found: (at) => without(at, what, found), most: told.length });
  expect(all.told).toEqual(told);
  const [services = '', route = ''] = [all.stand.texts.get(SERVICE_FILE), all.stand.texts.get(ROUTE_FILE)];
  if (!told.some((one) => /rollback|withdrawn|home/.test(one))) return;
  // What no file has any more may still send to our Service: whoever serves answers there.
  if (what !== 'service') expect(services).toMatch(OPEN);
  expect(route.includes('vllm-svc-canary')).toBe(what !== 'service');
});

/** Nothing in the files tells how it was begun: its Rollout and its documents are deleted. */
const BLIND: Found = { snapshot: { rollout: undefined, ladder: undefined } };

test('one workload, its Rollout and its documents are deleted: an abort waits, unless a person does not', () => {
  const order = (word: string): Stand => ordered(shares, word);
  const held = passed(order(''), BLIND);
  expect(held.told).toBe('hold OrphanArmed CanaryEdited');
  expect(held.plan.holds.map(({ message }) => message).join()).toContain('tranche abort vllm --now');
  expect(passed(order(' now'), BLIND).told).toBe('Aborted: rollback');
  expect(passed(asked(shares, NEW, OLD), BLIND).told).toBe('Reverted: rollback');
});

test('one workload, out of the files, abort, and it is back with its share: home again, drained, the text', () => {
  const order = abort(shares);
  const away = passed(shares, without(shares, 'route', order));
  // As it was before it was taken out.
  const route = shares.texts.get(ROUTE_FILE) ?? '';
  const back = { ...away.stand, texts: new Map([...away.stand.texts, [ROUTE_FILE, route]]) };
  const { told, stand } = passes(back, { found: () => order });
  expect(told).toEqual(['BroughtHome: rollback, home', 'hold GracePeriod Draining', 'Aborted: rollback', ...REST]);
  expect(stand.texts.get(ROUTE_FILE)).toBe(oneWorkload.get(ROUTE_FILE));
});
