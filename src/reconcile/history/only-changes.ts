/** Whether two commits differ in some files and in no other: by the ids of all files, whatever they hold. */

import type { Git, Oid, ReadRequest } from '../../ports/git.ts';

/** All files by their ids alone. */
const WHOLE: ReadRequest = { paths: [''], suffixes: [], markers: ['tranche: no file holds this'] };

/** True: every file but those of `paths` is at `head` as it is at `base`. Throws PortError. */
export async function onlyChanges(
  git: Git,
  { base, head, paths }: { readonly base: Oid; readonly head: Oid; readonly paths: readonly string[] },
): Promise<boolean> {
  const changed = new Set(paths);
  const idsAt = async (at: Oid): Promise<string> => {
    const { files, skipped } = await git.readAt(at, WHOLE);
    return JSON.stringify(
      [...files, ...skipped()].flatMap(({ path, oid, mode }) => (changed.has(path) ? [] : [[path, oid, mode]])),
    );
  };
  return (await idsAt(base)) === (await idsAt(head));
}
