/** Who starts a delivery in a pass: it takes its place from those that are decided after it. */

import type { Instant } from '../api/time.ts';
import { removesObject } from '../rollout/edits/out-of-file.ts';
import { isDelivered } from '../rollout/plan.ts';
import { printKey } from '../rollout/texts/key-text.ts';
import type { DesiredRollout } from './desired/desired-rollout.ts';
import type { Delivery } from './history/turn-taker.ts';
import type { Reconciled } from './outcome.ts';

/** A pull request that is open keeps its age, so that the order of those that are proposed stays the same. */
export function begun(
  { plan }: Reconciled,
  of: { readonly entry: DesiredRollout; readonly deliveries: readonly Delivery[]; readonly now: Instant },
): Delivery {
  const { key, policy } = of.entry;
  if (isDelivered(plan)) return { key, policy, step: 'just started' };
  const before = of.deliveries.find((one) => printKey(one.key) === printKey(key));
  return before ?? { key, policy, step: 'proposed', proposedAt: of.now };
}

/** Whether it starts a delivery: on its way to main in the same push as those of the others, it counts for them already. */
export function begins({ snapshot, plan }: Reconciled): boolean {
  const commit = plan?.commit;
  if (commit === undefined || snapshot?.workload?.workload.marks?.step !== undefined) return false;
  return commit.progress.marks?.step !== undefined || commit.changes.some(removesObject);
}
