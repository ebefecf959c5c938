/** The only writer: sends commits, and says what became of them. Makes no decision about a rollout. */

import type { Config } from '../../api/config.ts';
import type { BranchUpdate, Git, NewCommit, Oid, Refused } from '../../ports/git.ts';
import { pushRefused } from './allowed.ts';

export type Batch = {
  readonly config: Config;
  readonly main: Oid;
  readonly status: Oid | undefined;
  /** Commits of main, one for a rollout. */
  readonly steps: readonly NewCommit[];
  /** undefined: the status branch says already what there is to say, or is not to be written. */
  readonly statusCommit: NewCommit | undefined;
  /** Branches of pull requests that these steps make void, each where it was seen; not there: none. */
  readonly gone?: readonly { readonly branch: string; readonly head: Oid }[];
};

export type Executed =
  | { readonly kind: 'written'; readonly steps: readonly Oid[]; readonly status: Oid | undefined }
  | { readonly kind: 'moved' }
  | Refused;

/** One atomic push of all steps and the status, each branch with the commit that it must still be at. */
export async function execute(git: Git, batch: Batch): Promise<Executed> {
  const { config, main, status, steps, statusCommit } = batch;
  const never = pushRefused(config, steps);
  if (never !== undefined) return never;
  const updates: BranchUpdate[] = [];
  if (steps.length > 0) updates.push({ branch: config.branch, expectedOld: main, base: main, commits: steps });
  if (statusCommit !== undefined)
    updates.push({ branch: config.statusBranch, expectedOld: status, base: status, commits: [statusCommit] });
  for (const { branch, head } of batch.gone ?? []) updates.push({ branch, expectedOld: head, isDeleted: true });
  if (updates.length === 0) return { kind: 'written', steps: [], status: undefined };
  const result = await git.push(updates);
  if (result.kind !== 'pushed') return result;
  const at = (branch: string): number => updates.findIndex((update) => update.branch === branch);
  return {
    kind: 'written',
    steps: at(config.branch) < 0 ? [] : (result.commits[at(config.branch)] ?? []),
    status: at(config.statusBranch) < 0 ? undefined : result.heads[at(config.statusBranch)],
  };
}
