/** Where two contents of a template differ, as people are told it. */

import { isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';

/** The first field in which two contents differ, as deep as both are maps. */
export function differenceOf(left: JsonObject, right: JsonObject): readonly string[] | undefined {
  const key = [...Object.keys(left), ...Object.keys(right)].find((one) => !isSame(left[one], right[one]));
  if (key === undefined) return undefined;
  const [one, other] = [left[key], right[key]];
  return [key, ...(isJsonObject(one) && isJsonObject(other) ? (differenceOf(one, other) ?? []) : [])];
}

/** A patch may have made a map that is empty without it. */
function isSame(left: Json | undefined, right: Json | undefined): boolean {
  if (isJsonObject(left ?? {}) && isJsonObject(right ?? {}) && !(left === undefined && right === undefined))
    return differenceOf(mapOf(left), mapOf(right)) === undefined;
  return left === undefined || right === undefined ? left === right : jsonEqual(left, right);
}

function mapOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
