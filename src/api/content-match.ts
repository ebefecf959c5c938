/** Whether an object of the API server contains what a manifest says, after defaulting. */

import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { sameQuantity } from './quantity.ts';

/** Maps whose values are quantities, and single fields that are one. */
const QUANTITY_MAPS = new Set<string>(['limits', 'requests', 'capacity', 'overhead']) as ReadonlySet<string>;
const QUANTITY_FIELDS = new Set<string>(['sizeLimit', 'divisor', 'storage']) as ReadonlySet<string>;

/**
 * What the LWS CRD and webhook fill in by themselves (reference: CRD schema of v0.8–v0.10; recorded objects). A
 * leaf that a manifest no longer spells out may still be there with this value.
 */
const DEFAULTS: Readonly<Record<string, Json>> = {
  protocol: 'TCP',
  size: 1,
  restartPolicy: 'RecreateGroupOnPodRestart',
  subdomainPolicy: 'Shared',
  subGroupPolicyType: 'LeaderWorker',
  whenDeleted: 'Retain',
  whenScaled: 'Retain',
  service: '',
};

/**
 * The path of the first leaf in which `live` does not hold what `wanted` says, or undefined where it holds all of it.
 * Every leaf of `wanted` must be equal in `live`; a leaf that `before` had and `wanted` lacks must be gone from
 * `live` or defaulted. Lists whose elements have names are compared by name, as the API merges them; all others by
 * position and length.
 */
export function firstDifference(
  wanted: JsonObject,
  before: JsonObject | undefined,
  live: JsonObject,
): string | undefined {
  return compareMaps(wanted, before ?? {}, live, '');
}

function compareMaps(wanted: JsonObject, before: JsonObject, live: JsonObject, path: string): string | undefined {
  for (const key of Object.keys(wanted)) {
    const here = path === '' ? key : `${path}.${key}`;
    const found = compare(wanted[key], before[key], live[key], { key, parent: lastKey(path), path: here });
    if (found !== undefined) return found;
  }
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(wanted, key) || !Object.hasOwn(live, key)) continue;
    if (isEmpty(before[key]) || isEmpty(live[key]) || onlyDefaults(key, live[key])) continue;
    // Another value than before: somebody else's or a default that we do not know, not a leftover of ours.
    if (compare(before[key], undefined, live[key], { key, parent: lastKey(path), path }) !== undefined) continue;
    return path === '' ? key : `${path}.${key}`;
  }
  return undefined;
}

type Place = { readonly key: string; readonly parent: string; readonly path: string };

function compare(
  wanted: Json | undefined,
  before: Json | undefined,
  live: Json | undefined,
  place: Place,
): string | undefined {
  if (wanted === undefined || isEmpty(wanted))
    return live === undefined || isEmpty(live) || isEmpty(wanted) ? undefined : place.path;
  if (isJsonObject(wanted)) {
    return isJsonObject(live) ? compareMaps(wanted, isJsonObject(before) ? before : {}, live, place.path) : place.path;
  }
  if (isList(wanted))
    return isList(live) ? compareLists(wanted, isList(before) ? before : [], live, place.path) : place.path;
  if (wanted === live) return undefined;
  if (isScalar(wanted) && isScalar(live) && isQuantity(place) && sameQuantity(wanted, live)) return undefined;
  return place.path;
}

function compareLists(
  wanted: readonly Json[],
  before: readonly Json[],
  live: readonly Json[],
  path: string,
): string | undefined {
  const names = named(wanted);
  const liveNames = named(live);
  if (names === undefined || liveNames === undefined) {
    if (wanted.length !== live.length) return path;
    for (let i = 0; i < wanted.length; i += 1) {
      const found = compare(wanted[i], before[i], live[i], { key: '', parent: lastKey(path), path: `${path}[${i}]` });
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const beforeNames = named(before) ?? new Map<string, JsonObject>();
  for (const [name, element] of names) {
    const other = liveNames.get(name);
    if (other === undefined) return `${path}[${name}]`;
    const found = compareMaps(element, beforeNames.get(name) ?? {}, other, `${path}[${name}]`);
    if (found !== undefined) return found;
  }
  for (const name of beforeNames.keys()) if (!names.has(name) && liveNames.has(name)) return `${path}[${name}]`;
  return outOfOrder(names, liveNames) ? path : undefined;
}

/** LWS makes a revision of a changed order too (trace 31g), so order counts among the elements that we name. */
function outOfOrder(wanted: ReadonlyMap<string, Json>, live: ReadonlyMap<string, Json>): boolean {
  const kept = [...live.keys()].filter((name) => wanted.has(name));
  return [...wanted.keys()].some((name, index) => kept[index] !== name);
}

function named(list: readonly Json[]): Map<string, JsonObject> | undefined {
  const byName = new Map<string, JsonObject>();
  for (const element of list) {
    if (!isJsonObject(element)) return undefined;
    const name = element['name'] ?? element['mountPath'];
    if (typeof name !== 'string' || byName.has(name)) return undefined;
    byName.set(name, element);
  }
  return byName;
}

function onlyDefaults(key: string, live: Json | undefined): boolean {
  if (isJsonObject(live)) return Object.keys(live).every((inner) => onlyDefaults(inner, live[inner]));
  return live !== undefined && DEFAULTS[key] === live;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isScalar(value: Json | undefined): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isEmpty(value: Json | undefined): boolean {
  if (value === null || value === undefined) return true;
  if (isList(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function isQuantity(place: Place): boolean {
  return QUANTITY_MAPS.has(place.parent) || QUANTITY_FIELDS.has(place.key);
}

function lastKey(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** How many leaves a value has: of two objects that contain the same text, the one with fewer is the closer. */
export function leafCount(value: Json): number {
  if (isList(value)) return value.reduce<number>((sum, item) => sum + leafCount(item), 0);
  if (!isJsonObject(value)) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + leafCount(item), 0);
}
