/** Writes the aliases and merge keys of a document out, so that each of its fields has a place of its own. */

import { isJsonObject, jsonEqual } from '../../api/json.ts';
import type { ObjectRef } from '../../rollout/edits/edit.ts';
import type { KnownTexts } from '../known-texts.ts';
import { MAX_DOCUMENT_CHARACTERS } from '../limits.ts';
import { column } from '../lines.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../parse-file.ts';
import { resolveTree } from '../resolve-tree.ts';
import { nodesOf, type SourceEntry, type SourceMap, type SourceNode } from '../source-tree.ts';
import { type Replacement, replaceIn } from './change.ts';
import { choose } from './choose.ts';
import { breakOf, entryEnd } from './place.ts';
import { jsonToken, keyToken } from './token.ts';
import { sameOthers } from './verify.ts';
import { newIssue } from './verify-document.ts';

/**
 * The text of the file with nothing of the object behind an alias or a merge key any more: it reads as before, value by
 * value, and every other document has its bytes. Undefined where that cannot be, or where there is nothing to write out.
 * Anchors stay, for texts that are put back and use them.
 */
export function writtenOut(file: ManifestFile, object: ObjectRef, known: KnownTexts): string | undefined {
  const chosen = choose(file, object);
  if (chosen.kind === 'refused') return undefined;
  const { document } = chosen;
  // What a template fills in has no value yet.
  if ([...nodesOf(document.root)].some(({ kind }) => kind === 'template')) return undefined;
  const replacements = replacementsIn(document, document.root);
  const body = replaceIn(document.text, replacements);
  if (replacements.length === 0 || body.length > MAX_DOCUMENT_CHARACTERS) return undefined;
  const text = file.text.slice(0, document.start) + body + file.text.slice(document.end);
  const now = parseManifestFile(file.file, text, [object.kind], known);
  const made = choose(now, object);
  const isSame =
    made.kind === 'ok' &&
    made.document.index === document.index &&
    jsonEqual(made.document.value, document.value) &&
    newIssue(file, now) === undefined &&
    sameOthers(file, now, document.index);
  return isSame ? text : undefined;
}

function replacementsIn(document: ManifestDocument, node: SourceNode): readonly Replacement[] {
  if (node.kind === 'alias') return [{ start: node.start, end: node.end, text: tokenOf(node) }];
  if (node.kind === 'list') return node.items.flatMap((item) => replacementsIn(document, item));
  if (node.kind !== 'map') return [];
  return node.entries.flatMap((entry) =>
    entry.merge ? mergeReplaced(document, node, entry) : replacementsIn(document, entry.value),
  );
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
