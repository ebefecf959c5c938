/** Says what a document is after an item of a list came or went, for the check of a splice. */

import { at, type Json } from '../../api/json.ts';
import type { FieldPath, PlacedEdit } from '../../rollout/edits/edit.ts';
import type { Ambiguous } from '../parse-document.ts';
import { pathText } from '../path-text.ts';

export type ItemEdit = Extract<PlacedEdit, { readonly kind: 'insertItem' | 'removeItem' }>;

/** Tells the edits of whole items from those of fields. */
export function isItemEdit(edit: PlacedEdit): edit is ItemEdit {
  return edit.kind === 'insertItem' || edit.kind === 'removeItem';
}

/** The list after the edit. Undefined where the item that goes is the only one: then the list goes. */
export function listAfter(value: Json, { path, ...edit }: ItemEdit): readonly Json[] | undefined {
  const list = at(value, path.slice(0, -1));
  const items: readonly Json[] = Array.isArray(list) ? list : [];
  const place = Number(path.at(-1));
  if (edit.kind === 'insertItem') return items.toSpliced(place, 0, edit.value);
  return items.length === 1 ? undefined : items.toSpliced(place, 1);
}

/** Places that readers take differently, as they would be named if the item at `path` were not in its list. */
export function withoutItem(places: readonly Ambiguous[], path: FieldPath): readonly Ambiguous[] {
  const list = pathText(path.slice(0, -1));
  const own = Number(path.at(-1));
  return places.flatMap((place) => {
    const [all = '', digits = ''] = place.path.startsWith(list)
      ? (/^\[(\d+)\]/.exec(place.path.slice(list.length)) ?? [])
      : [];
    const item = Number(digits);
    if (all === '' || item < own) return [place];
    const rest = place.path.slice(list.length + all.length);
    return item === own ? [] : [{ ...place, path: `${list}[${item - 1}]${rest}` }];
  });
}
