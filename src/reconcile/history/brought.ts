/** Which commits made the text of a workload what it is, since the one that it would go back to. */

import { type Known, known, unknown } from '../../api/known.ts';
import type { Oid } from '../../ports/git.ts';
import type { StableDocument } from '../../rollout/snapshot.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';
import type { Ancestry } from './ancestry.ts';
import { arrivalOn } from './arrival.ts';

/** How many changes of one text are looked at. */
const CHANGES_MOST = 10;

/**
 * The commits of main's own line that led from the text `from` to the text `to`, both by their digests, newest first.
 * One that came, went and came again counts from a change that may be the first of them. Throws PortError.
 */
export type BroughtReader = (
  entry: DesiredRollout,
  of: { readonly from: string; readonly to: string },
) => Promise<Known<readonly Oid[]>>;

/** A reader for one pass; `textAt` reads a commit. */
export function broughtReader(
  ancestry: Ancestry,
  textAt: (commit: Oid, entry: DesiredRollout) => Promise<Known<StableDocument>>,
): BroughtReader {
  const digestAt = async (commit: Oid, entry: DesiredRollout): Promise<string | undefined> => {
    const text = await textAt(commit, entry);
    return text.kind === 'known' ? text.value.release.digest : undefined;
  };
  return async (entry, { from, to }) => {
    const commits: Oid[] = [];
    let line = await ancestry.line();
    for (let digest: string | undefined = to; digest !== undefined && digest !== from; ) {
      const wanted: string = digest;
      const came = await arrivalOn(line, async (commit) => (await digestAt(commit, entry)) === wanted);
      if (came === undefined) return unknown(`nobody knows since when main has the text ${wanted}`);
      commits.push(came.commit.oid);
      if (commits.length > CHANGES_MOST) return unknown(`the text was changed more than ${CHANGES_MOST} times`);
      const before = line.findIndex(({ oid }) => oid === came.parent);
      if (before < 0) break;
      line = line.slice(before);
      digest = await digestAt(line[0]?.oid ?? '', entry);
    }
    return known(commits);
  };
}
