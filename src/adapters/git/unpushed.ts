/** What lies in a clone and is not on a branch of the repository that it came from: a look there does not see it. */

import type { Git, Oid, TreeFile } from '../../ports/git.ts';
import { workingTreeAt } from './clone-root.ts';
import { zeroOid } from './names.ts';
import { openWorkingTree } from './working-tree.ts';

/** Commits that are looked at, here and there: where they have none in common within these, nothing is said of commits. */
const COMMITS_MOST = 200;
const MANIFESTS = { paths: [''], suffixes: ['.yaml', '.yml'], markers: [] } as const;

type Unpushed = {
  /** Manifests that are not as the checked-out commit has them, sorted. */
  readonly files: readonly string[];
  /** How many commits are here and not there. */
  readonly commits: number;
};

/** Of the clone that a folder lies in. `there`: the repository, and the commit of its branch. undefined: it lies in none. Throws PortError. */
export async function unpushedIn(
  place: string,
  of: { readonly open: (options: { readonly location: string }) => Git; readonly there: Git; readonly main: Oid },
): Promise<Unpushed | undefined> {
  const root = workingTreeAt(place);
  if (root === undefined) return undefined;
  const here = of.open({ location: root });
  const folder = openWorkingTree({ root, git: here });
  const line = await folder.history(zeroOid, undefined, COMMITS_MOST);
  const [head] = line;
  const lying = oidsOf((await folder.readAt(zeroOid, MANIFESTS)).files);
  const committed = oidsOf(head === undefined ? [] : (await here.readAt(head.oid, MANIFESTS)).files);
  const paths = [...new Set([...lying.keys(), ...committed.keys()])].sort();
  const known = new Set((await of.there.history(of.main, undefined, COMMITS_MOST)).map(({ oid }) => oid));
  const commits = line.findIndex(({ oid }) => known.has(oid));
  return { files: paths.filter((path) => lying.get(path) !== committed.get(path)), commits: Math.max(0, commits) };
}

function oidsOf(files: readonly TreeFile[]): ReadonlyMap<string, Oid> {
  return new Map(files.map(({ path, oid }) => [path, oid]));
}
