/** What the JSON Schemas of all kinds are made of. */

import type { JsonObject } from './json.ts';

/** Draft 2020-12, as editors and validators of today read it. */
export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
/** A map of texts, as labels and annotations are. */
export const TEXTS: JsonObject = { type: 'object', additionalProperties: { type: 'string' } };
/** A text with something in it. */
export const TEXT: JsonObject = { type: 'string', minLength: 1 };
export const FLAG: JsonObject = { type: 'boolean' };

/** Texts of one pattern. */
export function textLike({ source }: RegExp): JsonObject {
  return { type: 'string', pattern: source };
}

/** A map of these fields and no others: a typo must not silently lose one. */
export function fields(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', ...(required.length === 0 ? {} : { required }), additionalProperties: false, properties };
}

/** A list, with its limit. */
export function list(items: JsonObject, maxItems: number): JsonObject {
  return { type: 'array', maxItems, items };
}

/** A whole number within its limits. */
export function integer(minimum: number, maximum: number): JsonObject {
  return { type: 'integer', minimum, maximum };
}

/** The same with a sentence for people. */
export function about(description: string, schema: JsonObject): JsonObject {
  return { description, ...schema };
}
