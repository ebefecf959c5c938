/** One thing asked of the API server: its URL, and the words for it in messages and RBAC rules. */

import type { Resource } from '../../ports/cluster.ts';

export type Call = {
  readonly verb: 'list' | 'get';
  readonly resource: Resource;
  readonly namespace: string;
  /** Empty for a list. */
  readonly name: string;
};

/** `statefulsets.apps`, as RBAC and `kubectl auth can-i` spell it. */
export function resourceName({ plural, group }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** `get statefulsets.apps llm/vllm`: opens every message. */
export function describe({ verb, resource, namespace, name }: Call): string {
  const object = verb === 'get' ? `${namespace}/${name}` : `in ${namespace}`;
  return `${verb} ${resourceName(resource)} ${object}`;
}

const DNS_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * Why these names cannot be asked for, undefined when they can. A name becomes part of a URL, so nothing but
 * what Kubernetes allows in names gets there: a `..` would turn a get into a list.
 */
export function badName({ verb, namespace, name }: Call): string | undefined {
  if (!DNS_NAME.test(namespace) || namespace.includes('..')) return `${JSON.stringify(namespace)} is no namespace`;
  if (verb === 'get' && (!DNS_NAME.test(name) || name.includes('..')))
    return `${JSON.stringify(name)} is no name of an object`;
  return undefined;
}

/** The URL below the address of the server, which may have a path of its own. */
export function urlOf(server: URL, call: Call, parameters: readonly (readonly [string, string])[]): URL {
  const { group, version, plural } = call.resource;
  const api = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const object = call.verb === 'get' ? `/${call.name}` : '';
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/$/, '')}/${api}/namespaces/${call.namespace}/${plural}${object}`;
  for (const [key, value] of parameters) url.searchParams.set(key, value);
  return url;
}
