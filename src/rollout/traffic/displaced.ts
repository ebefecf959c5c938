/** Finds what was put aside of a rule again, also where people have added or removed other rules since. */

import { type Json, jsonEqual } from '../../api/json.ts';
import type { EditPath } from '../edits/edit.ts';
import type { Displaced } from './provider.ts';

type Place = { readonly place: number; readonly path: EditPath; readonly canary: unknown };

/**
 * By the place of each rule. Rules without a name are distinguished by their order among those that carry a share: those
 * of other people may have come or gone between them.
 */
export function displacedAt(displaced: readonly Displaced[], rules: readonly Place[]): ReadonlyMap<number, Displaced> {
  const sharing = rules.filter(({ canary }) => canary !== undefined);
  const isInOrder = sharing.length === displaced.length;
  const found = sharing.flatMap((rule, at) => {
    const aside = isInOrder ? displaced[at] : displaced.find(({ path }) => begins(path, rule.path));
    return aside === undefined ? [] : [[rule.place, aside] as const];
  });
  return new Map(found);
}

function begins(path: EditPath, start: EditPath): boolean {
  return start.every((segment, at) => jsonEqual(asJson(segment), asJson(path[at])));
}

function asJson(segment: EditPath[number] | undefined): Json {
  return typeof segment === 'object' ? { ...segment } : (segment ?? null);
}
