/** How somebody else sees and changes a repository on the disk: with git itself. */

import { bareRepository } from '../../support/git-server.ts';
import type { Subject } from './contract.ts';

export function onDisk(path: string): Omit<Subject, 'git' | 'another'> {
  const { git, commit, hook } = bareRepository(path);
  return {
    commit,
    head: async (branch) => (await git('for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`)) || undefined,
    text: async (branch, file) => `${await git('cat-file', 'blob', `${branch}:${file}`)}\n`,
    refuse: async (branch) =>
      hook(
        'pre-receive',
        `while read old new ref; do if [ "$ref" = "refs/heads/${branch}" ]; then
           echo "error: GH006: Protected branch update failed for $ref." >&2; exit 1; fi; done`,
      ),
  };
}
