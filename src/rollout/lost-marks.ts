/** Annotations of ours that are gone from the file, all or some, though a delivery of them is still open. */

import type { Marks } from '../api/marks.ts';
import { sameRelease } from '../api/release.ts';

/** Whether the file lacks what `before`, the last marks that we wrote, says of the same release. */
export function lacksMarks(own: Marks | undefined, before: Marks): boolean {
  if (own === undefined) return true;
  if (!sameRelease(own.release, before.release)) return false;
  const keys = ['step', 'restore', 'stable'] as const;
  return keys.some((key) => before[key] !== undefined && own[key] === undefined);
}
