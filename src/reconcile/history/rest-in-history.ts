/** Whether a workload whose groups are on another template than its file has settled: else they would be taken on to what somebody aborts. */

import { sameRelease } from '../../api/release.ts';
import type { Plan } from '../../rollout/plan.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import { lastWritten } from './last-commit.ts';
import type { Observation } from './observation.ts';

/**
 * The snapshot with the annotations that the last commit of tranche wrote, where that delivers the release which the file says has
 * settled; undefined: it has, or no group is elsewhere. Without a record nothing else tells. Throws PortError where Git fails.
 */
export async function restProven(of: Observation, snapshot: Snapshot, plan: Plan): Promise<Snapshot | undefined> {
  const { workload, lostMarks } = snapshot;
  const marks = workload?.workload.marks;
  const isElsewhere =
    plan.holds.some(({ reason }) => reason === 'GroupsElsewhere') || plan.commit?.reason === 'Reverted';
  if (!isElsewhere || lostMarks !== undefined || marks === undefined || marks.step !== undefined) return undefined;
  const last = (await lastWritten(of.git, of.entry))?.marks;
  const isOpen = last?.step !== undefined && last.step.kind !== 'rollback' && sameRelease(last.release, marks.release);
  return isOpen ? { ...snapshot, lostMarks: last } : undefined;
}
