/** Stands in for `src/rollout/plan.ts` in the bundle of digests: each plan that is made goes into one digest. */

import { createHash } from 'node:crypto';
import { type Plan, plan as planAfresh } from '../../../src/rollout/plan.ts';
import type { Snapshot } from '../../../src/rollout/snapshot.ts';

export * from '../../../src/rollout/plan.ts';

let digest = createHash('sha256');
let count = 0;

/** As the real one. */
export function plan(snapshot: Snapshot): Plan {
  const made = planAfresh(snapshot);
  digest.update(JSON.stringify(made));
  count += 1;
  return made;
}

/** Of all plans since it was asked before. */
export function plansSince(): { readonly count: number; readonly digest: string } {
  const found = { count, digest: digest.digest('hex') };
  digest = createHash('sha256');
  count = 0;
  return found;
}
