/** Laws of the decision, over worlds that need not make sense. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACCEPTABLE } from '../../src/api/intents.ts';
import type { JsonObject } from '../../src/api/json.ts';
import { SENTINEL } from '../../src/api/workload.ts';
import { factsDigest, withFactDigests } from '../../src/reconcile/documents/digests.ts';
import { releaseToAccept } from '../../src/rollout/accepting.ts';
import { workloadIn } from '../../src/rollout/edits/change.ts';
import { factsOf } from '../../src/rollout/facts.ts';
import { hold } from '../../src/rollout/hold.ts';
import type { MoveReason } from '../../src/rollout/move.ts';
import { plannedGroups } from '../../src/rollout/observed/batches.ts';
import { type Plan, plan, planHeld, recordWritten } from '../../src/rollout/plan.ts';
import { situationOf } from '../../src/rollout/situation.ts';
import type { Snapshot } from '../../src/rollout/snapshot.ts';
import { arbitraryWorld } from '../support/arbitrary-world.ts';
import { editsIn, roundTrip } from '../support/planned.ts';
import { letterOf, marksOf, type World, world } from '../support/snapshot.ts';

const RUNS = { numRuns: 1200 };
/** What people are notified: another word for a commit that is held. */
const TOLD = { currentStepState: '', message: '', conditions: [], holds: [] };

/** What a commit may do to the groups, by its reason: a new one does not compile before somebody has said it here. */
const KIND = {
  // Lets groups go, or takes their number further in the plan.
  StepReady: 'forward',
  Jumped: 'forward',
  StepsEdited: 'forward',
  SizeChanged: 'forward',
  Aborted: 'back',
  Reverted: 'back',
  Failed: 'back',
  Undone: 'back',
  AbortedTemplateRemoved: 'back',
  BudgetRaised: 'back',
  BudgetLowered: 'back',
  RollbackWidened: 'back',
  // Raises the partition over groups that are moving, to stop them.
  Superseded: 'stop',
  RollStopped: 'stop',
  PartitionRestored: 'stop',
  // Raises it to the sentinel, where everything that was released for update is there.
  Adopted: 'lock',
  Locked: 'lock',
  Relocked: 'lock',
  RolledBack: 'lock',
  SurgePrepared: 'surge',
  Surged: 'surge',
  SurgeReturned: 'surge',
  Settled: 'rest',
  NoNewRevision: 'rest',
  RequestWithdrawn: 'rest',
  Retried: 'rest',
  RecreateEnded: 'rest',
  // Takes the document out of its file, or puts it back.
  RecreateRemoved: 'fresh',
  RecreateCreated: 'fresh',
  // Of deliveries that fill a second workload: these worlds have none.
  RungReady: 'filling',
  Promoted: 'filling',
  RouteRestored: 'filling',
  CanaryEmptied: 'filling',
  PrimaryCovered: 'filling',
  TrafficWithdrawn: 'filling',
  ShareAccepted: 'filling',
  AnnotationsRestored: 'filling',
  // Nor a patch over a build.
  Unpinned: 'filling',
  // Nor a HelmRelease.
  InputsWritten: 'filling',
  // Nobody merges steps in these worlds.
  MergeAccepted: 'merged',
} as const satisfies Record<MoveReason, string>;

const isKind = (reason: MoveReason | undefined, ...kinds: readonly (typeof KIND)[MoveReason][]): boolean =>
  reason !== undefined && kinds.includes(KIND[reason]);

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

const groupsInGit = ({ workload }: Snapshot): number => workload?.workload.replicas ?? 0;

/** N: without the extra groups. */
function groupsWanted({ live, workload }: Snapshot): number {
  const inGit = workload?.workload.replicas ?? 0;
  const asked = live.lws.kind === 'known' && live.scaler.kind === 'known' ? live.lws.value.replicas : inGit;
  const surge = workload?.workload.marks?.restore?.replicas;
  return surge !== undefined && surge.set === inGit && surge.set === asked ? surge.was : asked;
}

type Tried = { readonly of: World; readonly snapshot: Snapshot; readonly made: Plan };

function tried(of: World): Tried {
  const snapshot = world(of);
  return { of, snapshot, made: plan(snapshot) };
}

let worlds: readonly Tried[] | undefined;

/** Every law looks at the same worlds: they are planned once. Where it breaks they are re-created, to make one small. */
function law(name: string, check: (of: World, snapshot: Snapshot, made: Plan) => void): void {
  const holds = ({ of, snapshot, made }: Tried): void => check(of, snapshot, made);
  test(name, () => {
    worlds ??= fc.sample(arbitraryWorld, RUNS).map(tried);
    try {
      for (const one of worlds) holds(one);
    } catch (broken) {
      fc.assert(
        fc.property(arbitraryWorld, (of) => holds(tried(of))),
        RUNS,
      );
      throw broken;
    }
  });
}

/** These three reach every kind at once; where worlds are made otherwise, the others are tried as well. */
const SEEDS = [9, 15, 2, ...Array.from({ length: 40 }, (_none, at) => at + 20)];

test('the worlds reach every kind of commit', () => {
  const reached = new Set<string>();
  const kinds = Object.entries(KIND).flatMap(([reason, kind]) =>
    ['filling', 'merged'].includes(kind) ? [] : [reason],
  );
  for (const seed of SEEDS) {
    for (const of of fc.sample(arbitraryWorld, { seed, numRuns: 500 })) {
      if (reached.size > kinds.length) break;
      reached.add(plan(world(of)).commit?.reason ?? '');
    }
  }
  expect([...reached].sort()).toEqual(['', ...kinds].sort());
});

law('the same snapshot gives the same bytes, also after a round trip through JSON', (_, snapshot, made) => {
  expect(JSON.stringify(plan(snapshot))).toBe(JSON.stringify(made));
  expect(JSON.stringify(plan(roundTrip(snapshot)))).toBe(JSON.stringify(made));
});

law('a snapshot is not changed by planning', (of, snapshot) => {
  expect(JSON.stringify(snapshot)).toBe(JSON.stringify(world(of)));
});

law('a step never lets more groups go than its plan allows, beyond those that have gone', (_, snapshot, made) => {
  const written = partitionOf(snapshot, made);
  if (written === undefined || !isKind(written.reason, 'forward')) return;
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
    const { reason } = made.commit ?? {};
    const ends = ['SurgeReturned', 'Settled', 'RolledBack', 'RecreateCreated'].includes(reason ?? '');
    expect([reason, ends || isKind(reason, 'back')]).toEqual([reason, true]);
  },
);

law(
  'while a group that people want restarts, an extra one is not taken away, but in the rollback',
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
  if (written !== undefined && isKind(written.reason, 'back'))
    expect(written.after).toBeLessThanOrEqual(written.before);
});

law('only locking, stopping and settling raise it', (_, snapshot, made) => {
  const written = partitionOf(snapshot, made);
  if (written === undefined || written.after <= written.before) return;
  expect([written.reason, isKind(written.reason, 'lock', 'stop', 'fresh')]).toEqual([written.reason, true]);
});

law('a stop never lets a group go', (_, snapshot, made) => {
  const written = partitionOf(snapshot, made);
  if (written === undefined || !['RollStopped', 'PartitionRestored'].includes(written.reason)) return;
  expect(written.after).toBeGreaterThan(written.before);
});

law(
  'no partition is negative, and none is left between the primary and the sentinel but by hand',
  (_, snapshot, made) => {
    const written = partitionOf(snapshot, made);
    if (written === undefined) return;
    expect(written.after).toBeGreaterThanOrEqual(0);
    const untouched = written.after === written.before;
    const ours = snapshot.record?.step?.partition;
    expect(
      untouched || written.after <= groupsInGit(snapshot) || written.after === SENTINEL || written.after === ours,
    ).toBe(true);
  },
);

law('what cannot be read never lets a step go', (_, snapshot, made) => {
  const { lws, leaders, leaderSet, workerSets, revisions } = snapshot.live;
  if ([lws, leaders, leaderSet, workerSets, revisions].every((read) => read.kind === 'known')) return;
  const written = partitionOf(snapshot, made);
  if (written === undefined) return;
  const { reason } = written;
  const blind = ['Relocked', 'RequestWithdrawn', 'Retried', 'RecreateEnded'].includes(reason);
  expect([reason, blind || isKind(reason, 'back', 'stop')]).toEqual([reason, true]);
});

law('no step goes on while it is paused, disabled, deleted, wrong or without a rollback', (of, snapshot, made) => {
  const stopped =
    of.rollout !== undefined && (of.rollout === 'absent' || of.rollout.paused === true || of.rollout.disabled === true);
  const wrong = snapshot.issues.length > 0;
  if (!stopped && !wrong) return;
  if (made.commit !== undefined)
    expect([made.commit.reason, isKind(made.commit.reason, 'forward')]).not.toContain(true);
});

law('an abort of what is being delivered is always written, where the stable template is known', (of, snapshot) => {
  const marks = of.marks === undefined ? undefined : marksOf(of.marks);
  if (marks?.step?.kind !== 'step' || snapshot.stable.kind !== 'known' || of.rollout === 'absent') return;
  // In the middle of creating it again the rollback is another: the laws below.
  if (of.gone !== undefined || of.returned !== undefined) return;
  const release = `${String(of.marks).split(' ')[0]}`;
  const made = plan(world({ ...of, text: release.charAt(0), intents: { abort: release } }));
  const { reason } = made.commit ?? {};
  expect([reason, reason === 'RecreateRemoved' || isKind(reason, 'back')]).toEqual([reason, true]);
  expect(recordWritten(made).marks?.step?.kind).toBe('rollback');
});

law(
  'a document goes out of its file where a policy allows it and nothing moves, or in the rollback',
  (of, snapshot, made) => {
    if (made.commit?.reason !== 'RecreateRemoved') return;
    expect(snapshot.rollout).toBeDefined();
    if (recordWritten(made).marks?.step?.kind === 'rollback') return;
    expect(snapshot.policy.recreate).toBe('Allow');
    expect(snapshot.workload?.workload.partition).toBe(SENTINEL);
    expect([snapshot.rollout?.rollout.paused, snapshot.rollout?.rollout.disabled]).not.toContain(true);
    expect([of.argo, snapshot.issues]).not.toEqual(['alone', []]);
  },
);

law('a document comes back where nothing is left of the one before, or to stay as it was', (of, snapshot, made) => {
  if (made.commit === undefined || of.gone === undefined) return;
  const { lws } = snapshot.live;
  expect(made.commit.reason).toBe('RecreateCreated');
  expect(of.left).toBeUndefined();
  if (lws.kind === 'absent') return;
  // Not deleted yet, and aborted: it stays the same object.
  expect([lws.kind, lws.kind === 'known' && lws.value.deleting, of.intents?.abort]).toEqual(['known', false, 'B.2']);
});

law('groups of another size go all in one step, where LWS cannot stand half-way', (of, snapshot, made) => {
  const { stable, policy } = snapshot;
  if (stable.kind !== 'known' || policy.sizeChange !== 'Whole' || of.lwsVersion === '0.11') return;
  const sizeOf = (letter: string): number => of.sizes?.[letter] ?? of.size ?? 2;
  if (sizeOf(of.text ?? 'A') === sizeOf(letterOf(stable.value.release.digest))) return;
  const written = partitionOf(snapshot, made);
  if (written === undefined || !isKind(written.reason, 'forward')) return;
  expect([0, SENTINEL]).toContain(written.after);
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
  const held = planHeld(made, snapshot, hold('PushRefused', { seen: 'a rule', waits: 'people' }));
  expect({ ...held.record, ...TOLD }).toEqual({ ...made.record, ...TOLD });
  expect(held.record.message).toBe('A rule');
});

law('a commit that is written is in the record with its marks, and no soak of it has started', (_, _snapshot, made) => {
  if (made.commit === undefined) return;
  const { marks, step } = recordWritten(made);
  const own = workloadIn(made.commit.changes);
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
