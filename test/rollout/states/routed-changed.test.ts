/** One workload whose versions share its requests, and a Rollout that is gone or another since: what protects goes on. */

import { expect, test } from 'vitest';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn } from '../../support/ladder-pass.ts';
import { abort, after, asked, NEWER } from '../../support/ladder-stands.ts';
import { another, ordered, orphan } from '../../support/rollout-changed.ts';
import { NEW, OLD } from '../../support/vllm.ts';

const STEPS = [
  'replicas: 1, traffic: 5%, pause: {duration: 60}',
  'replicas: 50%, traffic: 20%, pause: {duration: 60}',
  'replicas: 100%',
];
const requested = asked(passed(settledOn(ladderFiles(ladderRollout('partition', STEPS)))).stand, OLD, NEW);
const text = after('step 1/3, template', requested);
/** Three groups of the stable version serve: enough for all requests. */
const first = after('step 1/3, traffic: – → 5%', requested);
const second = after('step 2/3, traffic: 5% → 20%', requested);
const home = after('step 3/3, route-restored', requested);
const whole = after('step 3/3, pods, partition 2 → 0', requested);

const DEAD: Found = { view: { own: '0:O+ 1:O+ 2:G- 3:G-' } };
const gone = (stand: Stand): Found => orphan(stand, {}, 'partition');
const asCanary = (stand: Stand, more?: Found): Found => another(stand, { style: 'canary' }, more, 'partition');
const unrouted = (stand: Stand, more?: Found): Found => another(stand, { routing: undefined }, more, 'partition');
const disabled = (stand: Stand, more?: Found): Found => another(stand, { disabled: true }, more, 'partition');
const forgotten = (stand: Stand): Stand => ({ ...stand, record: undefined });
const DRAINED = ['hold GracePeriod Draining', 'Aborted: rollback'];
const BACK = 'RolledBack: rolled back, partition 3 → 1000000';

type Row = readonly [what: string, stand: Stand, found: (stand: Stand) => Found, told: readonly string[]];

test.each<Row>([
  [
    'deleted, before a group has moved',
    text,
    gone,
    ['hold GracePeriod LockedWithoutRollout', 'hold LockedWithoutRollout'],
  ],
  ['deleted, with a share', second, gone, ['hold GracePeriod LockedWithoutRollout', 'hold LockedWithoutRollout']],
  [
    'deleted, and nothing of the release serves',
    second,
    (stand) => orphan(stand, DEAD, 'partition'),
    ['TrafficWithdrawn: step 2/3, traffic withdrawn', 'hold GroupsNotReady LockedWithoutRollout'],
  ],
  [
    'deleted, a newer template with a share',
    asked(second, NEW, NEWER),
    gone,
    ['RouteRestored: step 2/3, route-restored', 'hold LockedWithoutRollout'],
  ],
  [
    'deleted, every group released for update',
    whole,
    gone,
    ['Locked: step 3/3, locked, partition 0 → 1000000', 'hold LockedWithoutRollout'],
  ],
  [
    'deleted, an abort on the workload itself',
    ordered(first),
    gone,
    ['Aborted: rollback, route-restored', ...DRAINED, BACK, 'hold LockedWithoutRollout'],
  ],
  [
    'deleted, the stable template put back',
    asked(first, NEW, OLD),
    gone,
    ['Reverted: rollback', BACK, 'hold LockedWithoutRollout'],
  ],
  [
    'of another style, before a group has moved',
    text,
    asCanary,
    ['hold GracePeriod FrozenFieldChanged', 'hold FrozenFieldChanged'],
  ],
  [
    'of another style, with a share, and no record',
    forgotten(second),
    asCanary,
    ['hold GracePeriod FrozenFieldChanged', 'hold FrozenFieldChanged'],
  ],
  [
    'of another style, on stable, and no record',
    forgotten(home),
    asCanary,
    ['hold GracePeriod FrozenFieldChanged', 'hold FrozenFieldChanged'],
  ],
  [
    'of another style, every group released for update',
    forgotten(whole),
    asCanary,
    ['Locked: step 3/3, locked, partition 0 → 1000000', 'hold FrozenFieldChanged'],
  ],
  [
    'of another style, and nothing of the release serves',
    second,
    (stand) => asCanary(stand, DEAD),
    ['TrafficWithdrawn: step 2/3, traffic withdrawn', 'hold GroupsNotReady FrozenFieldChanged TrafficWithdrawn'],
  ],
  [
    'of another style, abort',
    first,
    (stand) => asCanary(stand, abort(first)),
    ['Aborted: rollback, route-restored', ...DRAINED, BACK, 'hold '],
  ],
  [
    'of another style, a newer template before a group has moved',
    asked(text, NEW, NEWER),
    asCanary,
    ['hold FrozenFieldChanged'],
  ],
  [
    'without trafficRoutings, and no record',
    forgotten(second),
    unrouted,
    ['hold GracePeriod FrozenFieldChanged', 'hold FrozenFieldChanged'],
  ],
  [
    'without trafficRoutings, abort',
    first,
    (stand) => unrouted(stand, abort(first)),
    ['Aborted: rollback, route-restored', ...DRAINED, BACK, 'hold '],
  ],
  [
    'disabled, with a share',
    second,
    (stand) => disabled(stand),
    ['hold GracePeriod Disabled', 'hold Disabled PauseDuration', 'hold Disabled'],
  ],
  [
    'disabled, abort',
    first,
    (stand) => disabled(stand, abort(first)),
    ['Aborted: rollback, route-restored', ...DRAINED, BACK, 'hold '],
  ],
])('its Rollout is %s', (_, stand, found, told) => expect(passes(stand, { found }).told).toEqual(told));

test('a newer template while requests go to stable, and a Rollout of another style: it settles on the stable release', () => {
  const back = asked(passed(first, abort(first)).stand, NEW, NEWER);
  // All were made again on the stable version, once it was locked.
  const found = (stand: Stand): Found => asCanary(stand, { view: { own: '0:O+ 1:O+ 2:O+ 3:O+' } });
  const end = passes(back, { found, most: 2 });
  expect(end.told).toEqual(['RollStopped: rollback, stopped, partition 3 → 1000000', 'RolledBack: rolled back']);
  expect(releaseIn(end.stand)).toBe(releaseIn(requested));
});
