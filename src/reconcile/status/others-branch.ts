/** Tells a status branch of ours from one that people use. */

import { CONFIG_FILE, DEFAULT_CONFIG } from '../../api/config.ts';
import { isRecord } from '../../api/json.ts';
import type { Refused } from '../../ports/git.ts';
import { INDEX_FILE, type StatusBranch } from './record-store.ts';

export const PAGE_FILE = 'README.md';

/** How the page for people starts: by it a branch is known as ours that has no record yet. */
export const PAGE_HEAD = '# Rollouts\n\nWritten by tranche';

/** What to do where nobody can read the branch. */
export const UNREADABLE_ADVICE =
  'Delete the branch, which is made again from main and the cluster, or take out of it what tranche has not written';

/**
 * Why nothing may be written to this branch: nobody can read it, or it has files of somebody else where ours would be; undefined: there are none. A branch
 * that bears the name of tranche is ours whatever somebody has pushed there; where `tranche.yaml` names another one by mistake, its
 * files show that. What is overwritten stays in the history of the branch.
 */
export function othersBranch(
  { index, isNewer, records, texts, unreadable }: StatusBranch,
  branch: string,
): Refused | undefined {
  if (unreadable !== undefined)
    return { kind: 'refused', branch, rule: `it cannot be read: ${unreadable}`, advice: UNREADABLE_ADVICE };
  if (isOurName(branch)) return undefined;
  if (index !== undefined || isNewer || records.size > 0 || texts.get(PAGE_FILE)?.startsWith(PAGE_HEAD))
    return undefined;
  const theirs = [PAGE_FILE, INDEX_FILE].find((path) => texts.has(path));
  if (theirs === undefined || hasOurFields(texts.get(INDEX_FILE))) return undefined;
  return {
    kind: 'refused',
    branch,
    rule: `it has a ${theirs} that is not ours and would be overwritten`,
    advice: `Name another branch as branches.status in ${CONFIG_FILE}, or by --status-branch`,
  };
}

/** The default, or the branch of a shard that is made of it. */
export function isOurName(branch: string): boolean {
  const own = DEFAULT_CONFIG.statusBranch;
  return branch === own || (branch.startsWith(`${own}-`) && /^\d+$/.test(branch.slice(own.length + 1)));
}

/** An index that somebody has edited, or whose signature does not count, still shows whose place it is in. */
function hasOurFields(text = ''): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && typeof value['cluster'] === 'string' && typeof value['main'] === 'string';
  } catch {
    return false;
  }
}
