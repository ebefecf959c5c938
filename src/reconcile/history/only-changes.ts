/** Whether two commits differ in some files and in nothing else: by the ids of all files, links and submodules. */

import type { Git, Oid, ReadRequest } from '../../ports/git.ts';

/** All files by their ids alone. */
const WHOLE: ReadRequest = { paths: [''], suffixes: [], markers: ['tranche: no file holds this'] };

/**
 * True: everything but those files is at `head` as it is at `base`. Agents follow links and submodules, so one of these more
 * is a change like any other. Throws PortError.
 */
export async function onlyChanges(
  git: Git,
  { base, head, paths }: { readonly base: Oid; readonly head: Oid; readonly paths: readonly string[] },
): Promise<boolean> {
  const changed = new Set(paths);
  const idsAt = async (at: Oid): Promise<string | undefined> => {
    const { files, skipped, links } = await git.readAt(at, WHOLE);
    if (links === undefined) return undefined;
    const others = [...files, ...skipped(), ...links()].filter(({ path }) => !changed.has(path));
    return JSON.stringify(others.map(({ path, oid, mode }) => [path, oid, mode]));
  };
  const before = await idsAt(base);
  return before !== undefined && before === (await idsAt(head));
}
