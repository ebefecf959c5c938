/** The last guard before a push: every object that a commit touches says what was decided, and nothing else has changed. */

import { isLast, patchText, RENDERERS_PATH, rendererItem, renderersIn } from '../../api/helm-release.ts';
import type { Issue } from '../../api/issue.ts';
import { at, isJsonObject, type Json, jsonEqual } from '../../api/json.ts';
import { MARK, MARK_NAMES, printMarks } from '../../api/marks.ts';
import { shortDigest } from '../../api/release.ts';
import { RELEASE_PATHS } from '../../api/release-content.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import { oneInFile } from '../../manifests/one-in-file.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../../manifests/parse-file.ts';
import { pathText } from '../../manifests/path-text.ts';
import { pathsInto } from '../../manifests/splice/anchors.ts';
import { splitDocuments } from '../../manifests/split-documents.ts';
import type { FileWrite } from '../../ports/git.ts';
import type { CarriedChange } from '../../rollout/edits/carried.ts';
import { entryAfter, INPUT_PATHS } from '../../rollout/edits/carried-edits.ts';
import type {
  ExactContent,
  FieldChange,
  ObjectChange,
  ObjectContent,
  WorkloadPart,
} from '../../rollout/edits/change.ts';
import type { DocumentEdit, EditPath, ItemMatch, ObjectRef } from '../../rollout/edits/edit.ts';
import { readWorkload } from '../documents/read-workload.ts';
import type { TextsAt } from '../texts-at.ts';

type Texts = {
  readonly before: TextsAt;
  readonly writes: readonly FileWrite[];
  readonly known?: KnownTexts;
};

/**
 * Reads every file of the commit back as the next pass will: each field as planned, new documents there with their
 * content, deleted ones gone, and all else as before. A difference is a bug of ours, and nothing is written.
 */
export function checkStep(changes: readonly ObjectChange[], texts: Texts): Issue | undefined {
  for (const file of new Set(changes.map((change) => change.file))) {
    const own = changes.filter((change) => change.file === file);
    const kinds = own.map(({ object }) => object.kind);
    const text = texts.before.get(file) ?? '';
    const written = texts.writes.find((write) => write.path === file);
    const was = parseManifestFile(file, text, kinds, texts.known);
    const is = written === undefined ? was : parseManifestFile(file, written.text ?? '', kinds, texts.known);
    for (const change of own) {
      const wrong = wrongObject(change, was, is);
      if (wrong !== undefined) return issueOf(file, change.object, wrong);
    }
    const [first] = own;
    if (first !== undefined && !jsonEqual(otherTexts(was, own), otherTexts(is, own)))
      return issueOf(file, first.object, 'another document of its file would change');
  }
  return undefined;
}

function wrongObject(change: ObjectChange, was: ManifestFile, is: ManifestFile): string | undefined {
  const now = documentOf(is, change.object);
  if (change.kind === 'delete') return now === undefined ? undefined : 'it is still there';
  if (now === undefined) return 'it cannot be read back';
  const made = change.kind === 'edit' ? undefined : change.document;
  const model = made === undefined ? documentOf(was, change.object) : modelOf(made, was);
  if (model === undefined) return 'what it is made from cannot be read';
  if (change.kind === 'exact') return wrongExactly(change, model, now);
  // A patch is no workload: what comes of it is looked at as kustomize builds it.
  if (change.beneath !== undefined) return wrongElse(model, now, placesOf(change, model));
  if (change.carried !== undefined) return wrongCarried(change, change.carried, { model, now });
  const { fields, workload } = change;
  const wrong = fields.map((field) => wrongField(now, field)).find((found) => found !== undefined);
  return (
    wrong ??
    (workload === undefined ? undefined : wrongWorkload(now, workload)) ??
    wrongElse(model, now, placesOf(change, model))
  );
}

/** A HelmRelease: marks, inputs and the entry of ours as planned, which is the last one; everything else as before. */
function wrongCarried(
  { fields, workload }: ObjectContent,
  carried: CarriedChange,
  { model, now }: { readonly model: ManifestDocument; readonly now: ManifestDocument },
): string | undefined {
  if (workload === undefined) return 'its marks are not planned';
  const there = renderersIn(now.value);
  const { entry } = there;
  const planned = entryAfter({ fields, workload, carried });
  if (entry === undefined || !isLast(there) || !jsonEqual(rendererItem(entry), rendererItem(planned)))
    return `its entry is ${entry === undefined ? 'missing' : patchText(entry)}, wanted ${patchText(planned)} as the last`;
  const marks = MARK_NAMES.map((name) => ['metadata', 'annotations', MARK[name]]);
  const taken = workload.content.source === undefined ? [] : INPUT_PATHS;
  const places = [...marks, RENDERERS_PATH, ...taken, ...taken.flatMap((path) => pathsInto(model, path))];
  return wrongWorkload(now, workload) ?? wrongElse(model, now, places);
}

/** The whole object: another one before is not what was planned from, and another one afterwards not what was planned. */
function wrongExactly(change: ExactContent, model: ManifestDocument, now: ManifestDocument): string | undefined {
  const { edits, from, to, workload } = change;
  if (!jsonEqual(model.value, from)) return 'it is not what this was planned from';
  const wrong = workload === undefined ? undefined : wrongWorkload(now, workload);
  if (wrong !== undefined) return wrong;
  const source = workload?.content.source;
  const repeated = edits.flatMap((edit) => (edit.kind === 'restore' ? pathsInto(model, edit.path) : []));
  const restored = [...repeated, ...(source === undefined ? [] : restoredPlaces(model))];
  const emptied = edits.filter(({ kind }) => kind !== 'set' && kind !== 'insertItem').map(({ path }) => path);
  const compared = (value: Json): Json => withoutEmptied(without(value, restored), emptied);
  return jsonEqual(compared(to), compared(now.value)) ? undefined : 'it would not be exactly as planned';
}

/** A comment of the user's keeps a map that an edit has emptied. */
function withoutEmptied(value: Json, paths: readonly EditPath[]): Json {
  const parents = paths.flatMap((path) => path.map((_, depth) => path.slice(0, path.length - 1 - depth)));
  const isEmpty = (one: Json | undefined): boolean => isJsonObject(one) && Object.keys(one).length === 0;
  return parents.reduce<Json>(
    (now, path) => (path.length > 0 && isEmpty(valueAt(now, path)) ? (withoutField(now, path) ?? {}) : now),
    value,
  );
}

/** The document that a new one is made from, as it was before the commit. */
function modelOf(document: Extract<DocumentEdit, { readonly kind: 'insert' | 'copy' }>, was: ManifestFile) {
  if (document.kind === 'insert') return parseManifestFile(was.file, document.source, 'everything').documents[0];
  const { of, source } = document;
  return documentOf(source === undefined ? was : parseManifestFile(was.file, source, [of.kind]), of);
}

function documentOf({ documents }: ManifestFile, object: ObjectRef): ManifestDocument | undefined {
  return oneInFile(documents.filter((document) => jsonEqual(document.object, object)));
}

/** The texts of all documents that the commit leaves alone, whatever they are, but for blanks at their end. */
function otherTexts(read: ManifestFile, own: readonly ObjectChange[]): readonly string[] {
  const { file, text } = read;
  const ours = own.flatMap(({ object }) => documentOf(read, object) ?? []);
  return splitDocuments(file, text)
    .filter((_, index) => !ours.some((document) => document.index === index))
    .map(({ start, end }) => text.slice(start, end).trimEnd());
}

function wrongElse(model: ManifestDocument, now: ManifestDocument, places: readonly EditPath[]): string | undefined {
  if (jsonEqual(without(model.value, places), without(now.value, places))) return undefined;
  return 'a field would change that is none of the planned';
}

function wrongField({ value }: ManifestDocument, { path, to }: FieldChange): string | undefined {
  const seen = valueAt(value, path);
  const wanted = typeof to === 'object' ? undefined : to;
  if (seen === wanted) return undefined;
  return `${pathText(path)} ${seen === undefined ? 'missing' : JSON.stringify(seen)}, wanted ${wanted ?? 'none'}`;
}

function wrongWorkload(document: ManifestDocument, { marks, content }: WorkloadPart): string | undefined {
  const read = readWorkload(document).workload;
  const seen = read?.workload.marks;
  if (read === undefined || seen === undefined) return 'it cannot be read back';
  const [printed, wanted] = [printMarks(seen), printMarks(marks.to)];
  const other = MARK_NAMES.find((name) => printed[name] !== wanted[name]);
  if (other !== undefined) return `${MARK[other]} ${printed[other] ?? 'missing'}, wanted ${wanted[other] ?? 'none'}`;
  return read.digest === content.digest
    ? undefined
    : `the template is ${shortDigest(read.digest)}, wanted ${shortDigest(content.digest)}`;
}

/** Where the change may make a difference. What an alias repeats of a text that is put back follows it. */
function placesOf(change: Extract<ObjectChange, { readonly kind: 'edit' | 'create' }>, model: ManifestDocument) {
  const marks = MARK_NAMES.map((name) => ['metadata', 'annotations', MARK[name]]);
  const { fields, workload, carried } = change;
  return [
    ...(carried === undefined ? [] : [RENDERERS_PATH, ...INPUT_PATHS]),
    ...fields.map(({ path }) => path),
    ...(change.kind === 'create' ? [['metadata', 'name']] : []),
    ...(workload === undefined ? [] : marks),
    ...(workload?.content.source === undefined ? [] : restoredPlaces(model)),
  ];
}

function restoredPlaces(model: ManifestDocument): readonly EditPath[] {
  return RELEASE_PATHS.flatMap((path) => [path, ...pathsInto(model, path)]);
}

function without(value: Json, paths: readonly EditPath[]): Json {
  return paths.reduce<Json>((rest, path) => withoutField(rest, path) ?? {}, value);
}

/** The value without the field, and without the parents that it leaves empty; undefined: nothing is left. */
function withoutField(value: Json | undefined, [first, ...rest]: EditPath): Json | undefined {
  if (first === undefined || value === undefined || value === null) return undefined;
  if (Array.isArray(value)) {
    const place = placeIn(value, first);
    return value.map((item: Json, index) => (index === place ? (withoutField(item, rest) ?? {}) : item));
  }
  if (!isJsonObject(value) || typeof first === 'object') return value;
  const { [first]: inner, ...others } = value;
  const left = withoutField(inner, rest);
  const kept = left === undefined ? others : { ...others, [first]: left };
  return Object.keys(kept).length === 0 ? undefined : kept;
}

function valueAt(value: Json | undefined, path: EditPath): Json | undefined {
  return path.reduce<Json | undefined>((here, part) => {
    if (typeof part === 'string') return at(here, [part]);
    const items: readonly Json[] = Array.isArray(here) ? here : [];
    return items[placeIn(items, part)];
  }, value);
}

function placeIn(items: readonly Json[], part: string | ItemMatch): number {
  if (typeof part === 'string') return Number(part);
  return items.findIndex((item) => isJsonObject(item) && item[part.key] === part.value);
}

function issueOf(file: string, { kind, name }: ObjectRef, wrong: string): Issue {
  return {
    file,
    line: 0,
    path: '',
    reason: 'StepCheckFailed',
    message: `${kind} ${name}: the rendered step is not the planned one: ${wrong}`,
    hint: 'This is a bug of tranche; nothing was written. Please report it with the files of --save-pass.',
  };
}
