/** The newest commit of tranche that wrote a workload: for its Rollout, or without one, while its Rollout named another. */

import { CARRIER_KIND } from '../../api/carrier.ts';
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
import { hasPin } from '../roots/patch-issues.ts';
import type { GitReader } from './git-reader.ts';
import { couldWrite, type Said } from './own-move.ts';

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
    const said = await saidAt(git, commit.oid, entry);
    const marks = said?.marks;
    if (said === undefined || marks === undefined) {
      if (await wroteMarks(git, entry, commit)) return undefined;
    } else {
      const how = await howWritten(git, entry, { ...commit, said });
      if (how === 'written') return { commit: commit.oid, marks };
      // Ours have both or neither: where a squash has lost the step, the commit that withdraws the share leaves it so.
      const isWhole = marks.step !== undefined || marks.restore === undefined;
      if (how === 'left' && isWhole) left ??= { commit: commit.oid, marks };
    }
    passed.push(commit.oid);
  }
  return left;
}

/** Whether a commit has changed the annotations, and in a way that could be ours. */
async function howWritten(
  git: GitReader,
  entry: DesiredRollout,
  { parents, said: is }: Pick<CommitHeader, 'parents'> & { readonly said: Said },
): Promise<'written' | 'left' | 'not ours'> {
  const [parent] = parents;
  const was = parent === undefined ? undefined : await saidBefore(git, parent, entry);
  if (was === undefined) return 'written';
  if (sameMarks(is.marks, was.marks)) return 'left';
  return couldWrite(was, is) ? 'written' : 'not ours';
}

/** What a commit says of the workload, built where kustomize builds it; undefined: it is not there, or nobody can read it. */
async function saidAt(git: GitReader, commit: Oid, entry: DesiredRollout): Promise<Said | undefined> {
  const there = await git.textAt(commit, entry);
  if (there.kind !== 'known') return patchSaid(git, commit, entry);
  return { marks: there.value.manifest.workload.marks, digest: there.value.release.digest };
}

/** The same of a parent, of which the annotations are enough: where they stand in a patch of ours nothing is built for that. */
function saidBefore(git: GitReader, commit: Oid, entry: DesiredRollout): Promise<Said | undefined> {
  return entry.identity?.root === undefined ? saidAt(git, commit, entry) : patchSaid(git, commit, entry);
}

/**
 * What stands in our patch, of a folder that was not built when a commit of ours went into it, as one of a rollback. That pins
 * the template then; without a pin it is the one that the folder asks for.
 */
async function patchSaid(git: GitReader, commit: Oid, { identity }: DesiredRollout): Promise<Said | undefined> {
  const text = identity?.root === undefined ? undefined : await git.fileAt(commit, identity.file);
  if (identity === undefined || text === undefined) return undefined;
  const [patch] = parseManifestFile(identity.file, text, [LWS_KIND, CARRIER_KIND]).documents;
  const marks = patch === undefined ? undefined : readWorkload(patch).workload?.workload.marks;
  if (patch === undefined || marks === undefined) return undefined;
  return { marks, digest: hasPin(patch.value) ? undefined : marks.release.digest };
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
