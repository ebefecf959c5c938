/** Which of several files had a document first by main's own line, back to where only one of them has it. */

import type { Config } from '../../api/config.ts';
import type { Git, Oid } from '../../ports/git.ts';
import { PortError } from '../../ports/port-error.ts';
import { type Contest, contestAmong, type Firsts } from '../documents/claims.ts';
import { type ClaimsReader, claimsReader } from './claims-at.ts';
import type { FirstReader } from './file-before.ts';
import { type FirstParents, firstParentsOf, placeOutside } from './first-parents.ts';

/** How many of the newest commits are looked at one by one; further back the strides get longer. */
const EACH_MOST = 100;
/** Moves that are followed for one file: who moves more often gives its place away, and nobody else's. */
const MOVES_MOST = 10;

type Line = { readonly line: FirstParents; readonly claims: ClaimsReader };

/**
 * The file of each contest whose document main's own line had before the others, followed through moves. Nothing is asked of Git
 * where nothing is contested. A history that cannot be read decides nothing.
 */
export async function firstClaims(
  git: Git,
  at: { readonly commit: Oid; readonly config: Config; readonly contests: readonly Contest[]; readonly known: Firsts },
): Promise<Firsts> {
  const asked = at.contests.filter(({ id }) => !at.known.has(id)).sort(acrossFoldersFirst);
  if (asked.length === 0) return at.known;
  const firsts = new Map(at.known);
  const on: Line = {
    line: firstParentsOf(git, at.commit),
    claims: claimsReader(git, { config: at.config, contests: asked }),
  };
  try {
    for (const contest of asked) firsts.set(contest.id, await firstOf(contest, on));
  } catch (error) {
    // A clone that does not go back so far.
    if (!(error instanceof PortError) || error.retryable) throw error;
    for (const { id } of asked) if (!firsts.has(id)) firsts.set(id, undefined);
  }
  return firsts;
}

/** The same of documents of one name that a commit of the past has. */
export function firstReader(git: Git, config: Config): FirstReader {
  return async (commit, documents) => {
    const contest = contestAmong(documents, config);
    if (contest === undefined || contest.files.length < 2) return contest?.files[0];
    return (await firstClaims(git, { commit, config, contests: [contest], known: new Map() })).get(contest.id);
  };
}

/** Who has one folder alone makes as many as they like in it: they take nothing away from those who have another. */
function acrossFoldersFirst(left: Contest, right: Contest): number {
  return depthOf(left) - depthOf(right);
}

/** How many folders all its files have in common. */
function depthOf({ files: [first = '', ...others] }: Contest): number {
  const folders = first.split('/').slice(0, -1);
  const apart = folders.findIndex((folder, at) => others.some((file) => file.split('/')[at] !== folder));
  return apart < 0 ? folders.length : apart;
}

/** A file of the head, where its document was in the commit that was looked at last, and how often it was moved since. */
type Claimant = { readonly origin: string; readonly path: string; readonly moves: number };

async function firstOf({ claim, files }: Contest, on: Line): Promise<string | undefined> {
  let claimants: readonly Claimant[] = files.map((file) => ({ origin: file, path: file, moves: 0 }));
  let place = 0;
  while (claimants.length > 1) {
    const { line, claims } = on;
    place = await placeBefore(on, { claim, claimants, place });
    const [commit, child] = [await line.commitAt(place), await line.commitAt(place - 1)];
    if (commit === undefined || child === undefined) return undefined;
    const holding = await claims.holders(commit.oid, claim, pathsOf(claimants));
    const there = new Set(holding);
    const left = holding && claimants.filter(({ path }) => there.has(path));
    const moved = left && (await withMoves(claims, { claim, claimants, left, commit: commit.oid, child: child.oid }));
    if (moved === undefined) return undefined;
    claimants = moved;
  }
  return claimants[0]?.origin;
}

const pathsOf = (claimants: readonly Claimant[]): readonly string[] => claimants.map(({ path }) => path);

/** The first place further back in which not all have it. Past the end of the line: all that is known of it have. */
async function placeBefore(
  { line, claims }: Line,
  of: { readonly claim: string; readonly claimants: readonly Claimant[]; readonly place: number },
): Promise<number> {
  const paths = pathsOf(of.claimants);
  const allHave = async (place: number): Promise<boolean> => {
    const commit = await line.commitAt(place);
    const holding = commit === undefined ? [] : await claims.holders(commit.oid, of.claim, paths);
    return holding?.length === paths.length;
  };
  let inside = of.place;
  for (; inside < EACH_MOST; inside += 1) if (!(await allHave(inside + 1))) return inside + 1;
  return placeOutside(line, inside, allHave);
}

type Step = {
  readonly claim: string;
  readonly claimants: readonly Claimant[];
  readonly left: readonly Claimant[];
  readonly commit: Oid;
  readonly child: Oid;
};

/** One that is gone from its path was moved where the commit has the document in one other file, and the next has not. */
async function withMoves(claims: ClaimsReader, step: Step): Promise<readonly Claimant[] | undefined> {
  const { claim, claimants, left, commit, child } = step;
  const still = new Set(left);
  const [moved, ...others] = claimants.filter((one) => !still.has(one));
  if (moved === undefined || others.length > 0 || moved.moves >= MOVES_MOST) return left;
  const there = await claims.everywhere(commit, claim);
  const known = new Set(pathsOf(left));
  const elsewhere = there?.filter((path) => !known.has(path));
  const later = elsewhere && (elsewhere.length === 0 ? [] : await claims.holders(child, claim, elsewhere));
  if (elsewhere === undefined || later === undefined) return undefined;
  const kept = new Set(later);
  const [from, ...more] = elsewhere.filter((path) => !kept.has(path));
  return from === undefined || more.length > 0 ? left : [...left, { ...moved, path: from, moves: moved.moves + 1 }];
}
