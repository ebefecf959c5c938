/** Which keys of the status branch end before another one does. */

import type { StatusKey } from '../../api/status-keys.ts';

/** The others among these that end earlier than `own`. Two that end together do not end before each other: neither writes over the other. */
export function endingBefore(own: StatusKey, keys: readonly StatusKey[]): ReadonlySet<string> {
  const end = ({ until }: StatusKey): number => until ?? Number.POSITIVE_INFINITY;
  return new Set(keys.flatMap((one) => (one.key !== own.key && end(one) < end(own) ? [one.key] : [])));
}
