/** Checks a spliced file before anybody writes it: the planned field changed as planned, and nothing else did. */

import type { Issue } from '../../api/issue.ts';
import { isJsonObject, type Json, jsonEqual } from '../../api/json.ts';
import type { Edit, FieldPath } from '../../rollout/edit.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile, valueAt } from '../parse-file.ts';
import { pathText } from '../path-text.ts';
import { sourceDocument } from './restore-field.ts';

export type Verified =
  | { readonly kind: 'ok'; readonly file: ManifestFile; readonly document: ManifestDocument }
  | { readonly kind: 'refused'; readonly issue: Issue };

export type Splice = {
  readonly before: ManifestFile;
  readonly document: ManifestDocument;
  readonly edit: Edit;
  readonly after: string;
};

/** Parses the new text afresh. It never trusts how the splice was made, only what the file says now. */
export function verify({ before, document, edit, after }: Splice): Verified {
  const file = parseManifestFile(before.file, after, [document.object.kind]);
  const doubt = (why: string): Verified => ({ kind: 'refused', issue: doubtful(document, edit, why) });
  const broken = file.issues.find((issue) => !before.issues.some((known) => known.message === issue.message));
  if (broken !== undefined) return doubt(`the new text could not be read: ${broken.message}`);
  const now = file.documents.find((candidate) => candidate.index === document.index);
  if (now === undefined) return doubt('the object is no longer where it was');
  if (!jsonEqual(now.object, document.object)) return doubt('the object would be another one');
  const untouched =
    after.startsWith(before.text.slice(0, document.start)) && after.endsWith(before.text.slice(document.end));
  if (!untouched || !sameOthers(before, file, document.index))
    return doubt('another document of the file would change');
  if (!expectations(document, edit).some((value) => jsonEqual(value, now.value))) {
    return doubt(`${pathText(edit.path)} would not have the planned value, or another field would change`);
  }
  if (!jsonEqual(outside(document, edit.path), outside(now, edit.path))) return doubt('another field would be misread');
  return { kind: 'ok', file, document: now };
}

/** Documents before and behind ours are the same bytes in the same order. */
function sameOthers(before: ManifestFile, after: ManifestFile, index: number): boolean {
  const texts = (file: ManifestFile): readonly string[] => {
    const all = [...file.documents, ...file.others].filter((one) => one.index !== index);
    return all.sort((left, right) => left.index - right.index).map((one) => file.text.slice(one.start, one.end));
  };
  const [were, are] = [texts(before), texts(after)];
  return were.length === are.length && were.every((text, at) => text === are[at]);
}

function outside(document: ManifestDocument, path: FieldPath): Json {
  const prefix = pathText(path);
  return document.ambiguous
    .filter((place) => !place.path.startsWith(prefix))
    .map(({ path: at, source }) => [at, source]);
}

/** What the document may be after the edit. Removing may leave the emptied parent as `{}` or take it along. */
function expectations(document: ManifestDocument, edit: Edit): readonly Json[] {
  const { value } = document;
  switch (edit.kind) {
    case 'set':
      return [withValue(value, edit.path, edit.value)];
    case 'remove':
      return withoutValue(value, edit.path);
    case 'restore':
      break;
  }
  const source = sourceDocument(document, edit);
  const wanted = source === undefined ? undefined : valueAt(source.value, edit.path);
  return wanted === undefined ? withoutValue(value, edit.path) : [withValue(value, edit.path, wanted)];
}

function withValue(root: Json | undefined, path: FieldPath, value: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root))
    return root.map((item: Json, at) => (String(at) === key ? withValue(item, rest, value) : item));
  const here = isJsonObject(root) ? root : {};
  return { ...here, [key]: withValue(here[key], rest, value) };
}

/** The value without the key, once for every number of emptied parents that could go along with it. */
function withoutValue(root: Json, path: FieldPath): readonly Json[] {
  if (valueAt(root, path) === undefined) return [root];
  const outcomes: Json[] = [];
  for (let length = path.length; length > 0; length -= 1) {
    const target = path.slice(0, length);
    const parentPath = target.slice(0, -1);
    const parent = valueAt(root, parentPath);
    if (!isJsonObject(parent)) break;
    const { [target.at(-1) ?? '']: _, ...rest } = parent;
    outcomes.push(withValue(root, parentPath, rest));
    if (Object.keys(rest).length > 0) break;
  }
  return outcomes;
}

function doubtful(document: ManifestDocument, edit: Edit, why: string): Issue {
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
