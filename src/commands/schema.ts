/** `tranche schema`: the JSON Schemas of what people write, for editors. */

import { analysisSchema } from '../api/analysis-schema.ts';
import { configSchema } from '../api/config-schema.ts';
import type { JsonObject } from '../api/json.ts';
import { policySchema } from '../api/policy-schema.ts';
import { rolloutSchema } from '../api/rollout-schema.ts';
import { routeProviderSchema } from '../api/route-provider-schema.ts';

/** By the names of the files in `schemas/`. */
export const SCHEMAS: Readonly<Record<string, () => JsonObject>> = {
  rollout: rolloutSchema,
  'rollout-policy': policySchema,
  'route-provider': routeProviderSchema,
  analysis: analysisSchema,
  tranche: configSchema,
};
