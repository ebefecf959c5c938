/** API groups whose objects no RouteProvider may write: they are no routes, and a number in one of them runs, stops or permits things. */

/** What a group is for; each also stands for the groups below it, as `toolkit.fluxcd.io`. */
const REFUSED: Readonly<Record<string, string>> = {
  'argoproj.io': 'Argo',
  'fluxcd.io': 'Flux',
  'cattle.io': 'Primary and Helm charts',
  'crossplane.io': 'Crossplane',
  'kruise.io': 'workloads',
  'openkruise.io': 'workloads',
  'keda.sh': 'autoscalers',
  'ray.io': 'workloads',
  'kubeflow.org': 'workloads',
  'volcano.sh': 'workloads',
  'kubevirt.io': 'workloads',
  'tekton.dev': 'pipelines',
  'coreos.com': 'operators',
  'kyverno.io': 'admission',
  'gatekeeper.sh': 'admission',
  'security.istio.io': 'who may call whom',
  'external-secrets.io': 'secrets',
  'cert-manager.io': 'certificates',
  'tranche.dev': 'tranche',
};

/** Of Kubernetes' own groups with a name of its domain, these alone hold routes. */
const NETWORKING = /(^|\.)(gateway|inference)\.networking\.(x-)?k8s\.io$/;
const KUBERNETES = /(^|\.)(x-)?k8s\.io$|(^|\.)kubernetes\.io$/;

/** What objects of this group and kind are, where they are never written as routes; undefined: they may be. */
export function refusedGroup(group: string, kind: string): string | undefined {
  // Groups without a dot are Kubernetes' own: apps, batch, autoscaling, policy; the core API is its version.
  if (!group.includes('.')) return group === 'v1' && kind === 'Service' ? undefined : "Kubernetes' own API";
  if (KUBERNETES.test(group)) return NETWORKING.test(group) ? undefined : "Kubernetes' own API";
  const found = Object.keys(REFUSED).find((one) => group === one || group.endsWith(`.${one}`));
  return found === undefined ? undefined : REFUSED[found];
}
