/** Which kinds the model serves, under which group, version and plural. */

export type ResourceKind = {
  /** Empty for the core API. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** Custom resources answer lists with apiVersion and kind in every item; built-in ones do not. */
  readonly custom: boolean;
};

export const LWS = 'leaderworkersets.leaderworkerset.x-k8s.io';
export const STATEFUL_SETS = 'statefulsets.apps';
export const PODS = 'pods';
export const CONTROLLER_REVISIONS = 'controllerrevisions.apps';
export const SERVICES = 'services';
export const ENDPOINT_SLICES = 'endpointslices.discovery.k8s.io';
export const HTTP_ROUTES = 'httproutes.gateway.networking.k8s.io';
export const GRPC_ROUTES = 'grpcroutes.gateway.networking.k8s.io';
export const HTTP_PROXIES = 'httpproxies.projectcontour.io';
export const APPLICATIONS = 'applications.argoproj.io';
export const KUSTOMIZATIONS = 'kustomizations.kustomize.toolkit.fluxcd.io';
export const GIT_REPOSITORIES = 'gitrepositories.source.toolkit.fluxcd.io';

/** Every kind that the model knows by name; others get a plural by rule (`resourceOf`). */
export const resourceKinds: readonly ResourceKind[] = [
  kind('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', 'leaderworkersets', true),
  kind('apps/v1', 'StatefulSet', 'statefulsets', false),
  kind('apps/v1', 'ControllerRevision', 'controllerrevisions', false),
  kind('apps/v1', 'Deployment', 'deployments', false),
  kind('v1', 'Pod', 'pods', false),
  kind('v1', 'Service', 'services', false),
  kind('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices', false),
  kind('v1', 'ConfigMap', 'configmaps', false),
  kind('v1', 'Secret', 'secrets', false),
  kind('v1', 'Namespace', 'namespaces', false),
  kind('v1', 'ServiceAccount', 'serviceaccounts', false),
  kind('events.k8s.io/v1', 'Event', 'events', false),
  kind('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', false),
  kind('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', false),
  kind('networking.k8s.io/v1', 'Ingress', 'ingresses', false),
  kind('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', false),
  kind('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', false),
  kind('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'clusterrolebindings', false),
  kind('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings', false),
  kind('keda.sh/v1alpha1', 'ScaledObject', 'scaledobjects', true),
  kind('gateway.networking.k8s.io/v1', 'HTTPRoute', 'httproutes', true),
  kind('gateway.networking.k8s.io/v1', 'GRPCRoute', 'grpcroutes', true),
  kind('gateway.networking.k8s.io/v1', 'Gateway', 'gateways', true),
  kind('networking.istio.io/v1', 'VirtualService', 'virtualservices', true),
  kind('networking.istio.io/v1', 'DestinationRule', 'destinationrules', true),
  kind('traefik.io/v1alpha1', 'TraefikService', 'traefikservices', true),
  kind('projectcontour.io/v1', 'HTTPProxy', 'httpproxies', true),
  // Of no provider of ours: a route that a RouteProvider describes.
  kind('split.smi-spec.io/v1alpha2', 'TrafficSplit', 'trafficsplits', true),
  kind('inference.networking.k8s.io/v1', 'InferencePool', 'inferencepools', true),
  kind('argoproj.io/v1alpha1', 'Application', 'applications', true),
  kind('source.toolkit.fluxcd.io/v1', 'GitRepository', 'gitrepositories', true),
  kind('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'kustomizations', true),
];

const byKind = new Map(resourceKinds.map((entry) => [`${apiVersionOf(entry)} ${entry.kind}`, entry]));

/** `v1`, or `group/version`. */
export function apiVersionOf(entry: { readonly group: string; readonly version: string }): string {
  return entry.group === '' ? entry.version : `${entry.group}/${entry.version}`;
}

/** How the store names a resource: the plural, and the group after a dot (`kubectl`'s own spelling). */
export function resourceName(entry: { readonly group: string; readonly plural: string }): string {
  return entry.group === '' ? entry.plural : `${entry.plural}.${entry.group}`;
}

/** The resource that holds objects of this kind. A kind that is not in the table gets the regular English plural. */
export function resourceOf(object: { readonly apiVersion: string; readonly kind: string }): string {
  const entry = byKind.get(`${object.apiVersion} ${object.kind}`);
  if (entry !== undefined) return resourceName(entry);
  const slash = object.apiVersion.indexOf('/');
  return resourceName({
    group: slash < 0 ? '' : object.apiVersion.slice(0, slash),
    plural: plural(object.kind.toLowerCase()),
  });
}

function plural(singular: string): string {
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}

function kind(apiVersion: string, name: string, pluralName: string, custom: boolean): ResourceKind {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return { group, version: apiVersion.slice(slash + 1), plural: pluralName, kind: name, custom };
}
