/** What of people's own files makes a build another one than that of an earlier commit: each file with its line and its commit. */

import { isOwnFile } from '../../manifests/patch-place.ts';
import type { CommitHeader, Git, Oid } from '../../ports/git.ts';
import { trailersIn } from '../../rollout/commits/trailers.ts';
import type { ChangedFile } from '../../rollout/texts/changed-files.ts';
import { readClosures } from '../roots/read-closures.ts';
import { type FirstParents, firstParentsOf } from './first-parents.ts';

/** Commits of main's own line that are asked who changed a file last, and files that are told. */
const COMMITS_MOST = 100;
const FILES_MOST = 20;

type Text = { readonly oid: string; readonly text: string };

/**
 * Of the files that the folder is built from, those that are not as `since` has them, sorted by path; ours are left out.
 * undefined: what it was built from then is not known. Throws PortError.
 */
export async function changedFiles(
  git: Pick<Git, 'readAt' | 'history'>,
  {
    root,
    flux = [],
    since,
    until,
  }: { readonly root: string; readonly flux?: readonly string[]; readonly since: Oid; readonly until: Oid },
): Promise<readonly ChangedFile[] | undefined> {
  const [before, after] = [await textsAt(git, since, { root, flux }), await textsAt(git, until, { root, flux })];
  if (before.size === 0 || after.size === 0) return undefined;
  const paths = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !isOwnFile(path) && before.get(path)?.oid !== after.get(path)?.oid)
    .sort()
    .slice(0, FILES_MOST);
  const commits = await commitsOf({ git, line: firstParentsOf(git, until) }, paths, since);
  return paths.flatMap((path): readonly ChangedFile[] => {
    const commit = commits.get(path);
    // The entry of transformers came with a commit of ours.
    if (commit !== undefined && trailersIn(commit.message).length > 0) return [];
    const line = firstDiffering(before.get(path)?.text, after.get(path)?.text);
    return [{ path, line, ...(commit === undefined ? {} : { commit: commit.oid }) }];
  });
}

async function textsAt(
  git: Pick<Git, 'readAt'>,
  commit: Oid,
  { root, flux }: { readonly root: string; readonly flux: readonly string[] },
): Promise<ReadonlyMap<string, Text>> {
  const closure = (await readClosures(git, commit, [root], () => flux)).get(root);
  return new Map((closure?.files ?? []).map(({ path, oid, text }) => [path, { oid, text }]));
}

/** Of each the newest commit that made it what it is; not there: further back than is looked. */
async function commitsOf(
  { git, line }: { readonly git: Pick<Git, 'readAt'>; readonly line: FirstParents },
  paths: readonly string[],
  since: Oid,
): Promise<ReadonlyMap<string, CommitHeader>> {
  const found = new Map<string, CommitHeader>();
  let newer = await idsAt(git, await line.commitAt(0), paths);
  for (let place = 1; place <= COMMITS_MOST && found.size < paths.length; place += 1) {
    const [commit, child] = [await line.commitAt(place), await line.commitAt(place - 1)];
    if (commit === undefined || child === undefined || child.oid === since) break;
    const ids = await idsAt(git, commit, paths);
    for (const path of paths) if (!found.has(path) && ids.get(path) !== newer.get(path)) found.set(path, child);
    newer = ids;
  }
  return found;
}

async function idsAt(
  git: Pick<Git, 'readAt'>,
  commit: { readonly oid: Oid } | undefined,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (commit === undefined || paths.length === 0) return new Map();
  const { files, skipped } = await git.readAt(commit.oid, { paths, suffixes: [], markers: [], pathsAlone: true });
  return new Map([...files, ...skipped()].map(({ path, oid }) => [path, oid]));
}

/** From 1; 0: the file is gone. */
function firstDiffering(before: string | undefined, after: string | undefined): number {
  if (after === undefined) return 0;
  const [was, is] = [before?.split('\n') ?? [], after.split('\n')];
  const place = is.findIndex((text, at) => text !== was[at]);
  return place < 0 ? is.length : place + 1;
}
