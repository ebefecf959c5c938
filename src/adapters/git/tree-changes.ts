/** Which files of one tree another does not have at the same place: by the ids alone, and only in folders that differ. */

import type { Oid } from '../../ports/git.ts';
import { decodeTree, isFolder } from './objects.ts';

/** Before there was no folder of this name. */
type Pair = { readonly now: Oid; readonly before: Oid | undefined };

const submoduleMode = '160000';

/**
 * The ids of files and links below `now` that are not in `before` under the same path. Undefined where a folder is not at
 * hand (`bytesOf`), or more than `mostEntries` entries had to be compared.
 */
export function changedBlobs(
  trees: { readonly now: Oid; readonly before: Oid },
  bytesOf: (oid: Oid) => Buffer | undefined,
  mostEntries: number,
): ReadonlySet<Oid> | undefined {
  const blobs = new Set<Oid>();
  const seen = new Set<string>();
  const open: Pair[] = [trees];
  let visited = 0;
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const { now, before } = pair;
    const key = `${now} ${before}`;
    // The same folder under many names is compared once.
    if (now === before || seen.has(key)) continue;
    seen.add(key);
    const bytes = bytesOf(now);
    const old = before === undefined ? Buffer.alloc(0) : bytesOf(before);
    if (bytes === undefined || old === undefined) return undefined;
    const known = new Map(decodeTree(old).map((entry) => [entry.name, entry]));
    for (const { mode, name, oid } of decodeTree(bytes)) {
      visited += 1;
      if (visited > mostEntries) return undefined;
      const was = known.get(name);
      if (isFolder(mode))
        open.push({ now: oid, before: was !== undefined && isFolder(was.mode) ? was.oid : undefined });
      else if (mode !== submoduleMode && was?.oid !== oid) blobs.add(oid);
    }
  }
  return blobs;
}
