/** Which files of two trees differ at the same place: by ids and modes alone, and only in folders that differ. */

import type { Oid } from '../../ports/git.ts';
import type { GitLimits } from './limits.ts';
import type { Lookup, ObjectQuestion } from './object-question.ts';
import { decodeTree, isFolder, type TreeEntry } from './objects.ts';
import { shortName } from './tree-paths.ts';
import { spelled } from './wanted-paths.ts';

/** A file, link or submodule that is not the same in both. `path`: a byte string. */
type Difference = {
  readonly path: string;
  readonly was: TreeEntry | undefined;
  readonly now: TreeEntry | undefined;
};

/** A folder in both, or in one of them. `prefix`: its path, a byte string with the last slash. */
type Pair = { readonly prefix: string; readonly was: Oid | undefined; readonly now: Oid | undefined };

/** Where a name may lead: a folder, or anything else. An entry that becomes a folder is one that goes and files that come. */
type Sides = { was?: TreeEntry; now?: TreeEntry };

/**
 * All of them, in no order of use to anyone. Undefined where that cannot be said: a folder is not at hand, is none, or lists
 * a name twice, or more folders and files are to be compared than may be read.
 */
export function* treeDifferences(
  roots: { readonly was: Oid; readonly now: Oid },
  limits: Pick<GitLimits, 'treeEntries' | 'treeDepth'>,
): ObjectQuestion<readonly Difference[] | undefined> {
  const found: Difference[] = [];
  let visited = 0;
  let level: readonly Pair[] = [{ prefix: '', ...roots }].filter(({ was, now }) => was !== now);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limits.treeDepth) return undefined;
    const oids = [...new Set(level.flatMap(({ was, now }) => [was, now].filter((oid) => oid !== undefined)))];
    const lookup = yield { type: 'tree', oids };
    const next: Pair[] = [];
    for (const pair of level) {
      const names = sidesOf(pair, lookup);
      visited += names?.size ?? 0;
      if (names === undefined || visited > limits.treeEntries) return undefined;
      for (const [name, sides] of names) compare(pair.prefix + shortName(name), sides, { found, next });
    }
    level = next;
  }
  return found;
}

/** What either folder has under each name; undefined where one of them cannot be had, or says two things of a name. */
function sidesOf({ was, now }: Pair, lookup: Lookup): ReadonlyMap<string, Sides> | undefined {
  const names = new Map<string, Sides>();
  for (const [side, oid] of [
    ['was', was],
    ['now', now],
  ] as const) {
    if (oid === undefined) continue;
    const tree = lookup(oid);
    if (tree.type !== 'tree') return undefined;
    for (const entry of decodeTree(tree.bytes)) {
      const sides = names.get(entry.name) ?? {};
      if (sides[side] !== undefined) return undefined;
      sides[side] = entry;
      names.set(entry.name, sides);
    }
  }
  return names;
}

function compare(path: string, { was, now }: Sides, to: { readonly found: Difference[]; readonly next: Pair[] }): void {
  if (was?.oid === now?.oid && was?.mode === now?.mode) return;
  const [folderBefore, folderNow] = [was, now].map((entry) =>
    entry !== undefined && isFolder(entry.mode) ? entry.oid : undefined,
  );
  if (folderBefore !== folderNow) to.next.push({ prefix: `${path}/`, was: folderBefore, now: folderNow });
  const [fileBefore, fileNow] = [was, now].map((entry) =>
    entry !== undefined && isFolder(entry.mode) ? undefined : entry,
  );
  if (fileBefore !== undefined || fileNow !== undefined) to.found.push({ path, was: fileBefore, now: fileNow });
}

/** The same by their paths as people read them, sorted. Of a name that is not UTF-8 other bytes are in octal. */
export function* differingPaths(
  roots: { readonly was: Oid; readonly now: Oid },
  limits: Pick<GitLimits, 'treeEntries' | 'treeDepth'>,
): ObjectQuestion<readonly string[] | undefined> {
  return (yield* treeDifferences(roots, limits))?.map(({ path }) => spelled(path)).sort();
}
