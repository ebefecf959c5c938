/** Which requests a step sends to the new version beside a share: `matches` and `requestHeaderModifier`, as in Kruise. */

import type { FieldReader } from './field-reader.ts';

/** Kruise's limits (reference: api/v1beta1, HttpRouteMatch and HTTPHeaderFilter). */
const MATCHES_LIMIT = 16;
const CONDITIONS_LIMIT = 16;

type MatchType = 'Exact' | 'PathPrefix' | 'RegularExpression';

/** A header or a query parameter. `type` undefined: not written, which means Exact. */
export type Condition = {
  readonly name: string;
  readonly value: string;
  readonly type: 'Exact' | 'RegularExpression' | undefined;
};

/** All of its conditions must hold; of several matches one is enough. */
export type StepMatch = {
  readonly path: { readonly type: MatchType | undefined; readonly value: string } | undefined;
  readonly headers: readonly Condition[];
  readonly queryParams: readonly Condition[];
};

type Header = { readonly name: string; readonly value: string };

/** What becomes of the headers of a request that goes to the new version. */
export type HeaderModifier = {
  readonly set: readonly Header[];
  readonly add: readonly Header[];
  readonly remove: readonly string[];
};

/** Reads `matches`; a misspelt condition would send other requests than those that were meant, so it is a fault. */
export function readMatches(step: FieldReader): readonly StepMatch[] {
  return step.objects('matches', MATCHES_LIMIT).map((match) => {
    match.allow(['path', 'headers', 'queryParams']);
    return {
      path: match.has('path') ? readPath(match.object('path')) : undefined,
      headers: match.objects('headers', CONDITIONS_LIMIT).map(readCondition),
      queryParams: match.objects('queryParams', CONDITIONS_LIMIT).map(readCondition),
    };
  });
}

function readPath(path: FieldReader): StepMatch['path'] {
  path.allow(['type', 'value']);
  return {
    type: path.choice('type', ['Exact', 'PathPrefix', 'RegularExpression']),
    value: path.optionalText('value', '/'),
  };
}

function readCondition(condition: FieldReader): Condition {
  condition.allow(['name', 'type', 'value']);
  return {
    name: condition.text('name'),
    value: condition.text('value'),
    type: condition.choice('type', ['Exact', 'RegularExpression']),
  };
}

/** Reads `requestHeaderModifier`; undefined: the step has none. */
export function readModifier(step: FieldReader): HeaderModifier | undefined {
  if (!step.has('requestHeaderModifier')) return undefined;
  const modifier = step.object('requestHeaderModifier');
  modifier.allow(['set', 'add', 'remove']);
  const headers = (key: string): readonly Header[] =>
    modifier.objects(key, CONDITIONS_LIMIT).map((header) => {
      header.allow(['name', 'value']);
      return { name: header.text('name'), value: header.text('value') };
    });
  return { set: headers('set'), add: headers('add'), remove: modifier.texts('remove', CONDITIONS_LIMIT) };
}
