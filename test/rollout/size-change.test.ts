/** While the size of groups changes: how many pods each should have, whether it serves, and what a commit says of it. */

import { expect, test } from 'vitest';
import type { LiveLeader, LiveStatefulSet } from '../../src/api/live.ts';
import { parseLwsVersion } from '../../src/api/lws-version.ts';
import { changedSizes, mixedSizes, wholeReason } from '../../src/rollout/edits/size-change.ts';
import { groupsOf } from '../../src/rollout/observed/groups.ts';
import { situationOf } from '../../src/rollout/situation.ts';
import { contentOf, world } from '../support/snapshot.ts';

type Parts = {
  /** The annotation of the leader; undefined: none. */
  readonly own?: number;
  readonly live: number;
  /** Replicas and available ones of the worker StatefulSet; undefined: there is none. */
  readonly workers?: readonly [replicas: number, available: number];
  readonly leaderReady?: boolean;
};

function groupWith({ own, live, workers, leaderReady = true }: Parts): string {
  const snapshot = world({ n: 1 });
  const { leaders, workerSets } = snapshot.live;
  if (leaders.kind !== 'known' || workerSets.kind !== 'known') throw new Error('not read');
  const leader: LiveLeader = { ...leaders.value[0]!, size: own, ready: leaderReady };
  const set: LiveStatefulSet = {
    ...workerSets.value[0]!,
    replicas: workers?.[0] ?? 0,
    availableReplicas: workers?.[1] ?? 0,
  };
  const [group] = groupsOf(1, {
    leaders: [leader],
    workerSets: workers === undefined ? [] : [set],
    workerPods: [],
    size: live,
    keys: { release: leader.revisionKey, stable: undefined },
  });
  const { version, ready, waitingOn, sizeFault } = group!;
  const odd = sizeFault === undefined ? '' : `${sizeFault.seen} delete the pod ${sizeFault.pod} once the size stands`;
  return [version, ready ? 'ready' : `not ready: ${waitingOn}`, odd].filter((word) => word !== '').join(', ');
}

const GONE = 'no worker StatefulSet yet; if that takes long, delete the pod vllm-0';
const fault = (seen: number, wanted: number): string =>
  `${seen} workers, where its template wants ${wanted}: delete the pod vllm-0 once the size stands`;

test.each<readonly [what: string, parts: Parts, wanted: string]>([
  ['as made', { own: 2, live: 2, workers: [1, 1] }, 'release, ready'],
  ['old, made before the change', { own: 2, live: 4, workers: [1, 1] }, 'release, ready'],
  ['old, a worker down', { own: 3, live: 4, workers: [2, 1] }, 'release, not ready: 1 of 2 workers available'],
  ['old, made again with the new number', { own: 2, live: 4, workers: [3, 3] }, `release, ready, ${fault(3, 1)}`],
  ['and loading', { own: 2, live: 4, workers: [3, 0] }, `release, not ready: 0 of 3 workers available, ${fault(3, 1)}`],
  ['made again with fewer', { own: 4, live: 2, workers: [1, 1] }, `release, ready, ${fault(1, 3)}`],
  ['an old single pod', { own: 1, live: 3 }, 'release, ready'],
  ['an old single pod, not ready', { own: 1, live: 3, leaderReady: false }, 'release, not ready: leader not ready'],
  [
    'an old single pod, made again with workers',
    { own: 1, live: 3, workers: [2, 2] },
    `release, ready, ${fault(2, 0)}`,
  ],
  ['LWS after 0.10 gives it an empty set', { own: 1, live: 3, workers: [0, 0] }, 'release, ready'],
  ['an old group, now of one', { own: 3, live: 1, workers: [2, 2] }, 'release, ready'],
  ['made again without workers', { own: 3, live: 1 }, `other, not ready: ${GONE}, ${fault(0, 2)}`],
  ['being made', { own: 3, live: 1, leaderReady: false }, 'other, not ready: leader not ready'],
  ['the workers come later', { own: 3, live: 3 }, `other, not ready: ${GONE}`],
  ['a new single pod', { own: 1, live: 1 }, 'release, ready'],
  ['nothing said: the newest size', { live: 1 }, 'release, ready'],
  ['nothing said, with workers', { live: 3, workers: [2, 2] }, 'release, ready'],
])('a group, %s', (_, parts, wanted) => expect(groupWith(parts)).toBe(wanted));

test.each<readonly [before: number, after: number, version: string | undefined, wanted: object | undefined]>([
  [2, 2, undefined, undefined],
  [2, 4, undefined, { from: 2, to: 4 }],
  [2, 4, '0.7', { from: 2, to: 4 }],
  [4, 2, '0.10', { from: 4, to: 2 }],
  [2, 4, '0.11', undefined],
])('%i → %i with LWS %s', (before, after, version, wanted) => {
  const lwsVersion = version === undefined ? undefined : parseLwsVersion(version);
  expect(mixedSizes({ before: contentOf('A', before), after: contentOf('B', after), lwsVersion })).toEqual(wanted);
});

test('a size that is not written is one', () => {
  expect(changedSizes({ leaderWorkerTemplate: {} }, contentOf('A', 1))).toBeUndefined();
  expect(changedSizes({ leaderWorkerTemplate: {} }, contentOf('A', 2))).toEqual({ from: 1, to: 2 });
});

test.each<readonly [steps: string, after: number, wanted: string]>([
  ['100%', 0, 'its old template. So all'],
  ['50% 100%', 0, 'its old template; step 1 is passed over. So all'],
  ['25% 50% 100%', 0, 'its old template; steps 1 and 2 are passed over. So all'],
  ['25% 50% 75% 100%', 0, 'its old template; steps 1 to 3 are passed over. So all'],
  ['25% 50% 75% 100%', 2, 'its old template; step 3 is passed over. So all'],
])('of the steps %s, after %i', (steps, after, wanted) => {
  const snapshot = world({ steps, n: 6, u: 2 });
  const said = wholeReason(situationOf(snapshot, snapshot.workload!), { sizes: { from: 1, to: 3 }, after });
  expect(said).toContain(wanted);
  expect(said).toContain('from one pod to 3');
  expect(said).toContain('2 of 6 groups down at a time');
});
