/** Istio VirtualService: weights of hosts in each rule, or rules of ours in front of those that they take requests of. */

import type { FieldFault } from '../../api/field-reader.ts';
import { at, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import type { Condition, HeaderModifier, StepMatch } from '../../api/step-traffic.ts';
import { istioBackend, mapsAt } from '../../api/weighted-routes.ts';
import { CANARY_SUBSET } from './destination-rule.ts';
import { secondsOf } from './duration.ts';
import {
  type OwnAsked,
  type OwnRules,
  type PlacedKind,
  type PlacedRule,
  type Removal,
  readPlaced,
  surveyPlaced,
  writePlaced,
} from './placed-rules.ts';
import { ofGroup, type RouteFault, type RouteFiles, type Sides, type TrafficProvider, wordless } from './provider.ts';
import { namespaceOf, sideOf } from './sides.ts';

const kind: PlacedKind = {
  rules: rulesOf,
  unweighted: 0,
  renamed: (stable, sides) => ({ ...stable, destination: renamed(stable['destination'], sides) }),
  faultsOf: withoutSubset,
  ownRules,
};

export const virtualService: TrafficProvider = {
  ...ofGroup('networking.istio.io', 'VirtualService'),
  copies: false,
  survey: (files, sides) => surveyPlaced(kind, files, sides),
  read: (files, sides) => readPlaced(kind, files, sides),
  ...wordless,
  prepare: () => [],
  write: (files, sides, share) => writePlaced(kind, files, { sides, share }),
};

function rulesOf({ route }: RouteFiles, sides: Sides): readonly PlacedRule[] {
  const { value } = route;
  const own = namespaceOf(route, sides);
  const isOwn = (namespace: string): boolean => namespace === '' || own === '' || namespace === own;
  const isCanary = (mirror: JsonObject): boolean => {
    const named = istioBackend(mirror);
    const isHere = { ...named, namespace: isOwn(named.namespace) ? '' : named.namespace };
    return istioSide(mirror, isHere, sides) === 'canary';
  };
  return mapsAt(value, ['spec', 'http']).map((json, place): PlacedRule => {
    const path = ['spec', 'http', String(place)];
    const list = [...path, 'route'];
    const backends = mapsAt(json, ['route']).map((entry, number) => {
      const { namespace, ...backend } = istioBackend(entry);
      const side = istioSide(entry, { name: backend.name, namespace: isOwn(namespace) ? '' : namespace }, sides);
      const name = side === 'other' && namespace !== '' ? `${backend.name}.${namespace}` : backend.name;
      return {
        ...backend,
        name,
        side,
        place: number,
        portAt: [...list, String(number), 'destination', 'port', 'number'],
      };
    });
    const timeout = { at: [...path, 'timeout'], seconds: secondsOf(json['timeout']) };
    return { place, path, list, backends, mirrors: mirrorsOf(json, path, isCanary), timeout, json };
  });
}

/** The list, and the field that Istio had before it. */
function mirrorsOf(
  json: JsonObject,
  path: readonly string[],
  isCanary: (mirror: JsonObject) => boolean,
): readonly Removal[] {
  const places = mapsAt(json, ['mirrors']).flatMap((mirror, place) => (isCanary(mirror) ? [place] : []));
  const { mirror } = json;
  const old: readonly Removal[] =
    mirror !== undefined && isCanary({ destination: mirror }) ? [{ kind: 'remove', path: [...path, 'mirror'] }] : [];
  const list = places
    .toReversed()
    .map((place): Removal => ({ kind: 'removeItem', path: [...path, 'mirrors', String(place)] }));
  return [...old, ...list];
}

/** Where both sides have one Service, the subset tells them apart. */
function istioSide(entry: JsonObject, named: Parameters<typeof sideOf>[0], sides: Sides): ReturnType<typeof sideOf> {
  const side = sideOf(named, sides);
  const isCanary =
    side === 'stable' && sides.canary === sides.stable && at(entry, ['destination', 'subset']) === CANARY_SUBSET;
  return isCanary ? 'canary' : side;
}

/** Without a subset a destination takes in both versions. */
function withoutSubset({ backends }: PlacedRule, { stable, canary }: Sides): readonly RouteFault[] {
  const open = backends.find(
    ({ side, json }) => side === 'stable' && at(json, ['destination', 'subset']) === undefined,
  );
  if (canary !== stable || open === undefined) return [];
  return [
    {
      at: open.portAt.slice(0, -2),
      reason: 'SubsetMissing',
      message: `the destination names no subset of ${stable}, which has the leaders of both versions: the new one would get requests past every share`,
      hint: 'Name the subset of the stable version.',
    },
  ];
}

/** The host with another first label (a namespace behind it stays), or the other subset of the host. */
function renamed(destination: Json | undefined, { stable, canary }: Sides): JsonObject {
  const json = isJsonObject(destination) ? destination : {};
  if (canary === stable) return { ...json, subset: CANARY_SUBSET };
  const host = json['host'];
  const [, ...rest] = typeof host === 'string' ? host.split('.') : [];
  return { ...json, host: [canary, ...rest].join('.') };
}

/**
 * Istio takes the first rule that matches, so a rule of ours stands right before the one that it is a copy of. From the
 * last on: what is inserted moves what stands behind it only.
 */
function ownRules({ sources, sides, share }: OwnAsked): OwnRules {
  const faults: FieldFault[] = [];
  const rules = sources.flatMap((source, number) => {
    const alone =
      number === 0
        ? share.matches.filter(({ path }) => path !== undefined).map((match) => matchJson(match, {}, faults))
        : [];
    const own = mapsAt(source.json, ['match']);
    const merged = share.matches
      .filter(({ path }) => path === undefined)
      .flatMap((match) => (own.length === 0 ? [{}] : own).map((one: JsonObject) => matchJson(match, one, faults)));
    const match = [...alone, ...merged];
    if (match.length === 0) return [];
    const { name: _, match: __, route: ___, headers, ...rest } = source.json;
    const stable = source.backends.find(({ side }) => side === 'stable');
    const { weight: ____, ...backend } = kind.renamed(stable?.json ?? {}, sides);
    const withHeaders = headersOf({ headers, modifier: share.modifier, place: source.place }, faults);
    const json = { name: `tranche-${sides.owner}-${number}`, match, ...withHeaders, ...rest, route: [backend] };
    return [{ path: ['spec', 'http', String(source.place)], json }];
  });
  const empty = share.matches.some(
    ({ path, headers, queryParams }) => path === undefined && headers.length + queryParams.length === 0,
  );
  return { rules: rules.toReversed(), faults: empty ? [matchesAll(), ...faults] : faults };
}

function matchesAll(): FieldFault {
  return {
    at: ['spec'],
    reason: 'MatchesAll',
    message: 'a match of the step has no condition: it would send every request to the new version',
    hint: 'Add a header, a query parameter or a path.',
  };
}

/** A match of the step, with the conditions of a match of the rule. */
function matchJson({ path, headers, queryParams }: StepMatch, own: JsonObject, faults: FieldFault[]): JsonObject {
  const uri =
    path === undefined
      ? {}
      : {
          uri: {
            [{ Exact: 'exact', PathPrefix: 'prefix', RegularExpression: 'regex' }[path.type ?? 'PathPrefix']]:
              path.value,
          },
        };
  const conditions = (key: string, added: readonly Condition[], name: (one: string) => string): JsonObject => {
    const there = own[key];
    const map: Record<string, Json> = isJsonObject(there) ? { ...there } : {};
    for (const one of added) {
      const value = { [one.type === 'RegularExpression' ? 'regex' : 'exact']: one.value };
      const before = map[name(one.name)];
      if (before !== undefined && !jsonEqual(before, value)) faults.push(contradiction(one.name));
      map[name(one.name)] = value;
    }
    return Object.keys(map).length === 0 ? {} : { [key]: map };
  };
  // Istio wants the names of headers in lower case.
  const { headers: _, queryParams: __, ...rest } = own;
  return {
    ...rest,
    ...uri,
    ...conditions('headers', headers, (one) => one.toLowerCase()),
    ...conditions('queryParams', queryParams, (one) => one),
  };
}

function contradiction(name: string): FieldFault {
  return {
    at: ['spec', 'http'],
    reason: 'MatchContradicts',
    message: `a rule has a condition on ${name}, and so has the step, with another value: Istio takes one for each name`,
    hint: 'Match on another header or query parameter in the step.',
  };
}

type Headers = {
  readonly headers: Json | undefined;
  readonly modifier: HeaderModifier | undefined;
  readonly place: number;
};

function headersOf({ headers, modifier, place }: Headers, faults: FieldFault[]): JsonObject {
  if (modifier === undefined) return headers === undefined ? {} : { headers };
  if (at(headers, ['request']) !== undefined)
    faults.push({
      at: ['spec', 'http', String(place), 'headers', 'request'],
      reason: 'ModifierTwice',
      message: `rule ${place + 1} changes headers of its requests, and the step has requestHeaderModifier: a rule may have one only`,
      hint: 'Leave one of them out.',
    });
  const map = (list: HeaderModifier['set']): JsonObject =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  const { set, add, remove } = modifier;
  const request = {
    ...(set.length === 0 ? {} : { set: map(set) }),
    ...(add.length === 0 ? {} : { add: map(add) }),
    ...(remove.length === 0 ? {} : { remove }),
  };
  return { headers: { ...(isJsonObject(headers) ? headers : {}), request } };
}
