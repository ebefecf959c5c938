/** What is said where LWS observes nothing any more. */

import { expect, test } from 'vitest';
import { waitingOnApply } from '../../../src/rollout/applied.ts';
import { world } from '../../support/snapshot.ts';

test('not observed for a minute', () => {
  const at = (seconds: number, of: { readonly claims?: string; readonly setText?: 'A' } = {}): string => {
    const snapshot = world({
      marks: 'B.2 1/3 floor=3',
      p: 3,
      text: 'B',
      claims: of.claims ?? '',
      groups: '0:A+ 1:A+ 2:A+ 3:A+',
      live: { unobserved: true, setText: of.setText ?? 'B' },
      record: {},
    });
    const { record, workload } = snapshot;
    if (record === undefined || workload === undefined) throw new Error('nothing to look at');
    const since = { ...record, blobs: snapshot.blobs, appliedSince: snapshot.now - seconds };
    return waitingOnApply({ ...snapshot, record: since }, workload)?.message ?? '';
  };
  expect(at(59)).toBe('LWS has observed generation 6 of 7 so far');
  expect(at(60)).toMatch(
    /^LWS has observed generation 6 of 7 so far, and not since .*: until it can apply the object, no partition, no scaling and no rollback takes effect\. Look whether the LWS controller runs, and for FailedUpdate in the events/,
  );
  expect(at(60, { claims: 'B', setText: 'A' })).toContain(
    'The volumeClaimTemplates are not those of the leader StatefulSet, which takes no change of them: put the old ones back into apps/vllm/lws.yaml',
  );
});

// Anyone who takes the record away at every pass would keep a rollback from its end for good.
test('LWS before 0.9, no record: the date of its last change counts', () => {
  const held = (ago: number | undefined): string | undefined => {
    const snapshot = world({ marks: 'A.1 rollback floor=2', p: 2, groups: '0:A+ 1:A+ 2:A+ 3:A+', live: { old: true } });
    const { lws } = snapshot.live;
    if (lws.kind !== 'known' || snapshot.workload === undefined) throw new Error('nothing to look at');
    const writtenAt = ago === undefined ? undefined : snapshot.now - ago;
    const live = { ...snapshot.live, lws: { ...lws, value: { ...lws.value, writtenAt } } };
    return waitingOnApply({ ...snapshot, live, record: undefined }, snapshot.workload)?.reason;
  };
  expect(held(undefined)).toBe('NotObserved');
  expect(held(59)).toBe('NotObserved');
  expect(held(60)).toBeUndefined();
  // Its clock is ahead of ours.
  expect(held(-1)).toBe('NotObserved');
});

// Whoever can push to the status branch could end that wait at once.
test('LWS before 0.9, a record that nobody bears out: it was not live before the object was changed', () => {
  const held = (ago: number, isUnsigned: boolean): string | undefined => {
    const snapshot = world({
      marks: 'A.1 1/3 floor=3',
      p: 3,
      groups: '0:A+ 1:A+ 2:A+ 3:A+',
      live: { old: true },
      record: {},
    });
    const { record, workload } = snapshot;
    const { lws } = snapshot.live;
    if (lws.kind !== 'known' || workload === undefined || record === undefined) throw new Error('nothing to look at');
    const live = { ...snapshot.live, lws: { ...lws, value: { ...lws.value, writtenAt: snapshot.now - ago } } };
    const forged = { ...record, blobs: snapshot.blobs, appliedSince: snapshot.now - 90_000 };
    return waitingOnApply({ ...snapshot, live, record: forged, ...(isUnsigned ? { unsigned: {} } : {}) }, workload)
      ?.reason;
  };
  expect(held(4, true)).toBe('NotObserved');
  expect(held(5, true)).toBeUndefined();
  expect(held(4, false)).toBeUndefined();
  // Its clock is ahead of ours.
  expect(held(-1, true)).toBeUndefined();
});
