/** What a strategic merge patch means for an object, as a JSON merge patch: lists of built-in kinds are merged item by item. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { mergePatch } from '../../simulator/objects/object-edit.ts';

/** The field that tells items of a list apart. A list that is not here is replaced as a whole, as Kubernetes does it. */
const ITEM_KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['containers', ['name']],
  ['initContainers', ['name']],
  ['ephemeralContainers', ['name']],
  ['volumes', ['name']],
  ['env', ['name']],
  ['imagePullSecrets', ['name']],
  ['secrets', ['name']],
  ['volumeMounts', ['mountPath']],
  ['volumeDevices', ['devicePath']],
  ['ports', ['containerPort', 'port']],
  ['hostAliases', ['ip']],
  ['topologySpreadConstraints', ['topologyKey']],
  ['ownerReferences', ['uid']],
  ['conditions', ['type']],
]);

const ORDER = '$setElementOrder/';
const DELETE_FROM = '$deleteFromPrimitiveList/';

/** The merge patch that makes of `before` what the strategic one makes of it. */
export function mergePatchOf(before: Json | undefined, patch: JsonObject): JsonObject {
  const base = isJsonObject(before) ? before : {};
  const kept = patch['$patch'] === 'replace' ? Object.keys(patch) : patch['$retainKeys'];
  const gone = Array.isArray(kept) ? Object.keys(base).filter((key) => !kept.includes(key)) : [];
  const merged: Record<string, Json> = Object.fromEntries(gone.map((key) => [key, null]));
  for (const [key, value] of Object.entries(patch)) {
    const list = key.startsWith(DELETE_FROM) ? key.slice(DELETE_FROM.length) : undefined;
    if (list !== undefined && Array.isArray(value)) merged[list] = without(base[list], value);
    if (key.startsWith('$')) continue;
    if (isJsonObject(value)) merged[key] = mergePatchOf(base[key], value);
    else merged[key] = Array.isArray(value) ? mergedList(key, base[key], patch) : value;
  }
  return merged;
}

function without(before: Json | undefined, gone: readonly Json[]): Json {
  return Array.isArray(before) ? before.filter((one) => !gone.includes(one)) : [];
}

function mergedList(field: string, before: Json | undefined, patch: JsonObject): Json {
  const list = objectsOf(patch[field]);
  const known = objectsOf(before);
  const key = ITEM_KEYS.get(field)?.find((one) => [...list, ...known].every((item) => item[one] !== undefined));
  if (key === undefined) return patch[field] ?? null;
  const items = new Map(known.map((item) => [item[key], item]));
  for (const item of list) {
    const id = item[key];
    if (item['$patch'] === 'delete') items.delete(id);
    else items.set(id, objectsOf([mergePatch(items.get(id), mergePatchOf(items.get(id), item))])[0] ?? item);
  }
  const order = objectsOf(patch[`${ORDER}${field}`]).map((item) => item[key]);
  const place = (item: JsonObject): number => (order.includes(item[key]) ? order.indexOf(item[key]) : order.length);
  return [...items.values()].sort((a, b) => place(a) - place(b));
}

function objectsOf(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
