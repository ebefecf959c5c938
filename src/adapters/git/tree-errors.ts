/** Why a tree cannot be read at all. */

import type { Oid } from '../../ports/git.ts';
import { gitError } from './git-error.ts';
import type { GitLimits } from './limits.ts';

/** `prefix`: its path, with the last slash. */
export function noFolder({ prefix, oid }: { readonly prefix: string; readonly oid: Oid }) {
  const message = `the folder ${prefix === '' ? '/' : prefix.slice(0, -1)} is no tree in the repository (${oid})`;
  return gitError(message, { operation: 'read', retryable: false, hint: 'Run git fsck.' });
}

/** No pass can go on. */
export function tooLarge({ treeEntries }: Pick<GitLimits, 'treeEntries'>) {
  return gitError(`the tree is too large to read: more than ${treeEntries} files`, {
    operation: 'read',
    retryable: false,
    hint: 'List the folders with rollouts and workloads under `paths` in tranche.yaml.',
  });
}
