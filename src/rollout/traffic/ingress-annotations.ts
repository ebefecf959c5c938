/** Which annotations a canary Ingress gets for a share: one weight, or one header, one cookie and one query parameter. */

import type { FieldFault } from '../../api/field-reader.ts';
import type { Condition, HeaderModifier, StepMatch } from '../../api/step-traffic.ts';
import type { IngressClass } from './ingress-classes.ts';
import type { Share, Unwritable } from './provider.ts';

/** Every key of the class; undefined: it must not be there. */
export type Keys = Readonly<Record<string, string | undefined>>;

/** A header of this name means a cookie (reference: Kruise, nginx.lua). */
const COOKIE = 'canary-by-cookie';

const MATCH_KEYS = ['canary-by-header', 'canary-by-header-value', 'canary-by-header-pattern', COOKIE] as const;
/** The scale of the weight: a copy would have that of its Ingress, and its weight would be another share. */
const SCALE = 'canary-weight-total';
const QUERY_KEYS = ['canary-by-query', 'canary-by-query-value', 'canary-by-query-pattern'] as const;

/** What the class writes for the share. `own`: the annotations of the user's Ingress. */
export function keysFor(
  dialect: IngressClass,
  share: Share,
  own: Readonly<Record<string, string>>,
): { readonly kind: 'ok'; readonly keys: Keys } | Unwritable {
  const { prefix, queries, always, requestHeaders, subset } = dialect;
  const cleared = [...MATCH_KEYS, SCALE, ...(queries ? QUERY_KEYS : [])].map((key) => [`${prefix}${key}`, undefined]);
  const isRestored = share.kind === 'none';
  const subsetKeys = subset === undefined || own[subset.key] === undefined ? {} : { [subset.key]: subset.value };
  const base: Keys = {
    ...Object.fromEntries(cleared),
    ...(requestHeaders === undefined ? {} : { [requestHeaders]: undefined }),
    ...always,
    ...subsetKeys,
    [`${prefix}canary`]: 'true',
  };
  // The last, so that it is where it was once it has been away.
  const weight = `${prefix}canary-weight`;
  if (share.kind !== 'matches')
    return { kind: 'ok', keys: { ...base, [weight]: String(isRestored ? 0 : share.percent) } };
  const faults = [...unsupported(dialect, share.matches), ...unsupportedHeaders(dialect, share.modifier)];
  if (faults.length > 0) return { kind: 'unwritable', faults };
  const { matches, modifier } = share;
  const keys = { ...base, ...matchKeys(prefix, matches), ...headerKeys(requestHeaders, modifier), [weight]: undefined };
  return { kind: 'ok', keys };
}

function matchKeys(prefix: string, matches: readonly StepMatch[]): Keys {
  const { cookies, headers, params } = conditionsOf(matches);
  const keys = (kind: string, { name, value, type }: Condition): readonly (readonly [string, string])[] => [
    [`${prefix}canary-by-${kind}`, name],
    [`${prefix}canary-by-${kind}-${type === 'RegularExpression' ? 'pattern' : 'value'}`, value],
  ];
  return Object.fromEntries([
    ...cookies.map(({ value }) => [`${prefix}${COOKIE}`, value] as const),
    ...headers.flatMap((header) => keys('header', header)),
    ...params.flatMap((param) => keys('query', param)),
  ]);
}

function headerKeys(key: string | undefined, modifier: HeaderModifier | undefined): Keys {
  if (key === undefined || modifier === undefined) return {};
  return { [key]: modifier.set.map(({ name, value }) => `${name} ${value}`).join('\n') };
}

type Conditions = {
  readonly cookies: readonly Condition[];
  readonly headers: readonly Condition[];
  readonly params: readonly Condition[];
};

function conditionsOf(matches: readonly StepMatch[]): Conditions {
  const all = matches.flatMap(({ headers }) => headers);
  return {
    cookies: all.filter(({ name }) => name === COOKIE),
    headers: all.filter(({ name }) => name !== COOKIE),
    params: matches.flatMap(({ queryParams }) => queryParams),
  };
}

/**
 * One condition a match, and one of each kind in all. Whatever more is written down cannot be said to the controller,
 * and leaving it out would send requests that nobody chose.
 */
function unsupported({ name, queries }: IngressClass, matches: readonly StepMatch[]): readonly FieldFault[] {
  const { cookies, headers, params } = conditionsOf(matches);
  const isSingle = ({ headers: own, queryParams }: StepMatch): boolean => own.length + queryParams.length === 1;
  const why = matches.some(({ path }) => path !== undefined)
    ? 'a path'
    : params.length > 0 && !queries
      ? 'query parameters'
      : !matches.every(isSingle)
        ? 'a match with other than one condition'
        : [cookies, headers, params].some((list) => list.length > 1)
          ? 'more than one header, cookie or query parameter'
          : undefined;
  if (why === undefined) return [];
  return [
    {
      at: ['spec'],
      reason: 'MatchNotSupported',
      message: `the step has ${why}, which annotations of the class ${name} cannot say`,
      hint: 'Match on one header (or one cookie next to it), or use a Gateway.',
    },
  ];
}

function unsupportedHeaders(
  { name, requestHeaders }: IngressClass,
  modifier: HeaderModifier | undefined,
): readonly FieldFault[] {
  if (modifier === undefined) return [];
  if (requestHeaders !== undefined && modifier.add.length + modifier.remove.length === 0) return [];
  return [
    {
      at: ['spec'],
      reason: 'ModifierNotSupported',
      message: `the step has requestHeaderModifier${requestHeaders === undefined ? '' : ' with add or remove'}, which annotations of the class ${name} cannot say`,
      hint: 'Remove it, or use a Gateway.',
    },
  ];
}
