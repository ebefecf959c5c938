/** The order to go back from a settled release, as its annotation on the Rollout has it. Printed and parsed here only. */

import { parseRelease, printRelease, type Release } from './release.ts';

/**
 * A settled release to go back from, and the earlier one that comes back. `after` is the highest serial that the workload
 * remembered when that was ordered: once there is a higher one, another release was started since, and the order is void.
 */
export type UndoIntent = { readonly release: Release; readonly after: number; readonly to: Release };

/** What the annotation must look like, for the issue about one that does not. */
export const UNDO_WANTED = '<release> <highest serial so far> to <release>, each digest of 32 hex digits';

/** `<release> 9 to <release>`. */
export function printUndo({ release, after, to }: UndoIntent): string {
  return `${printRelease(release)} ${after} to ${printRelease(to)}`;
}

/** What `printUndo` has printed; undefined for any other text, and for an order that goes back to the same release. */
export function parseUndo(text: string): UndoIntent | undefined {
  const match = /^(\S+) ([1-9][0-9]{0,8}) to (\S+)$/.exec(text);
  const [release, to] = [parseRelease(match?.[1] ?? ''), parseRelease(match?.[3] ?? '')];
  const after = Number(match?.[2]);
  if (release === undefined || to === undefined || after < release.serial || release.digest === to.digest)
    return undefined;
  return { release, after, to };
}
