/** Which clone a folder lies in: asked before anything that reads one is loaded. */

import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const MOST_PARENTS = 64;

/** The root of the working tree that a folder lies in; undefined for a bare repository, none, or a folder that is not there. */
export function workingTreeAt(path: string): string | undefined {
  let folder = resolve(path);
  if (!existsSync(folder)) return undefined;
  for (let depth = 0; depth < MOST_PARENTS; depth += 1) {
    if (existsSync(join(folder, '.git'))) return folder;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return undefined;
}
