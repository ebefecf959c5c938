/** Laws of the decision, over worlds that need not make sense. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACCEPTABLE } from '../../src/api/intents.ts';
import { type JsonObject } from '../../src/api/json.ts';
import { SENTINEL } from '../../src/api/workload.ts';
import { factsDigest, withFactDigests } from '../../src/reconcile/observe/digests.ts';
import { releaseToAccept } from '../../src/rollout/accepting.ts';
import { plannedGroups } from '../../src/rollout/batches.ts';
import { workloadIn } from '../../src/rollout/change.ts';
import { factsOf } from '../../src/rollout/facts.ts';
import { hold } from '../../src/rollout/hold.ts';
import type { MoveReason } from '../../src/rollout/move.ts';
import { type Plan, plan, planHeld, recordWritten } from '../../src/rollout/plan.ts';
import { situationOf } from '../../src/rollout/situation.ts';
import type { Snapshot } from '../../src/rollout/snapshot.ts';
import { arbitraryWorld } from '../support/arbitrary-world.ts';
import { editsIn, roundTrip } from '../support/planned.ts';
import { marksOf, type World, world } from '../support/snapshot.ts';

const RUNS = { numRuns: 3000 };
/** What people are told: another word for a commit that is held. */
const TOLD = { currentStepState: '', message: '', conditions: [], holds: [] };

/** Lets groups go, or takes their number further in the plan. */
const FORWARD: readonly MoveReason[] = ['StepReady', 'Jumped', 'StepsEdited'];
const BACK: readonly MoveReason[] = ['Aborted', 'Reverted', 'AbortedTextRemoved', 'BudgetRaised', 'RollbackWidened'];
/** Raise the partition over groups that are moving, to stop them. */
const STOPS: readonly MoveReason[] = ['Superseded', 'RollStopped', 'PartitionRestored'];

type Written = { readonly before: number; readonly after: number; readonly reason: MoveReason };

function partitionOf(snapshot: Snapshot, made: Plan): Written | undefined {
  if (made.commit === undefined) return undefined;
  const before = snapshot.workload?.workload.partition ?? 0;
  const edit = editsIn(made)[0]?.edits.find((found) => found.path.at(-1) === 'partition');
  return { before, after: edit?.kind === 'set' ? Number(edit.value) : before, reason: made.commit.reason };
}

function replicasOf(snapshot: Snapshot, made: Plan): { readonly before: number; readonly after: number } | undefined {
  const before = snapshot.workload?.workload.replicas;
  const edit = editsIn(made)[0]?.edits.find((found) => found.path.map(String).join('/') === 'spec/replicas');
  return edit?.kind === 'set' && before !== undefined ? { before, after: Number(edit.value) } : undefined;
}

/** N: without the extra groups. */
function groupsWanted({ live, workload }: Snapshot): number {
  const inGit = workload?.workload.replicas ?? 0;
  const asked = live.lws.kind === 'known' && live.scaler.kind === 'known' ? live.lws.value.replicas : inGit;
  const surge = workload?.workload.marks?.restore?.replicas;
  return surge !== undefined && surge.set === inGit && surge.set === asked ? surge.was : asked;
}

function law(name: string, check: (of: World, snapshot: Snapshot, made: Plan) => void): void {
  test(name, () => {
    fc.assert(
      fc.property(arbitraryWorld, (of) => {
        const snapshot = world(of);
        check(of, snapshot, plan(snapshot));
      }),
      RUNS,
    );
  });
}

test('the worlds reach every kind of commit', () => {
  const reached = new Set<string>();
  for (const of of fc.sample(arbitraryWorld, { seed: 1, numRuns: 8000 }))
    reached.add(plan(world(of)).commit?.reason ?? '');
  const all: readonly MoveReason[] = [
    ...FORWARD,
    ...BACK,
    ...STOPS,
    'Adopted',
    'Armed',
    'Settled',
    'NoNewRevision',
    'Rearmed',
    'RolledBack',
    'RequestWithdrawn',
    'Retried',
    'SurgePrepared',
    'Surged',
    'SurgeReturned',
  ];
  expect([...reached].sort()).toEqual(['', ...all].sort());
});

law('the same snapshot gives the same bytes, also after a round trip through JSON', (_, snapshot, made) => {
  expect(JSON.stringify(plan(snapshot))).toBe(JSON.stringify(made));
  expect(JSON.stringify(plan(roundTrip(snapshot)))).toBe(JSON.stringify(made));
});

law('a snapshot is not changed by planning', (of, snapshot) => {
  expect(snapshot).toEqual(world(of));
});

law('a step never lets more groups go than its plan allows, beyond those that have gone', (_, snapshot, made) => {
  const written = partitionOf(snapshot, made);
  if (written === undefined || !FORWARD.includes(written.reason)) return;
  const step = recordWritten(made).marks?.step;
  const steps = snapshot.rollout?.rollout.steps ?? [];
  const n = groupsWanted(snapshot);
  const plannedStep = step?.kind === 'step' ? steps[step.index - 1] : undefined;
  expect(plannedStep).toBeDefined();
  if (plannedStep === undefined || written.after === SENTINEL) return;
  const allowed = plannedGroups(plannedStep.replicas, n);
  expect(n - Math.min(written.after, n)).toBeLessThanOrEqual(Math.max(allowed, n - Math.min(written.before, n)));
});

law('one step at a time, unless a jump or an edited plan says so', (_, snapshot, made) => {
  const before = snapshot.workload?.workload.marks;
  const after = recordWritten(made).marks;
  if (made.commit?.reason !== 'StepReady' || after?.step?.kind !== 'step') return;
  const index = before?.step?.kind === 'step' ? before.step.index : 0;
  expect(after.step.index).toBe(index + 1);
});

law(
  'extra groups come alone, once the partition is at those that people want, and as many as a policy says',
  (_, snapshot, made) => {
    const replicas = replicasOf(snapshot, made);
    if (replicas === undefined || replicas.after <= replicas.before) return;
    expect(made.commit?.reason).toBe('Surged');
    expect(replicas.after - replicas.before).toBe(snapshot.policy.surge);
    const written = partitionOf(snapshot, made);
    expect(written?.after).toBe(written?.before);
    expect(snapshot.live.scaler.kind).toBe('absent');
    expect(recordWritten(made).marks?.restore?.replicas).toEqual({ was: replicas.before, set: replicas.after });
  },
);

law(
  'replicas are only ever given back to what they were, and only where they are what we made of them',
  (_, snapshot, made) => {
    const replicas = replicasOf(snapshot, made);
    if (replicas === undefined || replicas.after >= replicas.before) return;
    expect(snapshot.workload?.workload.marks?.restore?.replicas).toEqual({ was: replicas.after, set: replicas.before });
    expect(recordWritten(made).marks?.restore?.replicas).toBeUndefined();
    expect([...BACK, 'SurgeReturned', 'Settled', 'RolledBack']).toContain(made.commit?.reason);
  },
);

law(
  'while a group that people want restarts, an extra one is not taken away, but on the way back',
  (_, snapshot, made) => {
    if (made.commit?.reason !== 'SurgeReturned' && made.commit?.reason !== 'Settled') return;
    const replicas = replicasOf(snapshot, made);
    if (replicas === undefined) return;
    const groups = made.record.groups.filter((group) => group.index < replicas.after);
    expect(groups.filter((group) => group.ready)).toHaveLength(replicas.after);
  },
);

law('going back never raises the partition', (_, snapshot, made) => {
  const written = partitionOf(snapshot, made);
  if (written !== undefined && BACK.includes(written.reason)) expect(written.after).toBeLessThanOrEqual(written.before);
});

law('only arming, stopping and settling raise it', (_, snapshot, made) => {
  const written = partitionOf(snapshot, made);
  if (written === undefined || written.after <= written.before) return;
  expect(['Adopted', 'Armed', 'Rearmed', 'RolledBack', ...STOPS]).toContain(written.reason);
});

law('a stop never lets a group go', (_, snapshot, made) => {
  const written = partitionOf(snapshot, made);
  if (written === undefined || !['RollStopped', 'PartitionRestored'].includes(written.reason)) return;
  expect(written.after).toBeGreaterThan(written.before);
});

law(
  'no partition is negative, and none is left between the fleet and the sentinel but by hand',
  (of, snapshot, made) => {
    const written = partitionOf(snapshot, made);
    if (written === undefined) return;
    expect(written.after).toBeGreaterThanOrEqual(0);
    const untouched = written.after === written.before;
    const ours = snapshot.record?.step?.partition;
    expect(untouched || written.after <= (of.n ?? 0) || written.after === SENTINEL || written.after === ours).toBe(
      true,
    );
  },
);

law('what cannot be read never lets a step go', (_, snapshot, made) => {
  const { lws, leaders, leaderSet, workerSets, revisions } = snapshot.live;
  if ([lws, leaders, leaderSet, workerSets, revisions].every((read) => read.kind === 'known')) return;
  const written = partitionOf(snapshot, made);
  if (written === undefined) return;
  expect([...BACK, ...STOPS, 'Rearmed', 'RequestWithdrawn', 'Retried']).toContain(written.reason);
});

law('no step goes on while it is paused, disabled, deleted, wrong or without a way back', (of, snapshot, made) => {
  const stopped =
    of.rollout !== undefined && (of.rollout === 'absent' || of.rollout.paused === true || of.rollout.disabled === true);
  const wrong = snapshot.issues.length > 0;
  if (!stopped && !wrong) return;
  if (made.commit !== undefined) expect(FORWARD).not.toContain(made.commit.reason);
});

law('an abort of what is being delivered is always written, where the stable text is known', (of, snapshot) => {
  const marks = marksOf(of.marks ?? '');
  if (marks?.step?.kind !== 'step' || snapshot.stable.kind !== 'known' || of.rollout === 'absent') return;
  const release = `${String(of.marks).split(' ')[0]}`;
  const made = plan(world({ ...of, text: release.charAt(0), intents: { abort: release } }));
  expect(['Aborted', 'Reverted']).toContain(made.commit?.reason);
  expect(recordWritten(made).marks?.step?.kind).toBe('rollback');
});

law('a serial is never used twice', (_, snapshot, made) => {
  const before = snapshot.workload?.workload.marks;
  const after = recordWritten(made).marks;
  if (before === undefined || after === undefined || made.commit === undefined) return;
  const known = [before.release, ...before.aborted];
  if (known.some((release) => release.digest === after.release.digest && release.serial === after.release.serial))
    return;
  const goingBack = after.step?.kind === 'rollback';
  if (!goingBack) expect(after.release.serial).toBeGreaterThan(Math.max(...known.map((release) => release.serial)));
});

law('who stands still says why, and when to look again', (_, snapshot, made) => {
  const settled = snapshot.workload?.workload.marks?.step === undefined;
  if (made.commit !== undefined || settled) return;
  expect(made.holds.length).toBeGreaterThan(0);
  expect(made.requeueAfterSeconds).toBeGreaterThan(0);
});

law('an unchanged world gives an unchanged record, at once', (_, snapshot, made) => {
  if (made.commit !== undefined) return;
  const second = plan({ ...snapshot, record: made.record, recordFault: '', now: snapshot.now + 1 });
  if (second.commit !== undefined) return;
  // A wait that ends within that second, as LWS 0.8's second read does, is a change.
  const waits = ({ holds }: Plan): string => holds.map(({ reason }) => reason).join();
  if (waits(second) !== waits(made)) return;
  const plain = (record: Plan['record']): unknown => ({ ...record, auditedAt: 0 });
  expect(plain(second.record)).toEqual(plain(made.record));
});

law('a commit that is not written leaves no trace in the record', (_, snapshot, made) => {
  if (made.commit === undefined) return;
  const { marks, step } = made.record;
  expect(marks).toEqual(snapshot.workload?.workload.marks ?? snapshot.record?.marks);
  expect(step?.index).toBe(marks?.step?.kind === 'step' ? marks.step.index : undefined);
  expect(made.record.settled).toBe(false);
  const held = planHeld(made, snapshot, hold('PushRefused', 'a rule'));
  expect({ ...held.record, ...TOLD }).toEqual({ ...made.record, ...TOLD });
  expect(held.record.message).toBe('A rule');
});

law('a commit that is written is in the record with its marks, and no soak of it has begun', (_, _snapshot, made) => {
  if (made.commit === undefined) return;
  const { marks, step } = recordWritten(made);
  const own = workloadIn(made.commit.changes)?.workload;
  if (own !== undefined) expect(marks).toEqual(own.marks.to);
  if (marks?.step?.kind !== 'step') return;
  expect([step?.index, step?.doneSince]).toEqual([marks.step.index, undefined]);
});

law('accepting a hold for what it shows ends that hold, and for anything else nothing', (_, snapshot, made) => {
  const { workload, rollout } = snapshot;
  if (workload === undefined || rollout === undefined) return;
  const situation = situationOf(snapshot, workload);
  for (const { reason: name, facts } of made.holds) {
    const reason = ACCEPTABLE.find((known) => known === name);
    if (facts === undefined || reason === undefined) continue;
    expect(factsOf(situation)[reason]).toEqual(facts);
    if (situation.marks?.step === undefined) continue;
    const given = (seen: JsonObject): readonly string[] => {
      const accept = [{ reason, release: releaseToAccept(situation), facts: factsDigest(seen) }];
      const intents = { ...rollout.intents, accept };
      const after = plan(withFactDigests({ ...snapshot, rollout: { ...rollout, intents } }));
      return after.holds.filter((held) => held.facts !== undefined).map((held) => held.reason);
    };
    expect(given(facts)).not.toContain(reason);
    expect(given({ ...facts, more: 1 })).toContain(reason);
  }
});
