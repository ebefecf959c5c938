/** Whether tranche could have gone from these annotations to those in one commit: who only says so may have skipped what it never skips. */

import type { Marks } from '../../api/marks.ts';
import { sameRelease } from '../../api/release.ts';
import { isOneWorkload, takesTurns } from '../../api/styles.ts';
import { isFillingBack } from '../../rollout/state.ts';

/** What a commit says of a workload. */
export type Said = {
  readonly marks: Marks | undefined;
  /** Of its template. undefined: nobody knows, and it is not the one that `marks` name. */
  readonly digest: string | undefined;
};

/**
 * False: it ends a release before its last step, or a rollback that it says has started leaves the template where it was. By the
 * first an abort would find a release that has settled, and take all groups on to it; by the second the rollback would end there.
 */
export function couldWrite({ marks: was }: Said, { marks: is, digest }: Said): boolean {
  if (was?.step === undefined || was.step.kind === 'rollback' || is === undefined) return true;
  if (!sameRelease(was.release, is.release)) return true;
  if (is.step === undefined) return isThrough(was) && (!takesTurns(was.restore?.style) || was.serves !== is.serves);
  return is.step.kind !== 'rollback' || digest !== is.release.digest || movesRequests(is);
}

/** Whether requests go back before the template does: of two colours, and of versions of one workload. */
function movesRequests(marks: Marks): boolean {
  const { at, restore } = marks;
  return isFillingBack(marks) || at === 'all' || (at === 'route-restored' && isOneWorkload(restore?.style));
}

/** Whether nothing but the end of the delivery comes after these. */
function isThrough({ step, restore }: Marks): boolean {
  return step?.kind === 'promote' || restore?.floor === 0;
}
