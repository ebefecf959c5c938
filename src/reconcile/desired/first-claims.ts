/** Which of several files had a document first by main's own line, back to where only one of them has it. */

import type { Config } from '../../api/config.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { parseManifestFile } from '../../manifests/parse-file.ts';
import type { Git, Oid, Tree } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import type { Contest, Firsts } from '../documents/claims.ts';

/** How many names that two claim are looked into in one pass; the others stand as if nobody knew. */
const CONTESTS_MOST = 20;
/** How many commits a twin may be old: after that nothing decides, and both are reported. */
const COMMITS_MOST = 100;
/** Moves that are followed for one name. */
const MOVES_MOST = 10;
const SUFFIXES = ['.yaml', '.yml', '.json'];

type Line = { readonly git: Git; readonly line: readonly Oid[]; readonly config: Config };

/**
 * The file of each contest whose document main's own line had before the others, without a break, followed through moves.
 * Nothing is asked of Git where nothing is contested. A history that cannot be read decides nothing.
 */
export async function firstClaims(
  git: Git,
  at: { readonly commit: Oid; readonly config: Config; readonly contests: readonly Contest[]; readonly known: Firsts },
): Promise<Firsts> {
  const asked = at.contests.filter(({ id }) => !at.known.has(id)).slice(0, CONTESTS_MOST);
  if (asked.length === 0) return at.known;
  const firsts = new Map(at.known);
  try {
    const commits = await git.history(at.commit, undefined, COMMITS_MOST);
    const line = { git, line: commits.map(({ oid }) => oid), config: at.config };
    for (const contest of asked) firsts.set(contest.id, await firstOf(contest, line));
  } catch (error) {
    // A clone that does not go back so far.
    if (!(error instanceof PortError) || error.retryable) throw error;
    for (const { id } of asked) if (!firsts.has(id)) firsts.set(id, undefined);
  }
  return firsts;
}

/** A file of the head, and where its document was in the commit that was looked at last. */
type Claimant = { readonly origin: string; readonly path: string };

async function firstOf(contest: Contest, on: Line): Promise<string | undefined> {
  let claimants: readonly Claimant[] = contest.files.map((file) => ({ origin: file, path: file }));
  let moves = 0;
  for (const [place, commit] of on.line.slice(1).entries()) {
    const paths = claimants.map(({ path }) => path);
    const holding = new Set(await holders(contest, on, { commit, paths }));
    let left: readonly Claimant[] = claimants.filter(({ path }) => holding.has(path));
    if (left.length < claimants.length && moves < MOVES_MOST) {
      moves += 1;
      const child = on.line[place] ?? commit;
      left = await withMoves(contest, on, { claimants, left, commit, child });
    }
    if (left.length < 2) return left[0]?.origin;
    claimants = left;
  }
  return undefined;
}

type Step = {
  readonly claimants: readonly Claimant[];
  readonly left: readonly Claimant[];
  readonly commit: Oid;
  readonly child: Oid;
};

/** One that is gone from its path was moved where the commit has the document in one other file, and the next has not. */
async function withMoves(contest: Contest, on: Line, step: Step): Promise<readonly Claimant[]> {
  const { claimants, left, commit, child } = step;
  const gone = claimants.filter((one) => !left.includes(one));
  const [moved, ...others] = gone;
  const there = await holders(contest, on, { commit, paths: on.config.paths });
  const elsewhere = there.filter((path) => !left.some((one) => one.path === path));
  const still = elsewhere.length === 0 ? [] : await holders(contest, on, { commit: child, paths: elsewhere });
  const [from, ...more] = elsewhere.filter((path) => !still.includes(path));
  if (moved === undefined || from === undefined || others.length + more.length > 0) return left;
  return [...left, { origin: moved.origin, path: from }];
}

/** The files of these paths that have the document in a commit. */
async function holders(
  { claims, marker }: Contest,
  { git }: Line,
  { commit, paths }: { readonly commit: Oid; readonly paths: readonly string[] },
): Promise<readonly string[]> {
  const tree: Tree = await git.readAt(commit, { paths, suffixes: SUFFIXES, markers: [marker] });
  return tree.files.flatMap(({ path, content }) => {
    if (content.kind !== 'text') return [];
    const { documents } = parseManifestFile(path, content.text, [...new Set([marker, LWS_KIND])]);
    return documents.some(claims) ? [path] : [];
  });
}
