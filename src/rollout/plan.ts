/** The decision: from one snapshot to one plan. Pure, synchronous, no clock; the same snapshot gives the same bytes. */

import type { Issue } from '../api/issue.ts';
import type { RolloutRecord } from '../api/record.ts';
import { accepted } from './accepting.ts';
import { type Allowed, allowed } from './brakes.ts';
import { analysedLines, analysedText } from './commits/analysed.ts';
import { stepMessage } from './commits/messages.ts';
import { exceptionsPassed, passedText } from './commits/passed.ts';
import { DELIVERIES, type PlannedCommit } from './commits/planned-commit.ts';
import { behindBack } from './events/behind-back.ts';
import { groupsBehind } from './gates/behind.ts';
import { workloadRefChanged } from './gates/frozen.ts';
import { keyMissing, newerRecord } from './gates/git.ts';
import { stalled } from './gates/people.ts';
import { type Hold, ORDINARY_REQUEUE_SECONDS } from './hold.ts';
import { type Brake, holding, type Move } from './move.ts';
import { approvedByText } from './proposals/approved-by.ts';
import { isProposed } from './proposals/promotion.ts';
import { changeAfter } from './record/change.ts';
import { courseAfter } from './record/course.ts';
import { type Pass, progressWritten, recordHeld, recordRefused } from './record/progress.ts';
import { recordOf } from './record/record.ts';
import { type Situation, situationOf } from './situation.ts';
import type { RolloutKey, Snapshot } from './snapshot.ts';
import { strategyOf } from './strategies/index.ts';
import { imagesText } from './texts/change-text.ts';

export const PLAN_VERSION = 2;
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
  const brakes = [...wrongFiles(situation), ...takesOn(situation), notRecorded(snapshot)];
  return planOf(snapshot, situation, allowed(strategyOf(snapshot).decide(situation), brakes));
}

/** A rollback goes on whatever is wrong in the files; while it waits, that is said as well: it may be what keeps it. */
function wrongFiles(situation: Situation): readonly Brake[] {
  const issue = situation.marks?.step?.kind === 'rollback' ? stalled(situation) : undefined;
  return issue === undefined ? [] : [{ kind: 'wrongFiles', holds: [], waiting: [issue] }];
}

/** At rest its row says so; a rollback whose annotations were forged or lost would widen to groups that have never left the stable version. */
function takesOn(situation: Situation): readonly Brake[] {
  const { lostMarks } = situation.snapshot;
  const isBack = situation.marks?.step?.kind === 'rollback' && lostMarks === undefined;
  const held = isBack && situation.view === 'seen' ? groupsBehind(situation) : undefined;
  return held === undefined || accepted(situation, 'GroupsBehind') || behindBack(situation) !== undefined
    ? []
    : [{ kind: 'takesOn', holds: [held] }];
}

/** Without a workload in the files nothing is planned, unless it was taken out to be re-created. */
function planGone(snapshot: Snapshot): Plan {
  const kept = snapshot.rollout?.intents.recreating;
  const decision = kept === undefined ? holding([], 'Completed') : strategyOf(snapshot).decideAbsent(snapshot, kept);
  return planOf(snapshot, undefined, allowed(decision, [notRecorded(snapshot)]));
}

/**
 * Where no record can be written, nothing of this pass is kept: whatever leads forward waits, as where the status branch
 * takes no record; and where a Rollout of another workload asks, whose steps and pauses are none of this delivery.
 */
function notRecorded(snapshot: Snapshot): Brake {
  const found = [workloadRefChanged({ snapshot }), newerRecord(snapshot) ?? keyMissing(snapshot)];
  return { kind: 'notRecorded', holds: found.filter((one) => one !== undefined) };
}

function planOf(snapshot: Snapshot, situation: Situation | undefined, decision: Allowed): Plan {
  const { holds, move } = decision;
  const record = recordOf(snapshot, situation, decision);
  // A wrong file is not retried: only an edit helps.
  const waits = holds.length > 0 ? requeueAfter(holds) : undefined;
  const pass = { snapshot, situation, decision, loads: record.loads ?? [] };
  return {
    version: PLAN_VERSION,
    key: snapshot.key,
    main: snapshot.main,
    commit: move === undefined ? undefined : commitOf(move, pass),
    holds,
    issues: snapshot.issues,
    warnings: snapshot.warnings,
    record,
    requeueAfterSeconds: move === undefined ? waits : ORDINARY_REQUEUE_SECONDS,
  };
}

function commitOf(move: Move, pass: Pass): PlannedCommit {
  const { key, main, now, governing } = pass.snapshot;
  const { reason, way, label, changes } = move;
  const passed = pass.situation === undefined ? '' : passedText(move, pass.situation);
  const exceptions = pass.situation === undefined ? [] : exceptionsPassed(move, pass.situation);
  const approvedBy = approvedByText(pass.snapshot, move);
  const metrics = pass.situation === undefined ? '' : analysedText(move, pass.situation);
  const analysed = pass.situation === undefined ? [] : analysedLines(move, pass.situation);
  const said = { ...move, why: `${move.why}${metrics}${passed}` };
  // What only a record tells stays out of main: anyone may have written it.
  const change = changeAfter({ ...pass.snapshot, record: undefined }, pass.situation, move.marks);
  const image = imagesText(change);
  const { subject, message } = stepMessage(said, { key, main, image, governing, exceptions, analysed, approvedBy });
  return {
    delivery: isProposed(move, pass) ? 'proposal' : 'commit',
    reason,
    way,
    label,
    subject,
    message,
    atSeconds: now,
    changes,
    progress: progressWritten(pass, move),
  };
}

/** Whether the plan has a commit that goes to main with the push of this pass. */
export function isDelivered(made: Pick<Plan, 'commit'> | undefined): boolean {
  return made?.commit !== undefined && DELIVERIES[made.commit.delivery].onMain;
}

/** The record once the plan's commit is on main; where there is none, what was seen. */
export function recordWritten({ record, commit }: Plan): RolloutRecord {
  if (commit === undefined) return record;
  const { marks, covers } = commit.progress;
  const course = courseAfter(record.course, { marks, covers, share: undefined, at: commit.atSeconds });
  return { ...record, ...commit.progress, ...(course === undefined ? {} : { course }) };
}

/** The plan of a rollout whose commit cannot be written: what it says is the reason, and nothing moves. */
export function planHeld(made: Plan, snapshot: Snapshot, reason: Hold): Plan {
  return {
    ...made,
    commit: undefined,
    holds: [reason],
    issues: snapshot.issues,
    record: recordRefused(made.record, snapshot, reason),
    requeueAfterSeconds: requeueAfter([reason]),
  };
}

/** The plan of a rollout whose commit waits for someone: it stays planned, and nothing moves. */
export function planWaiting(made: Plan, snapshot: Snapshot, reason: Hold): Plan {
  const holds = [reason, ...made.holds];
  return {
    ...made,
    holds,
    record: recordHeld(made.record, snapshot, { holds, stepState: 'StepPaused' }),
    requeueAfterSeconds: requeueAfter(holds),
  };
}

function requeueAfter(holds: readonly Hold[]): number {
  const waits = holds.map((found) => found.requeueAfterSeconds).filter((seconds) => seconds !== undefined);
  return Math.max(1, Math.min(ORDINARY_REQUEUE_SECONDS, ...waits));
}
