/** The Analysis as JSON Schema, for editors: made of the same tables as the parser. */

import { ANALYSIS_API_VERSION, ANALYSIS_CHANCES, ANALYSIS_TIMES, PROVIDER_NAME } from './analysis.ts';
import { ALERT_NAME_FIELD, ALERTS_LIMIT } from './analysis-alerts.ts';
import { METRICS_LIMIT, SERIES_NAME, THEN_FIELD } from './analysis-metric.ts';
import { LEADS_TO, type Preset } from './analysis-preset.ts';
import { PRESETS } from './analysis-presets.ts';
import { LABEL_NAME, VALUE_LENGTH } from './analysis-values.ts';
import type { JsonObject } from './json.ts';
import { ANALYSIS_KIND } from './kinds.ts';

const TEXTS = { type: 'object', additionalProperties: { type: 'string' } } as const;
const PERCENT = { type: 'number', minimum: 0.01, maximum: 99 } as const;

function closed(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', additionalProperties: false, required: [...required], properties };
}

/** Draft 2020-12. What it takes the parser may still refuse: `ruleOut` not above `tolerate`, two metrics of one name. */
export function analysisSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: ANALYSIS_KIND,
    ...closed(
      {
        apiVersion: { const: ANALYSIS_API_VERSION },
        kind: { const: ANALYSIS_KIND },
        metadata: closed({ name: { type: 'string', minLength: 1 }, labels: TEXTS, annotations: TEXTS }, ['name']),
        spec: specSchema(),
      },
      ['apiVersion', 'kind', 'metadata', 'spec'],
    ),
  };
}

function specSchema(): JsonObject {
  const label = { type: 'string', pattern: LABEL_NAME.source };
  const times = Object.entries(ANALYSIS_TIMES).map(([name, { min, max, otherwise, meaning }]) => [
    name,
    { description: meaning, type: 'integer', minimum: min, maximum: max, default: otherwise },
  ]);
  const chances = Object.entries(ANALYSIS_CHANCES).map(([name, { min, max, otherwise, meaning }]) => [
    name,
    { description: meaning, type: 'number', minimum: min, maximum: max, default: otherwise },
  ]);
  return closed(
    {
      provider: { description: 'prod for TRANCHE_METRICS_PROD', type: 'string', pattern: PROVIDER_NAME.source },
      match: { description: 'labels that every series has', ...TEXTS },
      labels: closed({ namespace: label, pod: label }),
      sides: {
        description: 'series without pods: their labels, by the Service, pool or workload of a version',
        type: 'object',
        additionalProperties: { ...TEXTS, minProperties: 1 },
      },
      ...Object.fromEntries([...times, ...chances]),
      metrics: { type: 'array', minItems: 1, maxItems: METRICS_LIMIT, items: { anyOf: metricSchemas() } },
      alerts: {
        description: 'alerts that hold a step while they fire',
        type: 'array',
        maxItems: ALERTS_LIMIT,
        items: closed({ [ALERT_NAME_FIELD]: { type: 'string', minLength: 1, maxLength: VALUE_LENGTH } }, [
          ALERT_NAME_FIELD,
        ]),
      },
    },
    ['provider', 'metrics'],
  );
}

function metricSchemas(): JsonObject[] {
  const named = { name: { type: 'string', minLength: 1 } };
  const compared = {
    tolerate: closed({
      times: { type: 'number', minimum: 1, maximum: 50 },
      points: { type: 'number', minimum: 0, maximum: 100 },
    }),
    ruleOut: closed({ times: { type: 'number', minimum: 1.1, maximum: 80 } }),
    bound: closed({ fail: PERCENT, pass: PERCENT }, ['fail', 'pass']),
  };
  const shared = { ...named, ...compared, [THEN_FIELD]: { enum: [...LEADS_TO] } };
  const values = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
  const counter = closed(
    {
      metric: { type: 'string', pattern: SERIES_NAME.source },
      labels: { type: 'object', additionalProperties: values },
    },
    ['metric'],
  );
  const over = { type: 'number', minimum: 0.01, maximum: 3600 };
  const used = (isMeant: (preset: Preset) => boolean, fields: JsonObject): JsonObject => {
    const uses = Object.entries(PRESETS).flatMap(([use, preset]) => (isMeant(preset) ? [use] : []));
    return closed({ use: { enum: uses }, ...fields }, ['use']);
  };
  return [
    used(({ bad }) => bad.kind === 'over', { overSeconds: over, ...shared }),
    used(({ bad, informsOnly }) => bad.kind !== 'over' && bad.kind !== 'stalled' && informsOnly !== true, shared),
    used(({ bad }) => bad.kind === 'stalled', { ...named, [THEN_FIELD]: { enum: [...LEADS_TO] } }),
    used(({ informsOnly }) => informsOnly === true, { ...named, ...compared, [THEN_FIELD]: { const: 'inform' } }),
    closed({ bad: counter, of: counter, ...shared }, ['name', 'bad', 'of']),
  ];
}
