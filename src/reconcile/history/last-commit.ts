/** The newest commit of tranche that wrote a workload: for its Rollout, or without one, while its Rollout named another. */

import type { CommitHeader } from '../../ports/git.ts';
import { trailersIn } from '../../rollout/commits/messages.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { besideRollout } from '../documents/rollout-names.ts';
import type { GitReader } from './git-reader.ts';

/**
 * By the messages of main, newest first. One that names the workload alone may be of another Rollout of that name: it
 * counts where it wrote the annotations of this document. undefined: none says so. Throws PortError where Git
 * fails for now.
 */
export async function lastCommitOf(git: GitReader, entry: DesiredRollout): Promise<CommitHeader | undefined> {
  const { key, rollout, identity } = entry;
  const any = (): boolean => true;
  if (rollout === undefined || identity === undefined) return git.stepCommit([key], any);
  const alone = { ...key, name: identity.name };
  const newest = await git.stepCommit([key, besideRollout(alone), alone], any);
  if (newest === undefined || trailersIn(newest.message).some((of) => of.rollout === printKey(key))) return newest;
  return (await wroteMarks(git, entry, newest)) ? newest : git.stepCommit([key], any);
}

async function wroteMarks(git: GitReader, entry: DesiredRollout, { oid, parents }: CommitHeader): Promise<boolean> {
  const [parent] = parents;
  if (parent === undefined) return false;
  const [is, was] = [await git.workloadAt(oid, entry), await git.workloadAt(parent, entry)];
  return JSON.stringify(is?.workload.marks) !== JSON.stringify(was?.workload.marks);
}
