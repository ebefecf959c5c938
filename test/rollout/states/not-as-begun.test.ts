/** A delivery that fills a second workload, and whose Rollout, or record, is gone or another since: nothing goes further, what protects does. */

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseManifestFile } from '../../../src/manifests/parse-file.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { readWorkload } from '../../../src/reconcile/documents/read-workload.ts';
import { planIntent } from '../../../src/rollout/orders/intent.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { type Found, passed, passes, releaseIn, type Stand, snapshotAt } from '../../support/ladder-pass.ts';
import { abort, asked, edited, NEWER, stands } from '../../support/ladder-stands.ts';
import { another, begunAs, ordered, orphan } from '../../support/rollout-changed.ts';
import { ROUTE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

const DEAD: Found['view'] = { second: '0:G- 1:G- 2:G- 3:G-' };
const BACK = ['hold Draining', 'RolledBack: rolled back'];

/** Nothing but this one pass after another, until nothing is done any more. */
function toldOf(start: Stand, found: (stand: Stand) => Found): readonly string[] {
  const { told } = passes(start, { found });
  return told;
}

/** The record is one that is not understood, and stays so. */
const NEWER_RECORD: Found = { snapshot: { record: undefined, newerRecord: 2 } };

/** For a template that was aborted and is gone since. */
const stopped = edited(
  edited(stands.primary, LWS_FILE, 'partition: 0', 'partition: 1000000'),
  LWS_FILE,
  '"groups":4}',
  '"groups":4,"stopped":true}',
);

test('a primary that we had stopped goes on', () =>
  expect(passed(stopped).told).toBe('PartitionRestored: promote, partition 1000000 → 0'));

test.each<readonly [what: string, stand: Stand, found: Found, told: readonly string[]]>([
  ['no step', stands.second, {}, ['hold NewerRecord GracePeriod']],
  [
    'abort, and nothing dates the drain: the groups stay',
    stands.second,
    abort(stands.second),
    ['Aborted: rollback, route-restored', 'hold NewerRecord Draining'],
  ],
  [
    'abort, in the primary',
    stands.primary,
    abort(stands.primary),
    ['Aborted: rollback, primary', 'RouteRestored: rollback, route-restored', 'hold NewerRecord Draining'],
  ],
  [
    'a share of what serves nothing',
    stands.second,
    { view: DEAD },
    ['TrafficWithdrawn: step 2/3, traffic withdrawn', 'hold NewerRecord GroupsNotReady NotServing TrafficWithdrawn'],
  ],
  ['a primary that we had stopped is not release again', stopped, {}, ['hold NewerRecord']],
])('the record is of a newer tranche, %s', (_, stand, found, told) =>
  expect(toldOf(stand, () => ({ ...NEWER_RECORD, ...found }))).toEqual(told),
);

/** Main dates the rung of the rollback, and the cluster the last change of its routes: this many seconds before the pass. */
const dated = ({ now }: Stand, [rung, routes]: readonly [rung: number, routes: number | undefined]): Found => ({
  snapshot: { ...NEWER_RECORD.snapshot, rollbackAt: now - rung },
  ...(routes === undefined ? {} : { view: { written: now - routes } }),
});

test.each<readonly [what: string, ago: readonly [number, number | undefined], last: string]>([
  ['the commit and the routes are older than the drain', [3600, 3600], 'RolledBack: rolled back'],
  ['the commit is younger', [30, 3600], 'hold NewerRecord Draining'],
  ['a route was changed later', [3600, 30], 'hold NewerRecord Draining'],
  ['passes are apart for as long as it lacks', [3600, 89], 'hold NewerRecord Draining'],
  ['the routes are older by as long', [3600, 90], 'RolledBack: rolled back'],
  ['a route does not tell', [3600, undefined], 'hold NewerRecord Draining'],
  ['the commit is dated ahead', [-3600, 3600], 'hold NewerRecord Draining'],
])('the record is of a newer tranche, a drain of the rollback: %s', (_, ago, last) => {
  const found = abort(stands.primary);
  const { told } = passes(stands.primary, { found: (stand) => ({ ...found, ...dated(stand, ago) }), most: 3 });
  expect(told).toEqual(['Aborted: rollback, primary', 'RouteRestored: rollback, route-restored', last]);
});

const SILENT =
  'HTTPRoute chat, Service vllm-svc, Service vllm-svc-canary do not say when they were last changed (metadata.managedFields)';
const DRAINING_SAYS = 'gets no new requests, and answers its last ones: 60 s of 60 s are left';

test.each<readonly [what: string, ago: readonly [number, number | undefined], part: Partial<Snapshot>, why: string]>([
  ['what does not tell', [3600, undefined], { newerRecord: 2 }, SILENT],
  ['the same without a key', [3600, undefined], { keyMissing: 'no key' }, SILENT],
  ['the same where the status branch takes no record', [3600, undefined], { record: stands.primary.record }, SILENT],
  [
    'a commit that is dated ahead',
    [-3600, 3600],
    { newerRecord: 2 },
    'the commit of this rollback, or a route or Service, is dated after this pass, and counts from then on',
  ],
])('a drain that nothing dates says so, and what to do: %s', (_, ago, part, why) => {
  const found = abort(stands.primary);
  const { stand } = passes(stands.primary, { found: (at) => ({ ...found, ...dated(at, ago) }), most: 2 });
  const { view, snapshot: { rollbackAt = 0 } = {} } = dated(stand, ago);
  const snapshot = { record: undefined, rollbackAt, ...part };
  const { plan } = passed(stand, { ...found, snapshot, ...(view === undefined ? {} : { view }) });
  const [held] = plan.holds.filter(({ reason }) => reason === 'Draining');
  expect(held?.message).toContain(`${DRAINING_SAYS}. No record counts them, and ${why}. It counts once`);
  expect(held?.message.includes('kubectl apply --server-side')).toBe(why === SILENT);
  expect(held?.message).not.toContain('--now');
  expect(held?.requeueAfterSeconds).toBe(60);
});

test.each<readonly [what: string, change: Partial<Snapshot>]>([
  ['counts', {}],
  ['is lost, and is kept from now on', { record: undefined, rollbackAt: 0 }],
])('a drain whose record %s says nothing of dates', (_, snapshot) => {
  const found = abort(stands.primary);
  const { stand } = passes(stands.primary, { found: () => found, most: 2 });
  const [held] = passed(stand, { ...found, snapshot }).plan.holds.filter(({ reason }) => reason === 'Draining');
  expect(held).toMatchObject({ waits: 'time', message: expect.stringMatching(/are left$/) });
});

type Row = readonly [what: string, stand: Stand, found: (stand: Stand) => Found, told: readonly string[]];

test.each<Row>([
  ['deleted, nothing goes on', stands.second, (stand) => orphan(stand), ['hold LockedWithoutRollout']],
  [
    'deleted, an abort on the workload itself, with a share',
    ordered(stands.second),
    (stand) => orphan(stand),
    ['Aborted: rollback, route-restored', ...BACK, 'hold LockedWithoutRollout'],
  ],
  [
    'deleted, an abort on the workload itself, in the primary',
    ordered(stands.primary),
    (stand) => orphan(stand),
    ['Aborted: rollback, primary', 'RouteRestored: rollback, route-restored', ...BACK, 'hold LockedWithoutRollout'],
  ],
  [
    'deleted, the stable template put back',
    asked(stands.second, NEW, OLD),
    (stand) => orphan(stand),
    ['Reverted: rollback, route-restored', ...BACK, 'hold LockedWithoutRollout'],
  ],
  [
    'deleted, the second workload serves nothing',
    stands.second,
    (stand) => orphan(stand, { view: DEAD }),
    ['TrafficWithdrawn: step 2/3, traffic withdrawn', 'hold LockedWithoutRollout'],
  ],
  [
    'deleted, all of the primary is on the release: locked, and requests go to stable',
    stands.primary,
    (stand) => orphan(stand),
    [
      'RouteRestored: promote, route-restored',
      'hold LockedWithoutRollout GracePeriod Draining',
      'hold LockedWithoutRollout',
    ],
  ],
  [
    'deleted, a newer template in the primary: stopped',
    asked(stands.primary, NEW, NEWER),
    (stand) => orphan(stand),
    ['RollStopped: promote, stopped', 'hold LockedWithoutRollout'],
  ],
  [
    'deleted, a newer template in a step',
    asked(stands.second, NEW, NEWER),
    (stand) => orphan(stand),
    ['hold LockedWithoutRollout'],
  ],
  [
    'deleted, a partition of a hand',
    asked(stands.second, /partition: 1000000/, 'partition: 2'),
    (stand) => orphan(stand),
    ['PartitionRestored: step 2/3, partition 2 → 1000000', 'hold LockedWithoutRollout'],
  ],
  [
    'of another style, nothing goes on',
    { ...stands.second, record: undefined },
    (stand) => another(stand, { style: 'partition' }),
    ['hold FrozenFieldChanged GracePeriod', 'hold FrozenFieldChanged PauseDuration', 'hold FrozenFieldChanged'],
  ],
  [
    'of another style, the second workload serves nothing',
    stands.second,
    (stand) => another(stand, { style: 'partition' }, { view: DEAD }),
    [
      'TrafficWithdrawn: step 2/3, traffic withdrawn',
      'hold FrozenFieldChanged GroupsNotReady NotServing TrafficWithdrawn',
    ],
  ],
  [
    'of another style, abort',
    stands.second,
    (stand) => another(stand, { style: 'partition' }, abort(stands.second)),
    ['Aborted: rollback, route-restored', ...BACK, 'hold '],
  ],
  [
    'without trafficRoutings, nothing goes on',
    { ...stands.second, record: undefined },
    (stand) => another(stand, { routing: undefined }),
    ['hold FrozenFieldChanged GracePeriod', 'hold FrozenFieldChanged PauseDuration', 'hold FrozenFieldChanged'],
  ],
  [
    'without trafficRoutings, abort',
    stands.second,
    (stand) => another(stand, { routing: undefined }, abort(stands.second)),
    ['Aborted: rollback, route-restored', ...BACK, 'hold '],
  ],
  [
    'disabled, abort',
    stands.second,
    (stand) => another(stand, { disabled: true }, abort(stands.second)),
    ['Aborted: rollback, route-restored', ...BACK, 'hold '],
  ],
  [
    'disabled, the second workload serves nothing',
    stands.second,
    (stand) => another(stand, { disabled: true }, { view: DEAD }),
    ['TrafficWithdrawn: step 2/3, traffic withdrawn', 'hold GroupsNotReady NotServing Disabled TrafficWithdrawn'],
  ],
])('its Rollout is %s', (_, stand, found, told) => expect(toldOf(stand, found)).toEqual(told));

test('an order to abort without a Rollout is written on the workload itself', () => {
  const scene = (stand: Stand) => ({
    snapshot: snapshotAt(stand, { snapshot: { rollout: undefined } }),
    digestOf: factsDigest,
  });
  const order = planIntent({ kind: 'abort', keepNewer: false }, scene(stands.second));
  const [edit] = order.kind === 'write' ? (order.commits[0]?.edits ?? []) : [];
  expect(edit).toMatchObject({
    object: { kind: 'LeaderWorkerSet', name: 'vllm' },
    edits: [{ kind: 'set', path: ['metadata', 'annotations', 'tranche.dev/abort'], value: releaseIn(stands.second) }],
  });
  expect(planIntent({ kind: 'jump', step: 3 }, scene(stands.second)).kind).toBe('refused');
  const rest = passes(stands.home).stand;
  expect(planIntent({ kind: 'abort', keepNewer: false }, scene(rest)).kind).toBe('refused');
});

test('an order on the workload that cannot be read is reported with its line, and none is taken', () => {
  const wrong = edited(stands.second, LWS_FILE, 'annotations:\n', 'annotations:\n    tranche.dev/abort: "now"\n');
  const [document] = parseManifestFile(LWS_FILE, wrong.texts.get(LWS_FILE) ?? '', ['LeaderWorkerSet']).documents;
  const read = document === undefined ? undefined : readWorkload(document);
  expect(read?.workload?.workload.abort).toBeUndefined();
  expect(read?.issues.map(({ path }) => path)).toEqual(['metadata.annotations.tranche.dev/abort']);
});

test('the last requests are not counted down while a route that nobody names sends to the second workload', () => {
  const home = passed(ordered(stands.second), orphan(ordered(stands.second))).stand;
  const share = parse(stands.second.texts.get(ROUTE_FILE) ?? '');
  const { ladder, traffic } = snapshotAt(home, { view: { route: () => share } });
  const unnamed = (found: Snapshot['ladder']): Snapshot['ladder'] =>
    found === undefined
      ? undefined
      : { ...found, routes: [], watched: found.routes, begun: { name: 'vllm', style: 'canary' } };
  const snapshot = { rollout: undefined, ladder: unnamed(ladder), traffic };
  expect(passes(home, { found: () => ({ snapshot }) }).told).toEqual(['hold Draining']);
});

test('nor are they where the Rollout is deleted with the Service and the route: nothing tells that there were none', () => {
  const home = passed(ordered(stands.second), orphan(ordered(stands.second))).stand;
  const { ladder } = snapshotAt(home);
  if (ladder === undefined) throw new Error('no ladder');
  const alone = { ...ladder, service: undefined, canaryService: undefined, routes: [], begun: begunAs(home)?.begun };
  const found: Found = { snapshot: { rollout: undefined, ladder: alone } };
  const soon = passed({ ...home, now: home.now - 3590 }, found);
  expect(soon.told).toBe('hold Draining');
  expect(passed({ ...soon.stand, now: soon.stand.now + 3600 }, found).told).toBe('RolledBack: rolled back');
});

test('another strategy, and no document tells which one started it: an abort is carried out once that is put back', () => {
  const { rollout } = another(stands.second, { style: 'partition' }).snapshot ?? {};
  const held = passed(stands.second, { ...abort(stands.second), snapshot: { rollout } });
  expect(held.told).toBe('hold FrozenFieldChanged');
  expect(held.plan.holds[0]?.message).toContain('when the delivery started, and then go back: tranche abort vllm');
  expect(passed(held.stand, abort(stands.second)).told).toBe('Aborted: rollback, route-restored');
});
