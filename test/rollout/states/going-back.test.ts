/** Every rollback of the specification, and the row `rollback` that ends it. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/api/json.ts';
import { known } from '../../../src/api/known.ts';
import { markEdits } from '../../../src/rollout/edits/change-edits.ts';
import { plan } from '../../../src/rollout/plan.ts';
import { planned, type Row, show } from '../../support/planned.ts';
import { issueOf, type World, world } from '../../support/snapshot.ts';

const A4 = '0:A+ 1:A+ 2:A+ 3:A+';
const abort = { abort: 'B.2' } as const;
/** Step 2 of three: group 3 ready on B, group 2 broken on B (trace 31m). */
const broken: World = { text: 'B', marks: 'B.2 2/3 floor=2', p: 2, groups: '0:A+ 1:A+ 2:B- 3:B+', intents: abort };
const lost = { kind: 'rewritten', recorded: 'c'.repeat(40), acknowledged: false } as const;
const back = 'Aborted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2 text A';
/** A pod that is not there yet may only load. */
const waits = 'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A';

test.each<Row>([
  ['a broken second canary', broken, back],
  [
    'healthy groups',
    { ...broken, groups: '0:A+ 1:A+ 2:B+ 3:B+' },
    'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  ['nothing moved yet', { ...broken, groups: A4 }, 'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A'],
  [
    'not applied yet',
    { ...broken, live: { p: 3 }, groups: '0:A+ 1:A+ 2:A+ 3:B+' },
    'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  [
    'a canary lies below the partition',
    { ...broken, p: 3, groups: '0:A+ 1:A+ 2:B+ 3:B+' },
    'Aborted: rollback, partition 3 → 2 => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  [
    'never raised',
    { ...broken, p: 1, marks: 'B.2 2/3 floor=1', groups: '0:A+ 1:A+ 2:A+ 3:B+' },
    'Aborted: rollback => A.1 rollback floor=1 aborted=B.2 text A',
  ],
  ['a canary that ends and starts again', { ...broken, groups: '0:A+ 1:A+ 2:B~ 3:B+' }, waits],
  ['a canary whose pod is gone', { ...broken, groups: '0:A+ 1:A+ 3:B+' }, waits],
  [
    'an old group on its way to B',
    { ...broken, p: 1, groups: '0:A+ 1:B/A- 2:B+ 3:B+' },
    'Aborted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=1 u=1>2 aborted=B.2 text A',
  ],
  [
    'an old group ends: it comes back by itself',
    { ...broken, groups: '0:A+ 1:A~ 2:B+ 3:B+' },
    'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  ['an old group ends, on its way to B', { ...broken, groups: '0:A+ 1:A+ 2:A~ 3:B+' }, waits],
  ['an old group starts: it comes by itself', { ...broken, groups: '0:A+ 1:Aw 2:B- 3:B+' }, back],
  [
    'two broken',
    { ...broken, groups: '0:A+ 1:A- 2:B- 3:B+', record: { unreadyFor: { 1: 601 } } },
    'Aborted: rollback, maxUnavailable 1 → 3 => A.1 rollback floor=2 u=1>3 aborted=B.2 text A',
  ],
  [
    'with nothing ready and the gate on, one above N',
    {
      ...broken,
      u: 3,
      groups: '0:A- 1:A- 2:B- 3:B-',
      record: { unreadyFor: { 0: 601, 1: 601 } },
      live: { gate: 3 },
    },
    'Aborted: rollback, maxUnavailable 3 → 5 => A.1 rollback floor=2 u=3>5 aborted=B.2 text A',
  ],
  [
    'with nothing ready and the gate off, what lies below alone counts',
    { ...broken, u: 3, groups: '0:A- 1:A- 2:B- 3:B-', record: { unreadyFor: { 0: 601, 1: 601 } } },
    'Aborted: rollback, maxUnavailable 3 → 4 => A.1 rollback floor=2 u=3>4 aborted=B.2 text A',
  ],
  [
    'maxUnavailable was not written',
    { ...broken, u: 0 },
    'Aborted: rollback, maxUnavailable unset → 2 => A.1 rollback floor=2 u=->2 aborted=B.2 text A',
  ],
  [
    'maxUnavailable was set to what the API server refuses: one, so that the rollback is applied',
    { ...broken, u: '10%', groups: '0:A+ 1:A+ 2:B+ 3:B+' },
    'Aborted: rollback, maxUnavailable 10% → 1 => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  [
    'maxUnavailable is more than all, which the API server refuses: not put back as it was',
    {
      ...broken,
      u: '101%',
      groups: '0:A- 1:A- 2:B- 3:B-',
      record: { unreadyFor: { 0: 601, 1: 601 } },
      live: { gate: 4 },
    },
    'Aborted: rollback, maxUnavailable 101% → 5 => A.1 rollback floor=2 u=100%>5 aborted=B.2 text A',
  ],
  [
    'raised before in this delivery',
    { ...broken, u: 2, marks: 'B.2 2/3 floor=2 u=1>2' },
    'Aborted: rollback => A.1 rollback floor=2 u=1>2 aborted=B.2 text A',
  ],
  [
    'raised before, and the broken group is ready by now: it does not ride along',
    { ...broken, u: 2, marks: 'B.2 2/3 floor=2 u=1>2', groups: '0:A+ 1:A+ 2:B+ 3:B+' },
    'Aborted: rollback, maxUnavailable 2 → 1 => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  [
    "raised before, then someone's value",
    { ...broken, u: 3, marks: 'B.2 2/3 floor=2 u=1>2' },
    'Aborted: rollback, maxUnavailable 3 → 4 => A.1 rollback floor=2 u=3>4 aborted=B.2 text A',
  ],
  [
    'cluster unreadable: the floor',
    { ...broken, p: 3, live: 'unknown' },
    'Aborted: rollback, partition 3 → 2 => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  [
    'leaders unreadable',
    { ...broken, live: { unread: 'leaders' } },
    'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  ['LWS deleted', { ...broken, live: 'absent' }, 'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A'],
  [
    'N unreadable',
    { ...broken, n: undefined, scaler: 'unknown', live: 'unknown' },
    'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A',
  ],
  ['scaled to zero', { ...broken, n: 0, groups: '' }, 'Aborted: rollback => A.1 rollback floor=2 aborted=B.2 text A'],
  [
    'no revision holds the stable template',
    { ...broken, groups: '0:B+ 1:B+ 2:B+ 3:B+', live: { revisions: '-' } },
    'Aborted: rollback, partition 2 → 0 => A.1 rollback floor=0 aborted=B.2 text A',
  ],
  ['paused', { ...broken, rollout: { paused: true } }, back],
  ['disabled', { ...broken, rollout: { disabled: true } }, back],
  ['wrong files', { ...broken, issues: [issueOf('UnknownField')] }, back],
  ['history rewritten', { ...broken, history: lost }, back],
  ['another number of steps', { ...broken, steps: '100%' }, back],
  [
    'partition missing',
    { ...broken, p: 'missing' },
    'Aborted: rollback, partition unset → 0, maxUnavailable 1 → 2 => A.1 rollback floor=0 u=1>2 aborted=B.2 text A',
  ],
  [
    'partition raised by hand',
    { ...broken, p: 4 },
    'Aborted: rollback, partition 4 → 2, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2 text A',
  ],
  ['another release is meant', { ...broken, intents: { abort: 'B.1' } }, 'hold GroupsNotReady'],
  ['stable template lost', { ...broken, stable: 'unknown' }, 'hold StableUnavailable'],
  ['the record lost', { ...broken, record: undefined }, back],
  [
    'older ones are remembered',
    { ...broken, marks: 'B.3 2/3 floor=2 aborted=C.2', intents: { abort: 'B.3' } },
    'Aborted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.3,C.2 text A',
  ],
  [
    'after A, B, C: groups of B lie lower',
    { ...broken, text: 'C', marks: 'C.3 1/3 floor=2', p: 3, groups: '0:A+ 1:A+ 2:B+ 3:C-', intents: { abort: 'C.3' } },
    'Aborted: rollback, partition 3 → 2 => A.1 rollback floor=2 aborted=C.3 text A',
  ],
])('partial, aborted: %s', (_, of, then) => expect(planned(of)).toBe(then));

const reverted: World = { ...broken, text: 'A', intents: {}, live: { text: 'A' } };

test.each<Row>([
  ['by someone', reverted, 'Reverted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2'],
  [
    'not live yet',
    { ...reverted, live: { text: 'B' } },
    'Reverted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2',
  ],
  [
    'with an abort',
    { ...reverted, intents: abort },
    'Reverted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2',
  ],
  [
    'paused',
    { ...reverted, rollout: { paused: true } },
    'Reverted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2',
  ],
  [
    'Rollout deleted',
    { ...reverted, rollout: 'absent' },
    'Reverted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2',
  ],
  [
    'wrong files',
    { ...reverted, rollout: 'absent', issues: [issueOf('X')] },
    'Reverted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2',
  ],
  [
    'live already, and the group starts on it',
    { ...reverted, groups: '0:A+ 1:A+ 2:A- 3:B+' },
    'Reverted: rollback => A.1 rollback floor=2 aborted=B.2',
  ],
  ['cluster unreadable', { ...reverted, live: 'unknown' }, 'Reverted: rollback => A.1 rollback floor=2 aborted=B.2'],
  ['stable template lost: nobody knows what it is', { ...reverted, stable: 'unknown' }, 'hold StableUnavailable'],
  [
    'at partition 0',
    { ...reverted, marks: 'B.2 3/3 floor=0', p: 0, groups: '0:A+ 1:B- 2:B+ 3:B+' },
    'Reverted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=0 u=1>2 aborted=B.2',
  ],
  [
    'locked',
    { ...reverted, marks: 'B.2 3/3 floor=0', p: 1000000, groups: '0:B+ 1:B+ 2:B+ 3:B+' },
    'Reverted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.2',
  ],
])('the stable template put back: %s', (_, of, then) => expect(planned(of)).toBe(then));

const whole: World = { ...broken, marks: 'B.2 3/3 floor=0', groups: '0:B+ 1:B+ 2:B+ 3:B+' };

test.each<Row>([
  [
    'locked',
    { ...whole, p: 1000000 },
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.2 text A',
  ],
  [
    'locked, a group failed (35d)',
    { ...whole, p: 1000000, groups: '0:B+ 1:B+ 2:B- 3:B+' },
    'Aborted: rollback, partition 1000000 → 0, maxUnavailable 1 → 2 => A.1 rollback floor=0 u=1>2 aborted=B.2 text A',
  ],
  [
    'locked, cluster unreadable',
    { ...whole, p: 1000000, live: 'unknown' },
    'Aborted: rollback, partition 1000000 → 0 => A.1 rollback floor=0 aborted=B.2 text A',
  ],
  [
    'rolling',
    { ...whole, p: 0, groups: '0:A+ 1:B- 2:B+ 3:B+' },
    'Aborted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=0 u=1>2 aborted=B.2 text A',
  ],
  [
    'rolling, cluster unreadable',
    { ...whole, p: 0, live: 'unknown' },
    'Aborted: rollback => A.1 rollback floor=0 aborted=B.2 text A',
  ],
  [
    'one group, which LWS replaces with what it has',
    { ...whole, n: 1, p: 0, groups: '0:B-' },
    'Aborted: rollback => A.1 rollback floor=0 aborted=B.2 text A',
  ],
  [
    'one group, gate on',
    { ...whole, n: 1, p: 0, groups: '0:B-', live: { gate: 1 } },
    'Aborted: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=0 u=1>2 aborted=B.2 text A',
  ],
])('whole, aborted: %s', (_, of, then) => expect(planned(of)).toBe(then));

/** Going back at partition 2 with the budget raised by one. */
const rollback: World = {
  text: 'A',
  marks: 'A.1 rollback floor=2 u=1>2 aborted=B.2',
  p: 2,
  u: 2,
  groups: '0:A+ 1:A+ 2:B- 3:A-',
  live: { flipped: true, gate: 2 },
};
const less = 'BudgetLowered: rollback, maxUnavailable 2 → 1 => A.1 rollback floor=2 aborted=B.2';
const done = 'RolledBack: rolled back, partition 2 → 1000000, maxUnavailable 2 → 1 => A.1 aborted=B.2';

test.each<Row>([
  ['a group loads', rollback, 'hold RollingBack'],
  ['one to go', { ...rollback, groups: '0:A+ 1:A+ 2:A- 3:A+' }, less],
  ['a group between leader and workers', { ...rollback, groups: '0:A+ 1:A+ 2:A/B- 3:A+' }, less],
  ['a pod is missing', { ...rollback, groups: '0:A+ 1:A+ 3:A+' }, 'hold RollingBack'],
  ['all back and ready', { ...rollback, groups: A4 }, done],
  ['all back, workers not ready', { ...rollback, groups: '0:A+ 1:A+ 2:Aw 3:A+' }, less],
  ['all back, not flipped', { ...rollback, groups: A4, live: { flipped: false } }, less],
  [
    'all back, not flipped, and nothing was raised',
    { ...rollback, u: 1, marks: 'A.1 rollback floor=2 aborted=B.2', groups: A4, live: { flipped: false } },
    'hold StatefulSetNotFlipped',
  ],
  ['not applied', { ...rollback, groups: A4, live: { text: 'B' } }, 'hold NotApplied'],
  ['not observed', { ...rollback, groups: A4, live: { unobserved: true } }, 'hold NotObserved'],
  ['cluster unreadable', { ...rollback, live: 'unknown' }, 'hold ClusterUnreadable'],
  ['LWS deleted', { ...rollback, live: 'absent' }, 'hold WorkloadAbsent'],
  ['paused', { ...rollback, groups: A4, rollout: { paused: true } }, done],
  ['disabled', { ...rollback, groups: A4, rollout: { disabled: true } }, done],
  ['Rollout deleted', { ...rollback, groups: A4, rollout: 'absent' }, done],
  ['wrong files', { ...rollback, groups: A4, rollout: 'absent', issues: [issueOf('X')] }, done],
  ['history rewritten', { ...rollback, groups: A4, history: lost }, done],
  ['stable template lost by now', { ...rollback, groups: A4, stable: 'unknown' }, done],
  ['aborted once more', { ...rollback, groups: A4, intents: abort }, done],
  [
    "someone's budget stays",
    { ...rollback, u: 3, groups: A4 },
    'RolledBack: rolled back, partition 2 → 1000000 => A.1 aborted=B.2',
  ],
  [
    'it was not written before',
    { ...rollback, marks: 'A.1 rollback floor=2 u=->2 aborted=B.2', groups: A4 },
    'RolledBack: rolled back, partition 2 → 1000000, maxUnavailable 2 → unset => A.1 aborted=B.2',
  ],
  [
    'a group below is not on it',
    { ...rollback, groups: '0:A+ 1:B+ 2:A+ 3:A+' },
    'RollbackWidened: rollback, partition 2 → 1, maxUnavailable 2 → 1 => A.1 rollback floor=1 aborted=B.2',
  ],
  ['scaled to zero', { ...rollback, n: 0, groups: '' }, 'hold ScaledToZero'],
  ['scaled up: new ones load', { ...rollback, n: 5, groups: `${A4} 4:A-` }, less],
  ['scaled down below the partition', { ...rollback, n: 2, groups: '0:A+ 1:A+' }, done],
  ['partition missing', { ...rollback, p: 'missing', groups: A4 }, 'hold Stalled'],
  [
    'partition raised by hand: groups below come to light',
    { ...rollback, p: 4, groups: '0:A+ 1:A+ 2:B- 3:A+' },
    'RollbackWidened: rollback, partition 4 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2',
  ],
])('rollback, %s', (_, of, then) => expect(planned(of)).toBe(then));

/** Trace 35c: 3 ready, 2 broken, then the old group 0 fails in the rollback. */
const raised = 'BudgetRaised: rollback, maxUnavailable 2 → 3 => A.1 rollback floor=2 u=1>3 aborted=B.2';
const ending = (seconds: number): World => ({ groups: '0:A+ 1:A+ 2:B- 3:B~', record: { unreadyFor: { 3: seconds } } });

test.each<Row>([
  ['3 is just ending: wait', { ...rollback, groups: '0:A+ 1:A+ 2:B- 3:B~' }, 'hold RollingBack'],
  [
    'its new leader is there, workers are not: wait',
    { ...rollback, groups: '0:A+ 1:A+ 2:B- 3:A/B-' },
    'hold RollingBack',
  ],
  ['3 has been ending for a quarter of an hour: wait', { ...rollback, ...ending(900) }, 'hold RollingBack'],
  ['and for longer: raise', { ...rollback, ...ending(901) }, raised],
  ['one loads: wait', { ...rollback, groups: '0:A- 1:A+ 2:B- 3:A-' }, 'hold RollingBack'],
  [
    '3 is ready and 2 restarts, 0 may be what it was raised for: wait',
    { ...rollback, groups: '0:A- 1:A+ 2:A- 3:A+' },
    'hold RollingBack',
  ],
  [
    'gate on, 3 is ready and 2 stands: raise',
    { ...rollback, groups: '0:A- 1:A+ 2:B- 3:A+', record: { unreadyFor: { 0: 601 } } },
    raised,
  ],
  ['an old group below that only starts: wait', { ...rollback, groups: '0:A- 1:A+ 2:B- 3:A+' }, 'hold RollingBack'],
  ['a leader is just being replaced: wait', { ...rollback, groups: '0:A+ 1:A+ 2:B-' }, 'hold RollingBack'],
  [
    'no leader has come for ten minutes: raise',
    { ...rollback, groups: '0:A+ 1:A+ 2:B-', record: { unreadyFor: { 3: 601 } } },
    raised,
  ],
  [
    'one that went to stable and does not come up: raise',
    { ...rollback, groups: '0:A+ 1:A+ 2:B- 3:A-', record: { unreadyFor: { 3: 601 } } },
    raised,
  ],
  [
    'raised already: wait',
    {
      ...rollback,
      u: 3,
      marks: 'A.1 rollback floor=2 u=1>3 aborted=B.2',
      groups: '0:A- 1:A+ 2:B- 3:A+',
      record: { unreadyFor: { 0: 601 } },
    },
    'hold RollingBack',
  ],
  ['budget left: wait', { ...rollback, groups: '0:A+ 1:A+ 2:B- 3:A+' }, 'hold RollingBack'],
  [
    'text only, then the budget (35f)',
    { ...rollback, u: 1, marks: 'A.1 rollback floor=2 aborted=B.2', groups: '0:A+ 1:A+ 2:B- 3:B+' },
    'BudgetRaised: rollback, maxUnavailable 1 → 2 => A.1 rollback floor=2 u=1>2 aborted=B.2',
  ],
  [
    'at N with nothing ready: one above',
    {
      ...rollback,
      u: 4,
      marks: 'A.1 rollback floor=2 u=1>4 aborted=B.2',
      groups: '0:A- 1:A- 2:B- 3:B-',
      record: { unreadyFor: { 0: 601, 1: 601 } },
    },
    'BudgetRaised: rollback, maxUnavailable 4 → 5 => A.1 rollback floor=2 u=1>5 aborted=B.2',
  ],
  [
    'never above that',
    {
      ...rollback,
      u: 5,
      marks: 'A.1 rollback floor=2 u=1>5 aborted=B.2',
      groups: '0:A- 1:A- 2:B- 3:B-',
      record: { unreadyFor: { 0: 601, 1: 601 } },
    },
    'hold RollingBack',
  ],
])('the budget again, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('the dip in capacity is in the template of the commit', () => {
  const message = plan(world(broken)).commit?.message.replaceAll('\n', ' ');
  expect(message).toContain('Capacity: 3 of 4 groups are ready now');
  expect(message).toContain('Group 2 is not ready (leader: ImagePullBackOff).');
});

test('a label that somebody wrote into the live template restarts no group that never left', () => {
  const groups = '0:X+ 1:X+ 2:A+ 3:A+';
  const snapshot = world({
    ...rollback,
    u: 1,
    marks: 'A.1 rollback floor=2 aborted=B.2',
    groups,
    live: { twin: 'X', flipped: false },
  });
  const { lws, revisions } = snapshot.live;
  if (lws.kind !== 'known' || revisions.kind !== 'known') throw new Error('not known');
  const edits = markEdits(undefined, snapshot.workload?.workload.marks);
  const annotations = Object.fromEntries(
    edits.flatMap((edit) => (edit.kind === 'set' ? [[edit.path.at(-1) ?? '', String(edit.value)]] : [])),
  );
  const labelled = (content: JsonObject): JsonObject => ({ ...content, networkConfig: { injected: 'yes' } });
  const live = {
    ...snapshot.live,
    lws: known({ ...lws.value, annotations, content: labelled(lws.value.content) }),
    revisions: known(
      revisions.value.map((revision) =>
        revision.name === 'vllm-A' ? { ...revision, content: labelled(revision.content) } : revision,
      ),
    ),
  };
  expect(show({ ...snapshot, live })).toBe('RolledBack: rolled back, partition 2 → 1000000 => A.1 aborted=B.2');
});
