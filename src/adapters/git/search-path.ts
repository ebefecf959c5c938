/** The folders in which a program is looked for by its name: none that a repository can put a program into. */

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { workingTreeAt } from './clone-root.ts';

/**
 * The entries of a PATH outside of the clones that these folders lie in. A relative entry is left out, and one in a checkout as well:
 * npx puts `node_modules/.bin` of the folder in front, where anyone who merges can have put a program.
 */
export function searchedFolders(searchPath: string, checkouts: readonly string[]): readonly string[] {
  const roots = checkouts.flatMap((folder) => workingTreeAt(folder) ?? []).map(real);
  const isTheirs = (at: string): boolean => roots.some((root) => `${at}/`.startsWith(`${root}/`));
  return searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder) && !isTheirs(real(folder)));
}

/** Without links; of a folder that is not there as it is. */
function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
