/** A delivery with a second workload after a hand, or a loss, where no record tells: what was put aside, its rung, its primary. */

import { expect, test } from 'vitest';
import { inShort, printRelease } from '../../../src/api/release.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { planIntent } from '../../../src/rollout/orders/intent.ts';
import { ladderFiles, ladderRollout } from '../../support/ladder.ts';
import { type Found, passed, passes, releaseIn, type Stand, settledOn, snapshotAt } from '../../support/ladder-pass.ts';
import { AT, abort, after, asked, edited, NEWER, ONE, requested, STEPS, stands } from '../../support/ladder-stands.ts';
import { SERVICE_FILE } from '../../support/traffic-files.ts';
import { LWS_FILE, NEW, OLD } from '../../support/vllm.ts';

/** Without this mark, and without a record. */
function without(mark: string, stand: Stand): Stand {
  return { ...edited(stand, LWS_FILE, new RegExp(`    tranche.dev/${mark}: .*\n`), ''), record: undefined };
}

const given = (stand: Stand): Stand => passed(stand, abort(stand)).stand;
const BACK = ['hold Draining', 'RolledBack: rolled back', 'hold '];
type Row = readonly [what: string, stand: Stand, told: readonly string[]];

test.each<Row>([
  [
    'the rung, with a share: nothing is released for update',
    without('rung', stands.second),
    ['hold GracePeriod', 'hold PauseDuration', 'StepReady: step 3/3, pods: canary 2 → 4'],
  ],
  [
    'the rung, in the primary: it is waited for',
    without('rung', stands.primary),
    ['RouteRestored: promote, route-restored', 'hold GracePeriod Draining', 'Settled: settled'],
  ],
  [
    'the rung, on a rollback with a share: it drains',
    without('rung', given(stands.second)),
    ['RouteRestored: rollback, route-restored', 'RolledBack: rolled back', 'hold '],
  ],
  [
    'the rung, on a rollback from the primary: it goes there once more',
    without('rung', given(stands.primary)),
    ['RollbackWidened: rollback, primary', 'RouteRestored: rollback, route-restored', ...BACK],
  ],
  ['what was put aside: no share goes on', without('restore', stands.pods), ['hold AnnotationsGone']],
  [
    'what was put aside, on a rollback from the primary',
    without('restore', given(stands.primary)),
    ['RouteRestored: rollback, route-restored', ...BACK],
  ],
])('taken out without a record: %s', (_, stand, told) =>
  expect(passes(stand, { most: told.length }).told).toEqual(told),
);

test.each<Row>([
  ['in a step', without('restore', stands.second), ['Aborted: rollback, route-restored', ...BACK]],
  [
    'in the primary',
    without('restore', stands.primary),
    ['Aborted: rollback, primary', 'RouteRestored: rollback, route-restored', ...BACK],
  ],
])('what was put aside is gone without a record, abort: %s', (_, stand, told) =>
  expect(passes(stand, { found: () => abort(stand) }).told).toEqual(told),
);

test('a rollback whose rung a hand has taken out waits for the last requests, and the primary may not be half', () => {
  const back = without('rung', given(stands.second));
  const home = passed(back);
  expect(home.told).toBe('RouteRestored: rollback, route-restored');
  expect(passed({ ...home.stand, now: back.now + 30 }).told).toBe('hold Draining');
  const half: Found = { view: { own: '0:O+ 1:O+ 2:G+ 3:G+' } };
  expect(passed(without('rung', stands.primary), half).told).toBe('hold GroupsNotUpdated');
});

test('the primary re-created on the release, and no record: held until someone accepts that', () => {
  const fresh = { ...stands.second, record: undefined };
  const found: Found = { view: { own: '0:G+ 1:G+ 2:G+ 3:G+' } };
  const first = passed(fresh, found);
  expect(first.told).toBe('hold Recreated');
  const second = passed(first.stand, found);
  expect(second.told).toBe('hold Recreated');
  const facts = second.plan.holds[0]?.facts ?? {};
  const accept = `Recreated@${releaseIn(fresh)}#${factsDigest(facts)}`;
  expect(passed(second.stand, { ...found, intents: { accept } }).told).toBe('Promoted: promote, primary');
  expect(passed(second.stand, { ...found, ...abort(fresh) }).told).toBe('Aborted: rollback, primary');
});

test('an aborted template at the end of a promotion is inert: the release settles, and it is held then', () => {
  const request = asked(passed(settledOn(stands.home.texts)).stand, NEW, NEWER);
  const digest = snapshotAt(request).workload?.digest ?? '';
  const known = edited(
    stands.home,
    LWS_FILE,
    '    tranche.dev/rung:',
    `    tranche.dev/aborted: "${digest}.9"\n    tranche.dev/rung:`,
  );
  expect(passes(asked(known, NEW, NEWER)).told).toEqual([
    'hold GracePeriod Draining RequestQueued',
    'Settled: settled',
    'hold ReleaseAborted',
  ]);
});

test('a newer template while the new version takes all requests of one group back: it is not overwritten unnamed', () => {
  const home = after(AT.home, asked(passed(settledOn(ONE)).stand, OLD, NEW));
  const all = passed(home, abort(home));
  expect(all.told).toBe('Aborted: rollback, all: – → 100%');
  const newer = asked(all.stand, NEW, NEWER);
  const found = (): Found => abort(home);
  expect(passes(newer, { found }).told).toEqual(['hold GracePeriod Draining RequestQueued', 'hold NewerRequestWaits']);
  const drained = passes(newer, { found }).stand;
  const order = planIntent(
    { kind: 'abort', keepNewer: false },
    { snapshot: snapshotAt(drained), digestOf: factsDigest },
  );
  const [edit] = order.kind === 'write' ? (order.commits[0]?.edits[0]?.edits ?? []) : [];
  const both = edit?.kind === 'set' ? String(edit.value) : '';
  expect(passed(drained, { intents: { abort: both } }).told).toBe('Aborted: rollback, primary');
  const back = asked(drained, NEWER, NEW);
  expect(passed(back, found()).told).toBe('Aborted: rollback, primary');
});

test.each<readonly [string, Stand, string]>([
  ['in a step', stands.second, 'Superseded: step 1/3, route-restored'],
  ['in the primary', stands.primary, 'Superseded: step 1/3, stopped'],
  ['on stable', stands.home, 'hold NewerRequestWaits'],
])('an abort that does not name the newer template, %s', (_, stand, told) => {
  const heard = passed(asked(stand, NEW, NEWER), abort(stand));
  expect(heard.told).toBe(told);
  const marks = snapshotAt(heard.stand).workload?.workload.marks;
  const isBegun = marks?.step?.kind === 'step' && heard.plan.commit !== undefined;
  expect(marks?.aborted.map(printRelease)).toEqual(isBegun ? [releaseIn(stand)] : []);
});

test('marks of a rollback that a hand took out come back, and the drain is the one that had begun', () => {
  const back = given(stands.second);
  const found: Found = { snapshot: { lostMarks: snapshotAt(back).workload?.workload.marks } };
  const gone = ['step', 'rung', 'restore'].reduce(
    (stand, mark) => edited(stand, LWS_FILE, new RegExp(`    tranche.dev/${mark}: .*\n`), ''),
    back,
  );
  const first = passed(gone, found);
  expect(first.told).toBe('AnnotationsRestored: annotations restored');
  expect(passes(first.stand).told).toEqual(passes(back).told.slice(1));
});

test('what was edited by hand names the object, its field and what it is', () => {
  const told = (from: RegExp, to: string): string =>
    passed(edited(stands.second, LWS_FILE, from, to)).plan.holds.find(({ reason }) => reason === 'CanaryEdited')
      ?.seen ?? '';
  expect(told(/(name: vllm-canary[^]*?replicas: )2/, '$13')).toContain('vllm-canary: replicas is 3, not 2');
  expect(told(/(name: vllm-canary[^]*?size: )2/, '$13')).toContain('vllm-canary: size is 3');
  expect(told(/(name: vllm-canary[^]*?maxSurge: )0/, '$11')).toContain('vllm-canary: maxSurge is 1');
});

test('patches of the copy are no edit of it', () => {
  const patched = ladderRollout('canary', STEPS).replace(
    'enableExtraWorkloadForCanary: true\n',
    'enableExtraWorkloadForCanary: true\n      patchPodTemplateMetadata: {labels: {track: canary}, annotations: {a: b}}\n',
  );
  const start = asked(passed(settledOn(ladderFiles(patched))).stand, OLD, NEW);
  expect(passes(start, { most: 4 }).told).toEqual([
    'StepReady: step 1/3, template: vllm-canary',
    'RungReady: step 1/3, pods: canary 0 → 1',
    'RungReady: step 1/3, traffic: – → 5%',
    'hold GracePeriod',
  ]);
  const grown = edited(after(AT.traffic, start), LWS_FILE, /(name: vllm-canary[^]*?size: )2/, '$13');
  expect(passed(grown).told).toContain('CanaryEdited');
});

test('a newer template that took all of the primary before it was stopped keeps requests away until someone accepts that', () => {
  const stopped = after('step 1/3, stopped', asked(stands.primary, NEW, NEWER));
  const taken: Found = { view: { own: '0:G+ 1:G+ 2:G+ 3:G+' } };
  const held = passed(stopped, taken);
  expect(held.told).toBe('hold PrimaryReplaced');
  const facts = held.plan.holds[0]?.facts ?? {};
  expect(facts).toEqual({ groups: [0, 1, 2, 3] });
  const accept = `PrimaryReplaced@${releaseIn(stopped)}#${factsDigest(facts)}`;
  expect(passed(held.stand, { ...taken, intents: { accept } }).told).toBe('RouteRestored: step 1/3, route-restored');
  expect(passed(held.stand, { ...taken, ...abort(stopped) }).told).toBe('Aborted: rollback, primary');
  expect(passed(held.stand, { view: { own: '0:O+ 1:G+ 2:G+ 3:G+' } }).told).toBe(
    'RouteRestored: step 1/3, route-restored',
  );
});

test.each<readonly [string, Stand, Found, readonly string[]]>([
  [
    'the primary serves nothing',
    stands.second,
    { view: { own: '0:O- 1:O- 2:O- 3:O-' } },
    ['Aborted: rollback, template'],
  ],
  [
    'in the primary, route restored with the template',
    stands.primary,
    {},
    ['Aborted: rollback, primary', 'hold Draining'],
  ],
  [
    'on stable, with one group: no share returns',
    oneHome(),
    {},
    ['Aborted: rollback, primary', 'RolledBack: rolled back'],
  ],
])('abort --now: %s', (_, stand, found, told) => {
  const order = { intents: { abort: `${releaseIn(stand)} now` } };
  expect(
    passes(stand, { found: (now) => (now === stand ? { ...found, ...order } : order), most: told.length }).told,
  ).toEqual(told);
});

test('abort --now --accept-outage: the primary serves nothing, and every request goes there', () => {
  const lost: Found = { view: { own: '0:O- 1:O- 2:O- 3:O-' } };
  const order = (word: string): Found => ({ ...lost, intents: { abort: `${releaseIn(stands.second)} ${word}` } });
  expect(passed(stands.second, order('now outage')).told).toBe('Aborted: rollback, route-restored');
  const waits = passed(stands.second, order('now')).stand;
  expect(passed(waits, order('now')).told).toBe('hold NotServing');
  expect(passed(waits, order('now outage')).told).toBe('RouteRestored: rollback, route-restored');
});

test('an order that keeps a newer template is refused from the promotion on: the stable template has to take its place', () => {
  const intent = { kind: 'abort', keepNewer: true } as const;
  const order = (stand: Stand) =>
    planIntent(intent, { snapshot: snapshotAt(asked(stand, NEW, NEWER)), digestOf: factsDigest });
  expect(order(stands.home)).toMatchObject({
    kind: 'refused',
    why: expect.stringContaining('in the place of the newer one'),
  });
  expect(order(stands.primary).kind).toBe('refused');
  expect(order(stands.second).kind).toBe('write');
});

test('an order to abort at once says that requests wait where every one would fail, and how to have them fail', () => {
  const { stand } = passed(stands.second, { view: { own: '0:O- 1:O- 2:O- 3:O-' } });
  const scene = { snapshot: snapshotAt(stand), digestOf: factsDigest };
  const intent = { kind: 'abort', keepNewer: false, now: true } as const;
  expect(planIntent(intent, scene)).toMatchObject({
    kind: 'write',
    commits: [{ what: `abort ${inShort(releaseIn(stand))}, now` }],
    next: expect.stringContaining('tranche abort vllm --now --accept-outage'),
  });
  const word = `${releaseIn(stand)} now outage`;
  expect(JSON.stringify(planIntent({ ...intent, outage: true }, scene))).toContain(`"${word}"`);
  expect(planIntent({ ...intent, outage: true }, scene)).not.toHaveProperty('next');
});

function oneHome(): Stand {
  return after(AT.home, asked(passed(settledOn(ONE)).stand, OLD, NEW));
}

test('an abort before any share does not wait for a version before that serves nothing: it has all requests anyway', () => {
  const lost: Found = { view: { own: '0:O- 1:O- 2:O- 3:O-' } };
  expect(passed(stands.pods, { ...lost, ...abort(stands.pods) }).told).toBe('Aborted: rollback, route-restored');
  expect(passed(stands.second, { ...lost, ...abort(stands.second) }).told).toBe('Aborted: rollback, template');
});

test('an order to abort at once says so', () => {
  const intent = { kind: 'abort', keepNewer: false, now: true } as const;
  const order = planIntent(intent, { snapshot: snapshotAt(stands.second), digestOf: factsDigest });
  expect(order).toMatchObject({ commits: [{ what: `abort ${inShort(releaseIn(stands.second))}, now` }] });
  expect(JSON.stringify(order)).toContain(`"${releaseIn(stands.second)} now"`);
});

test('an order to abort at once is carried out while the primary goes back and the new version keeps its share', () => {
  const back = given(stands.primary);
  const half: Found = { view: { own: '0:G+ 1:G- 2:G- 3:G-' } };
  expect(passed(back, { ...half, ...abort(stands.primary) }).told).toBe('hold NotServing');
  const intent = { kind: 'abort', keepNewer: false, now: true } as const;
  const order = planIntent(intent, { snapshot: snapshotAt(back), digestOf: factsDigest });
  const word = `${releaseIn(stands.primary)} now`;
  expect(JSON.stringify(order)).toContain(`"${word}"`);
  const home = passed(back, { ...half, intents: { abort: word } });
  expect(home.told).toBe('RouteRestored: rollback, route-restored');
  // Its last requests, and the primary, are waited for all the same.
  expect(passed(home.stand, { ...half, intents: { abort: word } }).told).toMatch(/^hold .*Draining/);
  // Of one workload the template comes back after the last requests, and with it the release is aborted.
  const apart = planIntent(intent, {
    snapshot: snapshotAt(passed(shares, abort(shares)).stand),
    digestOf: factsDigest,
  });
  expect(JSON.stringify(apart)).toContain(`"${releaseIn(shares)} now"`);
});

const LET_GO: Found = { view: { own: '0:O+ 1:O+ 2:G+ 3:G+' } };

test('groups released for update by a hand before it starts go back by an abort, and then it starts', () => {
  const { marks } = snapshotAt(requested).workload?.workload ?? {};
  const digest = snapshotAt(requested).workload?.digest ?? '';
  const release = `${digest}.${(marks?.release.serial ?? 0) + 1}`;
  const back = passed(requested, { ...LET_GO, intents: { abort: release } });
  expect(back.told).toBe('Aborted: rollback, partition 1000000 → 2');
  const rest = passes(back.stand);
  expect(rest.told[0]).toBe('RolledBack: rolled back, partition 2 → 1000000');
  expect(passed(asked(rest.stand, OLD, NEW)).told).toBe('hold ReleaseAborted');
  const lowered = asked(requested, 'partition: 1000000', 'partition: 2');
  expect(passes(lowered, { found: () => LET_GO }).told).toEqual([
    'RollStopped: stopped, partition 2 → 1000000',
    'hold MixedRevisions',
  ]);
});

/** Every annotation of a delivery is taken out of the user's own; the record has them until a commit puts them back. */
function unmarked(stand: Stand): { readonly gone: Stand; readonly found: (at: Stand) => Found } {
  const lostMarks = snapshotAt(stand).workload?.workload.marks;
  const [own = '', ...others] = (stand.texts.get(LWS_FILE) ?? '').split('---\n');
  const text = [own.replace(/^ *tranche\.dev\/.*\n/gm, ''), ...others].join('---\n');
  const gone = { ...stand, texts: new Map([...stand.texts, [LWS_FILE, text]]) };
  const isLost = (at: Stand): boolean => snapshotAt(at).workload?.workload.marks === undefined;
  const found = (at: Stand): Found => ({
    ...abort(stand),
    snapshot: isLost(at) ? { lostMarks, stable: snapshotAt(stand).stable } : {},
  });
  return { gone, found };
}

test.each<Row>([
  [
    'in a step: the share at once, then the annotations, then the rollback',
    stands.second,
    [
      'TrafficWithdrawn: traffic withdrawn',
      'AnnotationsRestored: annotations restored',
      'Aborted: rollback, route-restored',
      'RolledBack: rolled back',
      'hold ',
    ],
  ],
  [
    'before a share',
    stands.pods,
    [
      'AnnotationsRestored: annotations restored',
      'Aborted: rollback, route-restored',
      'RolledBack: rolled back',
      'hold ',
    ],
  ],
  [
    'in the primary',
    stands.primary,
    ['TrafficWithdrawn: traffic withdrawn', 'AnnotationsRestored: annotations restored', 'Aborted: rollback, primary'],
  ],
])('every annotation is gone, abort: %s', (_, stand, told) => {
  const { gone, found } = unmarked(stand);
  expect(passes(gone, { found, most: told.length }).told).toEqual(told);
});

const routed = ladderFiles(
  ladderRollout('partition', [
    'replicas: 1, traffic: 5%, pause: {duration: 60}',
    'replicas: 50%, traffic: 20%, pause: {duration: 60}',
    'replicas: 100%',
  ]),
);
const shares = after('step 2/3, traffic: 5% → 20%', asked(passed(settledOn(routed)).stand, OLD, NEW));

test('every annotation is gone, abort: one workload: route restored, its last requests, then the template', () => {
  const { gone, found } = unmarked(shares);
  const { told, stand } = passes(gone, { found });
  expect(told).toEqual([
    'TrafficWithdrawn: traffic withdrawn',
    'Aborted: rollback, route-restored',
    'hold Draining',
    'Aborted: rollback',
    'RolledBack: rolled back, partition 2 → 1000000',
    'hold ',
  ]);
  expect(stand.texts.get(SERVICE_FILE)?.startsWith(routed.get(SERVICE_FILE) ?? '?')).toBe(true);
  const now = (at: Stand): Found => ({ ...found(at), intents: { abort: `${releaseIn(shares)} now` } });
  expect(passes(gone, { found: now, most: 2 }).told[1]).toBe('Aborted: rollback');
});

test('every annotation is gone, and nobody has ordered anything: nothing is written but the share route restored', () => {
  const { gone, found } = unmarked(stands.second);
  const silent = (at: Stand): Found => ({ ...found(at), intents: {} });
  expect(passes(gone, { found: silent }).told).toEqual(['TrafficWithdrawn: traffic withdrawn', 'hold AnnotationsGone']);
});

test('a primary in its rollback whose partition a hand has raised goes on back', () => {
  const raised = asked(given(stands.primary), /partition: 0/, 'partition: 3');
  const own = { view: { own: '0:O+ 1:O+ 2:O+ 3:G+' } };
  const widened = passed(raised, own);
  expect(widened.told).toBe('RollbackWidened: rollback, primary');
  expect(widened.stand.texts.get(LWS_FILE)).toContain('partition: 0');
  expect(passes(widened.stand).told).toEqual(['RouteRestored: rollback, route-restored', ...BACK]);
  // What is above it goes by itself.
  expect(passed(raised, { view: { own: '0:G+ 1:G+ 2:G+ 3:O+' } }).told).not.toContain('RollbackWidened');
});
