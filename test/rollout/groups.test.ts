/** One group from its leader and its worker StatefulSet, fact by fact, and which revision holds a text. */

import { describe, expect, test } from 'vitest';
import type { LiveLeader, LiveRevision, LiveStatefulSet } from '../../src/api/live.ts';
import { groupsOf, nameGroups } from '../../src/rollout/observed/groups.ts';
import { hasCloser, keyHolds, keyOf } from '../../src/rollout/observed/revisions.ts';
import { flipped, lowest } from '../../src/rollout/situation.ts';

const leader: LiveLeader = {
  name: 'vllm-0',
  uid: 'leader',
  groupIndex: 0,
  revisionKey: 'b',
  size: 2,
  deleting: false,
  ready: true,
  createdAt: 0,
  readyAt: 0,
  waitingOn: '',
  unschedulable: '',
  restarts: 0,
};
const workers: LiveStatefulSet = {
  name: 'vllm-0',
  uid: 'workers',
  ownerUid: 'leader',
  deleting: false,
  generation: 2,
  observedGeneration: 2,
  replicas: 1,
  partition: 0,
  maxUnavailable: undefined,
  revisionKey: 'b',
  replicasSeen: undefined,
  groupIndex: 0,
  currentRevision: 'b-1',
  updateRevision: 'b-1',
  readyReplicas: 1,
  availableReplicas: 1,
  updatedReplicas: 1,
};

function only(changes: { readonly leader?: Partial<LiveLeader>; readonly workers?: Partial<LiveStatefulSet> }) {
  const [group] = groupsOf(1, {
    leaders: [{ ...leader, ...changes.leader }],
    workerSets: [{ ...workers, ...changes.workers }],
    workerPods: [],
    size: 2,
    keys: { release: 'b', stable: 'a' },
  });
  return [group?.version, group?.ready];
}

describe('one group', () => {
  test.each([
    ['all there', {}, ['release', true]],
    ['its leader not ready', { leader: { ready: false } }, ['release', false]],
    ['its leader ready and being deleted', { leader: { deleting: true } }, ['release', false]],
    ['workers of the leader before this one', { workers: { ownerUid: 'before' } }, ['other', false]],
    ['workers being deleted', { workers: { deleting: true } }, ['other', false]],
    ['workers counted for an older generation', { workers: { observedGeneration: 1 } }, ['release', false]],
    ['a worker missing', { workers: { availableReplicas: 0 } }, ['release', false]],
    ['more workers than wanted for a moment', { workers: { availableReplicas: 2 } }, ['release', true]],
    ['workers on the stable version', { workers: { revisionKey: 'a' } }, ['other', true]],
    ['all on the stable version', { leader: { revisionKey: 'a' }, workers: { revisionKey: 'a' } }, ['stable', true]],
  ] as const)('%s', (_, changes, then) => expect(only(changes)).toEqual(then));
});

test('there is an entry for each ordinal that is asked for, and for each leader above', () => {
  const parts = { workerSets: [], workerPods: [], size: 1, keys: { release: 'b', stable: 'a' } };
  const leaders = [1, 4].map((groupIndex) => ({ ...leader, size: 1, groupIndex, uid: `leader ${groupIndex}` }));
  const indexes = groupsOf(3, { ...parts, leaders }).map(({ index, uid }) => [index, uid]);
  expect(indexes).toEqual([
    [0, ''],
    [1, 'leader 1'],
    [2, ''],
    [4, 'leader 4'],
  ]);
});

describe('flipped', () => {
  test.each([
    ['current and update revision equal', {}, true],
    ['two revisions', { updateRevision: 'b-2' }, false],
    ['equal, as it was before its last change', { observedGeneration: 1 }, false],
  ] as const)('%s', (_, changes, then) => expect(flipped({ ...workers, ...changes })).toBe(then));
});

const revision = (key: string, number: number, content: LiveRevision['content']): LiveRevision => ({
  name: `vllm-${key}`,
  key,
  revision: number,
  content,
});

describe('the revision that holds a text', () => {
  const text = { leaderWorkerTemplate: { size: 2 } };
  const more = { leaderWorkerTemplate: { size: 2, restartPolicy: 'None' } };
  const [close, wide] = [revision('close', 1, text), revision('wide', 2, more)];
  test.each([
    ['none', [revision('x', 1, { leaderWorkerTemplate: { size: 3 } })], undefined],
    ['the closest, whichever is newer', [close, wide], 'close'],
    ['the closest, whichever comes first', [wide, close], 'close'],
    ['of equals the newer', [close, revision('newer', 3, text)], 'newer'],
    ['of equals the newer, whichever comes first', [revision('newer', 3, text), close], 'newer'],
  ] as const)('%s', (_, revisions, then) => expect(keyOf({ content: text }, undefined, revisions, [])).toBe(then));

  test('of equals one that groups are on, before a newer one', () => {
    const newer = revision('newer', 3, text);
    expect(keyOf({ content: text }, undefined, [close, newer], ['close'])).toBe('close');
    expect(keyOf({ content: text }, undefined, [newer, close], ['close'])).toBe('close');
    expect(keyOf({ content: text }, undefined, [close, wide], ['wide'])).toBe('close');
  });

  test('what only the other text says must not be in it', () => {
    expect(keyOf({ content: text }, more, [wide], [])).toBeUndefined();
    expect(keyHolds('wide', text, { before: more, live: { content: more }, revisions: [wide] })).toBe(false);
    expect(keyHolds('wide', text, { before: undefined, live: { content: more }, revisions: [wide] })).toBe(true);
    expect(keyHolds('wide', text, { before: undefined, live: { content: text }, revisions: [wide] })).toBe(false);
  });

  test('one of two is closer', () => {
    expect(hasCloser('wide', text, [close, wide])).toBe(true);
    expect(hasCloser('close', text, [close, wide])).toBe(false);
    expect(hasCloser('gone', text, [close, wide])).toBe(false);
  });
});

test.each([
  [[], 'no group'],
  [[3], 'group 3'],
  [[2, 1], 'groups 1 and 2'],
  [[10, 9, 2], 'groups 2, 9 and 10'],
  [[7, 6, 5, 4], 'groups 4–7'],
  [[0, 1, 3], 'groups 0, 1 and 3'],
])('%j is %s', (indexes, then) => expect(nameGroups(indexes)).toBe(then));

test('the lowest of no groups is none', () => expect(lowest([])).toBeUndefined());
