/** HTTPRoute and GRPCRoute: weights of both backends in each rule of the stable one, or rules of ours behind all others. */

import type { FieldFault } from '../../api/field-reader.ts';
import { type BackendRef, mirrorTarget, parseHttpRoute, type RouteRule } from '../../api/http-route.ts';
import { type JsonObject, jsonEqual } from '../../api/json.ts';
import { GATEWAY_GROUP } from '../../api/rollout-traffic.ts';
import { parentWords } from '../../api/route-status.ts';
import { mapsAt } from '../../api/weighted-routes.ts';
import type { Edit, EditPath } from '../edits/edit.ts';
import { rulesFor } from './http-route-rules.ts';
import { type SidedRule, sidedRules } from './http-route-sides.ts';
import { surveyRules } from './http-route-survey.ts';
import {
  ofGroup,
  type RouteFiles,
  type RouteReading,
  type Share,
  type Sides,
  type TrafficProvider,
  type Unwritable,
  type Written,
} from './provider.ts';
import { namespaceOf } from './sides.ts';
import { type WeightedRule, weightEdits } from './weights.ts';

export const httpRoute: TrafficProvider = providerOf('HTTPRoute');
export const grpcRoute: TrafficProvider = providerOf('GRPCRoute');

function providerOf(kind: 'HTTPRoute' | 'GRPCRoute'): TrafficProvider {
  return {
    ...ofGroup(GATEWAY_GROUP, kind),
    copies: false,
    survey: ({ route }, sides) =>
      surveyRules({ ...parseHttpRoute(route.value, namespaceOf(route, sides)), kind }, sides),
    read,
    words: parentWords,
    prepare: () => [],
    write: (files, sides, share) => write(files, sides, { share, kind }),
  };
}

function read({ route }: RouteFiles, sides: Sides): RouteReading {
  const rules = sidedRules(parseHttpRoute(route.value, namespaceOf(route, sides)).rules, sides);
  const shares = rules.filter(({ isOurs }) => !isOurs).map(shareOf);
  return {
    percent: Math.max(0, ...shares),
    ours: rules.filter(({ isOurs }) => isOurs).map(({ path }) => path),
    mirrors: rules.flatMap((rule) => mirrorsOf(rule, sides, namespaceOf(route, sides))),
    stable: rules.some((rule) => sum(rule.stable) > 0),
  };
}

function sum(refs: readonly BackendRef[]): number {
  return refs.reduce((total, { weight = 1 }) => total + weight, 0);
}

function shareOf({ backends, canary }: SidedRule): number {
  return sum(canary) === 0 ? 0 : (sum(canary) * 100) / sum(backends);
}

/**
 * Filters that send copies to the new version, of the rule and of its backends, the last first: so that each can be taken
 * out by its place.
 */
function mirrorsOf({ path, filters, backends }: SidedRule, sides: Sides, namespace: string): readonly EditPath[] {
  const placesIn = (list: readonly JsonObject[]): readonly string[] =>
    list.flatMap((filter, place) => (isToCanary(filter, sides, namespace) ? [String(place)] : [])).toReversed();
  const ofBackends = backends.flatMap(({ place, json }) =>
    placesIn(mapsAt(json, ['filters'])).map((one) => [...path, 'backendRefs', String(place), 'filters', one]),
  );
  return [...ofBackends, ...placesIn(filters).map((one) => [...path, 'filters', one])];
}

function isToCanary(filter: JsonObject, { backend, canary }: Sides, own: string): boolean {
  const target = mirrorTarget(filter, own);
  return target?.name === canary && target.namespace === '' && target.kind === backend;
}

type ShareRequest = { readonly share: Share; readonly kind: 'HTTPRoute' | 'GRPCRoute' };

function write(files: RouteFiles, sides: Sides, { share, kind }: ShareRequest): Written | Unwritable {
  const { route } = files;
  const { rules: parsed, faults } = parseHttpRoute(route.value, namespaceOf(route, sides));
  const rules = sidedRules(parsed, sides);
  const sources = rules.filter(({ stable, isOurs }) => stable.length > 0 && !isOurs);
  const wanted =
    share.kind === 'matches' ? rulesFor({ sources, all: rules, sides, share, kind }) : { rules: [], faults: [] };
  const wrong: readonly FieldFault[] = [...faults, ...sources.flatMap(twice), ...wanted.faults];
  if (wrong.length > 0) return { kind: 'unwritable', faults: wrong };
  const weights = weightEdits(
    sources.flatMap((rule) => weighted(rule, sides)),
    { object: route.object, share, displaced: files.displaced },
  );
  const ours = rules.filter(({ isOurs }) => isOurs);
  const isWanted = ({ json }: RouteRule): boolean => wanted.rules.some((rule) => jsonEqual(json, rule));
  const gone = ours.filter((rule) => !isWanted(rule));
  const fresh = wanted.rules.filter((rule) => !ours.some(({ json }) => jsonEqual(json, rule)));
  const kept = rules.length - gone.length;
  const mirrors =
    share.kind === 'none'
      ? rules.filter(({ isOurs }) => !isOurs).flatMap((rule) => mirrorsOf(rule, sides, namespaceOf(route, sides)))
      : [];
  const edits: readonly Edit[] = [
    // Before a backend goes, which moves those behind it.
    ...mirrors.map((path): Edit => ({ kind: 'removeItem', path })),
    ...weights.edits,
    // From the last on, because taking one out moves those behind it.
    ...gone.toReversed().map(({ path }): Edit => ({ kind: 'removeItem', path })),
    ...fresh.map(
      (value, place): Edit => ({ kind: 'insertItem', path: ['spec', 'rules', String(kept + place)], value }),
    ),
  ];
  return {
    kind: 'ok',
    edits: edits.length === 0 ? [] : [{ file: route.file, object: route.object, edits }],
    displaced: weights.displaced,
  };
}

function weighted(
  { place, path, stable: [stable], canary: [canary] }: SidedRule,
  sides: Sides,
): readonly WeightedRule[] {
  if (stable === undefined) return [];
  const { weight: _, ...json } = stable.json;
  const named = (name: string) => ({ key: 'name', value: name });
  return [
    {
      place,
      path,
      list: [...path, 'backendRefs'],
      stable: { segment: named(sides.stable), weight: stable.weight },
      canary: canary === undefined ? undefined : { segment: named(sides.canary), weight: canary.weight },
      fresh: { segment: named(sides.canary), value: { ...json, name: sides.canary } },
    },
  ];
}

/** A name that stands twice among the backends of a rule names no one of them. */
function twice({ place, stable, canary, backends }: SidedRule): readonly FieldFault[] {
  const names = [stable[0], canary[0]].filter((ref) => ref !== undefined).map(({ name }) => name);
  const name = names.find((one) => backends.filter((ref) => ref.name === one).length > 1);
  if (name === undefined) return [];
  return [
    {
      at: ['spec', 'rules', String(place), 'backendRefs'],
      reason: 'BackendTwice',
      message: `rule ${place + 1} has ${name} among its backends more than once: which of them a weight is for is not clear`,
      hint: 'Keep one of them in the rule, or write one rule for each.',
    },
  ];
}
