/** Checks a spliced file before anybody writes it: the planned field changed as planned, and nothing else did. */

import type { Issue } from '../../api/issue.ts';
import { at, isJsonObject, type Json, jsonEqual } from '../../api/json.ts';
import type { FieldPath, PlacedEdit } from '../../rollout/edits/edit.ts';
import type { KnownTexts } from '../known-texts.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { pathText } from '../path-text.ts';
import { pathsInto } from './anchors.ts';
import type { Sources } from './sources.ts';
import { type ItemEdit, isItemEdit, listAfter, withoutItem } from './verify-item.ts';

export type Verified =
  | { readonly kind: 'ok'; readonly file: ManifestFile; readonly document: ManifestDocument }
  | { readonly kind: 'refused'; readonly issue: Issue };

type Splice = {
  readonly before: ManifestFile;
  readonly document: ManifestDocument;
  /** One edit, or several that do not touch each other: none is an edit of an item, nothing here has an anchor. */
  readonly edits: Edits;
  readonly after: string;
  readonly sources: Sources;
  readonly known: KnownTexts;
};

export type Edits = readonly [PlacedEdit, ...PlacedEdit[]];

/** Reads the new text afresh. It never trusts how the splice was made, only what the file says now. */
export function verify({ before, document, edits, after, sources, known }: Splice): Verified {
  const file = parseManifestFile(before.file, after, [document.object.kind], known);
  const [first] = edits;
  const doubt = (why: string): Verified => ({ kind: 'refused', issue: doubtful(document, first, why) });
  const broken = file.issues.find((issue) => !before.issues.some((other) => other.message === issue.message));
  if (broken !== undefined) return doubt(`the new text could not be read: ${broken.message}`);
  const now = file.documents.find((candidate) => candidate.index === document.index);
  if (now === undefined) return doubt('the object is no longer where it was');
  if (!jsonEqual(now.object, document.object)) return doubt('the object would be another one');
  const untouched =
    after.startsWith(before.text.slice(0, document.start)) && after.endsWith(before.text.slice(document.end));
  if (!untouched || !sameOthers(before, file, document.index))
    return doubt('another document of the file would change');
  const repeats = first.kind === 'restore' ? pathsInto(document, first.path) : [];
  const actual = asBefore(document, now, { path: first.path, repeats });
  const expected = edits.reduce<readonly Json[]>(
    (values, edit) => values.flatMap((value) => expectations(value, edit, sources(document, edit))),
    [document.value],
  );
  if (!expected.some((value) => jsonEqual(value, actual))) {
    return doubt(`${pathText(first.path)} would not have the planned value, or another field would change`);
  }
  const but = [...edits.map((edit) => edit.path), ...repeats];
  const [was, is] = [
    outside(document, { edit: first, but, has: 'removeItem' }),
    outside(now, { edit: first, but, has: 'insertItem' }),
  ];
  if (!jsonEqual(was, is)) return doubt('another field would be misread');
  return { kind: 'ok', file, document: now };
}

/** Documents before and behind ours are the same bytes in the same order. */
export function sameOthers(before: ManifestFile, after: ManifestFile, index: number): boolean {
  const texts = (file: ManifestFile): readonly string[] => {
    const all = [...file.documents, ...file.others].filter((one) => one.index !== index);
    return all.sort((left, right) => left.index - right.index).map((one) => file.text.slice(one.start, one.end));
  };
  const [were, are] = [texts(before), texts(after)];
  return were.length === are.length && were.every((text, place) => text === are[place]);
}

type Compared = {
  readonly edit: PlacedEdit;
  readonly but: readonly FieldPath[];
  /** The edit whose item this version has. */
  readonly has: ItemEdit['kind'];
};

function outside({ ambiguous }: ManifestDocument, { edit, but, has }: Compared): Json {
  // An item moves the places of those behind it: all are compared, as they would be without it.
  if (isItemEdit(edit))
    return (edit.kind === has ? withoutItem(ambiguous, edit.path) : ambiguous).map(({ path, source }) => [
      path,
      source,
    ]);
  const prefixes = but.map(pathText);
  return ambiguous
    .filter((place) => !prefixes.some((prefix) => place.path.startsWith(prefix)))
    .map(({ path, source }) => [path, source]);
}

type Repeats = { readonly path: FieldPath; readonly repeats: readonly FieldPath[] };

/**
 * What an alias elsewhere repeats of a restored node follows the node, as its author wrote it: where it still does, it is
 * looked at as if it had stayed. The name may stand for another place by now, as where it is given twice: that is none.
 */
function asBefore(before: ManifestDocument, now: ManifestDocument, { path, repeats }: Repeats): Json {
  if (repeats.length === 0) return now.value;
  const followed = new Set(pathsInto(now, path).map(pathText));
  return repeats.reduce<Json>((value, repeat) => {
    const was = at(before.value, repeat);
    return was !== undefined && followed.has(pathText(repeat)) ? withValue(value, repeat, was) : value;
  }, now.value);
}

/** What the value may be after the edit. Removing may leave the emptied parent as `{}` or take it along. */
function expectations(value: Json, edit: PlacedEdit, source: ManifestDocument | undefined): readonly Json[] {
  switch (edit.kind) {
    case 'insertItem':
    case 'removeItem': {
      const list = edit.path.slice(0, -1);
      const items = listAfter(value, edit);
      return items === undefined ? withoutValue(value, list) : [withValue(value, list, items)];
    }
    case 'set':
      return [withValue(value, edit.path, edit.value)];
    case 'remove':
      return withoutValue(value, edit.path);
    case 'restore':
      break;
  }
  return restored(value, edit, source);
}

/** The compiler says so where another kind of edit is not distinguished above. */
function restored(
  value: Json,
  { path }: Extract<PlacedEdit, { readonly kind: 'restore' }>,
  source: ManifestDocument | undefined,
): readonly Json[] {
  const wanted = source === undefined ? undefined : at(source.value, path);
  return wanted === undefined ? withoutValue(value, path) : [withValue(value, path, wanted)];
}

/** The value with another one at `path`; parents that are missing are maps. */
export function withValue(root: Json | undefined, path: FieldPath, value: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root))
    return root.map((item: Json, place) => (String(place) === key ? withValue(item, rest, value) : item));
  const here = isJsonObject(root) ? root : {};
  return { ...here, [key]: withValue(here[key], rest, value) };
}

/** The value without the key, once for every number of emptied parents that could go along with it. */
function withoutValue(root: Json, path: FieldPath): readonly Json[] {
  if (at(root, path) === undefined) return [root];
  const outcomes: Json[] = [];
  for (let length = path.length; length > 0; length -= 1) {
    const target = path.slice(0, length);
    const parentPath = target.slice(0, -1);
    const parent = at(root, parentPath);
    if (!isJsonObject(parent)) break;
    const { [target.at(-1) ?? '']: _, ...rest } = parent;
    outcomes.push(withValue(root, parentPath, rest));
    if (Object.keys(rest).length > 0) break;
  }
  return outcomes;
}

function doubtful(document: ManifestDocument, edit: PlacedEdit, why: string): Issue {
  const { kind, name } = document.object;
  return {
    file: document.file,
    line: document.lineOf(edit.path),
    path: pathText(edit.path),
    reason: 'SpliceCheckFailed',
    message: `${kind} ${name}: the change of ${pathText(edit.path)} was not written: ${why}`,
    hint: 'Nothing was changed. Write this part of the manifest in ordinary block style, and report the file as a defect.',
  };
}
