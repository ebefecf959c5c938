/** Every kind of route that a share can be sent through: one line each, and the compiler sees that none is missing. */

import { groupOf } from '../../api/group-of.ts';
import type { RouteRef } from '../../api/rollout-traffic.ts';
import type { CustomKind } from '../../api/route-provider.ts';
import type { ObjectRef } from '../edits/edit.ts';
import { ALB_CLASS, albIngress } from './alb-ingress.ts';
import { canaryIngress } from './canary-ingress.ts';
import { customRoute } from './custom-route.ts';
import { destinationRule } from './destination-rule.ts';
import { httpProxy } from './http-proxy.ts';
import { grpcRoute, httpRoute } from './http-route.ts';
import { ingressClasses } from './ingress-classes.ts';
import type { TrafficProvider } from './provider.ts';
import { traefikService } from './traefik-service.ts';
import { virtualService } from './virtual-service.ts';

type RouteKind =
  | 'HTTPRoute'
  | 'GRPCRoute'
  | 'NginxIngress'
  | 'HigressIngress'
  | 'AliyunIngress'
  | 'MseIngress'
  | 'AlbIngress'
  | 'VirtualService'
  | 'DestinationRule'
  | 'TraefikService'
  | 'HTTPProxy';

export const trafficProviders = {
  HTTPRoute: httpRoute,
  GRPCRoute: grpcRoute,
  NginxIngress: canaryIngress(ingressClasses.nginx),
  HigressIngress: canaryIngress(ingressClasses.higress),
  AliyunIngress: canaryIngress(ingressClasses.aliyunAlb),
  MseIngress: canaryIngress(ingressClasses.mse),
  AlbIngress: albIngress,
  VirtualService: virtualService,
  DestinationRule: destinationRule,
  TraefikService: traefikService,
  HTTPProxy: httpProxy,
} satisfies Record<RouteKind, TrafficProvider>;

const all: readonly TrafficProvider[] = Object.values(trafficProviders);

/** Of several providers for one kind (an Ingress has a dialect for each class) the first: enough to see where it sends. */
export const onePerKind: readonly TrafficProvider[] = all.filter(
  (one, place) => all.findIndex(({ kind }) => kind === one.kind) === place,
);

/** The kinds whose documents are read where a Rollout routes traffic. */
export const ROUTE_KINDS: readonly string[] = onePerKind.map(({ kind }) => kind);

/** The provider of a route that a Rollout names; undefined: there is none for its kind. Those of the table come first. */
export function providerOf(ref: RouteRef): TrafficProvider | undefined {
  const known = all.find((provider) => provider.isNamed(ref));
  return known ?? (ref.custom === undefined ? undefined : customRoute(ref.custom));
}

/** How a Rollout may name this document: once for each dialect that its kind has. */
export function namesOf(document: { readonly object: ObjectRef }, customs: readonly CustomKind[]): readonly RouteRef[] {
  const { apiVersion, kind, name } = document.object;
  const group = groupOf(apiVersion);
  const custom = customs.find((one) => one.kind === kind && one.group === group);
  return CLASSES.map((ingressClass): RouteRef => ({ at: [], group, kind, name, ingressClass, custom })).filter(
    (ref) => providerOf(ref)?.isOf(document) === true,
  );
}

/** Only an Ingress has a class. */
const CLASSES = ['', ...Object.values(ingressClasses).map(({ name }) => name), ALB_CLASS];
