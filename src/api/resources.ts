/** The resources that a pass reads, as their URLs name them. RBAC rules in the docs are made from this table. */

/** All of them are namespaced. Group is empty for the core API. */
export const resources = {
  lws: { group: 'leaderworkerset.x-k8s.io', version: 'v1', plural: 'leaderworkersets' },
  statefulSets: { group: 'apps', version: 'v1', plural: 'statefulsets' },
  pods: { group: '', version: 'v1', plural: 'pods' },
  controllerRevisions: { group: 'apps', version: 'v1', plural: 'controllerrevisions' },
  horizontalPodAutoscalers: { group: 'autoscaling', version: 'v2', plural: 'horizontalpodautoscalers' },
  scaledObjects: { group: 'keda.sh', version: 'v1alpha1', plural: 'scaledobjects' },
} as const;

/** Read next to them where a Rollout with `trafficRoutings` has a second workload, and a delivery is in progress. */
export const trafficResources = {
  services: { group: '', version: 'v1', plural: 'services' },
  endpointSlices: { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices' },
} as const;

/** Of these, only the kinds that such Rollouts name; the version is that of the document in Git. */
export const routeResources = [
  { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', plural: 'httproutes' },
  { group: 'gateway.networking.k8s.io', kind: 'GRPCRoute', plural: 'grpcroutes' },
  { group: 'networking.k8s.io', kind: 'Ingress', plural: 'ingresses' },
  { group: 'networking.istio.io', kind: 'VirtualService', plural: 'virtualservices' },
  { group: 'networking.istio.io', kind: 'DestinationRule', plural: 'destinationrules' },
  { group: 'traefik.io', kind: 'TraefikService', plural: 'traefikservices' },
  { group: 'projectcontour.io', kind: 'HTTPProxy', plural: 'httpproxies' },
] as const;
