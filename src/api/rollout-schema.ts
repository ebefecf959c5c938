/** The Rollout as JSON Schema, for editors: Kruise's object with the rules of its three strategies, as the parser has them. */

import { INT32_MAX } from './int-or-percent.ts';
import type { JsonObject } from './json.ts';
import { PARTITION_PERCENT_LIMIT } from './rollout.ts';
import { STEPS_LIMIT } from './rollout-steps.ts';
import { REFS_LIMIT } from './rollout-traffic.ts';
import { about, DIALECT, FLAG, fields, integer, list, TEXT, TEXTS, textLike } from './schema-parts.ts';
import {
  CONDITION_NAME,
  CONDITIONS_LIMIT,
  HEADER_VALUE_LIMIT,
  MATCHES_LIMIT,
  NAME_LIMIT,
  OTHER_VALUE_LIMIT,
} from './step-traffic.ts';
import { STYLES } from './styles.ts';

/** `N%`, from `least` to `most`. */
function percent(least: 0 | 1, most: number): JsonObject {
  const below = most === 100 ? '[1-9][0-9]?|100' : `[1-9]|[1-${Math.floor(most / 10) - 1}][0-9]|${most}`;
  return { type: 'string', pattern: `^(${least === 0 ? '0|' : ''}${below})%$` };
}

const NAMED: JsonObject = { ...textLike(CONDITION_NAME), maxLength: NAME_LIMIT };

function conditions(limit: number): JsonObject {
  const type = { enum: ['Exact', 'RegularExpression'] };
  return list(fields({ name: NAMED, value: { ...TEXT, maxLength: limit }, type }, ['name', 'value']), CONDITIONS_LIMIT);
}

const MATCH = fields({
  path: fields({
    type: { enum: ['Exact', 'PathPrefix', 'RegularExpression'] },
    value: { ...TEXT, maxLength: OTHER_VALUE_LIMIT },
  }),
  headers: conditions(HEADER_VALUE_LIMIT),
  queryParams: conditions(OTHER_VALUE_LIMIT),
});

const HEADERS = list(
  fields({ name: NAMED, value: { ...TEXT, maxLength: HEADER_VALUE_LIMIT } }, ['name', 'value']),
  CONDITIONS_LIMIT,
);

function step(leastShare: 0 | 1): JsonObject {
  return fields(
    {
      replicas: about('groups on the new version once the step is done: a count, or N% of all, rounded up', {
        anyOf: [integer(1, INT32_MAX), percent(1, 100)],
      }),
      pause: about('{duration: N} seconds; {} until someone approves', fields({ duration: integer(0, INT32_MAX) })),
      traffic: about('the share of the requests', percent(leastShare, 100)),
      matches: list(MATCH, MATCHES_LIMIT),
      requestHeaderModifier: fields({
        set: HEADERS,
        add: HEADERS,
        remove: list({ type: 'string' }, CONDITIONS_LIMIT),
      }),
    },
    ['replicas'],
  );
}

const ROUTES = ['ingress', 'gateway', 'customNetworkRefs'] as const;

function routing(needsRoute: boolean): JsonObject {
  const any = ROUTES.map((key) => ({
    required: [key],
    ...(key === 'customNetworkRefs' ? { properties: { [key]: { type: 'array', minItems: 1 } } } : {}),
  }));
  return {
    ...fields(
      {
        service: TEXT,
        gracePeriodSeconds: integer(0, INT32_MAX),
        ingress: fields({ name: TEXT, classType: TEXT }, ['name']),
        gateway: fields({ httpRouteName: TEXT }, ['httpRouteName']),
        customNetworkRefs: list(
          fields({ apiVersion: TEXT, kind: TEXT, name: TEXT }, ['apiVersion', 'kind', 'name']),
          REFS_LIMIT,
        ),
      },
      ['service'],
    ),
    ...(needsRoute ? { anyOf: any } : {}),
  };
}

type StyleRules = { readonly leastShare: 0 | 1; readonly needsRoute: boolean };

function body({ leastShare, needsRoute }: StyleRules, more: JsonObject): JsonObject {
  return fields(
    {
      steps: { ...list(step(leastShare), STEPS_LIMIT), minItems: 1 },
      trafficRoutings: list(routing(needsRoute), 1),
      failureThreshold: about('groups of a step that may be unready: a count, or N%', {
        anyOf: [integer(0, INT32_MAX), percent(0, 100)],
      }),
      trafficRoutingRef: {},
      disableGenerateCanaryService: FLAG,
      ...more,
    },
    ['steps'],
  );
}

const CANARY_ALONE: JsonObject = {
  patchPodTemplateMetadata: fields({ labels: TEXTS, annotations: TEXTS }),
  enableExtraWorkloadForCanary: FLAG,
};

const ROUTED: JsonObject = {
  anyOf: [{ required: ['traffic'] }, { required: ['matches'], properties: { matches: { minItems: 1 } } }],
};

/** Without a second workload, a step with a share takes half of the groups at most. */
const PARTITION_RULE: JsonObject = {
  anyOf: [
    {
      required: ['enableExtraWorkloadForCanary'],
      properties: { enableExtraWorkloadForCanary: { const: true } },
    },
    {
      properties: {
        steps: {
          items: {
            anyOf: [
              { not: ROUTED },
              { properties: { replicas: { anyOf: [{ type: 'integer' }, percent(1, PARTITION_PERCENT_LIMIT)] } } },
            ],
          },
        },
      },
    },
  ],
};

/** What it takes the parser may still refuse: it does not compare one step with the next, nor with the workload. */
export function rolloutSchema(): JsonObject {
  const strategy = {
    ...fields({
      paused: about('no step forward; going back still works', FLAG),
      canary: { ...body(STYLES.canary, CANARY_ALONE), ...PARTITION_RULE },
      blueGreen: body(STYLES.blueGreen, {}),
    }),
    oneOf: [{ required: ['canary'] }, { required: ['blueGreen'] }],
  };
  return {
    $schema: DIALECT,
    title: 'Rollout',
    ...fields(
      {
        apiVersion: { type: 'string', pattern: '^rollouts\\.kruise\\.io/' },
        kind: { const: 'Rollout' },
        metadata: {
          type: 'object',
          required: ['name'],
          properties: { name: TEXT, namespace: TEXT, labels: TEXTS, annotations: TEXTS },
        },
        spec: fields(
          {
            workloadRef: fields({ apiVersion: TEXT, kind: TEXT, name: TEXT }, ['apiVersion', 'kind', 'name']),
            disabled: about('no step forward, until it is false again', FLAG),
            strategy,
          },
          ['workloadRef', 'strategy'],
        ),
        status: {},
      },
      ['apiVersion', 'kind', 'metadata', 'spec'],
    ),
  };
}
