/** The newest commit of tranche that wrote a workload: for its Rollout, or without one, while its Rollout named another, or for one that is gone. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import type { Marks } from '../../api/marks.ts';
import { type Release, sameRelease } from '../../api/release.ts';
import { parseManifestFile } from '../../manifests/parse-file.ts';
import type { CommitHeader, Oid } from '../../ports/git.ts';
import { trailersIn } from '../../rollout/commits/trailers.ts';
import type { RolloutKey } from '../../rollout/snapshot.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import { isReadHere } from '../documents/manifest-index.ts';
import { readWorkload } from '../documents/read-workload.ts';
import { besideRollout } from '../documents/rollout-names.ts';
import { hasPin } from '../roots/patch-issues.ts';
import type { GitReader } from './git-reader.ts';
import { couldWrite, isDelivering, type Said } from './own-move.ts';
import type { Version } from './version.ts';

/** Commits of tranche that are looked at, newest first. */
const LOOKED_MOST = 40;

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
  if (identity === undefined) return git.stepCommit([key], any);
  if (rollout === undefined) return ofAnyRollout(git, entry, any);
  const alone = { ...key, name: identity.name };
  const newest = await git.stepCommit([key, besideRollout(alone), alone], any);
  if (newest === undefined || trailersIn(newest.message).some((of) => of.rollout === printKey(key))) return newest;
  return (await wroteMarks(git, entry, newest)) ? newest : git.stepCommit([key], any);
}

/**
 * The Rollout is gone, and may have had another name than the workload: one of the namespace counts where its commit made the
 * annotations of this document others.
 */
async function ofAnyRollout(
  git: GitReader,
  entry: DesiredRollout,
  wanted: (release: Release, step: string, commit: Oid) => boolean,
): Promise<CommitHeader | undefined> {
  const { key } = entry;
  const made: Oid[] = [];
  const keyOf = (version: Version): string =>
    version.kind === 'read' ? JSON.stringify(version.workload.workload.marks ?? {}) : version.kind;
  const visit = ({ until }: { readonly until: Oid | undefined }): undefined => {
    if (until !== undefined) made.push(until);
  };
  await git.line.walk<never>(entry, { keyOf, visit });
  const isAny = ofNamespace(key);
  return git.stepCommit((rollout, oid) => rollout === printKey(key) || (made.includes(oid) && isAny(rollout)), wanted);
}

/** Whether a Rollout that a commit names is one of the namespace: where none is left, it may have been any of them. */
export function ofNamespace(key: RolloutKey): (rollout: string) => boolean {
  const start = printKey({ ...key, name: '' });
  return (rollout) => rollout.startsWith(start);
}

type Written = { readonly commit: Oid; readonly marks: Marks };

/** What a commit that says it is ours made of the annotations. `before`: what its parent has; not there: nobody can read that. */
type Claim = { readonly commit: Oid; readonly said: Said; readonly before: Marks | undefined };

/**
 * The annotations that the newest such commit wrote, and that commit. One that leaves them as a hand had made them, or without any, as one
 * that withdraws a share in a route alone, bears nothing out, and neither does one that says what tranche never does: those before
 * it tell, and where there are none, what the newest left. Throws PortError where Git fails for now.
 */
export async function lastWritten(git: GitReader, entry: DesiredRollout): Promise<Written | undefined> {
  const claims: Claim[] = [];
  const passed: Oid[] = [];
  let left: Written | undefined;
  while (passed.length < LOOKED_MOST) {
    const commit = await lastCommitOf(git, entry, passed);
    if (commit === undefined) break;
    passed.push(commit.oid);
    const said = await saidAt(git, commit.oid, entry);
    if (said?.marks === undefined) {
      if (await wroteMarks(git, entry, commit)) break;
      continue;
    }
    const [parent] = commit.parents;
    const was = parent === undefined ? undefined : await saidAt(git, parent, entry);
    if (was !== undefined && sameMarks(said.marks, was.marks)) {
      // Ours have both or neither: where a squash has lost the step, the commit that withdraws the share leaves it so.
      const isWhole = said.marks.step !== undefined || said.marks.restore === undefined;
      if (isWhole) left ??= { commit: commit.oid, marks: said.marks };
      continue;
    }
    // Whatever was before: by a release that is on its way nothing is taken for over.
    if (claims.length === 0 && isDelivering(said.marks)) return { commit: commit.oid, marks: said.marks };
    claims.push({ commit: commit.oid, said, before: was?.marks });
  }
  return (await followed(claims.toReversed())) ?? left;
}

/**
 * The last of these, oldest first, that tranche could have written after those before it. What a hand has made of the annotations in
 * between does not count, but for a step of the same release: a hand may skip some.
 */
async function followed(claims: readonly Claim[]): Promise<Written | undefined> {
  let last: Written | undefined;
  for (const { commit, said, before } of claims) {
    const { marks } = said;
    const isSkipped = before !== undefined && isDelivering(before) && sameRelease(before.release, last?.marks.release);
    if (marks !== undefined && (await couldWrite(isSkipped ? before : last?.marks, said))) last = { commit, marks };
  }
  return last;
}

/** What a commit says of the workload; undefined: it is not there, or nobody can read it. What kustomize builds has its annotations in our patch. */
async function saidAt(git: GitReader, commit: Oid, entry: DesiredRollout): Promise<Said | undefined> {
  return entry.identity?.root === undefined ? documentSaid(git, commit, entry) : patchSaid(git, commit, entry);
}

async function documentSaid(git: GitReader, commit: Oid, entry: DesiredRollout): Promise<Said | undefined> {
  const there = await git.textAt(commit, entry);
  if (there.kind !== 'known') return undefined;
  return { marks: there.value.manifest.workload.marks, digestOf: async () => there.value.release.digest };
}

/**
 * A folder may not be built in a commit of ours, as in one of a rollback. That pins the template then: it counts while the folder of
 * now does not show that the pin is another, or gone. Without a pin the template is the one that the folder asks for.
 */
async function patchSaid(git: GitReader, commit: Oid, entry: DesiredRollout): Promise<Said | undefined> {
  const { identity, workload, over } = entry;
  const text = identity === undefined ? undefined : await git.fileAt(commit, identity.file);
  // Moved since, with its folder.
  if (identity === undefined || text === undefined) return documentSaid(git, commit, entry);
  const patch = parseManifestFile(identity.file, text, [LWS_KIND, CARRIER_KIND]).documents.find(isReadHere);
  const read = patch === undefined ? undefined : readWorkload(patch).workload;
  if (patch === undefined || read === undefined) return undefined;
  const { marks } = read.workload;
  const digestOf = async (): Promise<string | undefined> => {
    const there = await git.textAt(commit, entry);
    if (there.kind === 'known') return there.value.release.digest;
    if (!hasPin(patch.value)) return marks?.release.digest;
    return workload === undefined || over?.isStandIn === true ? undefined : readWorkload(workload).workload?.digest;
  };
  return { marks, digestOf };
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
