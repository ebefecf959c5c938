/** What of a ladder's conditions is not seen yet: one hold for each, with its numbers and who is waited for. */

import type { Hold } from '../hold.ts';
import type { Condition } from './condition.ts';
import type { Delivery } from './delivery.ts';
import { incomplete, unaccepted, unbaked, undrained, unreached } from './seen-traffic.ts';
import { canaryDiffers, podsLeft, unflipped, unlive, unready, unserving, unservingStable } from './seen-workloads.ts';
import type { TrafficSight } from './sight.ts';

/**
 * A hold for each condition that is not seen; empty: all are. `gates` and `pause` are not asked of the cluster, and are
 * passed over. What cannot be read is a hold too, which names the object and, where it was refused, the missing right.
 */
export function unseen(conditions: readonly Condition[], delivery: Delivery, sight: TrafficSight): readonly Hold[] {
  return conditions.map((condition) => unseenOne(condition, delivery, sight)).filter((held) => held !== undefined);
}

function unseenOne(condition: Condition, delivery: Delivery, sight: TrafficSight): Hold | undefined {
  switch (condition.kind) {
    case 'gates':
    case 'pause':
      return undefined;
    case 'live':
      return unlive(delivery, sight);
    case 'serving':
      return unserving(condition, delivery, sight);
    case 'servingStable':
      return unservingStable(condition.groups, delivery, sight);
    case 'newVersion':
      return unready(condition, delivery, sight);
    case 'stableText':
      return unready({ side: 'stable', groups: undefined }, delivery, sight);
    case 'sameTemplate':
      return canaryDiffers(delivery, sight);
    case 'noPods':
      return podsLeft(delivery, sight);
    case 'flipped':
      return unflipped(condition.side, delivery, sight);
    case 'accepted':
      return unaccepted(delivery, sight);
    case 'drained':
      return undrained(condition.side, delivery, sight);
    case 'reached':
      return unreached(condition.side, delivery, sight);
    case 'complete':
      return incomplete(delivery, sight);
    case 'bake':
      break;
  }
  return unbaked(delivery, sight);
}
