/** What tranche may write at all: the last check before a push. It knows nothing of what was decided, so no mark leads it astray. */

import { type Config, isBelow } from '../../api/config.ts';
import type { Issue } from '../../api/issue.ts';
import { at, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../api/json.ts';
import { MADE_FOR } from '../../api/marks.ts';
import type { KnownTexts } from '../../manifests/known-texts.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';
import { isOwnFile } from '../../manifests/patch-place.ts';
import { pathText } from '../../manifests/path-text.ts';
import { splitDocuments } from '../../manifests/split-documents.ts';
import type { FileWrite, NewCommit, Refused } from '../../ports/git.ts';
import type { FieldPath, ObjectRef } from '../../rollout/edits/edit.ts';
import { noteOf } from '../../rollout/edits/out-of-file.ts';
import { fileRefused, moveHint } from '../documents/written-place.ts';
import type { TextsAt } from '../texts-at.ts';
import { isOwnEntry, isOwnPatch, isOwnRemoval, isOwnTransformer, isTakenOut } from './allowed-patch.ts';
import { type Layout, layoutOf, layoutsWith, type RouteKind } from './layouts.ts';

/** The same for a push: a file that this repository has not given to tranche is none of its either. */
export function pushRefused(
  { branch, paths }: Pick<Config, 'branch' | 'paths'>,
  steps: readonly NewCommit[],
): Refused | undefined {
  for (const { path } of steps.flatMap(({ writes }) => writes)) {
    const why = fileRefused(path) ?? (isBelow(paths, path) ? undefined : 'it is on none of its paths');
    if (why === undefined) continue;
    const advice = 'Look at what asks for it; nothing was written';
    return { kind: 'refused', branch, rule: `tranche never writes ${path}: ${why}`, advice };
  }
  return undefined;
}

type On = {
  /** The texts that are replaced. */
  readonly before: TextsAt;
  /** The kinds that RouteProviders of main describe. Not there: none. */
  readonly customs?: readonly RouteKind[];
  readonly known?: KnownTexts;
};

/** What of these writes tranche may never write; undefined: nothing. */
export function notAllowed(writes: readonly FileWrite[], { before, customs = [], known }: On): Issue | undefined {
  const layouts = layoutsWith(customs);
  for (const { path, text } of writes) {
    const refused = fileRefused(path);
    if (refused !== undefined) return { ...issueOf(path, refused), hint: moveHint(path) };
    const why = text === undefined && !isOwnFile(path) ? 'it would be gone as a whole' : undefined;
    const wrong = why ?? wrongDocument(path, { was: before.get(path) ?? '', is: text ?? '', known, layouts });
    if (wrong !== undefined) return issueOf(path, wrong);
  }
  return undefined;
}

type Versions = {
  readonly was: string;
  readonly is: string;
  readonly known: KnownTexts | undefined;
  readonly layouts: readonly Layout[];
};

function wrongDocument(file: string, { was, is, known, layouts }: Versions): string | undefined {
  const [before, after] = [slicesOf(file, was), slicesOf(file, is)];
  const read = (texts: readonly string[], others: readonly string[]): readonly ManifestDocument[] =>
    notIn(texts, others).flatMap((text) => parseManifestFile(file, text, 'everything', known).documents);
  const [old, fresh] = [read(before, after), read(after, before)];
  const gone = old.filter(({ object }) => !fresh.some((one) => sameObject(one.object, object)));
  const wrong = fresh.map((document) => {
    const model = old.find(({ object }) => sameObject(object, document.object));
    if (model === undefined ? isOwnTransformer(document) : isOwnEntry(model, document)) return undefined;
    const layout = layoutOf(document.object, layouts);
    if (model !== undefined) return nodeRefused(model, document, layout);
    return isOwnPatch(document) ? nodeRefused(emptyOf(document), document, layout) : wholeRefused(document, layout);
  });
  const lost = gone.map((document) => {
    if (isOwnTransformer(document) || isOwnPatch(document)) return undefined;
    const layout = layoutOf(document.object, layouts);
    const isNoted = isMade(document) || is.includes(noteOf(document.object));
    return isNoted ? wholeRefused(document, layout) : `${nameOf(document.object)} would come or go`;
  });
  return [...wrong, ...lost].find((found) => found !== undefined);
}

/** A patch of ours before it changes anything. */
function emptyOf(document: ManifestDocument): ManifestDocument {
  const { apiVersion, kind, name, namespace } = document.object;
  return { ...document, value: { apiVersion, kind, metadata: { name, namespace } } };
}

/** Those that the others have not, as often as they are there: a twin may have every byte of a document. */
function notIn(texts: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return texts.filter((text) => {
    const place = left.indexOf(text);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

/** The texts of all documents of a file, but for blanks at their end. */
function slicesOf(file: string, text: string): readonly string[] {
  return splitDocuments(file, text).map(({ start, end }) => text.slice(start, end).trimEnd());
}

function sameObject(left: ObjectRef, right: ObjectRef): boolean {
  return (
    left.apiVersion === right.apiVersion &&
    left.kind === right.kind &&
    left.name === right.name &&
    left.namespace === right.namespace
  );
}

function wholeRefused(document: ManifestDocument, layout: Layout | undefined): string | undefined {
  const isFree = layout?.whole === 'any' || (layout?.whole === 'made' && isMade(document));
  return isFree ? undefined : `${nameOf(document.object)} would come or go`;
}

function isMade({ value }: ManifestDocument): boolean {
  return typeof at(value, ['metadata', 'annotations', MADE_FOR]) === 'string';
}

function nodeRefused(was: ManifestDocument, is: ManifestDocument, layout: Layout | undefined): string | undefined {
  if (layout === undefined) return `${nameOf(is.object)} would change`;
  if (layout.list?.(was.value, is.value) === false) return `an entry of ${nameOf(is.object)} would change`;
  const isOwn = (one: FieldPath): boolean => isTakenOut(is, one) || isOwnRemoval(is, one);
  const isOut = (one: FieldPath): boolean => !isOwn(one) && !layout.nodes.some((node) => covers(node, one));
  const path = differences(was.value, is.value, []).find(isOut);
  return path === undefined ? undefined : `${pathText(path)} of ${nameOf(is.object)} would change`;
}

function covers(node: FieldPath, path: FieldPath): boolean {
  return node.every((part, depth) => {
    const there = path[depth];
    return part.endsWith('/') ? there?.startsWith(part) === true : there === part;
  });
}

/** The places where two values differ, as deep as maps go: what is added or taken out is a difference of its fields. */
function differences(was: Json | undefined, is: Json | undefined, path: FieldPath): readonly FieldPath[] {
  const [left, right] = [mapOf(was), mapOf(is)];
  if (left === undefined || right === undefined)
    return was !== undefined && is !== undefined && jsonEqual(was, is) ? [] : [path];
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return keys.flatMap((key) => differences(left[key], right[key], [...path, key]));
}

/** What is not there is an empty map next to one. */
function mapOf(value: Json | undefined): JsonObject | undefined {
  if (value === undefined || value === null) return {};
  return isJsonObject(value) ? value : undefined;
}

function nameOf({ kind, name }: ObjectRef): string {
  return `${kind} ${name}`;
}

function issueOf(file: string, why: string): Issue {
  return {
    file,
    line: 0,
    path: '',
    reason: 'WriteOutOfBounds',
    message: `tranche never writes this, whatever asks for it: ${why}`,
    hint: 'Nothing was written. Look at what asks for it: a mark that no commit of tranche wrote, or a RouteProvider; else report it with the files of --save-pass.',
  };
}
