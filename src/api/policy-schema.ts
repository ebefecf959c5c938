/** The RolloutPolicy as JSON Schema, for editors: made of the same table as the parser. */

import type { JsonObject } from './json.ts';
import { POLICY_KIND } from './kinds.ts';
import { COMPOSITIONS } from './policy-field-kinds.ts';
import { POLICY_FIELDS } from './policy-fields.ts';
import { POLICY_API_VERSION, SELECTION_FIELDS } from './rollout-policy.ts';

const TEXTS = { type: 'object', additionalProperties: { type: 'string' } } as const;

/** Draft 2020-12. What it takes the parser may still refuse: a schema does not see what two YAML readers take differently. */
export function policySchema(): JsonObject {
  const chooses = Object.entries(SELECTION_FIELDS).map(([name, { meaning, schema }]) => [
    name,
    { description: plain(meaning), ...schema },
  ]);
  const fields = Object.entries(POLICY_FIELDS).map(([name, { composition, meaning, schema }]) => [
    name,
    { description: `${plain(meaning)}. Of several policies: ${COMPOSITIONS[composition]}.`, ...schema },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: POLICY_KIND,
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    additionalProperties: false,
    properties: {
      apiVersion: { const: POLICY_API_VERSION },
      kind: { const: POLICY_KIND },
      metadata: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: { type: 'string', minLength: 1 }, labels: TEXTS, annotations: TEXTS },
      },
      spec: { type: 'object', additionalProperties: false, properties: Object.fromEntries([...chooses, ...fields]) },
    },
  };
}

/** Without the marks and links of Markdown. */
function plain(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}
