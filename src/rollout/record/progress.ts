/** Where a rollout stands, for the record: as Git has it now, or as it will once a commit of ours is on main. */

import type { Phase, RecordCondition, RolloutRecord } from '../../api/record.ts';
import { printRelease } from '../../api/release.ts';
import { isUnjudged } from '../events/late-merge.ts';
import { type Hold, type HoldReason, holdKind } from '../hold.ts';
import type { Decision, Move } from '../move.ts';
import { automaticBacksAfter } from '../progress/automatic-rollbacks.ts';
import { expectedOf } from '../progress/expected.ts';
import { approvedAfter } from '../proposals/approved-by.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { nextStepIndex } from '../steps.ts';
import { changeAfter } from './change.ts';
import { noLaterThanNow } from './groups.ts';
import { noticesAfter, noticesHeld } from './notices.ts';
import { phaseOf, rolloutIdOf } from './phase.ts';
import { coversAfter, holdRecord } from './shown.ts';
import { stepSeen, stepWritten } from './step.ts';

/** What a commit changes of a record: all else in it is what a pass saw, whether its commit was written or not. */
export type Progress = Told &
  Pick<
    RolloutRecord,
    | 'main'
    | 'phase'
    | 'currentStepIndex'
    | 'nextStepIndex'
    | 'observedRolloutID'
    | 'marks'
    | 'step'
    | 'change'
    | 'approved'
    | 'covers'
    | 'expected'
    | 'automaticBacks'
    | 'notices'
  >;

/** What people are notified of it. */
type Told = Pick<RolloutRecord, 'currentStepState' | 'message' | 'conditions' | 'holds'>;

/** What it is worked out from. `loads` are those of the record after this pass, in seconds. */
export type Pass = {
  readonly snapshot: Snapshot;
  /** undefined: no workload could be read. */
  readonly situation: Situation | undefined;
  readonly decision: Decision;
  readonly loads: readonly number[];
};

/** As Git has it, whatever this pass has decided to write. */
export function progressSeen(pass: Pass): Progress {
  const { snapshot, situation, decision } = pass;
  return progressWith(pass, {
    move: undefined,
    main: mainSeen(snapshot),
    marks: marksSeen(snapshot, situation),
    step: stepSeen(snapshot, situation, decision),
  });
}

/** As Git will have it once the commit of this move is on main. */
export function progressWritten(pass: Pass, move: Move): Progress {
  const { snapshot, situation, decision } = pass;
  return progressWith(pass, {
    move,
    main: mainWritten(snapshot),
    marks: move.marks,
    step: stepWritten(snapshot, situation, { move, stale: decision.stale }),
  });
}

/** Groups run another template than Git has, and nothing is in progress by the annotations. */
const ELSEWHERE: readonly HoldReason[] = ['GroupsElsewhere', 'GroupsBehind'];

function progressWith(
  { snapshot, situation, decision, loads }: Pass,
  at: Pick<RolloutRecord, 'main' | 'marks' | 'step'> & { readonly move: Move | undefined },
): Progress {
  const { main, marks, step, move } = at;
  const before = snapshot.record;
  const row = situation?.state.kind;
  const recreating = snapshot.rollout?.intents.recreating !== undefined;
  const managed = situation !== undefined && marks !== undefined;
  // Groups on another template than Git's are not healthy, whatever the marks say.
  const isElsewhere =
    snapshot.settledSince !== undefined || decision.holds.some(({ reason }) => ELSEWHERE.includes(reason));
  const inProgress = marks?.step !== undefined || row === 'requested' || recreating || isElsewhere;
  // Kruise knows no step 0: extra groups that start are the beginning of the first.
  const index = marks?.step?.kind === 'step' ? Math.max(1, marks.step.index) : (before?.currentStepIndex ?? 0);
  const steps = situation?.steps.length ?? 0;
  return {
    main,
    phase: phaseAfter(snapshot, managed || recreating ? inProgress : undefined),
    ...tell(snapshot, { ...decision, move, inProgress }),
    currentStepIndex: row === 'settled' ? steps : index,
    nextStepIndex: row === 'settled' ? -1 : nextStepIndex(steps, index),
    observedRolloutID: rolloutIdOf({
      label: situation?.workload.rolloutId,
      revision: marks === undefined ? '' : printRelease(marks.release),
      rollback: marks?.step?.kind === 'rollback',
    }),
    marks,
    step,
    change: changeAfter(snapshot, situation, marks),
    approved: approvedAfter(snapshot, marks, move),
    covers: coversAfter(snapshot, situation, move),
    expected: situation === undefined ? undefined : expectedOf({ situation, move, loads }),
    automaticBacks: automaticBacksAfter(snapshot, situation, move),
    notices: noticesAfter(snapshot, situation, { move, holds: decision.holds }),
  };
}

/** The same record of a rollout whose commit is not written: it stands still for these reasons. */
export function recordHeld(
  record: RolloutRecord,
  snapshot: Snapshot,
  standing: Pick<News, 'holds' | 'stepState'>,
): RolloutRecord {
  const inProgress = record.conditions.some(({ type, status }) => type === 'Progressing' && status === 'True');
  return {
    ...record,
    ...tell(snapshot, { move: undefined, ...standing, inProgress }),
  };
}

/** Of a commit that the server has refused: people are notified of that, not of what it would have done. */
export function recordRefused(record: RolloutRecord, snapshot: Snapshot, held: Hold): RolloutRecord {
  const told = recordHeld(record, snapshot, { holds: [held], stepState: 'StepUpgrade' });
  return { ...told, notices: noticesHeld(snapshot, record.marks, held) };
}

type News = Omit<Decision, 'stepDone'> & { readonly inProgress: boolean };

function tell(snapshot: Snapshot, news: News): Told {
  const message = messageOf(snapshot, news);
  return {
    currentStepState: news.stepState,
    message,
    conditions: conditionsOf(snapshot, news, message),
    holds: news.holds.map((found) => holdRecord(found, snapshot)),
  };
}

function messageOf(snapshot: Snapshot, { move, holds }: News): string {
  if (move !== undefined) return `${move.label}: ${move.why}`;
  const issue = snapshot.issues[0];
  if (holds[0] !== undefined) return holdRecord(holds[0], snapshot).message;
  return issue === undefined ? '' : `${issue.file}:${issue.line}: ${issue.message}`;
}

function conditionsOf(
  snapshot: Snapshot,
  { move, holds, inProgress }: News,
  message: string,
): readonly RecordCondition[] {
  // Lost marks are a wrong file too, only that the record has to tell: nothing helps but somebody's edit.
  const issue = snapshot.issues[0] ?? holds.find(({ reason }) => holdKind(reason)?.failure === 'stalled');
  const progressing = move?.reason ?? holds[0]?.reason ?? (inProgress ? 'InRolling' : 'Completed');
  const wanted: readonly Omit<RecordCondition, 'since'>[] = [
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

/**
 * Kruise takes some phases in two rounds; asked twice, an unchanged world has an unchanged phase. `inProgress` is
 * undefined for what is not there, and for what is not taken over yet: it is not healthy only because nothing goes on.
 */
function phaseAfter(snapshot: Snapshot, inProgress: boolean | undefined): Phase {
  const facts = {
    // A file that cannot be read may well have it.
    deleting:
      snapshot.rollout === undefined && snapshot.issues.length === 0 && snapshot.workload?.workload.marks !== undefined,
    disabled: snapshot.rollout?.rollout.disabled ?? false,
    inProgress,
  };
  return phaseOf({ ...facts, before: phaseOf({ ...facts, before: snapshot.record?.phase ?? 'Healthy' }) });
}

/** The commit that the record stands on: never off a history that nobody has acknowledged yet. */
function mainWritten({ record, history, main }: Snapshot): string {
  return record !== undefined && history.kind === 'rewritten' && !history.acknowledged ? record.main : main;
}

/** It only moves when something of this rollout did, so that other people's commits write no record. */
function mainSeen(snapshot: Snapshot): string {
  const { record, history, blobs } = snapshot;
  const stays = record !== undefined && history.kind === 'continued' && sameBlobs(record.blobs, blobs);
  return stays ? record.main : mainWritten(snapshot);
}

function marksSeen(snapshot: Snapshot, situation: Situation | undefined): RolloutRecord['marks'] {
  if (situation !== undefined && isUnjudged(situation)) return snapshot.merged?.marks;
  if (situation?.marks !== undefined) return situation.marks;
  // Kept while the file has none, so that their loss is seen again; a disabled Rollout has released for update of the workload.
  return snapshot.rollout?.rollout.disabled === true ? undefined : snapshot.record?.marks;
}

function sameBlobs(left: Readonly<Record<string, string>>, right: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}
