/**
 * What an API server with the CRDs of the Gateway API does to a route that is applied: it fills in defaults, and refuses
 * what the rules of the CRDs forbid that no schema says (reference: apis/v1 httproute_types.go, grpcroute_types.go and
 * object_reference_types.go of v1.4, `kubebuilder:default` and `kubebuilder:validation:XValidation`).
 */

import { at, isJsonObject, type Json, type JsonObject } from '../../src/api/json.ts';
import { mapsAt } from '../../src/api/weighted-routes.ts';

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
  return { ...filter, requestMirror: { ...requestMirror, backendRef } };
}

/** Why the server refuses a route, in the words of the rules; empty: it takes it. */
export function refusals(route: JsonObject): readonly string[] {
  const object = stored(route);
  const rules = mapsAt(object, ['spec', 'rules']);
  const names = rules.map(({ name }) => name).filter((name) => name !== undefined);
  const matches = rules.flatMap((rule) => mapsAt(rule, ['matches']));
  return [
    ...no(new Set(names).size === names.length, 'Rule name must be unique within the route'),
    ...no(matches.length <= 128, 'the total number of matches across all rules in a route must be less than 128'),
    ...rules.flatMap(refusedRule),
    ...matches.flatMap(refusedMatch),
  ];
}

function no(holds: boolean, words: string): readonly string[] {
  return holds ? [] : [words];
}

/** More filters than one of these are told apart by nothing. */
const ONCE = ['RequestHeaderModifier', 'ResponseHeaderModifier', 'RequestRedirect', 'URLRewrite', 'CORS'];

function refusedRule(rule: JsonObject): readonly string[] {
  const filters = mapsAt(rule, ['filters']);
  const refs = mapsAt(rule, ['backendRefs']);
  const types = filters.map(({ type }) => type);
  const all = [...filters, ...refs.flatMap((ref) => mapsAt(ref, ['filters']))];
  const [first, ...more] = mapsAt(rule, ['matches']);
  const isOnePrefix = more.length === 0 && at(first, ['path', 'type']) === 'PathPrefix';
  return [
    ...ONCE.flatMap((type) => no(types.filter((one) => one === type).length <= 1, `${type} filter cannot be repeated`)),
    ...no(!(types.includes('RequestRedirect') && types.includes('URLRewrite')), 'not both redirect and rewrite'),
    ...no(!types.includes('RequestRedirect') || refs.length === 0, 'RequestRedirect must not have backendRefs'),
    ...no(isOnePrefix || !all.some(replacesPrefix), 'replacePrefixMatch needs exactly one PathPrefix match'),
    ...refs.flatMap((ref) =>
      no(ref['group'] !== '' || ref['kind'] !== 'Service' || ref['port'] !== undefined, 'Must have port for Service'),
    ),
    ...filters.flatMap(refusedModifier),
  ];
}

function replacesPrefix(filter: JsonObject): boolean {
  return ['requestRedirect', 'urlRewrite'].some((key) => at(filter, [key, 'path', 'replacePrefixMatch']) !== undefined);
}

/** A header stands in one of the lists, and once (`listMapKey=name`, `listType=set`). */
function refusedModifier(filter: JsonObject): readonly string[] {
  const modifier = mapAt(filter, 'requestHeaderModifier');
  const repeated = ['set', 'add'].some((key) => hasTwins(mapsAt(modifier, [key]).map(({ name }) => name)));
  const { remove } = modifier;
  return no(!repeated && !(Array.isArray(remove) && hasTwins(remove)), 'one header twice in a list');
}

function refusedMatch(match: JsonObject): readonly string[] {
  const twins = ['headers', 'queryParams'].filter((key) => hasTwins(mapsAt(match, [key]).map(({ name }) => name)));
  const { type, value } = mapAt(match, 'path');
  const isPlain = type === 'RegularExpression' || (typeof value === 'string' && isPath(value)) || value === undefined;
  return [...twins.map((key) => `${key}: one name twice`), ...no(isPlain, `bad path ${JSON.stringify(value)}`)];
}

function isPath(value: string): boolean {
  return (
    value.startsWith('/') &&
    !['//', '/./', '/../', '%2f', '%2F', '#'].some((part) => value.includes(part)) &&
    !value.endsWith('/..') &&
    !value.endsWith('/.') &&
    /^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})+$/.test(value)
  );
}

function hasTwins(list: readonly unknown[]): boolean {
  return new Set(list).size < list.length;
}

function mapAt(value: Json | undefined, key: string): JsonObject {
  const found = at(value, [key]);
  return isJsonObject(found) ? found : {};
}
