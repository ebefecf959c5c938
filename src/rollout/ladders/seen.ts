/** What of a ladder's conditions is not seen yet: one hold for each, with its numbers and who is waited for. */

import type { Hold } from '../hold.ts';
import { canaryDiffers } from './canary-differs.ts';
import type { Condition } from './condition.ts';
import type { Delivery } from './delivery.ts';
import { incomplete, unaccepted, unbaked, undrained, unreached } from './seen-traffic.ts';
import { podsLeft, unflipped, unlive, unready, unserving, unservingStable } from './seen-workloads.ts';
import type { RememberedView } from './traffic-view.ts';

/**
 * A hold for each condition that is not seen; empty: all are. `gates` and `pause` are not asked of the cluster, and are
 * passed over. What cannot be read is a hold too, which names the object and, where it was refused, the missing right.
 */
export function unseen(conditions: readonly Condition[], delivery: Delivery, view: RememberedView): readonly Hold[] {
  return conditions.map((condition) => unseenOne(condition, delivery, view)).filter((held) => held !== undefined);
}

function unseenOne(condition: Condition, delivery: Delivery, view: RememberedView): Hold | undefined {
  switch (condition.kind) {
    case 'gates':
    case 'pause':
      return undefined;
    case 'live':
      return unlive(delivery, view);
    case 'serving':
      return unserving(condition, delivery, view);
    case 'servingStable':
      return unservingStable(condition.groups, delivery, view);
    case 'newVersion':
      return unready(condition, delivery, view);
    case 'stableText':
      return unready({ side: 'stable', groups: undefined }, delivery, view);
    case 'sameTemplate':
      return canaryDiffers(delivery, view);
    case 'noPods':
      return podsLeft(delivery, view);
    case 'flipped':
      return unflipped(condition.side, delivery, view);
    case 'accepted':
      return unaccepted(delivery, view);
    case 'drained':
      return undrained(condition.side, delivery, view);
    case 'reached':
      return unreached(condition.side, delivery, view);
    case 'complete':
      return incomplete(delivery, view);
    case 'bake':
      break;
  }
  return unbaked(delivery, view);
}
