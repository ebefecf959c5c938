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
import { type Pass, type Progress, progressWritten, recordHeld } from './record-progress.ts';
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
  /** What the record says besides, once this commit is on main. */
  readonly progress: Progress;
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
  /** What was seen, for the status branch: true whether the commit is written or not. */
  readonly record: RolloutRecord;
  /** When to look again; undefined: only when Git moves or an audit is due. */
  readonly requeueAfterSeconds: number | undefined;
};

/** Plans one rollout. A file that is too wrong to be read, or asks for what is not built, gets no commit. */
export function plan(snapshot: Snapshot): Plan {
  const file = snapshot.workload;
  if (file === undefined) return planGone(snapshot);
  const situation = situationOf(snapshot, file);
  return planOf({ snapshot, situation, decision: strategyOf(snapshot).decide(situation), file });
}

/** Without a workload in the files nothing is planned, unless it was taken out to be created anew. */
function planGone(snapshot: Snapshot): Plan {
  const kept = snapshot.rollout?.intents.recreating;
  const decision = kept === undefined ? holding([], 'Completed') : strategyOf(snapshot).decideAbsent(snapshot, kept);
  const file = snapshot.recreateText.kind === 'known' ? snapshot.recreateText.value.manifest : undefined;
  const back = kept === undefined || file === undefined ? undefined : { ...file, file: kept.file };
  return planOf({ snapshot, situation: undefined, decision, file: back });
}

type Decided = {
  readonly snapshot: Snapshot;
  readonly situation: Situation | undefined;
  readonly decision: Decision;
  /** undefined: there is no document to write to. */
  readonly file: EditedFile | undefined;
};

function planOf({ snapshot, situation, decision, file }: Decided): Plan {
  const { holds } = decision;
  const move = file === undefined ? undefined : decision.move;
  const record = recordOf(snapshot, situation, { ...decision, move });
  // A wrong file is not retried: only an edit helps.
  const waits = holds.length > 0 ? requeueAfter(holds) : undefined;
  return {
    version: PLAN_VERSION,
    key: snapshot.key,
    main: snapshot.main,
    commit:
      move === undefined || file === undefined
        ? undefined
        : commitOf(move, file, { snapshot, situation, decision, loads: record.loads ?? [] }),
    holds,
    issues: snapshot.issues,
    warnings: snapshot.warnings,
    record,
    requeueAfterSeconds: move === undefined ? waits : ORDINARY_REQUEUE_SECONDS,
  };
}

function commitOf(move: Move, file: EditedFile, pass: Pass): PlannedCommit {
  const { snapshot } = pass;
  const { partition, replicas, maxUnavailable } = file.workload;
  const { subject, message } = stepMessage(move, {
    key: snapshot.key,
    main: snapshot.main,
    partition,
    replicas,
    maxUnavailable,
  });
  return {
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
    progress: progressWritten(pass, move),
  };
}

function digestAfter({ workload }: Snapshot, { text, recreate }: Move): string | undefined {
  if (text !== undefined) return text.release.digest;
  return recreate?.kind === 'create' ? recreate.recreating.release.digest : workload?.digest;
}

/** The record once the plan's commit is on main; where there is none, what was seen. */
export function recordWritten({ record, commit }: Plan): RolloutRecord {
  return { ...record, ...commit?.progress };
}

/** The plan of a rollout whose commit cannot be written: what it says is the reason, and nothing moves. */
export function planHeld(made: Plan, snapshot: Snapshot, reason: Hold): Plan {
  return {
    ...made,
    commit: undefined,
    holds: [reason],
    issues: snapshot.issues,
    record: recordHeld(made.record, snapshot, reason),
    requeueAfterSeconds: requeueAfter([reason]),
  };
}

function requeueAfter(holds: readonly Hold[]): number {
  const waits = holds.map((found) => found.requeueAfterSeconds).filter((seconds) => seconds !== undefined);
  return Math.max(1, Math.min(ORDINARY_REQUEUE_SECONDS, ...waits));
}
