/** Where the numbers of a share stand in a route of a user's own kind, as its RouteProvider says. */

import { parseJson } from '../../api/alb-action.ts';
import { at, type Json } from '../../api/json.ts';
import { everyOf, named, type PathSteps, resolve, withPlaces } from '../../api/json-path.ts';
import type { CustomKind, CustomWeights } from '../../api/route-provider.ts';
import type { Sides } from './provider.ts';

/** Both paths of a place, with the names of the Services and the places of items filled in. */
export type Place = CustomWeights & { readonly stable: PathSteps | undefined; readonly canary: PathSteps };

/** Where the numbers of a share stand in this object: each `*` in every way that has the stable version. */
export function placesIn(root: Json, { weights }: CustomKind, sides: Sides): readonly Place[] {
  return weights.flatMap((one) => {
    const inner = innerOf(root, one);
    const [stable, canary] = [one.stable, one.canary].map((steps) => steps && named(steps, sides));
    if (inner === undefined || canary === undefined) return [];
    const found = everyOf(inner, stable ?? canary).map((places) => ({
      ...one,
      stable: stable && withPlaces(stable, places),
      canary: withPlaces(canary, places),
    }));
    // Rules of other Services have no such item; a path without * is reported where it leads nowhere.
    const isOne = (stable ?? canary).every((step) => typeof step === 'string' || 'key' in step);
    return isOne ? found : found.filter((place) => resolve(inner, place.stable ?? place.canary).kind === 'found');
  });
}

/** What the paths of a place start at: the object, or the JSON in one of its texts. */
export function innerOf(root: Json, { within }: CustomWeights): Json | undefined {
  if (within === undefined) return root;
  const found = resolve(root, within);
  const text = found.kind === 'found' ? at(root, found.path) : undefined;
  return typeof text === 'string' ? parseJson(text) : undefined;
}

/** A number as it is written there; undefined: none. */
export function numberAt(inner: Json, path: PathSteps | undefined): number | undefined {
  const found = path === undefined ? undefined : resolve(inner, path);
  const value = found?.kind === 'found' ? at(inner, found.path) : undefined;
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
