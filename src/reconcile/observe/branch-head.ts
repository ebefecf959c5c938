/** The head of a branch, or what to say where there is none. */

import type { Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';

/** The head of a branch that must be there. */
export function headOf(branch: string, head: Oid | undefined): Oid {
  if (head !== undefined) return head;
  if (branch.startsWith('refs/'))
    throw new PortError(`the repository has no ${branch}`, {
      port: 'git',
      operation: 'read',
      retryable: false,
      hint: 'Check its spelling. A pull request that has conflicts has no merge ref: solve them first.',
    });
  throw new PortError(`the repository has no branch ${branch}`, {
    port: 'git',
    operation: 'read',
    retryable: false,
    hint: 'Create it, or name another: branches.desired in tranche.yaml, or --branch.',
  });
}
