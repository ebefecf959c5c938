/** Tells a status branch of ours from one that people use. */

import { CONFIG_FILE } from '../../api/config.ts';
import type { Refused } from '../../ports/git.ts';
import { INDEX_FILE, type StatusBranch } from './record-store.ts';

export const PAGE_FILE = 'README.md';

/** How the page for people starts: by it a branch is known as ours that has no record yet. */
export const PAGE_HEAD = '# Rollouts\n\nWritten by tranche';

/** Why nothing may be written to this branch: it has files of somebody else where ours would be; undefined: there are none. */
export function othersBranch({ index, isNewer, records, texts }: StatusBranch, branch: string): Refused | undefined {
  if (index !== undefined || isNewer || records.size > 0 || texts.get(PAGE_FILE)?.startsWith(PAGE_HEAD))
    return undefined;
  const theirs = [PAGE_FILE, INDEX_FILE].find((path) => texts.has(path));
  if (theirs === undefined) return undefined;
  return {
    kind: 'refused',
    branch,
    rule: `it has a ${theirs} that is not ours and would be overwritten`,
    advice: `Name another branch as branches.status in ${CONFIG_FILE}, or by --status-branch`,
  };
}
