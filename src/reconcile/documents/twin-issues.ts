/** What is said of documents next to which others of their name do not count. */

import type { Issue } from '../../api/issue.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Loser, Settled } from './claims.ts';
import { allRivals, placesText, rivalIssue, twiceIssue } from './desired-issues.ts';
import { groupedBy } from './grouped.ts';
import { workloadName } from './manifest-index.ts';

/** It says as well which of them counts: the others are to go. */
function countingIssue(winner: ManifestDocument, copies: readonly ManifestDocument[]): Issue {
  const issue = twiceIssue(winner, copies);
  const isOwn = copies.every(({ file }) => file === winner.file);
  const why = isOwn ? 'it has the annotations of a delivery, or is the first in its file' : 'main had it first';
  return {
    ...issue,
    message: `${issue.message}; this one counts: ${why}`,
    hint: `Remove ${placesText(copies)}, or narrow paths in tranche.yaml.`,
  };
}

/** By the one that counts. */
export type LosersTo = (winner: ManifestDocument) => readonly Loser[];

/** Grouped once: as many as there are Rollouts ask. */
export function losersTo({ losers }: Pick<Settled, 'losers'>): LosersTo {
  const groups = groupedBy(losers, ({ winner }) => winner);
  return (winner) => groups.get(winner) ?? [];
}

/** What twins of these documents mean for who has them: no step goes forward next to one, for the agent may apply either. */
export function twinIssues(documents: readonly (ManifestDocument | undefined)[], of: LosersTo): readonly Issue[] {
  return documents.flatMap((winner) => {
    if (winner === undefined) return [];
    const later = of(winner).filter(({ issue }) => issue.reason !== 'ForeignFolder');
    const isSame = ({ document }: Loser): boolean => document.object.name === winner.object.name;
    const copies = later.filter(isSame).map(({ document }) => document);
    const rivals = later.filter((loser) => !isSame(loser));
    return [
      ...(copies.length === 0 ? [] : [countingIssue(winner, copies)]),
      ...(rivals.length === 0
        ? []
        : [rivalIssue(winner, allRivals(rivals.map(({ document }) => document)), workloadName(winner))]),
    ];
  });
}
