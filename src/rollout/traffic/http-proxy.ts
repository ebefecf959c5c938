/** Contour's HTTPProxy: weights of the services of each route, or routes of ours behind all others. */

import type { FieldFault } from '../../api/field-reader.ts';
import { at, type JsonObject } from '../../api/json.ts';
import { proxyWords } from '../../api/route-status.ts';
import type { Condition, HeaderModifier, StepMatch } from '../../api/step-traffic.ts';
import { mapsAt, namedBackend } from '../../api/weighted-routes.ts';
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
import {
  ofGroup,
  type RouteFault,
  type RouteFiles,
  type Sides,
  type Timeout,
  type TrafficProvider,
} from './provider.ts';
import { sideOf } from './sides.ts';

const kind: PlacedKind = {
  rules: rulesOf,
  unweighted: 0,
  renamed: (stable, { canary }) => ({ ...stable, name: canary }),
  faultsOf: persistence,
  ownRules,
};

export const httpProxy: TrafficProvider = {
  ...ofGroup('projectcontour.io', 'HTTPProxy'),
  copies: false,
  survey: (files, sides) => surveyPlaced(kind, files, sides),
  read: (files, sides) => readPlaced(kind, files, sides),
  words: proxyWords,
  prepare: () => [],
  write: (files, sides, share) => writePlaced(kind, files, { sides, share }),
};

/** Services that are mirrors get copies, and no share. */
function rulesOf({ route: { value } }: RouteFiles, sides: Sides): readonly PlacedRule[] {
  return mapsAt(value, ['spec', 'routes']).map((json, place): PlacedRule => {
    const path = ['spec', 'routes', String(place)];
    const list = [...path, 'services'];
    const all = mapsAt(json, ['services']).map((entry, number) => {
      const named = namedBackend(entry);
      const { name, port, weight } = named;
      const portAt = [...list, String(number), 'port'];
      const isMirror = entry['mirror'] === true;
      return {
        isMirror,
        backend: { name, port, weight, side: sideOf(named, sides), place: number, portAt, json: entry },
      };
    });
    const mirrors = all
      .filter(({ isMirror, backend }) => isMirror && backend.side === 'canary')
      .toReversed()
      .map(({ backend }): Removal => ({ kind: 'removeItem', path: [...list, String(backend.place)] }));
    const backends = all.filter(({ isMirror }) => !isMirror).map(({ backend }) => backend);
    return { place, path, list, backends, mirrors, timeout: timeoutOf(json, path), json };
  });
}

function timeoutOf(json: JsonObject, path: readonly string[]): Timeout {
  const value = at(json, ['timeoutPolicy', 'response']);
  return {
    at: [...path, 'timeoutPolicy', 'response'],
    seconds: value === 'infinity' || value === 'infinite' ? 0 : secondsOf(value),
  };
}

function persistence({ json, path, place }: PlacedRule): readonly RouteFault[] {
  const strategy = at(json, ['loadBalancerPolicy', 'strategy']);
  if (strategy !== 'Cookie' && strategy !== 'RequestHash') return [];
  return [
    {
      at: [...path, 'loadBalancerPolicy'],
      reason: 'SessionPersistence',
      message: `route ${place + 1} keeps sessions where they are, even at weight 0: those on a new version that fails would stay on it`,
      hint: 'Remove loadBalancerPolicy from the route, or use another strategy.',
      mend: [{ kind: 'remove', path: [...path, 'loadBalancerPolicy'] }],
    },
  ];
}

/** Contour has no list of matches: one route for each of them. More conditions win over fewer, wherever a route stands. */
function ownRules({ sources, others, sides, share }: OwnAsked): OwnRules {
  const faults: FieldFault[] = [...share.matches.flatMap(unsupported), ...unsupportedModifier(share.modifier)];
  const copies = sources.flatMap((source, number) => {
    const matches = share.matches.filter(({ path }) => path === undefined || number === 0);
    return matches.map((match): JsonObject => {
      const own = match.path === undefined ? mapsAt(source.json, ['conditions']) : [];
      const conditions = [...own, ...conditionsOf(match)];
      faults.push(...contradictions(own, match), ...badPath(source, match));
      const { conditions: _, services: __, requestHeadersPolicy, ...rest } = source.json;
      if (requestHeadersPolicy !== undefined && share.modifier !== undefined) faults.push(modifierTwice(source));
      const policy = share.modifier === undefined ? requestHeadersPolicy : policyOf(share.modifier);
      const stable = source.backends.find(({ side }) => side === 'stable');
      const { weight: ___, ...service } = kind.renamed(stable?.json ?? {}, sides);
      return {
        conditions,
        ...(policy === undefined ? {} : { requestHeadersPolicy: policy }),
        ...rest,
        services: [service],
      };
    });
  });
  return { rules: copies.map((json, place) => ({ path: ['spec', 'routes', String(others + place)], json })), faults };
}

/**
 * What makes a whole HTTPProxy invalid, of which Contour then serves nothing: a rewrite of the prefix on a route without
 * one, and an expression for a path that does not start with a slash (reference: internal/dag, httpproxy_processor.go).
 */
function badPath({ json, path: own, place }: PlacedRule, { path }: StepMatch): readonly FieldFault[] {
  if (path === undefined || (path.type ?? 'PathPrefix') === 'PathPrefix') return [];
  const isRewritten = mapsAt(json, ['pathRewritePolicy', 'replacePrefix']).length > 0;
  if (!isRewritten && path.value.startsWith('/')) return [];
  return [
    {
      at: isRewritten ? [...own, 'pathRewritePolicy'] : ['spec'],
      reason: 'MatchContradicts',
      message: isRewritten
        ? `route ${place + 1} replaces the prefix of its paths, and the step has a path of another type: Contour would serve nothing of it`
        : `the step has the path ${path.value}, and Contour takes expressions from / on: it would serve nothing of the HTTPProxy`,
      hint: isRewritten
        ? 'Match on a PathPrefix, a header or a query parameter in the step.'
        : 'Start the expression with a slash.',
    },
  ];
}

function conditionsOf({ path, headers, queryParams }: StepMatch): readonly JsonObject[] {
  const keys = { Exact: 'exact', PathPrefix: 'prefix', RegularExpression: 'regex' } as const;
  const condition = ({ name, value, type }: Condition): JsonObject => ({ name, [keys[type ?? 'Exact']]: value });
  return [
    ...(path === undefined ? [] : [{ [keys[path.type ?? 'PathPrefix']]: path.value }]),
    ...headers.map((header) => ({ header: condition(header) })),
    ...queryParams.map((queryParameter) => ({ queryParameter: condition(queryParameter) })),
  ];
}

function policyOf({ set, remove }: HeaderModifier): JsonObject {
  return {
    ...(set.length === 0 ? {} : { set: set.map((header) => ({ ...header })) }),
    ...(remove.length === 0 ? {} : { remove }),
  };
}

function unsupported({ path, headers, queryParams }: StepMatch): readonly FieldFault[] {
  if (path !== undefined || headers.length + queryParams.length > 0) return [];
  return [
    {
      at: ['spec'],
      reason: 'MatchesAll',
      message: 'a match of the step has no condition: it would send every request to the new version',
      hint: 'Add a header, a query parameter or a path.',
    },
  ];
}

function unsupportedModifier(modifier: HeaderModifier | undefined): readonly FieldFault[] {
  if (modifier === undefined || modifier.add.length === 0) return [];
  return [
    {
      at: ['spec'],
      reason: 'ModifierNotSupported',
      message: 'the step has requestHeaderModifier with add, and an HTTPProxy only knows set and remove',
      hint: 'Use set.',
    },
  ];
}

function modifierTwice({ path, place }: PlacedRule): FieldFault {
  return {
    at: [...path, 'requestHeadersPolicy'],
    reason: 'ModifierTwice',
    message: `route ${place + 1} changes headers of its requests, and the step has requestHeaderModifier: a route may have one policy only`,
    hint: 'Leave one of them out.',
  };
}

/** Contour refuses a route with two conditions on one header that cannot both hold. */
function contradictions(own: readonly JsonObject[], { headers }: StepMatch): readonly FieldFault[] {
  const names = own.map((condition) => at(condition, ['header', 'name'])).filter((name) => typeof name === 'string');
  const clash = headers.find(({ name }) => names.some((one) => one.toLowerCase() === name.toLowerCase()));
  if (clash === undefined) return [];
  return [
    {
      at: ['spec', 'routes'],
      reason: 'MatchContradicts',
      message: `a route has a condition on ${clash.name}, and so has the step`,
      hint: 'Match on another header in the step.',
    },
  ];
}
