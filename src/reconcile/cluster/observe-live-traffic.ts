/** Reads what the cluster has of a delivery next to the user's own workload: the second one, Services, endpoints, routes. */

import { lastWritten } from '../../api/field-writers.ts';
import { at, type JsonObject } from '../../api/json.ts';
import { absent, type Known, known, notAsked, unknown } from '../../api/known.ts';
import { parseWorker } from '../../api/live-pod.ts';
import {
  type LiveEndpointSlice,
  type LiveService,
  parseEndpointSlice,
  parseLiveRoute,
  parseLiveService,
  SERVICE_NAME,
} from '../../api/live-traffic.ts';
import { LWS_NAME, WORKER_INDEX } from '../../api/lws-labels.ts';
import { resources, routeResources, trafficResources } from '../../api/resources.ts';
import type { Instant } from '../../api/time.ts';
import type { Cluster, Resource } from '../../ports/cluster.ts';
import type { ObjectRef } from '../../rollout/edits/edit.ts';
import type { Live, LiveRoute, LiveTraffic } from '../../rollout/snapshot.ts';
import { type ListOf, listOnce } from './list-once.ts';
import type { LiveReader } from './observe-cluster.ts';

/** A route by its document in Git: its version is the one that it is read in. */
type RouteName = Pick<ObjectRef, 'apiVersion' | 'kind' | 'name'> & {
  /** Of a kind that the files describe; undefined: the kind is known here. */
  readonly plural?: string | undefined;
};

/** What a delivery hangs on, by name; the namespace is that of the workload. */
export type TrafficAsked = {
  readonly namespace: string;
  /** The other workload; undefined: there is none. */
  readonly second: string | undefined;
  /** The user's Service and the one of the new version; undefined: the Rollout names none. */
  readonly services: { readonly stable: string; readonly canary: string } | undefined;
  /** The routes that the Rollout names, and the copies of them that are in Git. */
  readonly routes: readonly RouteName[];
};

export type TrafficReader = {
  readonly read: (asked: TrafficAsked) => Promise<LiveTraffic>;
  /** Asks for the lists at once, where they are going to be wanted. What goes wrong is reported to the reader. */
  readonly start: (asked: TrafficAsked) => void;
};

/** What is held of an object: its name, or that of the Service whose endpoints it has, and what it says. */
type Named<T> = { readonly name: unknown; readonly read: Known<T>; readonly writtenAt: Instant | undefined };

/** A reader for one pass: each kind is listed once in a namespace, and only where a delivery asks for it. */
export function trafficReader(cluster: Cluster, live: LiveReader): TrafficReader {
  const services = named(cluster, { resource: trafficResources.services, labelSelector: '' }, parseLiveService);
  const slices = listOnce(
    cluster,
    { resource: trafficResources.endpointSlices, labelSelector: SERVICE_NAME },
    (object): Named<LiveEndpointSlice> => ({
      name: at(object, ['metadata', 'labels', SERVICE_NAME]),
      read: parseEndpointSlice(object),
      writtenAt: undefined,
    }),
  );
  const routes = routeLists(cluster);
  const listsOf = ({ namespace, services: names, routes: wanted }: TrafficAsked) =>
    Promise.all([
      names === undefined ? undefined : services(namespace),
      names === undefined ? undefined : slices(namespace),
      Promise.all(wanted.map((route) => readRoute(routes, namespace, route))),
    ]);
  const read = async (asked: TrafficAsked): Promise<LiveTraffic> => {
    const { namespace, second, services: names } = asked;
    const [other, [all, endpoints, found]] = await Promise.all([
      readSecond(cluster, live, { namespace, name: second }),
      listsOf(asked),
    ]);
    return {
      second: other,
      service: called(all, names?.stable),
      canaryService: called(all, names?.canary),
      endpoints: endpoints === undefined ? NO_SERVICE : endpointsOf(endpoints, [names?.stable, names?.canary]),
      routes: found,
    };
  };
  return { read, start: (asked) => void listsOf(asked).catch(() => undefined) };
}

/** Nothing of it is asked for, and nothing is there. */
const NO_SECOND: Live = {
  lws: absent,
  leaderSet: absent,
  leaders: known([]),
  workerSets: known([]),
  workerPods: known([]),
  revisions: absent,
  scaler: absent,
};

const NO_SERVICE = notAsked('the Rollout names no Service');

function named<T>(
  cluster: Cluster,
  query: { readonly resource: Resource; readonly labelSelector: string },
  parse: (object: unknown) => Known<T>,
): ListOf<Named<T>> {
  return listOnce(cluster, query, (object) => ({
    name: at(object, ['metadata', 'name']),
    read: parse(object),
    writtenAt: lastWritten(object),
  }));
}

/** The other workload; where it asks for no groups, what is left of them, the workers too. */
async function readSecond(
  cluster: Cluster,
  live: LiveReader,
  { namespace, name }: { readonly namespace: string; readonly name: string | undefined },
): Promise<Live> {
  if (name === undefined) return NO_SECOND;
  // Who scales it scales nothing that a step hangs on.
  const second = await live({ namespace, name, autoscaled: undefined });
  const { lws } = second;
  if (lws.kind === 'unknown' || (lws.kind === 'known' && lws.value.replicas > 0)) return second;
  const labelSelector = `${LWS_NAME}=${name},${WORKER_INDEX}!=0`;
  const workers = await cluster.list(resources.pods, { namespace, labelSelector }, parseWorker);
  return { ...second, workerPods: together(workers) };
}

/** One object that cannot be read makes the list unknown. */
function together<T>(items: Known<readonly Known<T>[]>): Known<readonly T[]> {
  if (items.kind !== 'known') return items;
  const values: T[] = [];
  for (const read of items.value) {
    if (read.kind === 'unknown') return read;
    if (read.kind === 'known') values.push(read.value);
  }
  return known(values);
}

function called(
  services: Known<readonly Named<LiveService>[]> | undefined,
  name: string | undefined,
): Known<LiveService> {
  if (services === undefined) return NO_SERVICE;
  return services.kind === 'known' ? (services.value.find((one) => one.name === name)?.read ?? absent) : services;
}

function endpointsOf(
  slices: Known<readonly Named<LiveEndpointSlice>[]>,
  names: readonly (string | undefined)[],
): Known<readonly LiveEndpointSlice[]> {
  if (slices.kind === 'absent') return unknown('the API server has no endpointslices.discovery.k8s.io');
  if (slices.kind === 'unknown') return slices;
  return together(
    known(slices.value.filter((slice) => names.some((name) => name === slice.name)).map(({ read }) => read)),
  );
}

type RouteLists = (resource: Resource) => ListOf<Named<JsonObject>>;

/** One list a kind and version. */
function routeLists(cluster: Cluster): RouteLists {
  const lists = new Map<string, ReturnType<RouteLists>>();
  return (resource) => {
    const key = JSON.stringify(resource);
    const list = lists.get(key) ?? named(cluster, { resource, labelSelector: '' }, parseLiveRoute(resource.plural));
    lists.set(key, list);
    return list;
  };
}

async function readRoute(
  lists: RouteLists,
  namespace: string,
  { apiVersion, kind, name, plural: custom }: RouteName,
): Promise<LiveRoute> {
  const of = (live: LiveRoute['live']): LiveRoute => ({ kind, name, live });
  const [group, version] = apiVersion.split('/');
  const plural = custom ?? routeResources.find((one) => one.kind === kind && one.group === group)?.plural;
  if (plural === undefined || group === undefined || version === undefined)
    return of(unknown(`${kind} ${name}: ${apiVersion} is no kind of route that is read`));
  const resource = { group, version, plural };
  const found = await lists(resource)(namespace);
  if (found.kind === 'absent')
    return of(unknown(`the API server has no ${plural}.${group} in version ${version}: is its CRD installed?`));
  if (found.kind === 'unknown') return of(found);
  const one = found.value.find((other) => other.name === name);
  const { writtenAt } = one ?? {};
  return { ...of(one?.read ?? absent), ...(writtenAt === undefined ? {} : { writtenAt }) };
}
