/** A Service or a route that a delivery hangs on is taken out of the files: nothing goes further, and what goes back does. */

import { expect, test } from 'vitest';
import type { LadderFiles } from '../../../src/rollout/ladders/documents.ts';
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
import { abort, after, asked, ONE, stands } from '../../support/ladder-stands.ts';
import { ROUTE_FILE, SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const gone = {
  route: (files: LadderFiles): LadderFiles => ({
    ...files,
    routes: [],
    missing: [{ kind: 'HTTPRoute', name: 'chat' }],
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
