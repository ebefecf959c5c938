/** What the providers make of Kruise's cases about traffic, in the words of their expectations. */

import { FieldReader } from '../../src/api/field-reader.ts';
import { at, type JsonObject } from '../../src/api/json.ts';
import { readMatches, readModifier } from '../../src/api/step-traffic.ts';
import { httpRoute } from '../../src/rollout/traffic/http-route.ts';
import type { Share, Sides, TrafficProvider } from '../../src/rollout/traffic/provider.ts';
import { documentsOf, SIDES, type Texts, textOf, written } from './routes.ts';

type Step = { readonly weight: number | null; readonly matches: unknown; readonly requestHeaderModifier?: unknown };

/** A weight of -1 is the clean-up. */
export function shareOf({ weight, matches, requestHeaderModifier }: Step): Share {
  if (weight === -1) return { kind: 'home' };
  const step = new FieldReader({ matches, requestHeaderModifier: requestHeaderModifier ?? undefined }, '');
  const share: Share =
    weight === null
      ? { kind: 'matches', matches: readMatches(step), modifier: readModifier(step) }
      : { kind: 'weight', percent: weight };
  if (step.faults.length > 0) throw new Error(step.faults.map(({ message }) => message).join('; '));
  return share;
}

function valueIn(texts: Texts, { kind }: TrafficProvider): JsonObject {
  return documentsOf(texts.files, [kind])[0]!.value;
}

/** The rules of a route after a step. */
export function httpRouteCase({ rules, ...step }: Step & { readonly rules: JsonObject[] }): unknown {
  const sides: Sides = { ...SIDES, owner: 'demo', stable: 'store-svc', canary: 'store-svc-canary' };
  const route = textOf({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'route' },
    spec: { rules },
  });
  return at(valueIn(written(route, httpRoute, shareOf(step), sides), httpRoute), ['spec', 'rules']);
}
