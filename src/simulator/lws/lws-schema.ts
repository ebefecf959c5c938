/** The fields that the CRD of LWS has, outside of pod templates: the API server prunes every other one. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';

/** `true`: whatever is below is kept. */
interface Fields {
  readonly [field: string]: Fields | true;
}

const FIELDS: Fields = {
  apiVersion: true,
  kind: true,
  metadata: true,
  status: true,
  spec: {
    replicas: true,
    startupPolicy: true,
    networkConfig: { subdomainPolicy: true },
    rolloutStrategy: {
      type: true,
      rollingUpdateConfiguration: { partition: true, maxUnavailable: true, maxSurge: true },
    },
    leaderWorkerTemplate: {
      leaderTemplate: true,
      workerTemplate: true,
      size: true,
      restartPolicy: true,
      subGroupPolicy: { subGroupPolicyType: true, subGroupSize: true },
      volumeClaimTemplates: true,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: true, whenScaled: true },
    },
  },
};

/** The paths of the fields that the CRD does not have, as `spec.paused`, in the order of the object. */
export function unknownFields(object: JsonObject): readonly string[] {
  return unknownBelow(object, FIELDS, '');
}

function unknownBelow(object: JsonObject, fields: Fields, prefix: string): readonly string[] {
  return Object.entries(object).flatMap(([key, value]) => {
    const known = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (known === undefined) return [`${prefix}${key}`];
    return known === true || !isJsonObject(value) ? [] : unknownBelow(value, known, `${prefix}${key}.`);
  });
}

/** The object without them; the same object where it has none. */
export function withoutUnknownFields(object: JsonObject): JsonObject {
  return unknownFields(object).length === 0 ? object : keptBelow(object, FIELDS);
}

function keptBelow(object: JsonObject, fields: Fields): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(object)) {
    const known = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (known === undefined) continue;
    kept[key] = known === true || !isJsonObject(value) ? value : keptBelow(value, known);
  }
  return kept;
}
