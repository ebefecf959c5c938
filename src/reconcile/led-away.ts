/** A pass that files have led from branch to branch, and that ended nowhere: which of the names is a slip, or what it says. */

import { branchesInCircle } from './documents/branch-faults.ts';
import { headOf } from './documents/desired-branch.ts';
import type { PassOptions } from './pass.ts';

/**
 * The branches that a file should not have named as the desired one: one that is not there, or one that leads back to that which
 * passes went by (`isKnown`). Throws ConfigError or PortError where nothing says so, or that was no help (`astray`).
 */
export function ledAway(
  branches: readonly string[],
  at: Pick<PassOptions, 'write' | 'ref'> & {
    readonly astray?: readonly string[];
    readonly isKnown: boolean;
    readonly isCircle: boolean;
  },
): readonly string[] {
  const [first, second] = branches;
  const last = branches.at(-1) ?? '';
  const isFirst = at.astray === undefined;
  if (!at.isCircle) {
    if (isFirst && branches.length > 1) return [last];
    headOf((at.write ? undefined : at.ref) ?? last, undefined);
  }
  if (isFirst && at.isKnown && second !== undefined && second !== first) return [second];
  throw branchesInCircle(branches);
}
