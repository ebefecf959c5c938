/** Filters of the rules of ours in an HTTPRoute or GRPCRoute, and what the API takes next to them. */

import type { FieldFault } from '../../api/field-reader.ts';
import { at, type JsonObject } from '../../api/json.ts';
import type { HeaderModifier } from '../../api/step-traffic.ts';
import { mapsAt } from '../../api/weighted-routes.ts';
import type { SidedRule } from './http-route-sides.ts';

/** The filters of a rule, with that of the step behind them; what the API does not take of both goes to the faults. */
export function filtersOf(
  source: SidedRule,
  modifier: HeaderModifier | undefined,
  faults: FieldFault[],
): readonly JsonObject[] {
  if (modifier === undefined) return source.filters;
  if (source.filters.some((filter) => at(filter, ['type']) === 'RequestHeaderModifier')) {
    faults.push({
      at: ['spec', 'rules', String(source.place), 'filters'],
      reason: 'ModifierTwice',
      message: `rule ${source.place + 1} has a RequestHeaderModifier, and the step has requestHeaderModifier: a rule may have one only`,
      hint: 'Leave one of them out.',
    });
  }
  const { set, add, remove } = modifier;
  const again = changedTwice(modifier);
  if (again !== undefined) faults.push(headerTwice(again));
  const headers = {
    ...(set.length === 0 ? {} : { set: set.map((header) => ({ ...header })) }),
    ...(add.length === 0 ? {} : { add: add.map((header) => ({ ...header })) }),
    ...(remove.length === 0 ? {} : { remove }),
  };
  return [...source.filters, { type: 'RequestHeaderModifier', requestHeaderModifier: headers }];
}

/** The first header that the step changes more than once; the API takes one change for each. */
function changedTwice({ set, add, remove }: HeaderModifier): string | undefined {
  const names = [...[...set, ...add].map(({ name }) => name), ...remove];
  const lower = names.map((name) => name.toLowerCase());
  return names.find((_, place) => lower.indexOf(lower[place] ?? '') < place);
}

function headerTwice(name: string): FieldFault {
  return {
    at: ['spec'],
    reason: 'ModifierTwice',
    message: `requestHeaderModifier of the step changes the header ${name} more than once: the API takes one change for each`,
    hint: 'Keep one of them.',
  };
}

/** Its filters put another prefix in the place of that of its path: the API wants exactly one match then, with a prefix. */
export function replacesPrefix({ filters, stable }: SidedRule): boolean {
  const own = mapsAt(stable[0]?.json, ['filters']);
  return [...filters, ...own].some((filter) =>
    ['urlRewrite', 'requestRedirect'].some((key) => at(filter, [key, 'path', 'replacePrefixMatch']) !== undefined),
  );
}

/** A match of the step that such a rule cannot have. */
export function noPrefix({ place }: SidedRule, match: JsonObject): readonly FieldFault[] {
  const path = match['path'];
  if (path === undefined || (at(path, ['type']) ?? 'PathPrefix') === 'PathPrefix') return [];
  return [
    {
      at: ['spec', 'rules', String(place), 'filters'],
      reason: 'MatchContradicts',
      message: `rule ${place + 1} replaces the prefix of its paths, and the step has a path of another type: the API takes PathPrefix alone there`,
      hint: 'Match on a PathPrefix, a header or a query parameter in the step.',
    },
  ];
}
