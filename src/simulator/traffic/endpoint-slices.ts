/** The EndpointSlice controller: the pods that each Service selects, and whether they take requests. */

import { isRecord } from '../../api/json.ts';
import { SERVICE_NAME } from '../../api/live-traffic.ts';
import type { Change } from '../objects/object-store.ts';
import {
  controllerOf,
  isDeleting,
  type KubeObject,
  labelsOf,
  objects,
  ownerReference,
  type StringMap,
  specOf,
  statusOf,
  strings,
} from '../objects/objects.ts';
import { ENDPOINT_SLICES, LWS, PODS, resourceOf, SERVICES } from '../objects/resource-table.ts';
import { queueKey, splitKey, type World } from '../world.ts';

/** The keys of the Services whose endpoints a change may change. */
export function servicesTouched(world: World, { resource, before, object }: Change): readonly string[] {
  if (resource === SERVICES) return isOfLws(object) ? [] : [queueKey(object)];
  if (resource !== PODS) return [];
  const { namespace } = object.metadata;
  const found: string[] = [];
  for (const service of world.objects.unordered(SERVICES, namespace)) {
    if (isOfLws(service)) continue;
    const selector = selectorOf(service);
    if ([before, object].some((pod) => pod !== undefined && selects(selector, pod))) found.push(queueKey(service));
  }
  return found;
}

/** LWS's own headless Services name every pod of a workload: nobody sends requests there, and no route names them. */
function isOfLws(service: KubeObject): boolean {
  const owner = controllerOf(service);
  return owner !== undefined && [LWS, PODS].includes(resourceOf(owner));
}

/** Writes the one slice of a Service. Without a selector its endpoints are somebody else's. */
export function reconcileEndpoints(world: World, key: string): void {
  const { namespace, name } = splitKey(key);
  const service = world.objects.get({ resource: SERVICES, namespace, name });
  if (service === undefined || isDeleting(service)) return;
  const selector = selectorOf(service);
  if (Object.keys(selector).length === 0) return;
  const publishes = specOf(service)['publishNotReadyAddresses'] === true;
  const pods = world.objects.list(PODS, namespace).filter((pod) => selects(selector, pod));
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    endpoints: pods.map((pod) => endpointOf(pod, publishes)),
    metadata: {
      name: `${name}-endpoints`,
      namespace,
      labels: { [SERVICE_NAME]: name, 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' },
      ownerReferences: [ownerReference(service)],
    },
  };
  const there = world.objects.get({ resource: ENDPOINT_SLICES, namespace, name: slice.metadata.name });
  if (there === undefined) world.objects.add(ENDPOINT_SLICES, slice);
  else world.objects.put(ENDPOINT_SLICES, there, slice);
}

function endpointOf(pod: KubeObject, publishes: boolean) {
  const terminating = isDeleting(pod);
  const serving = objects(statusOf(pod)['conditions']).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
  const { name, namespace, uid } = pod.metadata;
  return {
    addresses: [],
    conditions: { ready: publishes || (serving && !terminating), serving, terminating },
    targetRef: { kind: 'Pod', name, namespace, uid },
  };
}

function selectorOf(service: KubeObject): StringMap {
  const { selector } = specOf(service);
  return isRecord(selector) ? strings(selector) : {};
}

function selects(selector: StringMap, pod: KubeObject): boolean {
  const labels = labelsOf(pod);
  const keys = Object.keys(selector);
  return keys.length > 0 && keys.every((key) => labels[key] === selector[key]);
}
