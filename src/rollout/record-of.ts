/** What the status branch is to remember of a pass: where the rollout stands, what holds it, and since when. */

import {
  type Condition,
  type Phase,
  RECORD_VERSION,
  type RolloutRecord,
  type StableCopy,
  type StepRecord,
} from '../api/record.ts';
import { printRelease, sameRelease } from '../api/release.ts';
import { frozenPlanOf } from '../api/rollout-frozen.ts';
import { fieldsLive, unappliedSince } from './applied.ts';
import { plannedGroups } from './batches.ts';
import { expectedOf } from './expected.ts';
import { recreated, revisionChanged } from './gates/cluster.ts';
import { holdKind } from './hold.ts';
import type { Decision } from './move.ts';
import { phaseOf, rolloutIdOf } from './phase.ts';
import { groupsAfter, noLaterThanNow } from './record-groups.ts';
import { coversAfter, holdRecord, unseenAfter } from './record-shown.ts';
import { restartsOf } from './restarts.ts';
import type { Situation } from './situation.ts';
import type { Snapshot } from './snapshot.ts';
import { clockIsBehind, soakingSince } from './soak.ts';
import { nextStepIndex } from './steps.ts';

/**
 * The record after this pass. Everything in it is either read from the snapshot or carried over from the record
 * before, so an unchanged world gives an unchanged record. `situation` is undefined where no workload could be read.
 */
export function recordOf(snapshot: Snapshot, situation: Situation | undefined, decision: Decision): RolloutRecord {
  const before = snapshot.record;
  const marks = marksAfter(snapshot, situation, decision);
  const step = stepAfter(snapshot, situation, decision);
  const state = situation?.state;
  const recreating = snapshot.rollout?.intents.recreating !== undefined;
  const managed = situation !== undefined && marks !== undefined;
  const inProgress = marks?.step !== undefined || state?.kind === 'requested' || recreating;
  // Kruise knows no step 0: extra groups that start are the beginning of the first.
  const index = marks?.step?.kind === 'step' ? Math.max(1, marks.step.index) : (before?.currentStepIndex ?? 0);
  const steps = situation?.steps.length ?? 0;
  const message = messageOf(snapshot, decision);
  const quiet = decision.move === undefined && decision.holds.length === 0 && snapshot.issues.length === 0;
  // A field that others have written twice is watched for a while.
  const settled = quiet && state?.kind === 'settled' && (situation?.contest?.count ?? 0) < 2;
  const memory = groupsAfter(snapshot, situation);
  return {
    version: RECORD_VERSION,
    ...snapshot.key,
    main: mainAfter(snapshot, decision),
    blobs: snapshot.blobs,
    settled,
    auditedAt: auditedAt(snapshot, settled),
    phase: phaseAfter(snapshot, managed || recreating ? inProgress : undefined),
    currentStepState: decision.stepState,
    currentStepIndex: state?.kind === 'settled' ? steps : index,
    nextStepIndex: state?.kind === 'settled' ? -1 : nextStepIndex(steps, index),
    message,
    conditions: conditionsOf(snapshot, { inProgress, decision, message }),
    holds: decision.holds.map((found) => holdRecord(found, snapshot)),
    rolloutHash: snapshot.rollout?.hash ?? before?.rolloutHash ?? '',
    observedRolloutID: rolloutIdOf({
      label: situation?.workload.rolloutId,
      revision: marks === undefined ? '' : printRelease(marks.release),
      rollback: marks?.step?.kind === 'rollback',
    }),
    marks,
    step,
    ...memory,
    unseen: unseenAfter(snapshot, situation),
    covers: coversAfter(snapshot, situation, decision),
    expected: situation === undefined ? undefined : expectedOf({ situation, decision, loads: memory.loads }),
    uids: uidsAfter(snapshot, situation),
    appliedSince: appliedSince(snapshot, situation),
    notAppliedSince: situation === undefined ? undefined : unappliedSince(snapshot, situation.file),
    contest: situation?.contest,
    revision: revisionAfter(snapshot, situation),
    stable: stableAfter(snapshot, situation, decision),
  };
}

/**
 * Kruise takes some phases in two rounds; asked twice, an unchanged world has an unchanged phase. `inProgress` is
 * undefined for what is not there, and for what is not taken over yet: it is not healthy only because nothing goes on.
 */
function phaseAfter(snapshot: Snapshot, inProgress: boolean | undefined): Phase {
  const facts = {
    deleting: snapshot.rollout === undefined && snapshot.workload?.workload.marks !== undefined,
    disabled: snapshot.rollout?.rollout.disabled ?? false,
    inProgress,
  };
  return phaseOf({ ...facts, before: phaseOf({ ...facts, before: snapshot.record?.phase ?? 'Healthy' }) });
}

/**
 * The commit that the record stands on. It only moves when something of this rollout did, so that other people's
 * commits write no record, and never off a history that nobody has acknowledged yet.
 */
function mainAfter({ record, history, blobs, main }: Snapshot, { move }: Decision): string {
  if (record === undefined || (history.kind === 'rewritten' && history.acknowledged)) return main;
  if (history.kind === 'rewritten') return record.main;
  return move === undefined && sameBlobs(record.blobs, blobs) ? record.main : main;
}

function marksAfter(snapshot: Snapshot, situation: Situation | undefined, { move }: Decision): RolloutRecord['marks'] {
  if (move !== undefined) return move.marks;
  if (situation?.marks !== undefined) return situation.marks;
  // Kept while the file has none, so that their loss is seen again; a disabled Rollout has let go of the workload.
  return snapshot.rollout?.rollout.disabled === true ? undefined : snapshot.record?.marks;
}

/** The soak clock: since when the groups of the step in Git have all been there. */
function stepAfter(snapshot: Snapshot, situation: Situation | undefined, decision: Decision): StepRecord | undefined {
  if (situation === undefined) return snapshot.record?.step;
  const { marks, steps, replicas, partition } = situation;
  const { move } = decision;
  const after = move?.marks ?? marks;
  if (after?.step?.kind !== 'step') return undefined;
  const before = snapshot.record?.step;
  const same =
    before !== undefined &&
    before.index === after.step.index &&
    printRelease(before.release) === printRelease(after.release);
  if (same && move === undefined) {
    // A pass that could not read the groups knows nothing against them: it neither starts nor stops the clock.
    if (!decision.stepDone && situation.observed === undefined) return before;
    return {
      ...before,
      writtenAt: writtenAt(situation, before),
      doneSince: decision.stepDone ? (soakingSince(situation) ?? snapshot.now) : undefined,
      restarts: restartsOf(situation),
    };
  }
  const frozen = sameRelease(before?.release, after.release) ? before?.frozen : undefined;
  const file = snapshot.rollout;
  return {
    release: after.release,
    index: after.step.index,
    planned: steps.map((step) => plannedGroups(step.replicas, replicas ?? 0)),
    replicas: replicas ?? 0,
    partition: move?.partition ?? partition,
    // A step that is found, under a Rollout of another name perhaps, has a commit of its own that nobody has looked up.
    writtenAt: same ? before.writtenAt : move === undefined ? undefined : snapshot.now,
    restarts: move === undefined ? restartsOf(situation) : undefined,
    doneSince: move === undefined && decision.stepDone ? snapshot.now : undefined,
    frozen: frozen ?? (file === undefined ? undefined : frozenPlanOf(file.rollout)),
  };
}

/**
 * A date to come was written by a clock that ran ahead, and counts from now; unless groups show that it is our own
 * clock that is behind: then a pass that knows better must find it as it was.
 */
function writtenAt(situation: Situation, { writtenAt: at }: StepRecord): number | undefined {
  return at === undefined || clockIsBehind(situation) ? at : noLaterThanNow(at, situation.snapshot);
}

function messageOf(snapshot: Snapshot, { move, holds }: Decision): string {
  if (move !== undefined) return `${move.label}: ${move.why}`;
  const issue = snapshot.issues[0];
  if (holds[0] !== undefined) return holdRecord(holds[0], snapshot).message;
  return issue === undefined ? '' : `${issue.file}:${issue.line}: ${issue.message}`;
}

function conditionsOf(
  snapshot: Snapshot,
  facts: { readonly inProgress: boolean; readonly decision: Decision; readonly message: string },
): readonly Condition[] {
  const { decision, inProgress, message } = facts;
  // Lost marks are a wrong file too, only that the record has to tell: nothing helps but somebody's edit.
  const issue = snapshot.issues[0] ?? decision.holds.find(({ reason }) => holdKind(reason)?.failure === 'stalled');
  const progressing = decision.move?.reason ?? decision.holds[0]?.reason ?? (inProgress ? 'InRolling' : 'Completed');
  const wanted: readonly Omit<Condition, 'since'>[] = [
    { type: 'Progressing', status: inProgress ? 'True' : 'False', reason: progressing, message },
    {
      type: 'Stalled',
      status: issue === undefined ? 'False' : 'True',
      reason: issue?.reason ?? '',
      message: issue?.message ?? '',
    },
  ];
  return wanted.map((condition) => {
    const old = snapshot.record?.conditions.find((found) => found.type === condition.type);
    const same = old !== undefined && old.status === condition.status && old.reason === condition.reason;
    return { ...condition, since: same ? noLaterThanNow(old.since, snapshot) : snapshot.now };
  });
}

/** The objects that a delivery began with: kept while it is open, so that another object is seen as another. */
function uidsAfter(snapshot: Snapshot, situation: Situation | undefined): RolloutRecord['uids'] {
  const before = snapshot.record?.uids;
  if (situation?.observed === undefined) return before;
  const { state, observed } = situation;
  const begun = state.kind === 'step' && state.row !== 'armed';
  const open = begun || (state.kind === 'requested' && recreated(situation) !== undefined);
  const { lws, leaderSet } = observed;
  return open && before !== undefined ? before : { lws: lws.uid, leaderSet: leaderSet.uid };
}

function appliedSince(snapshot: Snapshot, situation: Situation | undefined): number | undefined {
  if (situation === undefined || snapshot.live.lws.kind !== 'known') return undefined;
  const { observedGeneration, generation } = snapshot.live.lws.value;
  const observed = observedGeneration !== undefined && observedGeneration >= generation;
  if (observed || !fieldsLive(snapshot, situation.file)) return undefined;
  const { file } = situation.file;
  const same = snapshot.record?.blobs[file] === snapshot.blobs[file];
  return noLaterThanNow(same ? snapshot.record?.appliedSince : undefined, snapshot);
}

/** Another key for the same text is remembered once no group is left on the one before. */
function revisionAfter(snapshot: Snapshot, situation: Situation | undefined): RolloutRecord['revision'] {
  const key = situation?.observed?.releaseKey;
  if (situation === undefined || key === undefined || revisionChanged(situation) !== undefined)
    return snapshot.record?.revision;
  return { digest: situation.digest, key };
}

/** A copy of the text to go back to, for the day on which its commit cannot be fetched any more. */
function stableAfter(snapshot: Snapshot, situation: Situation | undefined, { move }: Decision): StableCopy | undefined {
  const { stable } = snapshot;
  if (situation?.state.kind === 'settled' && move === undefined) {
    const { state, file } = situation;
    const { marks } = state;
    return { commit: marks.stable ?? snapshot.main, release: marks.release, text: file.text };
  }
  if (stable.kind === 'known')
    return { commit: stable.value.commit, release: stable.value.release, text: stable.value.text };
  return snapshot.record?.stable;
}

/** Settling counts as an audit: everything was read for it. While a delivery goes on the time is not renewed. */
function auditedAt({ live, record, audit, now }: Snapshot, settled: boolean): number {
  const before = Math.min(record?.auditedAt ?? now, now);
  if (live.lws.kind === 'unknown') return before;
  return audit || (settled && record?.settled === false) ? now : before;
}

function sameBlobs(left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}
