/** A step that the record does not know because people merged it: told by what main holds, never by the forge. */

import type { Marks } from '../../api/marks.ts';
import type { RolloutRecord, StepRecord, WaitClocks } from '../../api/record.ts';
import { sameRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import { isFields } from '../../rollout/proposals/form.ts';
import type { MergedStep } from '../../rollout/snapshot.ts';

/**
 * What the record said before, where it has proposed a step of this release as the step itself; undefined: another
 * step in Git than that of the record is none that was proposed so.
 */
export function beforeMerge(stored: RolloutRecord | undefined, { release }: Marks): MergedStep | undefined {
  const proposal = stored?.proposal;
  if (stored === undefined || proposal === undefined || !isFields(proposal.form)) return undefined;
  if (!sameRelease(proposal.release, release)) return undefined;
  return { marks: stored.marks, step: stored.step };
}

/**
 * The step as it was merged: no older than the pass that sees it first, whenever its commit was made. What is fixed of a
 * delivery since it began, and what that has waited so far, goes on.
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
