/** HTTPRoute and GRPCRoute of the Gateway API, as far as they say where requests go. */

import { type FieldFault, FieldReader } from './field-reader.ts';
import { at, isJsonObject, type Json, type JsonObject } from './json.ts';

/** Of the Gateway API: what an API server refuses beyond (reference: apis/v1 httproute_types.go). */
export const ROUTE_LIMITS = {
  rules: 16,
  matchesOfRule: 64,
  /** Of older releases (reference: grpcroute_types.go). */
  matchesOfOldGrpcRule: 8,
  matches: 128,
  backendsOfRule: 16,
  filtersOfRule: 16,
} as const;

const WEIGHT_MAX = 1_000_000;
/** More than the API takes, so that a list that is too long is read and reported as such. */
const READ_LIMIT = 256;

export type BackendRef = {
  readonly place: number;
  /** `Service` or `InferencePool` of their own groups as the bare kind; any other as `group/kind`. */
  readonly kind: string;
  readonly name: string;
  /** Empty: that of the route, written out or not. */
  readonly namespace: string;
  readonly port: number | undefined;
  /** undefined: not written, which means 1. */
  readonly weight: number | undefined;
  /** As it stands in the list. */
  readonly json: JsonObject;
};

export type RouteRule = {
  readonly place: number;
  /** Empty: without one. */
  readonly name: string;
  readonly backends: readonly BackendRef[];
  readonly matches: readonly JsonObject[];
  readonly filters: readonly JsonObject[];
  readonly json: JsonObject;
};

export type HttpRoute = { readonly rules: readonly RouteRule[]; readonly faults: readonly FieldFault[] };

/**
 * Reads the rules of a route of this namespace. Faults are of fields that are needed to send a share; a route without
 * rules has none.
 */
export function parseHttpRoute(value: unknown, namespace: string): HttpRoute {
  const root = new FieldReader(value, '');
  const spec = root.object('spec');
  const rules = spec.objects('rules', READ_LIMIT).map((rule, place): RouteRule => {
    const json = rule.asJson();
    return {
      place,
      name: rule.optionalText('name', ''),
      backends: rule.objects('backendRefs', READ_LIMIT).map((ref, number) => readBackend(ref, number, namespace)),
      matches: objectsOf(json['matches']),
      filters: objectsOf(json['filters']),
      json,
    };
  });
  return { rules, faults: root.faults };
}

const CORE_KINDS: Readonly<Record<string, string>> = {
  '/Service': 'Service',
  'inference.networking.k8s.io/InferencePool': 'InferencePool',
  'inference.networking.x-k8s.io/InferencePool': 'InferencePool',
};

function readBackend(ref: FieldReader, place: number, own: string): BackendRef {
  const namespace = ref.optionalText('namespace', '');
  const group = ref.value('group');
  const kind = `${typeof group === 'string' ? group : ''}/${ref.optionalText('kind', 'Service')}`;
  return {
    place,
    kind: CORE_KINDS[kind] ?? kind,
    name: ref.text('name'),
    namespace: namespace === own ? '' : namespace,
    port: ref.integer('port', { min: 1, max: 65_535 }),
    weight: ref.integer('weight', { min: 0, max: WEIGHT_MAX }),
    json: ref.asJson(),
  };
}

function objectsOf(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter((item: Json) => isJsonObject(item)) : [];
}

/** The Service or pool to which the mirror of a filter sends its copies; undefined: it is no mirror. */
export function mirrorTarget(
  filter: JsonObject,
  own: string,
): Pick<BackendRef, 'kind' | 'name' | 'namespace'> | undefined {
  const ref = at(filter, ['requestMirror', 'backendRef']);
  if (!isJsonObject(ref)) return undefined;
  const { kind, name, namespace } = readBackend(new FieldReader(ref, ''), 0, own);
  return { kind, name, namespace };
}
