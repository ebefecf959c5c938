/** A step that the record does not know because someone merged it: found by what main holds, never by the forge. */

import type { Marks } from '../../api/marks.ts';
import type { RolloutRecord, StepRecord, WaitClocks } from '../../api/record.ts';
import { sameRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import { isFields } from '../../rollout/proposals/form.ts';
import type { MergedStep, WorkloadFile } from '../../rollout/snapshot.ts';

/**
 * What the record said before, where it has proposed a step as the step itself; undefined: it has not, so another step
 * in Git than that of the record is none that was merged. Only the marks show which one was merged: it may
 * be of a release that is not wanted any more.
 */
export function beforeMerge(stored: RolloutRecord | undefined): MergedStep | undefined {
  if (stored === undefined || !isFields(stored.proposal?.form)) return undefined;
  return { marks: stored.marks, step: stored.step };
}

/** The step in Git by its marks alone, where no Rollout is left to tell its plan. */
export function stepUnplanned(marks: Marks, file: WorkloadFile | undefined): StepRecord | undefined {
  const { step, release } = marks;
  if (step?.kind !== 'step' || file === undefined) return undefined;
  const { replicas = 0, partition = 0 } = file.workload;
  return { release, index: step.index, planned: [], replicas, partition, doneSince: undefined };
}

/**
 * The step as it was merged: no older than the pass that sees it first, whenever its commit was made. What is fixed of a
 * delivery since it started, and what that has waited so far, goes on.
 */
export function stepMerged(found: StepRecord, { step: before }: MergedStep, now: Instant): StepRecord {
  const step = { ...found, writtenAt: now };
  if (before === undefined || !sameRelease(before.release, found.release)) return step;
  const waited: WaitClocks | undefined =
    before.waited === undefined
      ? undefined
      : { step: { apply: 0, schedule: 0, ready: 0 }, delivery: before.waited.delivery };
  return { ...step, frozen: before.frozen ?? found.frozen, policies: found.policies ?? before.policies, waited };
}
