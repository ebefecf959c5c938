/** Whether an object of the API server contains what a manifest says, after defaulting. */

import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { sameQuantity } from './quantity.ts';

/** Maps whose values are quantities, and single fields that are one. */
const QUANTITY_MAPS: ReadonlySet<string> = new Set(['limits', 'requests', 'capacity', 'overhead']);
const QUANTITY_FIELDS: ReadonlySet<string> = new Set(['sizeLimit', 'divisor', 'storage']);

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

/**
 * The rest of this file answers with a path relative to what it was given (`''` for the thing itself), and puts it
 * together in the rollback: almost every comparison finds nothing, and must cost no text.
 */
function compareMaps(wanted: JsonObject, before: JsonObject, live: JsonObject, parent: string): string | undefined {
  for (const key of Object.keys(wanted)) {
    const found = compare(wanted[key], before[key], live[key], { key, parent });
    if (found !== undefined) return joined(key, found);
  }
  for (const key of Object.keys(before)) {
    if (Object.hasOwn(wanted, key) || !Object.hasOwn(live, key)) continue;
    if (isLeftOver(before[key], live[key], { key, parent })) return key;
  }
  return undefined;
}

/** Whether what the text had before is still there. Another value is somebody else's, or a default that we do not know. */
function isLeftOver(before: Json | undefined, live: Json | undefined, place: Place): boolean {
  if (isEmpty(before) || isEmpty(live) || onlyDefaults(place.key, live)) return false;
  return compare(before, undefined, live, place) === undefined;
}

function joined(key: string, rest: string): string {
  return rest === '' || rest.startsWith('[') ? `${key}${rest}` : `${key}.${rest}`;
}

/** Which field a value is: its key, and the key of the map or list that holds it. */
type Place = { readonly key: string; readonly parent: string };

function compare(
  wanted: Json | undefined,
  before: Json | undefined,
  live: Json | undefined,
  place: Place,
): string | undefined {
  if (wanted === live && typeof wanted !== 'object') return undefined;
  // An empty map or list says nothing of what is there, but that what it held before is gone.
  if (wanted === undefined || isEmpty(wanted)) return isLeftOver(before, live, place) ? '' : undefined;
  if (isJsonObject(wanted)) {
    return isJsonObject(live) ? compareMaps(wanted, isJsonObject(before) ? before : {}, live, place.key) : '';
  }
  if (isList(wanted)) return isList(live) ? compareLists(wanted, isList(before) ? before : [], live, place.key) : '';
  if (isScalar(wanted) && isScalar(live) && isQuantity(place) && sameQuantity(wanted, live)) return undefined;
  return '';
}

function compareLists(
  wanted: readonly Json[],
  before: readonly Json[],
  live: readonly Json[],
  key: string,
): string | undefined {
  // Most lists have the same elements in the same places: no need to look them up by name.
  if (sameNames(wanted, live)) {
    for (let i = 0; i < wanted.length; i += 1) {
      const found = compare(wanted[i], elementLike(wanted[i], before, i), live[i], { key: '', parent: key });
      if (found !== undefined) return joined(`[${(named(wanted) && nameOf(wanted[i])) ?? i}]`, found);
    }
    return undefined;
  }
  const names = named(wanted);
  const liveNames = named(live);
  if (names === undefined || liveNames === undefined) return compareByPlace(wanted, before, live, key);
  const beforeNames = named(before) ?? new Map<string, JsonObject>();
  for (const [name, element] of names) {
    const other = liveNames.get(name);
    if (other === undefined) return `[${name}]`;
    const found = compareMaps(element, beforeNames.get(name) ?? {}, other, '');
    if (found !== undefined) return joined(`[${name}]`, found);
  }
  for (const name of beforeNames.keys()) if (!names.has(name) && liveNames.has(name)) return `[${name}]`;
  return outOfOrder(names, liveNames) ? '' : undefined;
}

function compareByPlace(
  wanted: readonly Json[],
  before: readonly Json[],
  live: readonly Json[],
  key: string,
): string | undefined {
  if (wanted.length !== live.length) return '';
  for (let i = 0; i < wanted.length; i += 1) {
    const found = compare(wanted[i], before[i], live[i], { key: '', parent: key });
    if (found !== undefined) return joined(`[${i}]`, found);
  }
  return undefined;
}

/** Every place has an element of the same name, or of none, on both sides. */
function sameNames(wanted: readonly Json[], live: readonly Json[]): boolean {
  return wanted.length === live.length && wanted.every((element, i) => nameOf(element) === nameOf(live[i]));
}

/** The element of the text before: at the same place, or of the same name. */
function elementLike(element: Json | undefined, before: readonly Json[], place: number): Json | undefined {
  const name = nameOf(element);
  if (name === undefined || nameOf(before[place]) === name) return before[place];
  return before.find((other) => nameOf(other) === name);
}

function nameOf(element: Json | undefined): string | undefined {
  if (!isJsonObject(element)) return undefined;
  const name = element['name'] ?? element['mountPath'];
  return typeof name === 'string' ? name : undefined;
}

/** LWS makes a revision of a changed order too (trace 31g), so order counts among the elements that we name. */
function outOfOrder(wanted: ReadonlyMap<string, Json>, live: ReadonlyMap<string, Json>): boolean {
  const kept = [...live.keys()].filter((name) => wanted.has(name));
  return [...wanted.keys()].some((name, index) => kept[index] !== name);
}

function named(list: readonly Json[]): Map<string, JsonObject> | undefined {
  const byName = new Map<string, JsonObject>();
  for (const element of list) {
    const name = nameOf(element);
    if (name === undefined || !isJsonObject(element) || byName.has(name)) return undefined;
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

/** How many leaves a value has: of two objects that contain the same text, the one with fewer is the closer. */
export function leafCount(value: Json): number {
  if (isList(value)) return value.reduce<number>((sum, item) => sum + leafCount(item), 0);
  if (!isJsonObject(value)) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + leafCount(item), 0);
}

/**
 * Whether two texts spell out other empty maps and lists. Live objects do not show which of the two they have: an empty
 * map may be there, or left out, whatever was applied. LWS may make a revision of it all the same.
 */
export function emptiesDiffer(left: JsonObject, right: JsonObject): boolean {
  return emptiesOf(left, '').sort().join('\n') !== emptiesOf(right, '').sort().join('\n');
}

function emptiesOf(value: Json, path: string): string[] {
  if (isEmpty(value)) return [`${path} ${JSON.stringify(value)}`];
  if (isList(value)) return value.flatMap((item, i) => emptiesOf(item, `${path}[${i}]`));
  return isJsonObject(value) ? Object.entries(value).flatMap(([key, inner]) => emptiesOf(inner, `${path}.${key}`)) : [];
}
