/** The newest commit of tranche that wrote a workload: for its Rollout, or without one, while its Rollout named another. */

import { LWS_KIND } from '../../api/kinds.ts';
import type { Marks } from '../../api/marks.ts';
import type { Release } from '../../api/release.ts';
import { parseManifestFile } from '../../manifests/parse-file.ts';
import type { CommitHeader, Oid } from '../../ports/git.ts';
import { trailersIn } from '../../rollout/commits/messages.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { readWorkload } from '../documents/read-workload.ts';
import { besideRollout } from '../documents/rollout-names.ts';
import type { GitReader } from './git-reader.ts';

/** Commits of tranche in a row that may have found no annotation. */
const WITHOUT_MOST = 10;

/**
 * By the messages of main, newest first. One that names the workload alone may be of another Rollout of that name: it
 * counts where it wrote the annotations of this document. undefined: none says so, but for those in
 * `except`. Throws PortError where Git fails for now.
 */
export async function lastCommitOf(
  git: GitReader,
  entry: DesiredRollout,
  except: readonly Oid[] = [],
): Promise<CommitHeader | undefined> {
  const { key, rollout, identity } = entry;
  const any = (_: Release, __: string, commit: Oid): boolean => !except.includes(commit);
  if (rollout === undefined || identity === undefined) return git.stepCommit([key], any);
  const alone = { ...key, name: identity.name };
  const newest = await git.stepCommit([key, besideRollout(alone), alone], any);
  if (newest === undefined || trailersIn(newest.message).some((of) => of.rollout === printKey(key))) return newest;
  return (await wroteMarks(git, entry, newest)) ? newest : git.stepCommit([key], any);
}

/**
 * The annotations that the newest such commit left, and that commit. Where a hand had taken them out before it, it has written none, as
 * one that withdraws a share in a route alone: the one before it says what was written. Throws PortError where Git fails for now.
 */
export async function lastWritten(
  git: GitReader,
  entry: DesiredRollout,
): Promise<{ readonly commit: Oid; readonly marks: Marks } | undefined> {
  const without: Oid[] = [];
  while (without.length < WITHOUT_MOST) {
    const commit = await lastCommitOf(git, entry, without);
    if (commit === undefined) return undefined;
    const there = await git.textAt(commit.oid, entry);
    const marks =
      there.kind === 'known' ? there.value.manifest.workload.marks : await patchMarks(git, commit.oid, entry);
    if (marks !== undefined) return { commit: commit.oid, marks };
    if (await wroteMarks(git, entry, commit)) return undefined;
    without.push(commit.oid);
  }
  return undefined;
}

/** A folder that was not built when a commit of ours went into its patch, as one of a rollback: what that wrote stands there. */
async function patchMarks(git: GitReader, commit: Oid, { over }: DesiredRollout): Promise<Marks | undefined> {
  const text = over === undefined ? undefined : await git.fileAt(commit, over.file);
  if (over === undefined || text === undefined) return undefined;
  const [patch] = parseManifestFile(over.file, text, [LWS_KIND]).documents;
  return patch === undefined ? undefined : readWorkload(patch).workload?.workload.marks;
}

async function wroteMarks(git: GitReader, entry: DesiredRollout, { oid, parents }: CommitHeader): Promise<boolean> {
  const [parent] = parents;
  if (parent === undefined) return false;
  const [is, was] = [await git.workloadAt(oid, entry), await git.workloadAt(parent, entry)];
  return JSON.stringify(is?.workload.marks) !== JSON.stringify(was?.workload.marks);
}
