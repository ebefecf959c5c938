/** Writes files that are not there yet: nothing that somebody has is ever written over. */

import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UsageError } from '../options.ts';

/** What to commit once all are written: the folders that were not there before, and files outside of them. Throws UsageError before the first where one cannot be written below `root`. */
export function writeNew(
  root: string,
  files: readonly { readonly path: string; readonly text: string }[],
): readonly string[] {
  for (const { path } of files) refuseObstacle(root, path);
  const made = files.map(({ path, text }) => {
    const folder = mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { flag: 'wx' });
    return folder === undefined ? path : relative(root, folder);
  });
  return made.filter((path) => !made.some((folder) => path.startsWith(`${folder}/`)));
}

/** A link on the way may lead out of the repository, and a file in its place holds no other. */
function refuseObstacle(root: string, path: string): void {
  const parts = path.split('/');
  for (const depth of parts.keys()) {
    const name = parts.slice(0, depth + 1).join('/');
    const entry = lstatSync(join(root, name), { throwIfNoEntry: false });
    if (entry === undefined) return;
    if (!entry.isDirectory() || depth === parts.length - 1)
      throw new UsageError(`${path} cannot be written: ${name} is there already. Nothing was written`);
  }
}
