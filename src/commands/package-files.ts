/** Files that come with the program: policies and workflows to copy. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../options.ts';

const MOST_PARENTS = 6;

/** The text of a file of this package. The bundle lies in `dist/chunks`, a source in `src/commands`. */
export function packageFile(path: string): string {
  let folder = __dirname;
  for (let depth = 0; depth < MOST_PARENTS; depth += 1) {
    if (existsSync(join(folder, 'policies', 'README.md'))) return readFileSync(join(folder, path), 'utf8');
    folder = dirname(folder);
  }
  throw new UsageError(
    `${path} is not next to this program, which was copied out of its package: install the package as a whole, or run it from its folder`,
  );
}
