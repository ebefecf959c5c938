/** Every kind of route that a share can be sent through: one line each, and the compiler sees that none is missing. */

import type { RouteRef } from '../../api/rollout-traffic.ts';
import { grpcRoute, httpRoute } from './http-route.ts';
import type { TrafficProvider } from './provider.ts';

type RouteKind = 'HTTPRoute' | 'GRPCRoute';

export const trafficProviders = {
  HTTPRoute: httpRoute,
  GRPCRoute: grpcRoute,
} satisfies Record<RouteKind, TrafficProvider>;

const all: readonly TrafficProvider[] = Object.values(trafficProviders);

/** The kinds whose documents are read where a Rollout routes traffic. */
export const ROUTE_KINDS: readonly string[] = [...new Set(all.map(({ kind }) => kind))];

/** The provider of a route that a Rollout names; undefined: there is none for its kind. */
export function providerOf(ref: RouteRef): TrafficProvider | undefined {
  return all.find((provider) => provider.isNamed(ref));
}
