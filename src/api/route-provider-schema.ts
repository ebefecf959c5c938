/** The RouteProvider as JSON Schema, for editors: with the limits and patterns of its parser. */

import type { JsonObject } from './json.ts';
import { ROUTE_PROVIDER_KIND } from './kinds.ts';
import {
  CEL_LENGTH_MOST,
  GROUP,
  KIND,
  OPERATIONS_MOST,
  PLURAL,
  ROUTE_PROVIDER_API_VERSION,
  SCALE_MOST,
  WEIGHTS_MOST,
} from './route-provider.ts';
import { about, DIALECT, fields, integer, list, TEXT, TEXTS, textLike } from './schema-parts.ts';

const PATH: JsonObject = { type: 'string', pattern: '^/' };

const OPERATION: JsonObject = {
  ...fields(
    {
      op: { enum: ['add', 'replace', 'test'] },
      path: PATH,
      value: {},
      cel: { ...TEXT, maxLength: CEL_LENGTH_MOST },
    },
    ['op', 'path'],
  ),
  oneOf: [{ required: ['value'] }, { required: ['cel'] }],
};

const SPEC: JsonObject = fields(
  {
    resource: about(
      'the kind of the route',
      fields({ group: textLike(GROUP), kind: textLike(KIND), plural: textLike(PLURAL) }, ['group', 'kind']),
    ),
    weights: about('where both numbers of a share stand', {
      ...list(
        fields(
          {
            stable: PATH,
            canary: PATH,
            scale: about('what both make together', { ...integer(1, SCALE_MOST), default: 100 }),
            as: { enum: ['number', 'text'], default: 'number' },
            within: about('a field whose text is JSON; the paths start there', PATH),
          },
          ['canary'],
        ),
        WEIGHTS_MOST,
      ),
      minItems: 1,
    }),
    patch: about('what a share by weight needs as well', list(OPERATION, OPERATIONS_MOST)),
    matches: about('what a step with matches writes', { ...list(OPERATION, OPERATIONS_MOST), minItems: 1 }),
    accepted: about(
      'the condition by which its controller says that it has taken up the route',
      fields({ conditions: PATH, type: TEXT }, ['type']),
    ),
  },
  ['resource', 'weights'],
);

/** Draft 2020-12. What it takes the parser may still refuse: a path that picks nothing, and places that are no share. */
export function routeProviderSchema(): JsonObject {
  return {
    $schema: DIALECT,
    title: ROUTE_PROVIDER_KIND,
    ...fields(
      {
        apiVersion: { const: ROUTE_PROVIDER_API_VERSION },
        kind: { const: ROUTE_PROVIDER_KIND },
        metadata: {
          type: 'object',
          required: ['name'],
          properties: { name: TEXT, labels: TEXTS, annotations: TEXTS },
        },
        spec: SPEC,
      },
      ['apiVersion', 'kind', 'metadata', 'spec'],
    ),
  };
}
