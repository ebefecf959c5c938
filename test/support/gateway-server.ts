/**
 * What an API server with the CRDs of the Gateway API does to a route that is applied: it fills in defaults, and refuses
 * what the rules of the CRDs forbid that no schema says (reference: `fixtures/crd-rules`; the defaults are those of apis/v1
 * of the Gateway API, `kubebuilder:default`, and were compared with what kube-apiserver 1.36.3 stores).
 */

import { at, isJsonObject, type Json, type JsonObject } from '../../src/api/json.ts';
import { mapsAt } from '../../src/api/weighted-routes.ts';
import { brokenRules } from './crd-rules.ts';

/** The object as it is stored. */
export function stored(route: JsonObject): JsonObject {
  const isHttp = route['kind'] === 'HTTPRoute';
  const spec = mapAt(route, 'spec');
  const rules = mapsAt(spec, ['rules']).map((rule) => storedRule(rule, isHttp));
  const parentRefs = mapsAt(spec, ['parentRefs']).map((parent) => ({
    group: 'gateway.networking.k8s.io',
    kind: 'Gateway',
    ...parent,
  }));
  return {
    ...route,
    metadata: {
      ...mapAt(route, 'metadata'),
      uid: '6f0e3c1e-5d0c-4d8e-9a3c-0d7d2f6a9f10',
      generation: 7,
      resourceVersion: '90210',
      creationTimestamp: '2026-08-01T10:00:00Z',
      managedFields: [{ manager: 'argocd-controller', operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1: {} }],
    },
    spec: { ...spec, parentRefs, rules },
    status: { parents: [] },
  };
}

function storedRule(rule: JsonObject, isHttp: boolean): JsonObject {
  const matches = mapsAt(rule, ['matches']).map((match) => storedMatch(match, isHttp));
  const every: readonly JsonObject[] = isHttp ? [{ path: { type: 'PathPrefix', value: '/' } }] : [];
  return {
    ...rule,
    ...listOf('matches', matches.length === 0 ? every : matches),
    ...listOf('filters', mapsAt(rule, ['filters']).map(storedFilter)),
    ...listOf('backendRefs', mapsAt(rule, ['backendRefs']).map(storedRef)),
  };
}

function listOf(key: string, list: readonly JsonObject[]): JsonObject {
  return list.length === 0 ? {} : { [key]: list };
}

function storedMatch(match: JsonObject, isHttp: boolean): JsonObject {
  const conditions = (key: string): JsonObject =>
    listOf(
      key,
      mapsAt(match, [key]).map((one) => ({ type: 'Exact', ...one })),
    );
  const method = { type: 'Exact', ...mapAt(match, 'method') };
  const isTyped = isHttp || match['method'] === undefined;
  const path = isHttp ? { path: { type: 'PathPrefix', value: '/', ...mapAt(match, 'path') } } : {};
  return {
    ...match,
    ...path,
    ...(isTyped ? {} : { method }),
    ...conditions('headers'),
    ...conditions('queryParams'),
  };
}

function storedRef(ref: JsonObject): JsonObject {
  const filters = listOf('filters', mapsAt(ref, ['filters']).map(storedFilter));
  return { group: '', kind: 'Service', weight: 1, ...ref, ...filters };
}

function storedFilter(filter: JsonObject): JsonObject {
  const { requestMirror } = filter;
  if (!isJsonObject(requestMirror)) return filter;
  const backendRef = { group: '', kind: 'Service', ...mapAt(requestMirror, 'backendRef') };
  const { fraction } = requestMirror;
  const part = isJsonObject(fraction) ? { fraction: { denominator: 100, ...fraction } } : {};
  return { ...filter, requestMirror: { ...requestMirror, backendRef, ...part } };
}

/** Why the server refuses an object: rules of its CRD that it breaks, and keys of lists that stand twice; empty: it takes it. */
export function refusals(object: JsonObject): readonly string[] {
  if (object['kind'] !== 'HTTPRoute' && object['kind'] !== 'GRPCRoute') return brokenRules(object);
  const route = stored(object);
  const rules = mapsAt(route, ['spec', 'rules']);
  const lists = [
    ...rules
      .flatMap((rule) => mapsAt(rule, ['matches']))
      .flatMap((match) => listsOf(match, ['headers', 'queryParams'])),
    ...rules
      .flatMap((rule) => mapsAt(rule, ['filters']))
      .flatMap((filter) => listsOf(mapAt(filter, 'requestHeaderModifier'), ['set', 'add', 'remove'])),
  ];
  return [...brokenRules(route), ...lists.filter(hasTwins).map((list) => `one name twice: ${JSON.stringify(list)}`)];
}

/** Lists with one item for each name (`listMapKey=name`, `listType=set`). */
function listsOf(node: JsonObject, keys: readonly string[]): readonly (readonly unknown[])[] {
  return keys.map((key) => {
    const list = node[key];
    return Array.isArray(list) ? list.map((item: Json) => (isJsonObject(item) ? item['name'] : item)) : [];
  });
}

function hasTwins(list: readonly unknown[]): boolean {
  return new Set(list).size < list.length;
}

function mapAt(value: Json | undefined, key: string): JsonObject {
  const found = at(value, [key]);
  return isJsonObject(found) ? found : {};
}
