/** What clients of the routes get, told by the cluster itself: which share goes where, and what of it finds nobody. */

import type { JsonObject } from '../../../src/api/json.ts';
import type { Cluster } from '../../../src/simulator/cluster-model.ts';
import {
  count,
  type KubeObject,
  labelsOf,
  objects,
  part,
  specOf,
  text,
} from '../../../src/simulator/objects/objects.ts';
import {
  apiVersionOf,
  ENDPOINT_SLICES,
  HTTP_PROXIES,
  HTTP_ROUTES,
  PODS,
  resourceKinds,
} from '../../../src/simulator/objects/resource-table.ts';

type Share = { readonly service: string; readonly percent: number; readonly endpoints: number };

/** A route of any kind, and where its rules send. */
type Route = { readonly name: string; readonly shares: readonly Share[] };

/** `chat   vllm-svc 95 % of 4   vllm-svc-canary 5 % of 1`: each route, where it sends, and to how many ready endpoints. */
export function tellRoutes(cluster: Cluster): readonly string[] {
  return routesIn(cluster).map(({ name, shares }) => {
    const told = shares.map(({ service, percent, endpoints }) => `${service} ${percent} % of ${endpoints}`);
    return `${name}   ${told.join('   ')}`;
  });
}

/** The largest part of the requests of a route that finds no ready endpoint just now, in per cent. */
export function failingPercent(cluster: Cluster): number {
  const failing = routesIn(cluster).map(({ shares }) =>
    shares.filter(({ endpoints }) => endpoints === 0).reduce((sum, { percent }) => sum + percent, 0),
  );
  return Math.max(0, ...failing);
}

/** The largest part of the requests of a route that one ready endpoint answers, in per cent; all of a share that finds none. */
export function mostOfAGroup(cluster: Cluster): number {
  const parts = routesIn(cluster).flatMap(({ shares }) =>
    shares.map(({ percent, endpoints }) => percent / Math.max(1, endpoints)),
  );
  return Math.max(0, ...parts);
}

/** Every rule of every route; those with matches of ours are left out: they are in the share of nobody else. */
function routesIn(cluster: Cluster): readonly Route[] {
  const rulesOf = (list: string, backends: string) => (route: KubeObject) =>
    objects(specOf(route)[list]).flatMap((rule) => sharesOf(cluster, route, objects(rule[backends])));
  const routed = (resource: string, prefix: string, shares: (route: KubeObject) => readonly Share[]) =>
    cluster.objects
      .list(resource)
      .map((route) => ({ name: `${prefix}${route.metadata.name}`, shares: shares(route) }))
      .filter((route) => route.shares.length > 0);
  return [
    ...routed(HTTP_ROUTES, '', rulesOf('rules', 'backendRefs')),
    ...routed(plural('GRPCRoute'), 'GRPCRoute ', rulesOf('rules', 'backendRefs')),
    ...routed(HTTP_PROXIES, 'HTTPProxy ', rulesOf('routes', 'services')),
    ...routed(plural('TraefikService'), 'TraefikService ', (route) =>
      sharesOf(cluster, route, objects(part(specOf(route), 'weighted')['services'])),
    ),
    ...routed(plural('VirtualService'), 'VirtualService ', (route) => subsetShares(cluster, route)),
    ...routed(plural('Ingress'), 'Ingress ', (ingress) => {
      const shares = actionShares(cluster, ingress);
      return shares.length > 0 ? shares : ingressShares(cluster, ingress);
    }),
  ];
}

function plural(kind: string): string {
  const entry = resourceKinds.find((one) => one.kind === kind);
  if (entry === undefined) throw new Error(`the model has no ${kind}`);
  return `${entry.plural}.${apiVersionOf(entry).split('/')[0] ?? ''}`;
}

function sharesOf(cluster: Cluster, { metadata: { namespace } }: KubeObject, backends: readonly JsonObject[]) {
  return weighted(backends, (backend) => {
    const service = text(backend['name']);
    return { service, endpoints: readyOf(cluster, namespace, service).length };
  });
}

type Backend = Omit<Share, 'percent'>;

function weighted(backends: readonly JsonObject[], backendOf: (backend: JsonObject) => Backend): readonly Share[] {
  const total = backends.reduce((sum, { weight }) => sum + count(weight, 1), 0);
  return backends
    .map((backend) => ({ ...backendOf(backend), percent: percentOf(count(backend['weight'], 1), total) }))
    .filter(({ percent }) => percent > 0);
}

function percentOf(weight: number, total: number): number {
  return total === 0 ? 0 : Math.round((weight * 1000) / total) / 10;
}

/** Istio: destinations of one Service, narrowed to the pods with the labels of a subset. Without that it meets nobody. */
function subsetShares(cluster: Cluster, { spec, metadata: { namespace } }: KubeObject): readonly Share[] {
  const rules = cluster.objects.list(plural('DestinationRule'), namespace);
  return objects(part({ spec: spec ?? {} }, 'spec')['http']).flatMap((route) =>
    weighted(objects(route['route']), (one) => {
      const destination = part(one, 'destination');
      const [host, name] = [text(destination['host']), text(destination['subset'])];
      const subsets = rules
        .filter((rule) => text(specOf(rule)['host']) === host)
        .flatMap((rule) => objects(specOf(rule)['subsets']));
      const subset = subsets.find((entry) => text(entry['name']) === name);
      const labels = Object.entries(subset === undefined ? {} : part(subset, 'labels'));
      const ready = readyOf(cluster, namespace, host).filter((pod) =>
        labels.every(([key, value]) => labelsOf(pod)[key] === value),
      );
      const endpoints = subset === undefined && name !== '' ? 0 : ready.length;
      return { service: name === '' ? host : `${host}/${name}`, endpoints };
    }),
  );
}

const ACTION = 'alb.ingress.kubernetes.io/actions.';

/** AWS: the target groups of the only action. */
function actionShares(cluster: Cluster, ingress: KubeObject): readonly Share[] {
  const annotations = Object.entries(ingress.metadata.annotations ?? {});
  const [, action] = annotations.find(([key]) => key.startsWith(ACTION)) ?? [];
  if (action === undefined) return [];
  const config = part(JSON.parse(action) as JsonObject, 'forwardConfig');
  const groups = objects(config['targetGroups']).map((group) => ({ ...group, name: group['serviceName'] ?? '' }));
  return sharesOf(cluster, ingress, groups);
}

/** nginx: the Ingress with the annotation canary takes its weight from the one that it is a copy of. */
function ingressShares(cluster: Cluster, ingress: KubeObject): readonly Share[] {
  const { namespace, name } = ingress.metadata;
  const nginx = (of: KubeObject, key: string): string =>
    of.metadata.annotations?.[`nginx.ingress.kubernetes.io/${key}`] ?? '';
  if (nginx(ingress, 'canary') === 'true') return [];
  const all = cluster.objects.list(plural('Ingress'), namespace);
  const canary = all.find((one) => one.metadata.name === `${name}-canary` && nginx(one, 'canary') === 'true');
  const weight = canary === undefined ? 0 : Number(nginx(canary, 'canary-weight'));
  const serviceOf = (of: KubeObject): string => {
    const [path] = objects(specOf(of)['rules']).flatMap((rule) => objects(part(rule, 'http')['paths']));
    return path === undefined ? '' : text(part(part(path, 'backend'), 'service')['name']);
  };
  const backends = [
    { name: serviceOf(ingress), weight: 100 - weight },
    ...(canary === undefined ? [] : [{ name: serviceOf(canary), weight }]),
  ];
  return sharesOf(cluster, ingress, backends);
}

/** The ready pods of a Service, by its EndpointSlices. */
function readyOf(cluster: Cluster, namespace: string, service: string): readonly KubeObject[] {
  const uids = cluster.objects
    .list(ENDPOINT_SLICES, namespace)
    .filter((slice) => labelsOf(slice)['kubernetes.io/service-name'] === service)
    .flatMap((slice) => objects(slice['endpoints']))
    .filter((endpoint) => part(endpoint, 'conditions')['ready'] === true)
    .map((endpoint) => text(part(endpoint, 'targetRef')['uid']));
  return cluster.objects.list(PODS, namespace).filter(({ metadata }) => uids.includes(metadata.uid));
}
