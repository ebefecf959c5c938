/** What somebody else does, or does not: an agent that does not apply, fields that are fought over, revisions without a commit. */

import { expect, test } from 'vitest';
import type { WrittenField } from '../../../src/api/live.ts';
import { APPLY_DEADLINE_SECONDS } from '../../../src/rollout/applied.ts';
import { CONTEST_QUIET_SECONDS } from '../../../src/rollout/observed/contest.ts';
import { plan } from '../../../src/rollout/plan.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';
import { again, planned, type Row, show } from '../../support/planned.ts';
import { NOW, type World, world } from '../../support/snapshot.ts';

const A4 = '0:A+ 1:A+ 2:A+ 3:A+';
/** Step 1 is written, and the cluster still has the sentinel. */
const late: World = { text: 'B', marks: 'B.2 1/3 floor=3', p: 3, live: { p: 1000000 }, groups: A4 };
const OVERDUE = APPLY_DEADLINE_SECONDS;

test.each<Row>([
  ['just now', { ...late, record: {} }, 'hold NotApplied'],
  ['for a while', { ...late, record: { notAppliedAgo: OVERDUE - 1 } }, 'hold NotApplied'],
  ['for too long', { ...late, record: { notAppliedAgo: OVERDUE } }, 'hold AgentNotApplying'],
  [
    'the template',
    { text: 'B', groups: A4, live: { text: 'A' }, record: { notAppliedAgo: OVERDUE } },
    'hold AgentNotApplying',
  ],
  [
    'in a rollback',
    { marks: 'A.1 rollback floor=3 aborted=B.2', p: 3, live: { p: 5 }, groups: A4, record: { notAppliedAgo: OVERDUE } },
    'hold AgentNotApplying',
  ],
  [
    'abort does not wait for the agent',
    { ...late, record: { notAppliedAgo: OVERDUE }, intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A',
  ],
  ['a clock that ran ahead', { ...late, record: { notAppliedAgo: -9999 } }, 'hold NotApplied'],
  ['at rest it is drift', { live: { p: 0 }, record: { notAppliedAgo: OVERDUE } }, 'hold Drift'],
  ['the record is lost: counted from now', { ...late, record: undefined }, 'hold NotApplied'],
])('not applied, %s', (_, of, then) => expect(planned(of)).toBe(then));

const OWNER = { kind: 'DisaggregatedSet', name: 'llama' } as const;

/** The same world, but the controller of another object makes the LeaderWorkerSet. */
function owned(of: World): Snapshot {
  const snapshot = world(of);
  const { lws } = snapshot.live;
  if (lws.kind !== 'known') throw new Error('no LeaderWorkerSet');
  return { ...snapshot, live: { ...snapshot.live, lws: { ...lws, value: { ...lws.value, owner: OWNER } } } };
}

test('made by the controller of another object: nothing goes forward, and an abort goes back', () => {
  const settledGroups = '0:B+ 1:A+ 2:A+ 3:A+';
  const forward: readonly World[] = [
    { marks: 'none', p: 0, groups: A4 },
    { text: 'B', groups: A4 },
    { text: 'B', marks: 'B.2 1/3 floor=3', p: 3, groups: '0:A+ 1:A+ 2:A+ 3:B+' },
  ];
  for (const of of forward) {
    const { commit, holds } = plan(owned(of));
    expect(commit).toBeUndefined();
    expect(holds.map(({ reason }) => reason)).toContain('WorkloadOwned');
  }
  expect(messageOf(owned({ text: 'B', groups: A4 }))).toContain(
    'is made by the controller of DisaggregatedSet llama, which writes its fields',
  );
  expect(plan(owned({ ...late, groups: settledGroups, intents: { abort: 'B.2' } })).commit?.reason).toBe('Aborted');
});

const NEWER_RECORD = { record: undefined, newerRecord: 2 } as const;

test.each<Row>([
  ['a first step', { text: 'B', groups: A4 }, 'hold NewerRecord'],
  ['a step', { ...late, live: {}, groups: '0:A+ 1:A+ 2:A+ 3:B+', intents: { approve: '1@B.2' } }, 'hold NewerRecord'],
  ['at rest', {}, 'hold NewerRecord'],
  [
    'an abort',
    { ...late, intents: { abort: 'B.2' } },
    'Aborted: rollback => A.1 rollback floor=3 aborted=B.2 text A | NewerRecord',
  ],
  [
    'the stable template put back',
    { ...late, text: 'A' },
    'Reverted: rollback => A.1 rollback floor=3 aborted=B.2 | NewerRecord',
  ],
  [
    'a newer request: its roll is stopped',
    { ...late, text: 'C', p: 0, marks: 'B.2 3/3 floor=0', groups: '0:A+ 1:B+ 2:B+ 3:C-', live: {} },
    'Superseded: step 1/3, partition 0 → 3 => C.3 1/3 floor=0 | NewerRecord',
  ],
  [
    'a rollback',
    { marks: 'A.1 rollback floor=3 aborted=B.2', p: 3, groups: A4 },
    'RolledBack: rolled back, partition 3 → 1000000 => A.1 aborted=B.2 | NewerRecord',
  ],
])('the record is of a newer tranche, %s', (_, of, then) => {
  expect(planned(of)).not.toContain('hold');
  expect(show({ ...world(of), ...NEWER_RECORD })).toBe(then);
});

test('the record is of a newer tranche: which file, what waits and what goes on', () => {
  expect(messageOf({ ...world({}), ...NEWER_RECORD })).toBe(
    'rollouts/default/llm/vllm.json on the status branch has version 2, and this tranche reads versions up to 1: a newer tranche has written it. The record counts the pause of each step, so no step goes forward. Rollbacks go on. Run the newer tranche wherever one runs for this cluster. To stay with this one, delete that file and index.json there: pauses, drains and counts start again',
  );
});

const messageOf = (snapshot: Snapshot): string => plan(snapshot).holds[0]?.message ?? '';

test('an agent that does not apply: which field, since when, and where to look', () => {
  expect(messageOf(world({ ...late, record: { notAppliedAgo: OVERDUE } }))).toBe(
    'Partition is 1000000 in the cluster, Git says 3: so since 2025-06-15T14:56:40Z at the latest, and the GitOps agent has not changed it. Look at its sync errors; in Argo CD also at automated sync, sync windows and whether spec.rolloutStrategy.rollingUpdateConfiguration.partition is under ignoreDifferences; in Flux at suspend, dependsOn and ignored fields of the Kustomization',
  );
});

test('the time counts from when it was first seen, for the same file only', () => {
  const first = again({ ...late, now: NOW + OVERDUE }, late);
  expect(planned(first)).toBe('hold AgentNotApplying');
  const record = plan(world(first)).record;
  expect(record?.notAppliedSince).toBe(NOW);
  const edited = world({ ...first, record: undefined });
  const fresh = {
    ...edited,
    record: { ...world(first).record!, blobs: { ...edited.blobs, 'apps/vllm/lws.yaml': 'x' } },
  };
  expect(show(fresh)).toBe('hold NotApplied');
  const applied = again({ ...late, live: {}, record: undefined, now: NOW + 9 }, first);
  expect(plan(world(applied)).record?.notAppliedSince).toBeUndefined();
  const unread = again({ ...late, live: 'unknown', now: NOW + 9 }, late);
  expect(plan(world(unread)).record?.notAppliedSince).toBe(NOW);
});

function written(of: World, field: WrittenField, writers: readonly string[]): Snapshot {
  const snapshot = world(of);
  if (snapshot.live.lws.kind !== 'known') throw new Error('unread');
  const none = { replicas: [], partition: [], maxUnavailable: [], maxSurge: [] };
  const lws = { ...snapshot.live.lws.value, writers: { ...none, [field]: writers } };
  return { ...snapshot, live: { ...snapshot.live, lws: { kind: 'known', value: lws } } };
}

test.each<readonly [when: string, of: World, then: string, message: string]>([
  [
    'replicas that somebody scales, at once',
    { ...late, live: {}, liveN: 6, groups: `${A4} 4:A+ 5:A+` },
    'hold NotApplied',
    'Replicas is 6 in the cluster, Git says 4, written by kube-controller-manager through scale. If something scales vllm, name it under autoscaled in tranche.yaml',
  ],
  [
    'replicas that somebody scales, for long',
    { ...late, live: {}, liveN: 6, groups: `${A4} 4:A+ 5:A+`, record: { notAppliedAgo: OVERDUE } },
    'hold AgentNotApplying',
    'whether spec.replicas is under ignoreDifferences',
  ],
  [
    'the same at rest',
    { liveN: 6, groups: `${A4} 4:A+ 5:A+` },
    'hold Drift',
    'written by kube-controller-manager through scale',
  ],
])('fought over, %s', (_, of, then, message) => {
  const snapshot = written(of, 'replicas', ['kube-controller-manager through scale']);
  expect(show(snapshot)).toBe(then);
  expect(messageOf(snapshot)).toContain(message);
});

test('an autoscaler that changes N at each pass writes nothing, and the step in flight keeps its partition', () => {
  const of = (n: number): World => ({
    ...late,
    live: {},
    n: undefined,
    scaler: 'HPA vllm',
    liveN: n,
    groups: Array.from({ length: n }, (_, index) => `${index}:${index < 3 ? 'A' : 'B'}+`).join(' '),
  });
  let last: World = { ...of(4), record: {} };
  const said: string[] = [];
  for (const n of [4, 6, 5, 8, 2, 7, 4]) {
    last = again({ ...of(n), steps: '25%! 50% 100%' }, last);
    said.push(planned(last));
  }
  const [over, wait] = ['hold Overshoot PausedForApproval', 'hold PausedForApproval'];
  expect(said).toEqual([wait, over, wait, over, 'hold StepScaledAway', over, wait]);
});

const old = { revision: 'key-X' } as const;

test.each<Row>([
  [
    'at rest, all left behind',
    { groups: '0:X+ 1:X+ 2:X+ 3:X+', live: { setText: 'A' }, record: old },
    'hold RevisionChanged',
  ],
  ['at rest, all followed', { groups: A4, record: old }, 'nothing'],
  [
    'in a delivery',
    { ...late, live: {}, groups: '0:A+ 1:A+ 2:A+ 3:X+', record: old },
    'hold GroupsNotUpdated RevisionChanged',
  ],
  [
    'in the last batch',
    { ...late, marks: 'B.2 3/3 floor=0', p: 0, live: {}, groups: '0:X+ 1:X+ 2:X+ 3:B+', record: old },
    'hold GroupsNotUpdated RevisionChanged',
  ],
  [
    'locked',
    { ...late, marks: 'B.2 3/3 floor=0', p: 1000000, live: {}, groups: '0:X+ 1:X+ 2:X+ 3:X+', record: old },
    'hold GroupsNotUpdated RevisionChanged',
  ],
  [
    'a request then finds the groups on the stable template all the same',
    { text: 'B', groups: '0:X+ 1:X+ 2:X+ 3:X+', live: { twin: 'X' } },
    'StepReady: step 1/3, partition 1000000 → 3 => B.2 1/3 floor=3',
  ],
  [
    'another template is another revision',
    { ...late, live: {}, groups: '0:A+ 1:A+ 2:A+ 3:B-', record: { revision: 'key-A', revisionOf: 'A' } },
    'hold GroupsNotReady',
  ],
])('revision changed without a commit, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('a revision that changed without a commit is reported with both keys and what restarts', () => {
  const rest = world({ groups: '0:X+ 1:X+ 2:X+ 3:X+', record: old });
  expect(messageOf(rest)).toBe(
    'The template of aaaaaaaa was revision key-X and is key-A now, though no commit changed it: was the LWS controller, its CRD or a webhook changed? Groups 0–3 are on the old one. Partition 1000000 keeps them there: nothing restarts by itself, and they follow with the next release',
  );
  expect(plan(rest).record?.revision).toEqual({ digest: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', key: 'key-X' });
  const labels = { labels: { 'tranche.dev/version': 'by-hand' } };
  const own = { spec: { leaderWorkerTemplate: { workerTemplate: { metadata: labels } } } };
  const nothing = { second: undefined, service: undefined, canaryService: undefined, routes: [], plans: [] };
  expect(messageOf({ ...rest, ladder: { ...nothing, own } })).toContain(
    'is key-A now, because the label tranche.dev/version of its leaders was edited, which no release covers. Groups',
  );
  const rolling = world({
    ...late,
    marks: 'B.2 3/3 floor=0',
    p: 0,
    live: {},
    groups: '0:X+ 1:X+ 2:B+ 3:B+',
    record: old,
  });
  expect(plan(rolling).holds.at(-1)?.message).toContain('Groups 0 and 1 at or above partition 0 will restart onto it');
});

test.each<Row>([
  [
    'new below the partition',
    { ...late, live: {}, groups: '0:B+ 1:A+ 2:A+ 3:A+', record: { doneAgo: 9 } },
    'hold GroupsNotUpdated UnexpectedGroups',
  ],
  [
    'new below the partition, more than the step',
    { ...late, live: {}, groups: '0:B+ 1:A+ 2:A+ 3:B+', record: { doneAgo: 9 } },
    'hold Overshoot',
  ],
  [
    'new below the partition, accepted',
    { ...late, live: {}, groups: '0:B+ 1:A+ 2:A+ 3:A+', accept: 'UnexpectedGroups@B.2' },
    'hold GroupsNotUpdated',
  ],
  [
    'new below the partition, accepted when it was another',
    { ...late, live: {}, groups: '0:B+ 1:A+ 2:A+ 3:A+', accept: 'UnexpectedGroups@B.2#other' },
    'hold GroupsNotUpdated UnexpectedGroups',
  ],
  [
    'new below the partition, and an approval, which stands for the pause alone',
    { ...late, live: {}, groups: '0:B+ 1:A+ 2:A+ 3:A+', intents: { approve: '1@B.2' } },
    'hold GroupsNotUpdated UnexpectedGroups',
  ],
  ['old above the partition', { ...late, live: {}, groups: A4 }, 'hold GroupsNotUpdated'],
  [
    'old above the partition when locked',
    { ...late, marks: 'B.2 3/3 floor=0', p: 1000000, live: {}, groups: '0:B+ 1:B+ 2:B+ 3:A+' },
    'hold GroupsNotUpdated',
  ],
  [
    'on the bad version below the partition of a rollback',
    { marks: 'A.1 rollback floor=3 aborted=B.2', p: 3, groups: '0:A+ 1:B+ 2:A+ 3:A+' },
    'RollbackWidened: rollback, partition 3 → 1 => A.1 rollback floor=1 aborted=B.2',
  ],
])('groups on the wrong side, %s', (_, of, then) => expect(planned(of)).toBe(then));

test('a group that came back old is reported from one that has not gone yet', () => {
  const gone: World = { ...late, live: {}, groups: '0:A+ 1:A+ 2:A+ 3:B+#1', record: {} };
  const back = again({ ...gone, groups: '0:A+ 1:A+ 2:A+ 3:A-#2' }, gone);
  expect(messageOf(world(back))).toContain('group 3 had been on it and came back on the old version');
  expect(messageOf(world({ ...gone, groups: A4 }))).not.toContain('came back');
});

/** What two passes after each other see of the partition, and who has written it. */
function seen(
  before: Snapshot | undefined,
  at: { readonly p: number; readonly by: string; readonly after: number },
): Snapshot {
  const now = NOW + at.after;
  const snapshot = written(
    { ...late, steps: '25%/6000 50% 100%', groups: '0:A+ 1:A+ 2:A+ 3:B+', live: { p: at.p }, record: {}, now },
    'partition',
    [at.by],
  );
  const { lws } = snapshot.live;
  if (lws.kind !== 'known') throw new Error('unread');
  const agents = ['the Argo CD Application llm'];
  const live = { ...snapshot.live, lws: { kind: 'known', value: { ...lws.value, agents } } } as const;
  const record = before === undefined ? snapshot.record : plan(before).record;
  return { ...snapshot, live, record };
}

const FLUX_SETS = { p: 3, by: 'kustomize-controller' } as const;
const ARGO_SETS = { p: 4, by: 'argocd-controller' } as const;

test('two that write a field in turn: counted, named, and no step goes forward', () => {
  const turns = [FLUX_SETS, ARGO_SETS, FLUX_SETS, ARGO_SETS, FLUX_SETS, ARGO_SETS, FLUX_SETS];
  const passes: Snapshot[] = [];
  for (const [turn, set] of turns.entries()) passes.push(seen(passes.at(-1), { ...set, after: 30 * turn }));
  const holds = passes.map((snapshot) => plan(snapshot).holds[0]?.reason);
  expect(holds).toEqual([
    'PauseDuration',
    'NotApplied',
    'PauseDuration',
    'NotApplied',
    'PauseDuration',
    'FieldContested',
    'FieldContested',
  ]);
  const last = passes.at(-1);
  if (last === undefined) throw new Error('no pass');
  expect(messageOf(last)).toContain(
    'partition has left the value of Git 3 times since 2025-06-15T15:07:10Z, and came back in between, written by argocd-controller and kustomize-controller: two write it in turn, and no step goes forward meanwhile. The object says that it is applied by the Argo CD Application llm.',
  );
  const given = plan({ ...last, rollout: world({ ...late, intents: { abort: 'B.2' } }).rollout });
  expect(given.commit?.reason).toBe('Aborted');
  const quiet = seen(last, { ...FLUX_SETS, after: 30 * 5 + CONTEST_QUIET_SECONDS });
  expect(plan(quiet).holds.map(({ reason }) => reason)).not.toContain('FieldContested');
  expect(plan(quiet).record?.contest).toBeUndefined();
});
