/** What a document says once edits are made in it, worked out on its value alone: bytes are checked against it later. */

import { at, isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import type { Edit, EditPath, ItemMatch } from './edit.ts';

type Restore = Extract<Edit, { readonly kind: 'restore' }>;

/**
 * The value after the edits, in their order. `textOf` gives the value of the document that a template is restored from;
 * undefined where a path names no item, or more than one, or a template is not known: then nobody can say what is planned.
 */
export function editedValue(
  value: JsonObject,
  edits: readonly Edit[],
  textOf: (edit: Restore) => JsonObject | undefined,
): JsonObject | undefined {
  let now: Json | undefined = value;
  for (const edit of edits) {
    if (now === undefined) return undefined;
    const wanted = wantedBy(edit, textOf);
    now = wanted === undefined ? undefined : changed(now, edit.path, wanted);
  }
  return isJsonObject(now) ? now : undefined;
}

/** What becomes of the node at the end of a path. */
type Wanted =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'none' }
  | { readonly kind: 'item'; readonly value: Json };

function wantedBy(edit: Edit, textOf: (edit: Restore) => JsonObject | undefined): Wanted | undefined {
  switch (edit.kind) {
    case 'set':
      return { kind: 'value', value: edit.value };
    case 'insertItem':
      return { kind: 'item', value: edit.value };
    case 'remove':
    case 'removeItem':
      return { kind: 'none' };
    case 'restore':
      break;
  }
  const text = textOf(edit);
  if (text === undefined) return undefined;
  const value = at(text, edit.path);
  return value === undefined ? { kind: 'none' } : { kind: 'value', value };
}

/** Parents that are missing are maps; the list of a new item is a list. undefined: the path leads nowhere. */
function changed(here: Json | undefined, path: EditPath, wanted: Wanted): Json | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return undefined;
  const isNone = here === undefined || here === null;
  if (Array.isArray(here) || (isNone && wanted.kind === 'item' && rest.length === 0))
    return inList(Array.isArray(here) ? here : [], path, wanted);
  if (typeof first === 'object' || !(isNone || isJsonObject(here))) return undefined;
  const inner = at(here ?? undefined, [first]);
  if (wanted.kind === 'none' && inner === undefined) return here ?? null;
  const { [first]: _, ...others } = here ?? {};
  if (rest.length === 0) return wanted.kind === 'none' ? others : { ...here, [first]: wanted.value };
  const next = changed(inner, rest, wanted);
  if (next === undefined) return undefined;
  return wanted.kind === 'none' && isEmpty(next) ? others : { ...here, [first]: next };
}

function inList(items: readonly Json[], [first = '', ...rest]: EditPath, wanted: Wanted): Json | undefined {
  const places = placesOf(items, first);
  if (rest.length === 0 && wanted.kind === 'item') {
    if (typeof first === 'object') return places.length === 0 ? [...items, wanted.value] : undefined;
    return items.toSpliced(Number(first), 0, wanted.value);
  }
  const [place, ...twice] = places;
  const item = place === undefined ? undefined : items[place];
  if (place === undefined || item === undefined || twice.length > 0) return undefined;
  if (rest.length === 0) return items.toSpliced(place, 1, ...(wanted.kind === 'none' ? [] : [wanted.value]));
  const next = changed(item, rest, wanted);
  return next === undefined ? undefined : items.toSpliced(place, 1, next);
}

function placesOf(items: readonly Json[], part: string | ItemMatch): readonly number[] {
  return items.flatMap((item, place) => {
    if (typeof part === 'string') return String(place) === part ? [place] : [];
    return isJsonObject(item) && item[part.key] === part.value ? [place] : [];
  });
}

/** A map or a list that an edit has emptied goes with its key. */
function isEmpty(value: Json): boolean {
  return Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0;
}
