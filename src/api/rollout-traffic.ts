/** The `trafficRoutings` of a Rollout: which Service, and which routes send requests to it. Checked as Kruise checks them. */

import type { FieldReader } from './field-reader.ts';
import type { InferencePools } from './policy-pools.ts';
import type { CustomKind } from './route-provider.ts';
import { type RollingStyle, STYLES } from './styles.ts';

const INT32_MAX = 2_147_483_647;
const ROUTINGS_READ = 16;
export const REFS_LIMIT = 16;

/** What Kruise's CRD writes where nothing is written. */
export const GRACE_SECONDS = 3;

export type TrafficRouting = {
  /** The Service of the stable version. */
  readonly service: string;
  /** How long a change of a route must have been seen before it is relied on. */
  readonly gracePeriodSeconds: number;
  readonly routes: readonly RouteRef[];
  /** `service` is one of two InferencePools that the user keeps. Not there: it is a Service. */
  readonly pools?: InferencePools | undefined;
};

/** An object that sends requests to the Service, as the Rollout names it. */
export type RouteRef = {
  /** Keys from the routing on: `['gateway', 'httpRouteName']`. */
  readonly at: readonly string[];
  /** The API group, without version. */
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** Whose annotations an Ingress is given; empty for other kinds. */
  readonly ingressClass: string;
  /** What a RouteProvider of the files says of its kind. Not there: tranche knows the kind, or nobody does. */
  readonly custom?: CustomKind | undefined;
};

export const GATEWAY_GROUP = 'gateway.networking.k8s.io';
const INGRESS_GROUP = 'networking.k8s.io';
/** Kruise's `classType` where none is written. */
const DEFAULT_CLASS = 'nginx';

/**
 * The routings; broken rules become faults (reference: rollout_create_update_handler.go:252-300). Kruise wants a provider
 * always; blueGreen can do without, because its Service can go from one workload to the other by its selector.
 */
export function readTrafficRoutings(strategy: FieldReader, style: RollingStyle): readonly TrafficRouting[] {
  const routings = strategy.objects('trafficRoutings', ROUTINGS_READ);
  if (routings.length > 1) {
    strategy.fault('trafficRoutings', 'TooMany', `has ${routings.length} elements, wanted at most 1`, 'Keep one.');
  }
  return routings.map((routing) => readRouting(routing, style));
}

function readRouting(routing: FieldReader, style: RollingStyle): TrafficRouting {
  routing.allow(['service', 'gracePeriodSeconds', 'ingress', 'gateway', 'customNetworkRefs']);
  const service = routing.text('service');
  const gracePeriodSeconds = routing.integer('gracePeriodSeconds', { min: 0, max: INT32_MAX }) ?? GRACE_SECONDS;
  const routes = [...customRoutes(routing), ...ingressRoute(routing), ...gatewayRoute(routing)];
  // An empty list names none either: no step would give its share to anybody, and nothing would say so.
  if (routes.length === 0 && STYLES[style].needsRoute) {
    routing.fault(
      '',
      'NoProvider',
      'names no provider, wanted the route that shares out the requests of the Service',
      'Add one of ingress, gateway, customNetworkRefs, as gateway: {httpRouteName: vllm}; without routes leave trafficRoutings out.',
    );
  }
  return { service, gracePeriodSeconds, routes };
}

function ingressRoute(routing: FieldReader): readonly RouteRef[] {
  if (!routing.has('ingress')) return [];
  const ingress = routing.object('ingress');
  ingress.allow(['name', 'classType']);
  const ingressClass = ingress.optionalText('classType', DEFAULT_CLASS);
  const name = ingress.text('name');
  return [{ at: ['ingress', 'name'], group: INGRESS_GROUP, kind: 'Ingress', name, ingressClass }];
}

function gatewayRoute(routing: FieldReader): readonly RouteRef[] {
  if (!routing.has('gateway')) return [];
  const gateway = routing.object('gateway');
  gateway.allow(['httpRouteName']);
  const name = gateway.text('httpRouteName');
  return [{ at: ['gateway', 'httpRouteName'], group: GATEWAY_GROUP, kind: 'HTTPRoute', name, ingressClass: '' }];
}

function customRoutes(routing: FieldReader): readonly RouteRef[] {
  return routing.objects('customNetworkRefs', REFS_LIMIT).map((ref, place) => {
    ref.allow(['apiVersion', 'kind', 'name']);
    const group = ref.text('apiVersion').replace(/\/[^/]*$/, '');
    const at = ['customNetworkRefs', String(place), 'name'];
    return { at, group, kind: ref.text('kind'), name: ref.text('name'), ingressClass: '' };
  });
}
