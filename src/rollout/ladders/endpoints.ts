/** Which pods a Service reaches, by its EndpointSlices in the cluster. */

import type { Side } from './condition.ts';
import type { Delivery } from './delivery.ts';
import { isOf, type TrafficSight, workloadOf } from './sight.ts';

/** Whether the ready endpoints of the user's Service are leaders of one side, at least one of them, and nobody else. */
type Reached =
  | { readonly kind: 'unread'; readonly why: string }
  | { readonly kind: 'reached' }
  /** `others`: the pods that are no leaders of the side; empty: there is no endpoint at all. */
  | { readonly kind: 'elsewhere'; readonly others: readonly string[] };

/** Looks at the endpoints of the user's Service. */
export function reachedBy(delivery: Delivery, sight: TrafficSight, side: Side): Reached {
  const { endpoints } = sight.traffic;
  const { leaders } = workloadOf(delivery, sight, side).live;
  for (const part of [endpoints, leaders]) if (part.kind === 'unknown') return { kind: 'unread', why: part.why };
  const name = delivery.service?.object.name;
  const slices = endpoints.kind === 'known' ? endpoints.value.filter(({ service }) => service === name) : [];
  const ready = slices.flatMap((slice) => slice.endpoints.filter((endpoint) => endpoint.ready));
  const own = leaders.kind === 'known' ? leaders.value : [];
  const others = ready.filter((endpoint) => !own.some((leader) => isOf(endpoint, leader)));
  if (ready.length > 0 && others.length === 0) return { kind: 'reached' };
  return { kind: 'elsewhere', others: others.map(({ pod }) => (pod === '' ? 'an address without a pod' : pod)) };
}
