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
import { ENDPOINT_SLICES, HTTP_ROUTES } from '../../../src/simulator/objects/resource-table.ts';

type Share = { readonly service: string; readonly percent: number; readonly endpoints: number };

/** `chat   vllm-svc 95 % of 4   vllm-svc-canary 5 % of 1`: each route, where it sends, and to how many ready endpoints. */
export function tellRoutes(cluster: Cluster): readonly string[] {
  return cluster.objects.list(HTTP_ROUTES).map((route) => {
    const shares = sharesOf(cluster, route).map(
      ({ service, percent, endpoints }) => `${service} ${percent} % of ${endpoints}`,
    );
    return `${route.metadata.name}   ${shares.join('   ')}`;
  });
}

/** The largest part of the requests of a route that finds no ready endpoint just now, in per cent. */
export function failingPercent(cluster: Cluster): number {
  const failing = cluster.objects.list(HTTP_ROUTES).map((route) =>
    sharesOf(cluster, route)
      .filter(({ endpoints }) => endpoints === 0)
      .reduce((sum, { percent }) => sum + percent, 0),
  );
  return Math.max(0, ...failing);
}

/** Where the rules of a route send, those with matches of ours left out: they are in the share of nobody else. */
function sharesOf(cluster: Cluster, route: KubeObject): readonly Share[] {
  const rules = objects(specOf(route)['rules']).map((rule) => objects(rule['backendRefs']));
  return rules.flatMap((backends) => {
    const total = backends.reduce((sum, { weight }) => sum + count(weight, 1), 0);
    return backends.map((backend) => shareOf(cluster, route, { backend, total })).filter(({ percent }) => percent > 0);
  });
}

function shareOf(
  cluster: Cluster,
  { metadata: { namespace } }: KubeObject,
  { backend, total }: { readonly backend: JsonObject; readonly total: number },
): Share {
  const service = text(backend['name']);
  const slices = cluster.objects
    .list(ENDPOINT_SLICES, namespace)
    .filter((slice) => labelsOf(slice)['kubernetes.io/service-name'] === service);
  const ready = slices.flatMap((slice) =>
    objects(slice['endpoints']).filter((endpoint) => part(endpoint, 'conditions')['ready'] === true),
  );
  const percent = total === 0 ? 0 : Math.round((count(backend['weight'], 1) * 1000) / total) / 10;
  return { service, percent, endpoints: ready.length };
}
