/** Makes an empty bare repository on the disk, as `git init --bare` lays it out, without asking git to. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitError } from '../adapters/git/git-error.ts';
import { refOf } from '../adapters/git/names.ts';

const config = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
`;

/** An empty repository whose HEAD names `branch`. Throws PortError where there is something already. */
export function createRepository(path: string, branch: string): void {
  if (existsSync(path)) {
    throw gitError(`${path} exists already`, {
      operation: 'open',
      retryable: false,
      hint: 'A new repository needs a path of its own.',
    });
  }
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
    mkdirSync(join(path, folder), { recursive: true });
  writeFileSync(join(path, 'config'), config);
  writeFileSync(join(path, 'HEAD'), `ref: ${refOf(branch)}\n`);
}
