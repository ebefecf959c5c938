/** Reads of a tree what fits into one read: all of it, or a fair part of each folder. */

import type { Oid, ReadRequest } from '../../ports/git.ts';
import { weightOfAll } from './file-weight.ts';
import type { GitLimits } from './limits.ts';
import type { ObjectQuestion, SentWhole } from './object-question.ts';
import { tooLarge } from './tree-errors.ts';
import { byPath } from './tree-paths.ts';
import { type Walked, walkTree } from './tree-walk.ts';
import { wantedOf } from './wanted-paths.ts';

type Reading = {
  readonly root: Oid;
  readonly request: ReadRequest;
  readonly limits: GitLimits;
  readonly whole?: SentWhole | undefined;
};

/**
 * As `walkTree`; a folder that does not fit is one that cannot be read. `answer` runs a question. Throws PortError where the root
 * alone is too large.
 */
export async function readTree(
  { root, request, limits, whole }: Reading,
  answer: <T>(question: ObjectQuestion<T>) => T | Promise<T>,
): Promise<Walked> {
  const all = await answer(walkTree(root, request, limits, { whole }));
  if (all !== undefined) return fitting(all, limits);
  // Nearly no repository needs it.
  const { leftOutOf } = await import('./tree-shares.ts');
  const { prefixes, files } = await answer(leftOutOf({ oid: root, wanted: wantedOf(request.paths) }, limits));
  const rest = await answer(walkTree(root, request, limits, { whole, leftOut: prefixes }));
  if (rest === undefined) throw tooLarge(limits);
  return fitting({ ...rest, files: [...rest.files, ...files].sort(byPath) }, limits);
}

/** With no more files than a pass may take in: the others are there, and are not read. */
async function fitting(walked: Walked, limits: GitLimits): Promise<Walked> {
  if (weightOfAll(walked.files) <= limits.treeFiles) return walked;
  const { fairFiles } = await import('./file-shares.ts');
  const files = [...fairFiles(walked.files, limits)].sort(byPath);
  const kept = new Set(files);
  const skipped = () => [...walked.skipped(), ...walked.files.filter((file) => !kept.has(file))].sort(byPath);
  return { ...walked, files, skipped };
}
