/** Planted bugs of one kind of route, of two, of none, and of clients that a step picks: other worlds do not have them. */

import type { Mutant } from './mutants.ts';

/** The stories of each kind are among them. */
const ALLOWANCE = 120;

function mutant(name: string, file: string, from: string, to: string): Mutant {
  return { name, file: `src/rollout/${file}`, from, to, allowance: ALLOWANCE, world: 'kinds' };
}

export const kindMutants: readonly Mutant[] = [
  mutant(
    'kinds: rules of the step before stay in a Gateway route',
    'traffic/http-route.ts',
    "    ...gone.toReversed().map(({ path }): Edit => ({ kind: 'removeItem', path })),\n",
    '',
  ),
  mutant(
    'kinds: rules of the step before stay where rules have places',
    'traffic/placed-rules.ts',
    "...(isThere ? [] : ours.toReversed().map(({ path }): Edit => ({ kind: 'removeItem', path }))),",
    '',
  ),
  mutant(
    'kinds: annotations of the step before stay',
    'traffic/ingress-annotations.ts',
    '...Object.fromEntries(cleared),',
    '',
  ),
  mutant(
    'kinds: a header without its value',
    'traffic/ingress-annotations.ts',
    "type === 'RegularExpression' ? 'pattern' : 'value'",
    "type === 'RegularExpression' ? 'value' : 'pattern'",
  ),
  mutant(
    'kinds: a second Ingress keeps a part on stable',
    'traffic/ingress-annotations.ts',
    'String(isRestored ? 0 : share.percent)',
    'String(isRestored ? 1 : share.percent)',
  ),
  mutant(
    'kinds: a rule of ours behind the one that it is for',
    'traffic/virtual-service.ts',
    "return [{ path: ['spec', 'http', String(source.place)], json }];",
    "return [{ path: ['spec', 'http', String(source.place + 1)], json }];",
  ),
  mutant(
    'kinds: a route of ours without its condition',
    'traffic/http-proxy.ts',
    'const conditions = [...own, ...conditionsOf(match)];',
    'const conditions = [...own];',
  ),
  mutant(
    'kinds: an action is written again on stable',
    'traffic/alb-ingress.ts',
    'return was !== undefined && jsonEqual(parseJson(was), home) ? was : JSON.stringify(home);',
    'return JSON.stringify(home);',
  ),
  mutant(
    'kinds: an action sends all to one side',
    'traffic/alb-ingress.ts',
    'withValues(json, { weight: 100 - percent }),',
    'withValues(json, { weight: 0 }),',
  ),
  mutant(
    'kinds: a number elsewhere wins over the clients of a step',
    'ladders/shares.ts',
    'if (matches.length > 0) return',
    'if (matches.length > 0 && traffic === undefined) return',
  ),
  mutant(
    'kinds: rules of ours are no share',
    'ladders/shares.ts',
    'return percent === 0 && ours.length + mirrors.length === 0;',
    'return percent === 0 && mirrors.length === 0;',
  ),
  mutant(
    'kinds: the second route keeps its share',
    'ladders/shares.ts',
    'for (const route of delivery.routes) {',
    'for (const route of delivery.routes.slice(0, 1)) {',
  ),
  mutant(
    'kinds: without a route a Service sends to nobody',
    'ladders/routing.ts',
    'return selected.stable ? known(`Service ${stable} selects it`) : absent;',
    'return absent;',
  ),
];
