/**
 * The object that a workload comes out of where no file has its manifest: an annotation of the Rollout. Not a field of
 * `workloadRef`: the API server that has Kruise's Rollout takes no other fields there.
 */

export const CARRIER = 'tranche.dev/carrier';
export const CARRIER_KIND = 'HelmRelease';
export const HELM_GROUP = 'helm.toolkit.fluxcd.io';
/** The one version that is read. */
export const CARRIER_API_VERSION = `${HELM_GROUP}/v2`;
export const CARRIER_WANTED = `${CARRIER_KIND}/<namespace>/<name>, as ${CARRIER_KIND}/llm/vllm`;

/** The object by its own name, and not by that of the release. */
export type Carrier = { readonly namespace: string; readonly name: string };

/** undefined: it says none, or another kind. */
export function parseCarrier(text: string): Carrier | undefined {
  const [kind, namespace = '', name = '', ...more] = text.split('/');
  const isWhole = kind === CARRIER_KIND && more.length === 0;
  return isWhole && NAMESPACE.test(namespace) && NAME.test(name) ? { namespace, name } : undefined;
}

const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
