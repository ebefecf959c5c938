/** Whether tranche could have gone from these annotations to those in one commit: who only says so may have skipped what it never skips. */

import type { Marks } from '../../api/marks.ts';
import { sameRelease } from '../../api/release.ts';
import { isOneWorkload, takesTurns } from '../../api/styles.ts';
import { isFillingBack } from '../../rollout/state.ts';

/** What a commit says of a workload. */
export type Said = {
  readonly marks: Marks | undefined;
  /** Of its template, which may have to be built. undefined: nobody knows, and it is not the one that `marks` name. */
  readonly digestOf: () => Promise<string | undefined>;
};

/**
 * False: it ends a release before its last step, gives it a second serial, goes over to one that the file does not ask for, or a
 * rollback that it says has started leaves the template where it was. By any of these an abort would find a release that has
 * settled, and take all groups on to it, or a rollback that is over.
 */
export async function couldWrite(was: Marks | undefined, { marks: is, digestOf }: Said): Promise<boolean> {
  if (was?.step === undefined || was.step.kind === 'rollback' || is === undefined) return true;
  const isOpen = isDelivering(is);
  if (!sameRelease(was.release, is.release)) {
    if (was.release.digest === is.release.digest) return false;
    return !isOpen || (await digestOf()) === is.release.digest;
  }
  if (is.step === undefined) return isThrough(was) && (!takesTurns(was.restore?.style) || was.serves !== is.serves);
  return isOpen || movesRequests(is) || (await digestOf()) !== is.release.digest;
}

/** Whether a release is on its way, and not back. */
export function isDelivering(marks: Marks | undefined): boolean {
  return marks?.step !== undefined && marks.step.kind !== 'rollback';
}

/** Whether requests go back before the template does: of two colours, and of versions of one workload. */
function movesRequests(marks: Marks): boolean {
  const { at, restore } = marks;
  return isFillingBack(marks) || at === 'all' || (at === 'route-restored' && isOneWorkload(restore?.style));
}

/** Whether nothing but the end of the delivery comes after these. */
export function isThrough({ step, restore }: Marks): boolean {
  return step?.kind === 'promote' || restore?.floor === 0;
}
