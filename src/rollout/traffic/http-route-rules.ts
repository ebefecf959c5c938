/** The rules of ours in an HTTPRoute or GRPCRoute: each rule of the stable backend again, for the requests of a step. */

import type { FieldFault } from '../../api/field-reader.ts';
import { ROUTE_LIMITS } from '../../api/http-route.ts';
import { at, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import type { Condition, StepMatch } from '../../api/step-traffic.ts';
import { filtersOf, noPrefix, replacesPrefix } from './http-route-filters.ts';
import type { SidedRule } from './http-route-sides.ts';
import type { Share, Sides } from './provider.ts';

type OwnRules = { readonly rules: readonly JsonObject[]; readonly faults: readonly FieldFault[] };

type RuleInputs = {
  readonly sources: readonly SidedRule[];
  readonly all: readonly SidedRule[];
  readonly sides: Sides;
  readonly share: Extract<Share, { readonly kind: 'matches' }>;
  readonly kind: 'HTTPRoute' | 'GRPCRoute';
};

/**
 * A copy of each source rule with the new version alone: every match of the rule with every match of the step. A match
 * of the step that has a path of its own stands alone, and only in the first copy. More conditions win over fewer,
 * wherever a rule stands (Gateway API, precedence).
 */
export function rulesFor(asked: RuleInputs): OwnRules {
  const { sources, sides, share, kind } = asked;
  const isNamed = takesNames(asked);
  const faults: FieldFault[] = share.matches.flatMap((match, place) => unsupported(match, place, kind));
  const rules = sources.flatMap((source, place): readonly JsonObject[] => {
    const alone = place === 0 ? share.matches.filter(({ path }) => path !== undefined).map(matchAlone) : [];
    const others = share.matches.filter(({ path }) => path === undefined);
    const merged = mergedWith(source, others, faults);
    const matches = [...alone, ...merged];
    if (matches.length === 0) return [];
    const name = `tranche-${sides.owner}-${place}`;
    const to = { share, sides, faults };
    const namedAs = (own: string): string | undefined => (isNamed ? own : undefined);
    if (!replacesPrefix(source)) return [ownRule(source, { name: namedAs(name), matches, ...to })];
    faults.push(...matches.flatMap((match) => noPrefix(source, match)));
    return matches.map((match, number) => {
      const own = number === 0 ? name : `${name}-${number}`;
      return ownRule(source, { name: namedAs(own), matches: [match], ...to });
    });
  });
  return { rules, faults: [...faults, ...tooMany(asked, rules)] };
}

/**
 * CRDs before Gateway API 1.4 know no name of a rule (in the standard channel), and an agent that checks fields would have
 * all of the route refused. A route with a name of people's shows that its server takes one. Rules to pools always have
 * one: while no policy says which pools are ours, nothing else tells them.
 */
function takesNames({ all, sides }: RuleInputs): boolean {
  return sides.backend === 'InferencePool' || all.some(({ isOurs, name }) => !isOurs && name !== '');
}

function ownRule(
  source: SidedRule,
  to: Pick<RuleInputs, 'share' | 'sides'> & {
    readonly name: string | undefined;
    readonly matches: readonly JsonObject[];
    readonly faults: FieldFault[];
  },
): JsonObject {
  const { name: _, matches: __, backendRefs: ___, filters: ____, ...rest } = source.json;
  const filters = filtersOf(source, to.share.modifier, to.faults);
  const { weight: _____, ...backend } = source.stable[0]?.json ?? {};
  return {
    ...(to.name === undefined ? {} : { name: to.name }),
    matches: to.matches,
    ...(filters.length === 0 ? {} : { filters }),
    ...rest,
    backendRefs: [{ ...backend, name: to.sides.canary }],
  };
}

function conditionJson({ name, value, type }: Condition): JsonObject {
  return type === undefined ? { name, value } : { name, value, type };
}

function matchAlone({ path, headers, queryParams }: StepMatch): JsonObject {
  return {
    ...(path === undefined
      ? {}
      : { path: path.type === undefined ? { value: path.value } : { ...path, type: path.type } }),
    ...(headers.length === 0 ? {} : { headers: headers.map(conditionJson) }),
    ...(queryParams.length === 0 ? {} : { queryParams: queryParams.map(conditionJson) }),
  };
}

/** Every match of the rule with the conditions of each of the step; a rule without matches takes all requests. */
function mergedWith(source: SidedRule, added: readonly StepMatch[], faults: FieldFault[]): readonly JsonObject[] {
  const matches = source.matches.length === 0 ? [{}] : source.matches;
  return matches.flatMap((own: JsonObject) => added.map((match) => withConditions(own, match, { source, faults })));
}

type Merging = { readonly source: SidedRule; readonly faults: FieldFault[] };

function withConditions(own: JsonObject, match: StepMatch, { source, faults }: Merging): JsonObject {
  const { headers, queryParams, ...rest } = own;
  const merge = (list: Json | undefined, added: readonly Condition[]): readonly Json[] => {
    const there = Array.isArray(list) ? list : [];
    const isThere = (one: Condition) => there.some((item: Json) => sameCondition(item, one));
    const clash = added.find((one) => there.some((item: Json) => sameName(item, one)) && !isThere(one));
    if (clash !== undefined) faults.push(contradiction(source, clash));
    return [...there, ...added.filter((one) => !isThere(one)).map(conditionJson)];
  };
  const [all, params] = [merge(headers, match.headers), merge(queryParams, match.queryParams)];
  return {
    ...rest,
    ...(all.length === 0 ? {} : { headers: all }),
    ...(params.length === 0 ? {} : { queryParams: params }),
  };
}

function sameName(item: Json, { name }: Condition): boolean {
  const own = at(item, ['name']);
  return typeof own === 'string' && own.toLowerCase() === name.toLowerCase();
}

function sameCondition(item: Json, { name, value, type = 'Exact' }: Condition): boolean {
  if (!isJsonObject(item) || !sameName(item, { name, value, type })) return false;
  return jsonEqual(item['value'], value) && (item['type'] ?? 'Exact') === type;
}

function contradiction({ place }: SidedRule, { name }: Condition): FieldFault {
  return {
    at: ['spec', 'rules', String(place), 'matches'],
    reason: 'MatchContradicts',
    message: `rule ${place + 1} has a condition on ${name}, and so has the step, with another value: the API takes one for each name`,
    hint: 'Match on another header or query parameter in the step.',
  };
}

/** A match without any condition takes every request; gRPC knows neither paths nor query parameters. */
function unsupported(
  { path, headers, queryParams }: StepMatch,
  place: number,
  kind: RuleInputs['kind'],
): readonly FieldFault[] {
  const which = `match ${place + 1} of the step`;
  if (path === undefined && headers.length + queryParams.length === 0)
    return [
      {
        at: ['spec'],
        reason: 'MatchesAll',
        message: `${which} has no condition: it would send every request to the new version`,
        hint: 'Add a header, a query parameter or a path.',
      },
    ];
  if (kind === 'HTTPRoute' || (path === undefined && queryParams.length === 0)) return [];
  return [
    {
      at: ['spec'],
      reason: 'MatchNotSupported',
      message: `${which} has a path or query parameters, which a GRPCRoute does not know`,
      hint: 'Match on headers.',
    },
  ];
}

/** What the API server would refuse (`maxItems` and the CEL rule of the published schema). */
function tooMany({ all, kind }: RuleInputs, fresh: readonly JsonObject[]): readonly FieldFault[] {
  const kept = all.filter(({ isOurs }) => !isOurs);
  const matchesOf = (json: JsonObject): number => {
    const matches = json['matches'];
    return Array.isArray(matches) ? matches.length : 1;
  };
  const ours = fresh.map(matchesOf);
  // Older servers take 8 in a GRPCRoute: one with a longer rule of people's is known to take more.
  const isOld =
    kind === 'GRPCRoute' && kept.every(({ matches }) => matches.length <= ROUTE_LIMITS.matchesOfOldGrpcRule);
  const sum = [...kept.map(({ json }) => matchesOf(json)), ...ours].reduce((total, number) => total + number, 0);
  const most = Math.max(0, ...ours);
  const seen: readonly (readonly [string, number, number])[] = [
    ['rules', kept.length + fresh.length, ROUTE_LIMITS.rules],
    ['matches in one rule', most, isOld ? ROUTE_LIMITS.matchesOfOldGrpcRule : ROUTE_LIMITS.matchesOfRule],
    ['matches', sum, ROUTE_LIMITS.matches],
  ];
  return seen
    .filter(([, number, limit]) => number > limit)
    .map(([what, number, limit]) => ({
      at: ['spec', 'rules'],
      reason: 'TooManyRules',
      message: `the matches of the step need ${number} ${what}, and the API server takes ${limit}`,
      hint: `Leave at least ${number - limit} out: use fewer matches in the step, or move rules whose requests need no share into a route of their own.`,
    }));
}
