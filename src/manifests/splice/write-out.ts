/** Writes the aliases, merge keys and tags of a document out, and keys that are there twice once: each of its fields has one place. */

import { isJsonObject, type Json, jsonEqual } from '../../api/json.ts';
import type { FieldPath, ObjectRef } from '../../rollout/edits/edit.ts';
import type { KnownTexts } from '../known-texts.ts';
import { MAX_DOCUMENT_CHARACTERS } from '../limits.ts';
import { column, startsLine } from '../lines.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { resolveTree } from '../resolve-tree.ts';
import { find, nodesOf, type SourceEntry, type SourceMap, type SourceNode } from '../source-tree.ts';
import { type Replacement, replaceIn } from './change.ts';
import { choose } from './choose.ts';
import { breakOf, entryEnd, entryStart } from './place.ts';
import { cutLines } from './remove-field.ts';
import { jsonToken, keyToken } from './token.ts';
import { sameOthers, withValue } from './verify.ts';
import { newIssue } from './verify-document.ts';

/**
 * The text of the file with nothing of the object behind an alias, a merge key or a tag any more, and of two equal keys the last
 * alone, which is the one that Kubernetes reads, or one that is `kept`: it reads as before, value by value but for these, and
 * every other document has its bytes. Undefined where that cannot be, or where there is nothing to write out. Anchors stay, for
 * texts that are put back and use them.
 */
export function writtenOut(
  file: ManifestFile,
  object: ObjectRef,
  { known, kept }: { readonly known: KnownTexts; readonly kept?: Kept },
): string | undefined {
  const chosen = choose(file, object);
  if (chosen.kind === 'refused') return undefined;
  const { document } = chosen;
  // What a template fills in has no value yet.
  if ([...nodesOf(document.root)].some(({ kind }) => kind === 'template')) return undefined;
  const within = kept === undefined ? undefined : find(document.root, kept.path);
  const keeping = within?.kind === 'found' ? { node: within.node, values: kept?.values ?? NONE } : undefined;
  const replacements = replacementsIn({ document, keeping }, document.root);
  const body = replaceIn(document.text, replacements);
  if (replacements.length === 0 || body.length > MAX_DOCUMENT_CHARACTERS) return undefined;
  const text = file.text.slice(0, document.start) + body + file.text.slice(document.end);
  const now = parseManifestFile(file.file, text, [object.kind], known);
  const made = choose(now, object);
  const isSame =
    made.kind === 'ok' &&
    made.document.index === document.index &&
    made.document.twice.length === 0 &&
    jsonEqual(made.document.value, withKept(document, kept)) &&
    newIssue(file, now) === undefined &&
    sameOthers(file, now, document.index);
  return isSame ? text : undefined;
}

/** Of keys of one map that are there twice, the values that count where one of the two has it. */
type Kept = { readonly path: FieldPath; readonly values: ReadonlyMap<string, string | undefined> };

const NONE: Kept['values'] = new Map();

type Writing = {
  readonly document: ManifestDocument;
  readonly keeping: { readonly node: SourceNode; readonly values: Kept['values'] } | undefined;
};

function withKept({ value, root }: ManifestDocument, kept: Kept | undefined): Json {
  const map = kept === undefined ? undefined : find(root, kept.path);
  if (kept === undefined || map?.kind !== 'found' || map.node.kind !== 'map') return value;
  const { entries } = map.node;
  return [...countingIn(entries, kept.values).values()].reduce<Json>((now, place) => {
    const entry = entries[place];
    const wanted = entry === undefined ? undefined : kept.values.get(entry.key);
    const isKept = entry?.value.kind === 'scalar' && entry.value.value === wanted;
    return entry !== undefined && wanted !== undefined && isKept
      ? withValue(now, [...kept.path, entry.key], wanted)
      : now;
  }, value);
}

/** The place of the entry of each key that counts: one that has a value to keep, else the last. */
function countingIn(entries: readonly SourceEntry[], values: Kept['values']): ReadonlyMap<string, number> {
  const counts = new Map(entries.map((entry, at) => [nameOf(entry), at]));
  for (const [at, { key, value, merge }] of entries.entries())
    if (!merge && value.kind === 'scalar' && value.value !== null && value.value === values.get(key))
      counts.set(`=${key}`, at);
  return counts;
}

function replacementsIn(writing: Writing, node: SourceNode): readonly Replacement[] {
  const { document, keeping } = writing;
  if (node.kind === 'alias') return [{ start: node.start, end: node.end, text: tokenOf(node) }];
  if (node.kind === 'list') return node.items.flatMap((item) => replacementsIn(writing, item));
  if (node.kind !== 'map') return [];
  const counts = countingIn(node.entries, keeping?.node === node ? keeping.values : NONE);
  return node.entries.flatMap((entry, at) => {
    if (counts.get(nameOf(entry)) !== at) return [withoutEntry(document, node, at)];
    if (entry.merge) return mergeReplaced(document, node, entry);
    return [...withoutTag(document, entry), ...replacementsIn(writing, entry.value)];
  });
}

/** What stands between a key and a value with a tag, on their line. */
const TAG = /^([ \t]+)((?:&\S+[ \t]+)?)!\S*[ \t]+((?:&\S+[ \t]+)?)$/;

/** The value that a tag makes of it, in its own words; block text is a string anyway. */
function withoutTag({ text }: ManifestDocument, { value, afterColon }: SourceEntry): readonly Replacement[] {
  if (value.kind !== 'scalar' || !value.tagged || afterColon === -1) return [];
  const [, gap, before, behind] = TAG.exec(text.slice(afterColon, value.start)) ?? [];
  if (gap === undefined) return [];
  const isBlock = value.style === 'block';
  const end = isBlock ? value.start : value.end;
  return [{ start: afterColon, end, text: `${gap}${before}${behind}${isBlock ? '' : tokenOf(value)}` }];
}

/** A key `<<` in quotes is one like any other. */
function nameOf({ key, merge }: SourceEntry): string {
  return merge ? '<<' : `=${key}`;
}

/** Its lines, or all up to the entry behind it, which then stands in its place; of the last one all behind the one before. */
function withoutEntry(document: ManifestDocument, { entries, start }: SourceMap, at: number): Replacement {
  const { text } = document;
  const [before, entry, behind] = [entries[at - 1], entries[at], entries[at + 1]];
  if (entry === undefined) return { start, end: start, text: '' };
  const isLine = behind === undefined || startsLine(text, behind.keyStart);
  const lines = isLine ? cutLines(document, entry, 'leave') : undefined;
  if (lines !== undefined) return lines;
  return behind === undefined
    ? { start: before === undefined ? start : entryEnd(text, before), end: entryEnd(text, entry), text: '' }
    : { start: entryStart(text, entry), end: entryStart(text, behind), text: '' };
}

/** The keys that this merge brings, but for those that the map has itself. */
function mergeReplaced(document: ManifestDocument, map: SourceMap, entry: SourceEntry): readonly Replacement[] {
  const alone: SourceMap = { ...map, entries: [entry] };
  const { value: brought } = resolveTree(alone);
  const own = new Set(map.entries.flatMap(({ merge, key }) => (merge ? [] : [key])));
  const lines = Object.entries(isJsonObject(brought) ? brought : {})
    .filter(([key]) => !own.has(key))
    .map(([key, value]) => `${keyToken(key, 'yaml')}: ${jsonToken(value)}`);
  const gap = map.flow ? ', ' : breakOf(document) + ' '.repeat(column(document.text, entry.keyStart));
  return [{ start: entry.keyStart, end: entryEnd(document.text, entry), text: lines.join(gap) }];
}

function tokenOf(node: SourceNode): string {
  return jsonToken(resolveTree(node).value);
}
