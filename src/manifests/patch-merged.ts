/**
 * A strategic-merge patch over an object, as kustomize makes it of a kind without a schema. Only what looks
 * back goes by this: a step is checked by what kustomize itself builds.
 */

import { isJsonObject, type Json, type JsonObject } from '../api/json.ts';

const DIRECTIVE = '$patch';

/**
 * undefined: the patch says what depends on more than on these two, as a list does
 * that a schema may merge. `lists`: `whole`, each takes the place of the one there. */
export function mergedByPatch(
  base: JsonObject,
  patch: JsonObject,
  lists: 'unknown' | 'whole' = 'unknown',
): JsonObject | undefined {
  const merged: Record<string, Json> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$') || isUnclear(value, lists)) return undefined;
    if (value === null) delete merged[key];
    else if (!isJsonObject(value)) merged[key] = value;
    else {
      const inner = mapMerged(merged[key], value, lists);
      if (inner === undefined) return undefined;
      if (inner === 'gone') delete merged[key];
      else merged[key] = inner;
    }
  }
  return merged;
}

function isUnclear(value: Json, lists: 'unknown' | 'whole'): boolean {
  return Array.isArray(value) && (lists === 'unknown' || value.length === 0 || !isPlain(value));
}

function mapMerged(
  base: Json | undefined,
  patch: JsonObject,
  lists: 'unknown' | 'whole',
): JsonObject | 'gone' | undefined {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === 'delete') return 'gone';
  if (directive === 'replace') return isPlain(rest) ? rest : undefined;
  if (directive !== undefined || Object.keys(rest).length === 0) return undefined;
  if (base === undefined) return isPlain(rest) ? rest : undefined;
  return isJsonObject(base) ? mergedByPatch(base, rest, lists) : undefined;
}

/** Neither a directive nor an empty value, which would not come out as it went in. */
function isPlain(value: Json): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (!isJsonObject(value)) return value !== null;
  return Object.entries(value).every(([key, inner]) => !key.startsWith('$') && isPlain(inner));
}
