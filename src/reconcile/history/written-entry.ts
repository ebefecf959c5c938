/** The entry of ours in a HelmRelease as a commit of tranche had it last: what an order puts back where somebody lost or edited it. */

import type { RendererEntry } from '../../api/helm-release.ts';
import type { Oid } from '../../ports/git.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { GitReader } from './git-reader.ts';
import { lastCommitOf } from './last-commit.ts';

/** Commits of tranche in a row that may have found none: orders are some. */
const WITHOUT_MOST = 10;

/** By the newest commit of main's own line that says it is ours and has one; undefined: none does. Throws PortError. */
export async function writtenEntry(git: GitReader, entry: DesiredRollout): Promise<RendererEntry | undefined> {
  // What stands in a patch of ours comes back with it.
  if (entry.identity?.carrier === undefined || entry.identity.root !== undefined) return undefined;
  const without: Oid[] = [];
  while (without.length < WITHOUT_MOST) {
    const commit = await lastCommitOf(git, entry, without);
    if (commit === undefined || (await git.line.has(commit.oid)) !== true) return undefined;
    const there = await git.textAt(commit.oid, entry);
    const found = there.kind === 'known' ? there.value.rendered?.renderers.entry : undefined;
    if (found !== undefined) return found;
    without.push(commit.oid);
  }
  return undefined;
}
