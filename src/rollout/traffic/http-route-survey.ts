/** How the rules of an HTTPRoute or GRPCRoute look before a delivery: where they send, for how long, and what would harm. */

import type { FieldFault } from '../../api/field-reader.ts';
import type { HttpRoute } from '../../api/http-route.ts';
import { at } from '../../api/json.ts';
import { secondsOf } from './duration.ts';
import { type SidedRule, sidedRules } from './http-route-sides.ts';
import type { RouteFault, RouteSurvey, Sides, StableRule } from './provider.ts';

/** A route as it is parsed, and which of the two it is. */
type KindedRoute = HttpRoute & { readonly kind: 'HTTPRoute' | 'GRPCRoute' };

/** Every rule of the stable backend, and what keeps its weights from meaning a share of its requests. */
export function surveyRules({ rules: parsed, faults: wrong, kind }: KindedRoute, sides: Sides): RouteSurvey {
  const rules = sidedRules(parsed, sides).filter(({ stable, isOurs }) => stable.length > 0 && !isOurs);
  const faults = [...wrong, ...rules.flatMap((rule) => [...otherBackends(rule, sides), ...persistence(rule)])];
  if (rules.length > 0) return { rules: rules.map((rule) => stableRule(rule, kind)), faults };
  const pools = sides.backend === 'Service' ? poolsIn(parsed) : [];
  if (pools.length > 0) return { rules: [], faults: [...faults, ...pools] };
  const missing: FieldFault = {
    at: ['spec', 'rules'],
    reason: 'BackendMissing',
    message: `no rule sends to the ${sides.backend} ${sides.stable}, so there is nothing that a share could be taken of`,
    hint: 'Name the route that sends to it, or the backend that this route has.',
  };
  return { rules: [], faults: [...faults, missing] };
}

/** Each pool needs a picker of endpoints, which a delivery does not make: people keep both, and a policy names them. */
function poolsIn(rules: HttpRoute['rules']): readonly FieldFault[] {
  return rules.flatMap(({ place, backends }) =>
    backends
      .filter(({ kind }) => kind === 'InferencePool')
      .map((pool) => ({
        at: ['spec', 'rules', String(place), 'backendRefs', String(pool.place)],
        reason: 'PoolNotSupported',
        message: `rule ${place + 1} sends to the InferencePool ${pool.name}, and no policy says which pool the new version has`,
        hint: 'Name both in a RolloutPolicy, inferencePools: {stable, canary}, and the stable one as service; or send to a Service of the leaders.',
      })),
  );
}

function stableRule({ place, stable, json }: SidedRule, kind: KindedRoute['kind']): StableRule {
  const path = ['spec', 'rules', String(place)];
  return {
    portAt: [...path, 'backendRefs', String(stable[0]?.place ?? 0), 'port'],
    port: stable[0]?.port,
    portInText: false,
    portOptional: false,
    // A GRPCRoute has no such field in any version of the Gateway API.
    timeout:
      kind === 'GRPCRoute'
        ? undefined
        : { at: [...path, 'timeouts', 'request'], seconds: secondsOf(at(json, ['timeouts', 'request'])) },
  };
}

function otherBackends({ place, others }: SidedRule, { stable }: Sides): readonly FieldFault[] {
  return others.slice(0, 1).map(({ name: own, namespace, place: of }) => {
    const name = namespace === '' ? own : `${namespace}/${own}`;
    return {
      at: ['spec', 'rules', String(place), 'backendRefs', String(of)],
      reason: 'OtherBackend',
      message: `rule ${place + 1} sends to ${name} as well as to ${stable}: weights for a delivery would change the share of ${name}`,
      hint: `Give ${name} a rule of its own, or a route without ${stable}.`,
    };
  });
}

function persistence({ place, json }: SidedRule): readonly RouteFault[] {
  if (json['sessionPersistence'] === undefined) return [];
  return [
    {
      at: ['spec', 'rules', String(place), 'sessionPersistence'],
      reason: 'SessionPersistence',
      message: `rule ${place + 1} keeps sessions where they are, even at weight 0: those on a new version that fails would stay on it`,
      hint: 'Remove sessionPersistence from the rule.',
      mend: [{ kind: 'remove', path: ['spec', 'rules', String(place), 'sessionPersistence'] }],
    },
  ];
}
