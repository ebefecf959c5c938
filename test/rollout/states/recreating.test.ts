/** Rows of a change that no object that is there can take: out of its file, gone, and back. */

import { expect, test } from 'vitest';
import { plan } from '../../../src/rollout/plan.ts';
import { again, planned, type Row } from '../../support/planned.ts';
import { issueOf, type World, world } from '../../support/snapshot.ts';

const A4 = '0:A+ 1:A+ 2:A+ 3:A+';
const B4 = '0:B+ 1:B+ 2:B+ 3:B+';
/** B has claims, A none; LWS has the template, and its StatefulSet refuses it. */
const asked: World = { text: 'B', claims: 'B', recreate: 'Allow', groups: A4, live: { setText: 'A' }, record: {} };
const removed = 'RecreateRemoved: recreate, removed => B.2 3/3 floor=0, keeps forward B.2 of 9, stable a';

test.each<Row>([
  ['allowed', asked, removed],
  ['the webhook refused it', { ...asked, live: { text: 'A' } }, removed],
  [
    'in steps otherwise',
    { ...asked, claims: '', live: {} },
    'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3',
  ],
  ['the only manifest that Argo CD has', { ...asked, argo: 'alone' }, 'hold FolderEmptied'],
  ['another manifest next to it', { ...asked, argo: 'beside' }, removed],
  ['not allowed', { ...asked, recreate: 'Refuse', issues: [issueOf('RecreateRefused')] }, 'hold Stalled NotObserved'],
  ['paused', { ...asked, rollout: { paused: true } }, 'hold Paused'],
  ['disabled', { ...asked, rollout: { disabled: true } }, 'hold Disabled'],
  ['wrong files', { ...asked, issues: [issueOf('X')] }, 'hold Stalled'],
  ['no rollback', { ...asked, stable: 'unknown' }, 'hold StableUnavailable NotObserved'],
  ['cluster unreadable', { ...asked, live: 'unknown' }, 'hold ClusterUnreadable'],
  ['nothing there', { ...asked, live: 'absent' }, 'hold WorkloadAbsent'],
  ['being deleted already', { ...asked, live: { deleting: true } }, 'hold WorkloadDeleting'],
  ['no groups', { ...asked, n: 0, groups: '' }, 'hold ScaledToZero'],
  ['aborted before', { ...asked, intents: { abort: 'B.2' } }, 'RequestWithdrawn: withdraw => A.1 aborted=B.2 text A'],
  ['a template that was aborted', { ...asked, marks: 'A.1 aborted=B.2' }, 'hold ReleaseAborted'],
  ['retried', { ...asked, marks: 'A.1 aborted=B.2', intents: { retry: 'B.2' } }, removed.replaceAll('B.2', 'B.3')],
  ['the partition is open: the roll is stopped', { ...asked, p: 3 }, 'Superseded: step 1/3 => B.2 1/3 floor=3'],
])('requested, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each([
  ['asked for, and not started', { ...asked, rollout: { paused: true } }, 4],
  ['as its document goes', asked, 4],
  ['in steps otherwise', { ...asked, claims: '', live: {} }, 1],
] satisfies readonly (readonly [string, World, number])[])('all groups come up together, %s', (_, of, then) => {
  expect(plan(world(of)).record?.expected?.atOnce).toBe(then);
});

/** Out of its file, and deleted. */
const gone: World = { text: 'B', claims: 'B', gone: 'forward B.2', record: {} };
const created = 'RecreateCreated: recreate, created => B.2 3/3 floor=0 back in its file, keeps nothing';
const createdStable = 'RecreateCreated: recreate, created, partition 1000000 → 0 => A.1 rollback floor=0';

test.each<Row>([
  ['gone: back', gone, created],
  ['paused: back all the same', { ...gone, rollout: { paused: true } }, created],
  ['disabled: back all the same', { ...gone, rollout: { disabled: true } }, created],
  ['no longer allowed: back all the same', { ...gone, recreate: 'Refuse' }, created],
  ['wrong files: back all the same', { ...gone, issues: [issueOf('X')] }, created],
  [
    'releases aborted are remembered',
    { ...gone, gone: 'forward B.2 aborted=C.1' },
    created.replace('floor=0', 'floor=0 aborted=C.1'),
  ],
  ['still there', { ...gone, live: { text: 'A' } }, 'hold AwaitingRemoval'],
  ['going', { ...gone, live: { text: 'A', deleting: true } }, 'hold AwaitingRemoval'],
  ['pods left', { ...gone, left: 'pods' }, 'hold AwaitingRemoval'],
  ['StatefulSets left', { ...gone, left: 'sets' }, 'hold AwaitingRemoval'],
  ['not readable', { ...gone, live: 'unknown' }, 'hold ClusterUnreadable'],
  ['pods not readable', { ...gone, left: 'unknown' }, 'hold ClusterUnreadable'],
  ['its template is lost', { ...gone, retryText: 'unknown' }, 'hold StableUnavailable'],
  ['its template is another', { ...gone, text: 'C' }, 'hold StableUnavailable'],
  [
    'aborted',
    { ...gone, intents: { abort: 'B.2' } },
    `${createdStable} aborted=B.2 back in its file text A, keeps nothing`,
  ],
  [
    'aborted before it was deleted',
    { ...gone, live: { text: 'A' }, intents: { abort: 'B.2' } },
    `${createdStable.replace('created', 'put back')} aborted=B.2 back in its file text A, keeps nothing`,
  ],
  [
    'aborted while it goes',
    { ...gone, live: { text: 'A', deleting: true }, intents: { abort: 'B.2' } },
    'hold AwaitingRemoval',
  ],
  ['an abort of another release', { ...gone, intents: { abort: 'C.2' } }, created],
  [
    'aborted, the stable template lost',
    { ...gone, stable: 'unknown', intents: { abort: 'B.2' } },
    'hold StableUnavailable',
  ],
  [
    'in the rollback',
    { ...gone, gone: 'back A.1 aborted=B.2' },
    `${createdStable} aborted=B.2 back in its file text A, keeps nothing`,
  ],
  [
    'in the rollback, extra groups end',
    { ...gone, n: 5, marks: 'B.2 3/3 floor=0 r=4>5', gone: 'back A.1 aborted=B.2' },
    'RecreateCreated: recreate, created, replicas 5 → 4, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.2 back in its file text A, keeps nothing',
  ],
])('out of its file, %s', (_, of, then) => expect(planned(of)).toBe(then));

/** Re-created, locked. */
const up: World = { ...asked, marks: 'B.2 3/3 floor=0', groups: B4, live: {}, record: { doneAgo: 30 } };
const removedBack =
  'RecreateRemoved: recreate, removed => A.1 rollback floor=0 aborted=B.2, keeps back A.1 of 9, stable a';

test.each<Row>([
  ['all there', up, 'Settled: settled => B.2 stable=main'],
  ['the policy withdrawn', { ...up, recreate: 'Refuse' }, 'Settled: settled => B.2 stable=main'],
  ['coming up', { ...up, groups: '0:B- 1:B+' }, 'hold GroupsNotUpdated'],
  ['one not ready', { ...up, groups: '0:B- 1:B+ 2:B+ 3:B+' }, 'hold GroupsNotReady'],
  ['not there yet', { ...up, live: 'absent' }, 'hold WorkloadAbsent'],
  ['aborted', { ...up, intents: { abort: 'B.2' } }, removedBack],
  ['aborted, no longer allowed', { ...up, recreate: 'Refuse', intents: { abort: 'B.2' } }, removedBack],
  ['aborted, paused', { ...up, rollout: { paused: true }, intents: { abort: 'B.2' } }, removedBack],
  ['the stable template put back by hand', { ...up, text: 'A', live: { text: 'B', setText: 'B' } }, removedBack],
  [
    'aborted before it is there: in place, and it is created so',
    { ...up, live: 'absent', intents: { abort: 'B.2' } },
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.2 text A',
  ],
])('re-created, %s', (_, of, then) => expect(planned(of)).toBe(then));

test.each<Row>([
  [
    'the rollback started unseen cannot be applied',
    { ...up, text: 'A', marks: 'A.1 rollback floor=0 aborted=B.2', p: 0, live: { text: 'B' } },
    removedBack,
  ],
  [
    'created on the stable template',
    { ...up, text: 'A', marks: 'A.1 rollback floor=0 aborted=B.2', p: 0, groups: A4 },
    'RolledBack: rolled back, partition 0 → 1000000 => A.1 aborted=B.2',
  ],
])('back, %s', (_, of, then) => expect(planned(of)).toBe(then));

const returned: World = { ...asked, returned: 'forward B.2' };
test.each<Row>([
  [
    'and the cluster has it',
    { ...returned, groups: B4, live: {} },
    'RecreateCreated: recreate, created => B.2 3/3 floor=0, keeps nothing',
  ],
  ['not applied', { ...returned, live: { text: 'A' } }, 'hold ReturnedByHand'],
  ['nothing there', { ...returned, live: 'absent' }, 'hold ReturnedByHand'],
  [
    'with another template',
    { ...returned, text: 'C', groups: '0:C+ 1:C+ 2:C+ 3:C+', live: {} },
    'RecreateCreated: recreate, created => C.2 3/3 floor=0, keeps nothing',
  ],
  [
    'with the stable template',
    { ...returned, text: 'A', live: {} },
    'RecreateEnded: recreate, ended => A.1 aborted=B.2, keeps nothing',
  ],
  ['without its annotations', { ...returned, marks: 'none' }, 'hold ReturnedByHand'],
])('put back by hand, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('a pass that finds the same holds the same, and the phase stays', () => {
  const waits: World = { ...gone, live: { text: 'A' } };
  const first = plan(world(waits));
  expect(first.record?.phase).toBe('Progressing');
  const second = again(waits);
  expect(planned(second)).toBe('hold AwaitingRemoval');
  expect(plan(world(second)).record).toEqual(first.record);
});
