/** Which approval a step rests on: told in its message, and never decided by. */

import type { ApproveIntent } from '../../api/intents.ts';
import type { StepApproval } from '../../api/record-change.ts';
import { printRelease, sameRelease } from '../../api/release.ts';
import { stepText } from '../commits/messages.ts';
import { wantsEvidence } from '../gates/evidence.ts';
import type { Move } from '../move.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * The approval in the Rollout that this move rests on: it leads forward, and out of the step that the approval names.
 * undefined: there is none, it is of another step or release, or more groups have gone than its giver saw.
 */
export function restsOn(
  { rollout, workload }: Pick<Snapshot, 'rollout' | 'workload'>,
  { way, marks: to }: Pick<Move, 'way' | 'marks'>,
): ApproveIntent | undefined {
  const given = rollout?.intents.approve;
  if (given === undefined || way !== 'forward') return undefined;
  const from = workload?.workload.marks;
  const isUnderWay = from?.step?.kind === 'step';
  const left = isUnderWay && from !== undefined ? { index: from.step.index, release: from.release } : beforeFirst(to);
  if (given.index !== left.index || !sameRelease(given.release, left.release)) return undefined;
  const stays = to.step?.kind === 'step' && to.step.index === left.index && sameRelease(to.release, left.release);
  const isForLess = given.partition !== undefined && (workload?.workload.partition ?? 0) < given.partition;
  return stays || isForLess ? undefined : given;
}

function beforeFirst({ release }: Move['marks']): {
  readonly index: number;
  readonly release: Move['marks']['release'];
} {
  return { index: 0, release };
}

/** For the record: of the move that rests on one; else that of the record, for as long as the release is the same. */
export function approvedAfter(
  snapshot: Snapshot,
  marks: Move['marks'] | undefined,
  move: Move | undefined,
): StepApproval | undefined {
  const at = move === undefined ? undefined : approvedByText(snapshot, move);
  if (move !== undefined && at !== undefined) {
    const by = approverText(snapshot);
    const step = stepText(move.marks);
    return { release: printRelease(move.marks.release), step, ...(by === undefined ? {} : { by }), at };
  }
  const before = snapshot.record?.approved;
  return marks !== undefined && before?.release === printRelease(marks.release) ? before : undefined;
}

function approverText(snapshot: Snapshot): string | undefined {
  if (!wantsEvidence(snapshot)) return snapshot.approver;
  if (snapshot.approval?.kind !== 'known') return undefined;
  return [...new Set(snapshot.approval.value.approvers.map(({ login }) => login))].join(', ') || undefined;
}

/** As the message names it: the pull request where policies want the forge to show who approved, else the commit. */
export function approvedByText(snapshot: Snapshot, move: Pick<Move, 'way' | 'marks'>): string | undefined {
  if (restsOn(snapshot, move) === undefined) return undefined;
  if (!wantsEvidence(snapshot)) return snapshot.approvedBy;
  return snapshot.approval?.kind === 'known' ? snapshot.approval.value.url : undefined;
}
