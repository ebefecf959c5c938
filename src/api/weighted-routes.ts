/** Istio's VirtualService, Traefik's TraefikService and Contour's HTTPProxy, as far as they say where requests go. */

import { at, isJsonObject, type Json, type JsonObject } from './json.ts';

/** A list of maps; what is none of them, the API server refuses. */
export function mapsAt(value: Json | undefined, path: readonly string[]): readonly JsonObject[] {
  const list = at(value, path);
  return Array.isArray(list) ? list.filter((item: Json) => isJsonObject(item)) : [];
}

/** Where a backend of any of these kinds sends, and how much. */
type WeightedBackend = {
  readonly name: string;
  /** Istio's: the namespace in the host; empty: that of the route. */
  readonly namespace: string;
  readonly port: number | string | undefined;
  readonly weight: number | undefined;
  readonly json: JsonObject;
};

/** A destination of Istio. */
export function istioBackend(json: JsonObject): WeightedBackend {
  const { name, namespace } = istioHost(at(json, ['destination', 'host']));
  return { name, namespace, port: portIn(at(json, ['destination', 'port', 'number'])), weight: weightIn(json), json };
}

/** The Service that a host names, by its short name or with its namespace. */
export function istioHost(host: Json | undefined): Pick<WeightedBackend, 'name' | 'namespace'> {
  const [name = '', namespace = ''] = typeof host === 'string' ? host.split('.') : [];
  return { name, namespace };
}

/** A service of Traefik or Contour. */
export function namedBackend(json: JsonObject): WeightedBackend {
  const { name, namespace } = json;
  return {
    name: typeof name === 'string' ? name : '',
    namespace: typeof namespace === 'string' ? namespace : '',
    port: portIn(json['port']),
    weight: weightIn(json),
    json,
  };
}

function portIn(value: Json | undefined): number | string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}

function weightIn({ weight }: JsonObject): number | undefined {
  return typeof weight === 'number' ? weight : undefined;
}
