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
import { couldWrite } from './own-move.ts';

/** Commits of tranche in a row that may have written no annotation. */
const PASSED_MOST = 10;

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

type Written = { readonly commit: Oid; readonly marks: Marks };

/**
 * The annotations that the newest such commit wrote, and that commit. One that leaves them as a hand had made them, or without any, as one
 * that withdraws a share in a route alone, bears nothing out, and neither does one that says what tranche never does: those before
 * it tell, and where there are none, what the newest left. Throws PortError where Git fails for now.
 */
export async function lastWritten(git: GitReader, entry: DesiredRollout): Promise<Written | undefined> {
  const passed: Oid[] = [];
  let left: Written | undefined;
  while (passed.length < PASSED_MOST) {
    const commit = await lastCommitOf(git, entry, passed);
    if (commit === undefined) break;
    const there = await git.textAt(commit.oid, entry);
    const marks =
      there.kind === 'known' ? there.value.manifest.workload.marks : await patchMarks(git, commit.oid, entry);
    if (marks === undefined) {
      if (await wroteMarks(git, entry, commit)) return undefined;
    } else {
      const how = await howWritten(git, entry, commit);
      if (how === 'written') return { commit: commit.oid, marks };
      if (how === 'left') left ??= { commit: commit.oid, marks };
    }
    passed.push(commit.oid);
  }
  return left;
}

/** A folder that was not built when a commit of ours went into its patch, as one of a rollback: what that wrote stands there. */
async function patchMarks(git: GitReader, commit: Oid, { over }: DesiredRollout): Promise<Marks | undefined> {
  const text = over === undefined ? undefined : await git.fileAt(commit, over.file);
  if (over === undefined || text === undefined) return undefined;
  const [patch] = parseManifestFile(over.file, text, [LWS_KIND]).documents;
  return patch === undefined ? undefined : readWorkload(patch).workload?.workload.marks;
}

/** Whether a commit has changed the annotations, and in a way that could be ours. What kustomize or a chart makes is not compared so far. */
async function howWritten(
  git: GitReader,
  entry: DesiredRollout,
  { oid, parents }: CommitHeader,
): Promise<'written' | 'left' | 'not ours'> {
  const [parent] = parents;
  if (parent === undefined || entry.identity?.root !== undefined || entry.identity?.carrier !== undefined)
    return 'written';
  const [was, is] = [await git.textAt(parent, entry), await git.textAt(oid, entry)];
  if (was.kind !== 'known' || is.kind !== 'known') return 'written';
  if (sameMarks(is.value.manifest.workload.marks, was.value.manifest.workload.marks)) return 'left';
  return couldWrite(was.value, is.value) ? 'written' : 'not ours';
}

async function wroteMarks(git: GitReader, entry: DesiredRollout, { oid, parents }: CommitHeader): Promise<boolean> {
  const [parent] = parents;
  if (parent === undefined) return false;
  const [is, was] = [await git.workloadAt(oid, entry), await git.workloadAt(parent, entry)];
  return !sameMarks(is?.workload.marks, was?.workload.marks);
}

function sameMarks(one: Marks | undefined, other: Marks | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
