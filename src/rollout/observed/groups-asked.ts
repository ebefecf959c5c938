/** Which of the groups that are there count: those below N, and those of them that are on the release. */

import type { Observed } from '../situation.ts';
import type { Group } from './groups.ts';

/** The groups below `count`: N for those that people want, `asked` with the extra ones; ordinals above are on their way out. */
export function wanted(observed: Observed, count: number): readonly Group[] {
  return observed.groups.filter((group) => group.index < count);
}

/** The groups that are on the release, by its own revision where a newer template is in the file. */
export function onRelease(
  { stableKey }: Observed,
  { groups, queued }: { readonly groups: readonly Group[]; readonly queued: boolean },
): readonly Group[] {
  const key = groups[0]?.key;
  return groups.filter((group) =>
    queued ? group.key !== undefined && group.key === key && key !== stableKey : group.version === 'release',
  );
}
