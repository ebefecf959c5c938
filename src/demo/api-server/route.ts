/** Takes a request apart: which resource, object and subresource its path names. */

import { type ResourceKind, resourceName } from '../../simulator/objects/resource-table.ts';

export type ApiRequest = {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  /** Without parameters, in lower case. */
  readonly contentType: string;
  readonly userAgent: string;
  readonly authorization: string;
  readonly body: string;
};

export type Target = {
  readonly kind: ResourceKind;
  /** As the store names it, `statefulsets.apps`. */
  readonly resource: string;
  /** Empty for the whole cluster. */
  readonly namespace: string;
  /** Empty for the collection. */
  readonly name: string;
  readonly subresource: string;
};

/** The few kinds here that no namespace holds. */
const clusterScoped: readonly string[] = ['namespaces', 'clusterroles', 'clusterrolebindings'];

/** True for kinds whose objects live in a namespace. */
export function isNamespaced({ plural }: ResourceKind): boolean {
  return !clusterScoped.includes(plural);
}

/** Subresources that a kind serves. */
export function subresourcesOf({ plural }: ResourceKind): readonly string[] {
  if (['leaderworkersets', 'statefulsets', 'deployments'].includes(plural)) return ['status', 'scale'];
  return ['pods', 'services'].includes(plural) ? ['status'] : [];
}

/** The object or collection of a path below /api or /apis; undefined where nothing is served. */
export function targetOf(path: string, kinds: readonly ResourceKind[]): Target | undefined {
  const [root, ...parts] = path.split('/').slice(1).map(decoded);
  const isCore = root === 'api';
  if (!isCore && root !== 'apis') return undefined;
  const group = isCore ? '' : (parts.shift() ?? '');
  const version = parts.shift() ?? '';
  // `/namespaces/llm/pods` are pods of a namespace, `/namespaces/llm` and `/namespaces/llm/status` a namespace.
  const inNamespace = parts[0] === 'namespaces' && parts.length >= 3 && parts[2] !== 'status';
  const namespace = inNamespace ? (parts[1] ?? '') : '';
  const [plural = '', name = '', subresource = '', ...rest] = inNamespace ? parts.slice(2) : parts;
  const kind = kinds.find((one) => one.group === group && one.version === version && one.plural === plural);
  if (kind === undefined || rest.length > 0) return undefined;
  const scoped = isNamespaced(kind);
  if (namespace !== '' && !scoped) return undefined;
  if (namespace === '' && scoped && name !== '') return undefined;
  if (subresource !== '' && !subresourcesOf(kind).includes(subresource)) return undefined;
  return { kind, resource: resourceName(kind), namespace, name, subresource };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
