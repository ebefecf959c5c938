/** Whether two commits differ in some files and in nothing else: by the ids of all files, links and submodules. */

import type { Git, Oid } from '../../ports/git.ts';

/**
 * True: everything but those files is at `head` as it is at `base`. Agents follow links and submodules, so one of these more
 * is a change like any other. What cannot be compared counts as changed. Throws PortError.
 */
export async function onlyChanges(
  git: Pick<Git, 'differences'>,
  { base, head, paths }: { readonly base: Oid; readonly head: Oid; readonly paths: readonly string[] },
): Promise<boolean> {
  const ours = new Set(paths);
  const differing = await git.differences(base, head);
  return differing?.every((path) => ours.has(path)) === true;
}
