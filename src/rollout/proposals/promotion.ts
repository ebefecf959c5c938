/** Which commits someone approves first, by which approval, and whether it has been given. */

import type { ApproveIntent } from '../../api/intents.ts';
import type { Marks } from '../../api/marks.ts';
import { type Release, sameRelease } from '../../api/release.ts';
import type { PlannedCommit } from '../commits/planned-commit.ts';
import { wantsEvidence } from '../gates/evidence.ts';
import { pausedForPerson } from '../gates/pause.ts';
import { MOVES, type Move } from '../move.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';

/** An approval of one commit: `digest` is that of what it changes. */
export type Approval = ApproveIntent & { readonly partition: number; readonly digest: string };

/**
 * Whether this move waits for someone. What brakes, goes back or locks never does; a manual pause waits for one
 * whatever comes after its step. The later rungs of a step are part of it, and follow by commit.
 */
export function isProposed(
  { reason, way, marks }: Pick<Move, 'reason' | 'way' | 'marks'>,
  { snapshot, situation }: { readonly snapshot: Snapshot; readonly situation: Situation | undefined },
): boolean {
  if (snapshot.policy.promotion !== 'pullRequest' || way !== 'forward' || 'ordered' in MOVES[reason]) return false;
  if ('proposed' in MOVES[reason]) return true;
  return situation !== undefined && !isWithin(situation.marks, marks) && pausedForPerson(situation);
}

/** Whether both stand in the same step of the same release. */
function isWithin(from: Marks | undefined, to: Marks): boolean {
  if (from?.step?.kind !== 'step' || to.step?.kind !== 'step') return false;
  return from.step.index === to.step.index && sameRelease(from.release, to.release);
}

/** The approval of this commit and no other one. Before a first step that is step 0 of the release to come. */
export function approvalFor(
  { workload }: Pick<Snapshot, 'workload'>,
  { commit, digest }: { readonly commit: PlannedCommit; readonly digest: string },
): Approval | undefined {
  const marks = workload?.workload.marks;
  const release: Release | undefined = commit.progress.marks?.release ?? marks?.release;
  if (release === undefined) return undefined;
  const index = marks?.step?.kind === 'step' && sameRelease(marks.release, release) ? marks.step.index : 0;
  return { index, release, partition: workload?.workload.partition ?? 0, digest };
}

/**
 * Whether what stands in the Rollout approves `wanted`: the approval of its pull request, or that of `tranche approve`,
 * which names no commit and counts until more groups have been released for update than its giver saw, and not at all where
 * policies want the forge to show who approved.
 */
export function isApproved(of: Pick<Snapshot, 'rollout' | 'policy'>, wanted: Approval): boolean {
  const given = of.rollout?.intents.approve;
  if (given?.index !== wanted.index || !sameRelease(given.release, wanted.release)) return false;
  if (given.digest !== undefined) return given.digest === wanted.digest;
  if (wantsEvidence(of)) return false;
  return given.partition === undefined || wanted.partition >= given.partition;
}
