/** The decision: from one snapshot to one plan. Pure, synchronous, no clock; the same snapshot gives the same bytes. */

import type { Issue } from '../api/issue.ts';
import type { Marks } from '../api/marks.ts';
import type { RolloutRecord } from '../api/record.ts';
import type { Instant } from '../api/time.ts';
import type { ObjectEdits, ObjectRef } from './edit.ts';
import type { Hold } from './hold.ts';
import { stepMessage } from './messages.ts';
import { type Decision, holding, type Move, type MoveReason, type Way, wayOf } from './move.ts';
import { recordOf } from './record-of.ts';
import { moveEdits } from './recreate-edits.ts';
import { type Situation, situationOf } from './situation.ts';
import type { EditedFile, RolloutKey, Snapshot } from './snapshot.ts';
import { strategyOf } from './strategies/index.ts';

const PLAN_VERSION = 1;
/** When to look again where nothing says when that could help. */
export const ORDINARY_REQUEUE_SECONDS = 30;

export type PlannedCommit = {
  readonly reason: MoveReason;
  readonly way: Way;
  readonly subject: string;
  readonly message: string;
  readonly atSeconds: Instant;
  readonly edits: readonly ObjectEdits[];
  /** What the workload must read as once the edits are made; `absent`: not there at all. */
  readonly expected: {
    readonly kind: 'there' | 'absent';
    readonly file: string;
    readonly object: ObjectRef;
    readonly marks: Marks;
    readonly partition: number;
    readonly replicas: number | undefined;
    readonly digest: string | undefined;
  };
};

export type Plan = {
  readonly version: typeof PLAN_VERSION;
  readonly key: RolloutKey;
  /** The commit of the desired branch that the plan was made from. */
  readonly main: string;
  /** undefined: nothing to write. */
  readonly commit: PlannedCommit | undefined;
  /** Everything that is waited for, not only the first. */
  readonly holds: readonly Hold[];
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
  /** What the status branch is to say; undefined: nothing of this rollout belongs there. */
  readonly record: RolloutRecord | undefined;
  /** When to look again; undefined: only when Git moves or an audit is due. */
  readonly requeueAfterSeconds: number | undefined;
};

/** Plans one rollout. A file that is too wrong to be read, or asks for what is not built, gets no commit. */
export function plan(snapshot: Snapshot): Plan {
  const file = snapshot.workload;
  if (file === undefined) return planGone(snapshot);
  const situation = situationOf(snapshot, file);
  const decision = strategyOf(snapshot).decide(situation);
  return planOf({ snapshot, situation, decision, file });
}

/** Without a workload in the files nothing is planned, unless it was taken out to be created anew. */
function planGone(snapshot: Snapshot): Plan {
  const kept = snapshot.rollout?.intents.recreating;
  if (kept === undefined) return withoutMove(snapshot, undefined, holding([], 'Completed'));
  const decision = strategyOf(snapshot).decideAbsent(snapshot, kept);
  const file = snapshot.recreateText.kind === 'known' ? snapshot.recreateText.value.manifest : undefined;
  if (file === undefined) return withoutMove(snapshot, undefined, { ...decision, move: undefined });
  return planOf({ snapshot, situation: undefined, decision, file: { ...file, file: kept.file } });
}

function planOf(of: {
  readonly snapshot: Snapshot;
  readonly situation: Situation | undefined;
  readonly decision: Decision;
  readonly file: EditedFile;
}): Plan {
  const { snapshot, situation, decision, file } = of;
  const { move } = decision;
  if (move === undefined) return withoutMove(snapshot, situation, decision);
  const { partition, replicas, maxUnavailable } = file.workload;
  const { subject, message } = stepMessage(move, {
    key: snapshot.key,
    main: snapshot.main,
    partition,
    replicas,
    maxUnavailable,
  });
  return {
    version: PLAN_VERSION,
    key: snapshot.key,
    main: snapshot.main,
    commit: {
      reason: move.reason,
      way: wayOf(move, partition),
      subject,
      message,
      atSeconds: snapshot.now,
      edits: moveEdits(move, file, snapshot.rollout),
      expected: {
        kind: move.recreate?.kind === 'remove' ? 'absent' : 'there',
        file: file.file,
        object: file.object,
        marks: move.marks,
        partition: move.partition ?? partition ?? 0,
        replicas: move.replicas ?? replicas,
        digest: digestAfter(snapshot, move),
      },
    },
    holds: decision.holds,
    issues: snapshot.issues,
    warnings: snapshot.warnings,
    record: recordOf(snapshot, situation, decision),
    requeueAfterSeconds: ORDINARY_REQUEUE_SECONDS,
  };
}

function digestAfter({ workload }: Snapshot, { text, recreate }: Move): string | undefined {
  if (text !== undefined) return text.release.digest;
  return recreate?.kind === 'create' ? recreate.recreating.release.digest : workload?.digest;
}

function withoutMove(snapshot: Snapshot, situation: Situation | undefined, decision: Decision): Plan {
  const stalled = snapshot.issues.length > 0 && decision.holds.length === 0;
  return {
    version: PLAN_VERSION,
    key: snapshot.key,
    main: snapshot.main,
    commit: undefined,
    holds: decision.holds,
    issues: snapshot.issues,
    warnings: snapshot.warnings,
    record: recordOf(snapshot, situation, decision),
    // A wrong file is not retried: only an edit helps.
    requeueAfterSeconds: stalled || decision.holds.length === 0 ? undefined : requeueAfter(decision.holds),
  };
}

/** The plan of a rollout whose step could not be written: what it says is the reason, and nothing moves. */
export function planHeld(snapshot: Snapshot, reason: Hold): Plan {
  const file = snapshot.workload;
  const situation = file === undefined ? undefined : situationOf(snapshot, file);
  return withoutMove(snapshot, situation, holding([reason], 'StepUpgrade'));
}

/** Where a rollout stands at this moment, whatever the next commit is going to change about it. */
export function standing(snapshot: Snapshot): RolloutRecord | undefined {
  const file = snapshot.workload;
  if (file === undefined) return planGone(snapshot).record;
  const situation = situationOf(snapshot, file);
  const decision = strategyOf(snapshot).decide(situation);
  return recordOf(snapshot, situation, { ...decision, move: undefined });
}

function requeueAfter(holds: readonly Hold[]): number {
  const waits = holds.map((found) => found.requeueAfterSeconds).filter((seconds) => seconds !== undefined);
  return Math.max(1, Math.min(ORDINARY_REQUEUE_SECONDS, ...waits));
}
