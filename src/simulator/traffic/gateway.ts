/** A gateway as far as its word goes: it takes up routes, and says in their status of which generation. */

import type { JsonObject } from '../../api/json.ts';
import type { Change } from '../objects/object-store.ts';
import { type KubeObject, objects, specOf, text } from '../objects/objects.ts';
import { GRPC_ROUTES, HTTP_PROXIES, HTTP_ROUTES, SERVICES } from '../objects/resource-table.ts';
import { queueKey, splitKey, type World } from '../world.ts';

/** The kinds that it takes up; others have no status that says so. */
const KINDS: readonly string[] = [HTTP_ROUTES, GRPC_ROUTES, HTTP_PROXIES];

/** The keys of the routes that a change makes the gateway look at: `resource namespace/name`. */
export function routesTouched(world: World, { resource, object, before }: Change): readonly string[] {
  if (KINDS.includes(resource)) {
    const isOwn = before !== undefined && before.metadata.generation === object.metadata.generation;
    return isOwn ? [] : [`${resource} ${queueKey(object)}`];
  }
  // A Service that comes or goes makes references right or wrong.
  if (
    resource !== SERVICES ||
    (before !== undefined && world.objects.get({ resource, ...object.metadata }) !== undefined)
  )
    return [];
  return KINDS.flatMap((kind) =>
    world.objects.list(kind, object.metadata.namespace).map((route) => `${kind} ${queueKey(route)}`),
  );
}

/** Says of a route what it is worth now. */
export function reconcileRoute(world: World, key: string): void {
  const [resource = '', place = ''] = key.split(' ');
  const route = world.objects.get({ resource, ...splitKey(place) });
  if (route === undefined) return;
  const status = resource === HTTP_PROXIES ? proxyStatus(world, route) : routeStatus(world, route);
  if (status !== undefined) world.objects.putStatus(resource, route, status);
}

function routeStatus(world: World, route: KubeObject): JsonObject | undefined {
  const parents = objects(specOf(route)['parentRefs']);
  if (parents.length === 0) return undefined;
  const backends = objects(specOf(route)['rules']).flatMap((rule) => objects(rule['backendRefs']));
  const resolved = missing(world, route, backends);
  return {
    parents: parents.map((parentRef) => ({
      parentRef,
      controllerName: 'example.com/gateway',
      conditions: [condition(route, 'Accepted', undefined), condition(route, 'ResolvedRefs', resolved)],
    })),
  };
}

function proxyStatus(world: World, proxy: KubeObject): JsonObject {
  const services = objects(specOf(proxy)['routes']).flatMap((rule) => objects(rule['services']));
  const unresolved = missing(world, proxy, services);
  return {
    currentStatus: unresolved === undefined ? 'valid' : 'invalid',
    conditions: [condition(proxy, 'Valid', unresolved)],
  };
}

/** The name of the first backend that is no Service of the namespace; of another kind it is taken to be there. */
function missing(world: World, route: KubeObject, backends: readonly JsonObject[]): string | undefined {
  const { namespace } = route.metadata;
  const names = backends.filter(({ kind }) => text(kind, 'Service') === 'Service').map(({ name }) => text(name));
  return names.find((name) => world.objects.get({ resource: SERVICES, namespace, name }) === undefined);
}

function condition(route: KubeObject, type: string, fault: string | undefined): JsonObject {
  return {
    type,
    status: fault === undefined ? 'True' : 'False',
    observedGeneration: route.metadata.generation ?? 0,
    reason: fault === undefined ? type : 'BackendNotFound',
    message: fault === undefined ? '' : `Service ${fault} is not there`,
  };
}
