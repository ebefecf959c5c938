/** Stands in for `src/reconcile/status/record-store.ts` in bundles of the simulation: reads each status commit once. */

import type { Tree } from '../../../src/ports/git.ts';
import { readStatus as readAfresh, type StatusBranch } from '../../../src/reconcile/status/record-store.ts';
import { Remembered } from './remembered.ts';

export * from '../../../src/reconcile/status/record-store.ts';

const known = new Remembered<StatusBranch>(600);

export function readStatus(tree: Tree): StatusBranch {
  return known.of(tree.commit, () => readAfresh(tree));
}
