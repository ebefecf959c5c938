/** How many places stand for folders that are left out: who fills a tree writes no log of a hundred thousand lines. */

import type { Oid } from '../../ports/git.ts';

/** `prefix`: its path with the last slash, and empty for the root. `many`: how many in it are left out; 0: it is. */
type LeftOutFolder = { readonly oid: Oid; readonly prefix: string; readonly many: number };

/** From this many on, what is left out of one folder is named together. The root has no name. */
const TOGETHER_LEAST = 10;
/** Above this many, what lies deepest is named by a folder further up. */
const NAMED_MOST = 100;

/** Each of these folders, or one that it is in. */
export function namedTogether(folders: readonly LeftOutFolder[]): readonly LeftOutFolder[] {
  const parents = new Map<string, number>();
  for (const { prefix } of folders) parents.set(parentOf(prefix), (parents.get(parentOf(prefix)) ?? 0) + 1);
  let named = merged(folders, ({ prefix }) => {
    const parent = parentOf(prefix);
    return parent === '' || (parents.get(parent) ?? 0) < TOGETHER_LEAST ? prefix : parent;
  });
  let depth = named.reduce((most, { prefix }) => Math.max(most, depthOf(prefix)), 0);
  for (; named.length > NAMED_MOST && depth > 1; depth -= 1)
    named = merged(named, ({ prefix }) => (depthOf(prefix) < depth ? prefix : parentOf(prefix)));
  return named;
}

/** In the order in which they come first. */
function merged(
  folders: readonly LeftOutFolder[],
  nameOf: (folder: LeftOutFolder) => string,
): readonly LeftOutFolder[] {
  const byName = new Map<string, LeftOutFolder>();
  for (const folder of folders) {
    const prefix = nameOf(folder);
    const known = byName.get(prefix);
    const own = prefix === folder.prefix ? folder.many : Math.max(folder.many, 1);
    byName.set(prefix, { oid: known?.oid ?? folder.oid, prefix, many: (known?.many ?? 0) + own });
  }
  return [...byName.values()];
}

function parentOf(prefix: string): string {
  return prefix.slice(0, prefix.lastIndexOf('/', prefix.length - 2) + 1);
}

function depthOf(prefix: string): number {
  return prefix.split('/').length - 1;
}
