/** Edges of a delivery that fills a second workload, canary: routes and marks that are gone, an autoscaler that cannot be read. */

import { expect, test } from 'vitest';
import { unknown } from '../../../src/api/known.ts';
import { factsDigest } from '../../../src/reconcile/documents/digests.ts';
import { planIntent } from '../../../src/rollout/orders/intent.ts';
import { type Found, passed, snapshotAt } from '../../support/ladder-pass.ts';
import { abort, after, asked, edited, requested, stands } from '../../support/ladder-stands.ts';
import { LWS_FILE, ROLLOUT_FILE } from '../../support/vllm.ts';

const LOST: Found = { view: { own: '0:O- 1:O- 2:O- 3:O-' } };

test('a route that is not in the files any more keeps its share from being forgotten, with and without a record', () => {
  const unnamed = edited(stands.second, ROLLOUT_FILE, / *trafficRoutings: .*\n/, '');
  for (const stand of [unnamed, { ...unnamed, record: undefined }]) {
    expect(passed(stand).told).toMatch(/^hold (FrozenFieldChanged|CanaryEdited)/);
    const back = passed(stand, abort(stand));
    expect(back.told).toBe('Aborted: rollback, route-restored');
    expect(passed(back.stand).told).toBe('hold CanaryEdited');
  }
});

test('marks are lost while the primary restarts: a share is not sent to what serves nothing', () => {
  const lostMarks = snapshotAt(stands.primary).workload?.workload.marks;
  const gone = edited(stands.primary, LWS_FILE, /^ *tranche\.dev\/(release|step|rung|stable|restore): .*\n/gm, '');
  expect(passed(gone, { ...LOST, snapshot: { lostMarks } }).told).toBe('hold StableNotServing');
});

test('whether there is an autoscaler is not known: nothing starts', () => {
  const { live } = snapshotAt(requested);
  const snapshot = { live: { ...live, scaler: unknown('forbidden') } };
  expect(passed(requested, { snapshot }).told).toBe('hold ScalerUnreadable');
});

test('more groups while those of a step come up: they are asked for before the share', () => {
  const more = asked(after('step 3/3, pods: canary 2 → 4'), 'replicas: 4', 'replicas: 16');
  expect(passed(more).told).toBe('RungReady: step 3/3, pods: canary 4 → 16');
});

test.each([['abort, in a promotion', { kind: 'abort', keepNewer: false } as const, 'write']])(
  'orders: %s',
  (_, intent, kind) =>
    expect(planIntent(intent, { snapshot: snapshotAt(stands.primary), digestOf: factsDigest }).kind).toBe(kind),
);
