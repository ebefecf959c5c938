/** What `tranche history --output json` prints. */

import { type Instant, printInstant } from '../../api/time.ts';
import type { OrderShown } from './deliveries.ts';
import type { DeliveryTold, History } from './history.ts';

/** `schemas/history.schema.json` describes it. What is not known is not there; times are RFC 3339 in UTC. */
export function historyJson({ version, main, since, read, deliveries, orders, holds }: History): object {
  return {
    version,
    main,
    since: time(since),
    read,
    deliveries: deliveries.map(deliveryJson),
    orders: orders.map(orderJson),
    holds: holds.map((hold) => ({ ...hold, from: printInstant(hold.from), until: time(hold.until) })),
  };
}

function deliveryJson(delivery: DeliveryTold): object {
  const { begunAt, endedAt, steps, orders, requested } = delivery;
  return {
    ...delivery,
    begunAt: printInstant(begunAt),
    endedAt: time(endedAt),
    steps: steps.map((step) => ({ ...step, at: printInstant(step.at) })),
    orders: orders.map(orderJson),
    requested: requested && { ...requested, at: printInstant(requested.at) },
  };
}

function orderJson(order: OrderShown): object {
  return { ...order, at: printInstant(order.at) };
}

function time(at: Instant | undefined): string | undefined {
  return at === undefined ? undefined : printInstant(at);
}
