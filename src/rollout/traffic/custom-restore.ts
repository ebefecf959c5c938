/** A route of a user's own kind as it was before its first share: on plain JSON, anyone who has written what came since. */

import { parseJson } from '../../api/alb-action.ts';
import { at, isJsonObject, type Json, jsonEqual } from '../../api/json.ts';
import { resolve } from '../../api/json-path.ts';
import type { CustomKind } from '../../api/route-provider.ts';
import { textsIn, withAt } from './custom-json.ts';
import { numberAt, placesIn } from './custom-places.ts';
import type { Displaced, Sides } from './provider.ts';

/** Whether a text names the Service of the new version, or one of its hosts. */
export function names(text: string, { stable, canary }: Sides): boolean {
  return canary !== stable && isFor(text, canary);
}

function isFor(text: string, service: string): boolean {
  return text === service || text.startsWith(`${service}.`);
}

/** Whether an item of a list is there for the new version alone. */
export function isOf(item: Json, sides: Sides): boolean {
  if (!isJsonObject(item)) return false;
  const texts = textsIn(item).map(([, text]) => text);
  return texts.some((text) => names(text, sides)) && !texts.some((text) => isFor(text, sides.stable));
}

/** The outermost item of a list on the way to a field that is there for the new version alone; undefined: none. */
export function ownItem(root: Json, path: readonly string[], sides: Sides): readonly string[] | undefined {
  const depth = path.findIndex(
    (_, length) =>
      Array.isArray(at(root, path.slice(0, length))) && isOf(at(root, path.slice(0, length + 1)) ?? null, sides),
  );
  return depth < 0 ? undefined : path.slice(0, depth + 1);
}

/** The object as it was before its first share: displaced fields back, and what came for the new version gone. */
export function withoutShare(
  root: Json,
  custom: CustomKind,
  { sides, displaced }: { readonly sides: Sides; readonly displaced: readonly Displaced[] },
): Json {
  let value = root;
  for (const aside of displaced) {
    const path = plainPath(value, aside.path);
    const now = path === undefined ? undefined : at(value, path);
    if (path !== undefined && now === aside.set) value = withAt(value, path, aside.was);
    else if (path !== undefined && typeof now === 'string')
      value = withAt(value, path, textWithout(now, custom, { sides, was: aside.was }));
  }
  const served = withRequests(withoutKept(value, custom, { sides, displaced }), custom, { sides, displaced });
  return withoutItems(served, custom, { sides, displaced });
}

/** Texts that have a share though nobody kept what they were: it goes, and the rest of them stays. */
function withoutKept(root: Json, custom: CustomKind, { sides, displaced }: From): Json {
  const kept = displaced.flatMap(({ path }) => plainPath(root, path)?.join('/') ?? []);
  let value = root;
  for (const { within } of custom.weights) {
    const found = within === undefined ? undefined : resolve(value, within);
    const text = found?.kind === 'found' ? at(value, found.path) : undefined;
    if (found?.kind !== 'found' || typeof text !== 'string' || kept.includes(found.path.join('/'))) continue;
    value = withAt(value, found.path, textWithout(text, custom, { sides, was: undefined }));
  }
  return value;
}

/** What a number of the stable version was is not known, and alone with 0 it would get no request: it gets all of them. */
function withRequests(root: Json, custom: CustomKind, { sides, displaced }: From): Json {
  const kept = displaced.flatMap(({ path }) => plainPath(root, path)?.join('/') ?? []);
  let value = root;
  for (const { within, stable, canary, scale } of placesIn(root, custom, sides)) {
    if (within !== undefined || stable === undefined || (numberAt(root, canary) ?? 0) === 0) continue;
    const found = resolve(root, stable);
    if (found.kind !== 'found' || numberAt(root, stable) !== 0 || kept.includes(found.path.join('/'))) continue;
    value = withAt(value, found.path, typeof at(root, found.path) === 'string' ? String(scale) : scale);
  }
  return value;
}

/** JSON in a text that people have changed since, or that nobody kept: the share alone goes. */
function textWithout(
  text: string,
  custom: CustomKind,
  { sides, was }: { readonly sides: Sides; readonly was: Displaced['was'] },
): string {
  const [now, before] = [parseJson(text), typeof was === 'string' ? parseJson(was) : undefined];
  if (now === undefined || (was !== undefined && before === undefined)) return text;
  const plain = { ...custom, weights: custom.weights.map((one) => ({ ...one, within: undefined })) };
  const served = before === undefined ? withRequests(now, plain, { sides, displaced: [] }) : now;
  let value = withoutItems(served, plain, { sides, displaced: [] });
  for (const { stable } of placesIn(value, plain, sides)) {
    const [here, there] = [value, before].map((root) =>
      stable === undefined || root === undefined ? undefined : resolve(root, stable),
    );
    if (here?.kind === 'found' && there?.kind === 'found') value = withAt(value, here.path, at(before, there.path));
  }
  return jsonEqual(value, now) ? text : JSON.stringify(value);
}

type From = { readonly sides: Sides; readonly displaced: readonly Displaced[] };

/** Items that are there for the new version go, but for those of people: their numbers were displaced, or are 0. */
function withoutItems(root: Json, custom: CustomKind, { sides, displaced }: From): Json {
  const kept = displaced.flatMap(({ path }) => plainPath(root, path)?.join('/') ?? []);
  const gone = new Map<string, readonly string[]>();
  const add = (path: readonly string[]): void => {
    const item = ownItem(root, path, sides);
    if (item !== undefined && !kept.some((one) => one.startsWith(`${item.join('/')}/`))) gone.set(item.join('/'), item);
  };
  for (const { within, canary } of placesIn(root, custom, sides)) {
    const found = within === undefined ? resolve(root, canary) : undefined;
    const isIdle = displaced.length === 0 && numberAt(root, canary) === 0;
    if (found?.kind === 'found' && !isIdle) add(found.path);
  }
  const isPatched = custom.patch.length > 0 || custom.matches !== undefined;
  if (isPatched) for (const [path, text] of textsIn(root)) if (names(text, sides)) add(path);
  const deepest = [...gone.values()].toSorted((left, right) => byPlaces(right, left));
  return deepest.reduce((value: Json, path) => withAt(value, path, undefined), root);
}

function byPlaces(left: readonly string[], right: readonly string[]): number {
  const depth = left.findIndex((key, place) => key !== right[place]);
  if (depth < 0) return left.length - right.length;
  const [one, other] = [Number(left[depth]), Number(right[depth])];
  return Number.isNaN(one - other) ? (String(left[depth]) < String(right[depth]) ? -1 : 1) : one - other;
}

/** The path with places for items that are named by a field; undefined: there is no such item. */
function plainPath(root: Json, path: Displaced['path']): readonly string[] | undefined {
  const plain: string[] = [];
  for (const part of path) {
    if (typeof part === 'string') plain.push(part);
    else {
      const list = at(root, plain);
      const place = Array.isArray(list) ? list.findIndex((item: Json) => at(item, [part.key]) === part.value) : -1;
      if (place < 0) return undefined;
      plain.push(String(place));
    }
  }
  return plain;
}
