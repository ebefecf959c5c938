/** The primary of a canary goes back: of one group, all requests go to the canary first; and what its rollback has raised. */

import { expect, test } from 'vitest';
import { known } from '../../../src/api/known.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { AT, abort, after, asked, edited, NEWER, ONE, STEPS, stands } from '../../support/ladder-stands.ts';
import { ROUTE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD, ROLLOUT_FILE } from '../../support/vllm.ts';

test('one group: all requests went over, and were taken back from what died then: the template goes back all the same', () => {
  const home = after(AT.home, asked(passed(settledOn(ONE)).stand, OLD, NEW));
  const order = abort(home);
  const all = passed(home, order).stand;
  const dead: Found = { ...order, view: { second: '0:G-' } };
  expect(passes(all, { found: () => dead }).told).toEqual([
    'TrafficWithdrawn: rollback, traffic withdrawn',
    'Aborted: rollback, primary',
    'RolledBack: rolled back',
    'hold ',
  ]);
  // It serves again: all of the primary would be down meanwhile, so someone says which.
  const back = passed(all, dead).stand;
  const held = passed(back, order);
  expect(held.told).toBe('hold TrafficWithdrawn');
  const [digest, serial] = releaseIn(back).split('.');
  const accept = `TrafficWithdrawn@${digest}.${Number(serial) + 1}#${factsDigest(held.plan.holds[0]?.facts ?? {})}`;
  expect(passed(back, { intents: { ...order.intents, accept } }).told).toBe('ShareAccepted: rollback, all: – → 100%');
  expect(passed(back, { intents: { abort: `${releaseIn(back)} now` } }).told).toBe('Aborted: rollback, primary');
});

test('one group: all requests are going over, and someone does not want to wait: abort --now', () => {
  const home = after(AT.home, asked(passed(settledOn(ONE)).stand, OLD, NEW));
  const all = passed(home, abort(home)).stand;
  const now = passed(all, { intents: { abort: `${releaseIn(all)} now` } });
  expect(now.told).toBe('Aborted: rollback, primary');
  expect(now.stand.texts.get(ROUTE_FILE)).not.toContain('vllm-svc-canary');
});

test('a budget that a rollback of a canary has raised does not ride along with a newer template', () => {
  const broken: Found = { view: { own: '0:G- 1:G- 2:G- 3:G+' } };
  const back = passed(stands.primary, { ...broken, ...abort(stands.primary) });
  expect(back.stand.texts.get(LWS_FILE)).toMatch(/"maxUnavailable":\{"was":1,"set":4\}[^]*maxUnavailable: 4 /);
  const stopped = passed(asked(back.stand, OLD, NEWER), { view: { own: '0:O- 1:O- 2:O- 3:O+' } });
  expect(stopped.told).toBe('Superseded: step 1/3, stopped');
  expect(stopped.plan.commit?.message).toContain('maxUnavailable was raised for is over: it is 1 again');
  const text = stopped.stand.texts.get(LWS_FILE) ?? '';
  expect(text).not.toContain('maxUnavailable: 4');
  expect(text).not.toContain('"maxUnavailable"');
});

test('a primary that may be down at once since, and a canary that never grows to carry it: held by name, and an abort goes back', () => {
  const steps = [
    'replicas: 1, traffic: 5%, pause: {duration: 60}',
    'replicas: 50%, traffic: 50%, pause: {duration: 60}',
  ];
  const start = passed(settledOn(ladderFiles(ladderRollout('canary', steps)))).stand;
  const last = after('step 2/2, traffic: 5% → 50%', asked(start, OLD, NEW));
  const uncovered = asked(last, 'maxUnavailable: 1', 'maxUnavailable: 4');
  const { told, plan } = passed(uncovered);
  expect(told).toBe('hold GracePeriod PrimaryNotCovered Draining');
  expect(plan.holds.find(({ reason }) => reason === 'PrimaryNotCovered')?.message).toBe(
    'All groups of vllm may be down at once, and 4 groups of vllm-canary must serve meanwhile: Git asks for 2. Let the last step be replicas: 100%, or let fewer groups be down (maxUnavailable)',
  );
  expect(passed(uncovered, abort(uncovered)).told).toBe('Aborted: rollback, route-restored');
});

const half = ladderRollout('canary', STEPS);

test('a primary that may be down at once by the number that is there now, and no step that carries it: before the first step', () => {
  const one = settledOn(ladderFiles(half, [['replicas: 4', 'replicas: 1']]));
  expect(passed(asked(passed(one).stand, OLD, NEW)).told).toBe('hold PrimaryNotCovered');
  // An autoscaler owns the number, and no file has it.
  const scaled: Found = {
    view: { own: '0:O+', ownLws: { replicas: 1 }, scalers: { 'HorizontalPodAutoscaler vllm': 1 } },
  };
  const bare = ladderFiles(half, [[/ {2}replicas: 4\n/, '']]);
  const before: Found = { view: { ...scaled.view, own: '0:G+' } };
  const held = passed(asked(passed(settledOn(bare), before).stand, OLD, NEW), scaled);
  expect(held.told).toContain('PrimaryNotCovered');
});

const EVEN = ['replicas: 1, traffic: 5%, pause: {duration: 60}', 'replicas: 50%, traffic: 50%, pause: {duration: 60}'];
const rolling = after(
  'promote, primary',
  asked(passed(settledOn(ladderFiles(ladderRollout('canary', EVEN)))).stand, OLD, NEW),
);
const toOne = asked(rolling, 'replicas: 4', 'replicas: 1');
const RESTARTS = { own: '0:G-', second: '0:G+ 1:G+' };
const COVERED = 'PrimaryCovered: promote, all requests to the canary';

test.each<[string, Stand, Found, string]>([
  ['its last group restarts, and the canary serves as many', toOne, { view: RESTARTS }, COVERED],
  [
    'the same, and it is paused',
    edited(toOne, ROLLOUT_FILE, 'canary:', 'paused: true\n    canary:'),
    { view: RESTARTS },
    COVERED,
  ],
  ['the same, before LWS has begun', toOne, { view: { own: '0:O+', second: '0:G+ 1:G+' } }, COVERED],
  [
    'too few of the canary serve',
    toOne,
    { view: { own: '0:G-', second: '0:G- 1:G-' } },
    'hold GroupsNotReady NotServing',
  ],
  ['it is back', toOne, { view: { own: '0:G+', second: '0:G+ 1:G+' } }, 'RouteRestored: promote, route-restored'],
  [
    'four groups, of which one may be down',
    rolling,
    { view: { own: '0:O+ 1:O+ 2:G+ 3:G-', second: '0:G+ 1:G+' } },
    'hold ',
  ],
])('scaled to what may be down at once, in the promotion: %s', (_, stand, found, wanted) => {
  expect(passed(stand, found).told).toContain(wanted);
});

test('scaled to what may be down at once, in the promotion: once only, and the way on is what it was', () => {
  const over = passed(toOne, { view: RESTARTS }).stand;
  expect(over.texts.get(ROUTE_FILE)).toMatch(/weight: 0\n[^]*weight: 100\n/);
  expect(passed(over, { view: RESTARTS }).told).toMatch(/^hold /);
  expect(passed(over, { ...abort(over), view: RESTARTS }).told).toBe('Aborted: rollback, primary');
  const { told, stand } = passes(over, { found: () => ({ view: { own: '0:G+' } }) });
  expect(told[0]).toBe('RouteRestored: promote, route-restored');
  expect(told.at(-2)).toBe('Settled: settled');
  expect(stand.texts.get(ROUTE_FILE)).not.toContain('weight');
});

test('one group that was made again on the release, and was accepted: it has all requests, until it dies and the canary serves', () => {
  const start = stands.pods;
  const one = asked(start, 'replicas: 4', 'replicas: 1');
  const made: Found = { view: { own: '0:G+', second: '0:G+' } };
  const [{ facts = {} } = {}] = passed({ ...one, record: undefined }, made).plan.holds;
  const accept = `Recreated@${releaseIn(one)}#${factsDigest(facts)}`;
  const promoted = passed({ ...one, record: undefined }, { ...made, intents: { accept } });
  expect(promoted.told).toBe('Promoted: promote, primary');
  expect(promoted.stand.texts.get(ROUTE_FILE)).not.toContain('weight');
  const dead: Found = { view: { own: '0:G-', second: '0:G+' } };
  const over = passed(promoted.stand, dead);
  expect(over.told).toBe('PrimaryCovered: promote, all requests to the canary');
  expect(passed(over.stand, dead).told).toMatch(/^hold /);
  expect(passed(over.stand, made).told).toBe('RouteRestored: promote, route-restored');
});

const HELD = passed(rolling, abort(rolling)).stand;
const backToOne = asked(HELD, 'replicas: 4', 'replicas: 1');
const COVERED_BACK = 'PrimaryCovered: rollback, all requests to the canary';
const NOW: Found = { intents: { abort: `${releaseIn(rolling)} now` } };
const OUTAGE: Found = { intents: { abort: `${releaseIn(rolling)} now outage` } };
const HOME = after('promote, route-restored', rolling);
const RESTORED = after('rollback, route-restored', HELD, { view: { own: '0:G+ 1:O+ 2:G+ 3:G+' } });
const GOING = asked(RESTORED, 'replicas: 4', 'replicas: 1');
const LATE = asked(passed(HOME, abort(HOME)).stand, 'replicas: 4', 'replicas: 1');
const DEAD: Found = { view: { own: '0:G+ 1:G+ 2:G+ 3:G-', second: '0:G- 1:G-' } };
const WITHDRAWN = asked(after('rollback, traffic withdrawn', HELD, DEAD), 'replicas: 4', 'replicas: 1');
const WHOLLY = passed(toOne, { view: RESTARTS }).stand;
const BACK_WHOLLY = passed(backToOne, { view: RESTARTS }).stand;
const FOUR = asked(WHOLLY, 'replicas: 1', 'replicas: 4');
const BACK_FOUR = asked(BACK_WHOLLY, 'replicas: 1', 'replicas: 4');
const HALF_AGAIN = 'PrimaryCovered: promote, traffic: 100% → 50%';

test.each<[string, Stand, Found, string]>([
  ['its last group restarts, and the canary serves as many', backToOne, { view: RESTARTS }, COVERED_BACK],
  ['its last group is still to restart', backToOne, { view: { own: '0:O+', second: '0:G+ 1:G+' } }, COVERED_BACK],
  [
    'too few of the canary serve',
    backToOne,
    { view: { own: '0:G-', second: '0:G- 1:G-' } },
    'hold NotServing GroupsNotReady',
  ],
  ['it is back', backToOne, { view: { own: '0:G+', second: '0:G+ 1:G+' } }, 'RouteRestored: rollback, route-restored'],
  ['abort --now, which counts where some of it serves', backToOne, { ...NOW, view: RESTARTS }, COVERED_BACK],
  ['abort --now --accept-outage', backToOne, { ...OUTAGE, view: RESTARTS }, 'RouteRestored: rollback'],
  [
    'a hand has set the share',
    edited(backToOne, ROUTE_FILE, /weight: 50$/m, 'weight: 60'),
    { view: RESTARTS },
    'hold ',
  ],
  ['requests are with stable already, which is still to restart', GOING, { view: RESTARTS }, COVERED_BACK],
  [
    'requests are with stable already, which is back',
    GOING,
    { view: { own: '0:G+', second: '0:G+ 1:G+' } },
    'hold Draining',
  ],
  ['after all requests went to stable', LATE, { view: RESTARTS }, COVERED_BACK],
  ['after all requests went to stable, --now', LATE, { ...NOW, view: RESTARTS }, 'hold NotServing'],
  ['the share was withdrawn before', WITHDRAWN, { view: RESTARTS }, 'hold NotServing'],
  ['four groups, of which one may be down', HELD, { view: { own: '0:O+ 1:G- 2:G- 3:G-' } }, 'hold '],
])('scaled to what may be down at once, in the rollback: %s', (_, stand, found, wanted) => {
  expect(passed(stand, found).told).toContain(wanted);
});

test.each<[string, Stand, Found, string]>([
  ['none of it serves', FOUR, { view: { own: '0:G- 1:G- 2:G- 3:G-' } }, 'hold GroupsNotReady NotServing'],
  ['fewer than its half asks for', FOUR, { view: { own: '0:G+ 1:G- 2:G- 3:G-' } }, 'hold GroupsNotReady NotServing'],
  ['as many as its half asks for', FOUR, { view: { own: '0:G+ 1:G+ 2:G- 3:G-' } }, HALF_AGAIN],
  ['all but a broken one', FOUR, { view: { own: '0:G+ 1:G+ 2:G+ 3:G-' } }, HALF_AGAIN],
  ['all', FOUR, {}, 'RouteRestored: promote, route-restored'],
  [
    'a hand has set the share since',
    edited(FOUR, ROUTE_FILE, 'weight: 0', 'weight: 9'),
    { view: { own: '0:G+ 1:G+ 2:G+ 3:G-' } },
    'hold GroupsNotReady',
  ],
  [
    'fewer than its half asks for, in the rollback',
    BACK_FOUR,
    { view: { own: '0:G+ 1:G- 2:G- 3:G-' } },
    'hold NotServing',
  ],
  [
    'as many as its half asks for, in the rollback',
    BACK_FOUR,
    { view: { own: '0:G+ 1:G+ 2:G- 3:G-' } },
    'PrimaryCovered: rollback, traffic: 100% → 50%',
  ],
  [
    'enough for all requests, in the rollback',
    BACK_FOUR,
    { view: { own: '0:G+ 1:G+ 2:G+ 3:G-' } },
    'RouteRestored: rollback',
  ],
])('scaled to what may be down at once, and up again: %s', (_, stand, found, wanted) => {
  expect(passed(stand, found).told).toContain(wanted);
});

test('scaled to what may be down at once, and up again: the share of the last step, once', () => {
  const view = { own: '0:G+ 1:G+ 2:G+ 3:G-' };
  const again = passed(FOUR, { view }).stand;
  expect(again.texts.get(ROUTE_FILE)).toMatch(/weight: 50\n[^]*weight: 50\n/);
  expect(passed(again, { view }).told).toBe('hold GroupsNotReady');
  const { told, stand } = passes(again);
  expect(told[0]).toBe('RouteRestored: promote, route-restored');
  expect(told.at(-2)).toBe('Settled: settled');
  expect(stand.texts.get(ROUTE_FILE)).not.toContain('weight');
});

test('scaled to what may be down at once, and up again: a last step with all requests has no other part', () => {
  const one = after('promote, primary', asked(passed(settledOn(ONE)).stand, OLD, NEW));
  const four = asked(one, 'replicas: 1', 'replicas: 4');
  expect(passed(four, { view: { own: '0:G+ 1:G+ 2:G+ 3:G-' } }).told).toBe('hold GroupsNotReady');
});

test('scaled to what may be down at once, in the rollback: what dies under each request gets them once it stays ready', () => {
  let at = asked(RESTORED, 'replicas: 4', 'replicas: 1');
  const told: string[] = [];
  const said: string[] = [];
  for (const own of ['0:G-', '0:G+', '0:G-', '0:G+', '0:G+', '0:G-', '0:G+']) {
    // Half a minute from pass to pass, of which a group has been ready for all or none.
    const now = passed({ ...at, now: at.now - 3570 }, lone(own, at.now - 3580));
    told.push(now.told);
    said.push(...now.plan.holds.map(({ message }) => message));
    at = now.stand;
  }
  const [covers, back] = [COVERED_BACK, 'RouteRestored: rollback, route-restored'];
  const waits = 'hold GracePeriod';
  expect(told).toEqual([covers, back, covers, waits, waits, 'hold NotServing GroupsNotReady', waits]);
  expect(said[0]).toContain('Requests have gone from vllm back to vllm-canary 2 times in this rollback');
  expect(passed(at, { ...NOW, ...lone('0:G+', at.now) }).told).toBe(back);
  expect(passed(at, lone('0:G+', at.now - 601)).told).toBe(back);
  // By a clock that runs ahead it only seems to have been ready for that long; the hold says why it waits on.
  const ahead = passed(at, { ...lone('0:G+', at.now - 601), snapshot: { clockOffSeconds: -3600 } });
  expect(ahead.told).toBe(waits);
  expect(ahead.plan.holds[0]?.message).toContain('the clock of this machine is 3600 s ahead of the servers');
  // What has all requests meanwhile dies: nobody waits for the primary to have been ready for long.
  expect(passed(at, { ...lone('0:G+', at.now), view: { own: '0:G+', second: '0:G- 1:G-' } }).told).toBe(
    'TrafficWithdrawn: rollback, traffic withdrawn',
  );
});

/** The canary serves as many; a leader of either has been ready since then. */
function lone(own: string, readyAt: number): Found {
  const change: Found['change'] = (snapshot) => {
    const { leaders } = snapshot.live;
    const dated = leaders.kind === 'known' ? known(leaders.value.map((one) => ({ ...one, readyAt }))) : leaders;
    return { ...snapshot, live: { ...snapshot.live, leaders: dated } };
  };
  return { view: { own, second: '0:G+ 1:G+' }, change };
}

test('a primary that may be down at once since, in a step: before the next one, and not once it is released for update', () => {
  const held = passes(asked(stands.second, 'maxUnavailable: 1', 'maxUnavailable: 4'), { most: 2 }).told;
  expect(held.join()).toContain('PrimaryNotCovered');
  const issue = { file: 'a.yaml', line: 1, path: '', reason: 'PrimaryNotCovered', message: 'so', hint: 'mend it' };
  const { told } = passes(stands.home, { found: () => ({ snapshot: { issues: [issue] } }), most: 2 });
  expect(told).toEqual(['hold GracePeriod Draining', 'Settled: settled']);
});

test('a primary goes back: the dip in capacity is in the text of the commit', () => {
  const { told, plan } = passed(stands.primary, { ...abort(stands.primary), view: { own: '0:O+ 1:O+ 2:G+ 3:G+' } });
  expect(told).toBe('Aborted: rollback, primary');
  const message = plan.commit?.message.replaceAll('\n', ' ');
  expect(message).toContain('Capacity: 4 of 4 groups are ready now, at the lowest 3 while they load');
});
