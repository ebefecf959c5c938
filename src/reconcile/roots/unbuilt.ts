/** Folders that may build what a Rollout asks for, before a patch of ours is there, and that cannot be built: what is wrong with them. */

import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { Unbuilt } from '../documents/built-over.ts';
import type { RootView } from './read-roots.ts';
import { wantedOf } from './wanted-of.ts';

/**
 * By Rollout. A manifest that is there names its folders itself; where none is, each folder is asked that the name leads to.
 */
export function unbuiltOf(refused: readonly DesiredRollout[], views: readonly RootView[]): readonly Unbuilt[] {
  const faulty = views.filter(({ faults }) => faults.length > 0);
  return refused.flatMap((entry) => {
    const { workload } = entry;
    const named = wantedOf(entry);
    if (named === undefined) return [];
    return faulty
      .filter(({ files }) => workload === undefined || files.includes(workload.file))
      .map(({ root, files, faults }) => ({
        named,
        root: root.document.file,
        files,
        issues: faults,
      }));
  });
}
