/** The only writer: sends commits, and says what became of them. Makes no decision about a rollout. */

import type { Config } from '../../api/config.ts';
import type { Instant } from '../../api/time.ts';
import type { BranchUpdate, FileWrite, Git, NewCommit, Oid, Refused } from '../../ports/git.ts';

/** One commit of main, for one rollout. */
export type Step = { readonly writes: readonly FileWrite[]; readonly message: string };

export type Batch = {
  readonly config: Config;
  readonly now: Instant;
  readonly main: Oid;
  readonly status: Oid | undefined;
  readonly steps: readonly Step[];
  readonly statusWrites: readonly FileWrite[];
  readonly statusMessage: string;
};

export type Executed =
  | { readonly kind: 'written'; readonly steps: readonly Oid[]; readonly status: Oid | undefined }
  | { readonly kind: 'moved' }
  | Refused;

/** One atomic push of all steps and the status, each branch with the commit that it must still be at. */
export async function execute(git: Git, batch: Batch): Promise<Executed> {
  const { config, now } = batch;
  const updates: BranchUpdate[] = [];
  if (batch.steps.length > 0) {
    updates.push({
      branch: config.branch,
      expectedOld: batch.main,
      base: batch.main,
      commits: batch.steps.map((step) => commitOf(step, config, now)),
    });
  }
  if (batch.statusWrites.length > 0) {
    const { status, statusWrites: writes, statusMessage: message } = batch;
    const commit = commitOf({ writes, message }, config, now);
    updates.push({ branch: config.statusBranch, expectedOld: status, base: status, commits: [commit] });
  }
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

function commitOf(step: Step, config: Config, now: Instant): NewCommit {
  return { writes: step.writes, message: step.message, signature: { ...config.author, atSeconds: now } };
}
