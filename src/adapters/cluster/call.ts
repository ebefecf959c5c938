/** One thing asked of the API server: its URL, and the words for it in messages and RBAC rules. */

import type { Resource } from '../../ports/cluster.ts';

/** A list: nothing else is ever asked for. */
export type Call = { readonly resource: Resource; readonly namespace: string };

/** `statefulsets.apps`, as RBAC and `kubectl auth can-i` spell it. */
export function resourceName({ plural, group }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** `list statefulsets.apps in llm`: opens every message. */
export function describe({ resource, namespace }: Call): string {
  return `list ${resourceName(resource)} in ${namespace}`;
}

const DNS_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * Why this cannot be asked for, undefined when it can. A namespace becomes part of a URL, so nothing but what
 * Kubernetes allows in names gets there: a `..` would ask for something else.
 */
export function badName({ namespace }: Call): string | undefined {
  const isName = DNS_NAME.test(namespace) && !namespace.includes('..');
  return isName ? undefined : `${JSON.stringify(namespace)} is no namespace`;
}

/** The URL below the address of the server, which may have a path of its own. */
export function urlOf(server: URL, call: Call, parameters: readonly (readonly [string, string])[]): URL {
  const { group, version, plural } = call.resource;
  const api = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/$/, '')}/${api}/namespaces/${call.namespace}/${plural}`;
  for (const [key, value] of parameters) url.searchParams.set(key, value);
  return url;
}
