/** Decides which items of lists an edit means: every match in its path becomes a place in this text, or an issue. */

import { at, isJsonObject, type Json } from '../../api/json.ts';
import type { Edit, EditPath, FieldPath, ItemMatch, PlacedEdit } from '../../rollout/edits/edit.ts';
import type { ManifestDocument } from '../parse-file.ts';
import { pathText } from '../path-text.ts';
import { type Refused, refuse } from './change.ts';

type Or<Value> = Value | Refused;
export type Located = Or<{ readonly kind: 'ok'; readonly edit: PlacedEdit }>;

const PLACE = /^(0|[1-9][0-9]{0,6})$/;

/** Looks at what Kubernetes reads, aliases followed; whether such a place can be written is asked where it is written. */
export function locate(document: ManifestDocument, edit: Edit): Located {
  switch (edit.kind) {
    case 'restore':
      return { kind: 'ok', edit };
    case 'insertItem':
      return newItem(document, edit);
    case 'removeItem':
    case 'set':
    case 'remove':
      break;
  }
  const found = placesOf(document, edit.path);
  if (found.kind === 'refused') return found;
  const { places } = found;
  if (edit.kind !== 'removeItem') return { kind: 'ok', edit: { ...edit, path: places } };
  const above = places.slice(0, -1);
  const list = at(document.value, above);
  if (Array.isArray(list) && at(document.value, places) !== undefined)
    return { kind: 'ok', edit: { ...edit, path: places } };
  return noSuchItem({ document, places: above, path: edit.path }, list);
}

function newItem(document: ManifestDocument, edit: Extract<Edit, { readonly kind: 'insertItem' }>): Located {
  const above = placesOf(document, edit.path.slice(0, -1));
  if (above.kind === 'refused') return above;
  const { places } = above;
  const last = edit.path.at(-1) ?? '';
  const here: Here = { document, places, path: edit.path };
  const list = at(document.value, places);
  if (list !== undefined && list !== null && !Array.isArray(list)) return notAList(here);
  const items = itemsOf(list);
  const placed = (place: number): Located => ({ kind: 'ok', edit: { ...edit, path: [...places, String(place)] } });
  if (typeof last === 'string')
    return PLACE.test(last) && Number(last) <= items.length ? placed(Number(last)) : noSuchItem(here, list);
  const there = items.filter((item) => holds(item, last)).length;
  if (there > 0) return twice(here, there);
  return holds(edit.value, last) ? placed(items.length) : anotherItem(here);
}

type Places = Or<{ readonly kind: 'ok'; readonly places: FieldPath }>;

function placesOf(document: ManifestDocument, path: EditPath): Places {
  const places: string[] = [];
  for (const [depth, segment] of path.entries()) {
    if (typeof segment === 'string') {
      places.push(segment);
      continue;
    }
    const here: Here = { document, places, path: path.slice(0, depth + 1) };
    const list = at(document.value, places);
    if (list !== undefined && list !== null && !Array.isArray(list)) return notAList(here);
    const matches = itemsOf(list).flatMap((item, place) => (holds(item, segment) ? [place] : []));
    const [match] = matches;
    if (match === undefined) return noSuchItem(here, list);
    if (matches.length > 1) return twice(here, matches.length);
    places.push(String(match));
  }
  return { kind: 'ok', places };
}

function itemsOf(list: Json | undefined): readonly Json[] {
  return Array.isArray(list) ? list : [];
}

function holds(item: Json, { key, value }: ItemMatch): boolean {
  return isJsonObject(item) && Object.hasOwn(item, key) && item[key] === value;
}

type Here = {
  readonly document: ManifestDocument;
  /** The list, in this text. */
  readonly places: FieldPath;
  /** The item, as the plan names it. */
  readonly path: EditPath;
};

const HINT = 'Nothing was changed. Run the pass again on the present branch; an item must be in its list once.';

type Why = { readonly reason: string; readonly what: string; readonly hint?: string };

function refusedAt({ document, places, path }: Here, { reason, what, hint = HINT }: Why): Refused {
  const text = pathText(path);
  const refused = refuse(document, places, { reason, message: `${text} ${what}`, hint });
  return { kind: 'refused', issue: { ...refused.issue, path: text } };
}

function noSuchItem(here: Here, list: Json | undefined): Refused {
  const seen = Array.isArray(list) ? `the list has ${list.length} items, and not this one` : 'there is no such list';
  return refusedAt(here, { reason: 'ItemNotFound', what: `cannot be found: ${seen}` });
}

function twice(here: Here, times: number): Refused {
  const what = times === 1 ? 'is in the list already' : `is in the list ${times} times, so it names no one item`;
  return refusedAt(here, { reason: 'ItemTwice', what });
}

function anotherItem(here: Here): Refused {
  return refusedAt(here, { reason: 'UnsupportedEdit', what: 'was to be inserted, but the new item has another name' });
}

function notAList(here: Here): Refused {
  const what = `cannot be found: ${pathText(here.places)} is not a list`;
  return refusedAt(here, { reason: 'FieldIsNotList', what, hint: 'Write it as a list of items.' });
}
