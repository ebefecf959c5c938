/** Plans how a whole node becomes what it is in another version of the document, byte for byte. */

import type { Issue } from '../../api/issue.ts';
import { at } from '../../api/json.ts';
import type { Edit, FieldPath } from '../../rollout/edits/edit.ts';
import { column } from '../lines.ts';
import type { ManifestDocument } from '../parse-file.ts';
import { pathText } from '../path-text.ts';
import { find, findBeside, type Link, type SourceEntry, type SourceNode } from '../source-tree.ts';
import { fieldIssue } from '../strict-scalar.ts';
import { aliasesInto, hasAnchors, withoutAnchors } from './anchors.ts';
import { type Change, noChange, refuse, unclearPlace } from './change.ts';
import { insertField, type Leaf } from './insert-field.ts';
import { breakOf, entryEnd, entryEndWithComments, entryStart, mapAbove, notationOf } from './place.ts';
import { removeField } from './remove-field.ts';
import { shiftLines } from './shift-lines.ts';
import { jsonToken, keyToken } from './token.ts';

type RestoreEdit = Extract<Edit, { readonly kind: 'restore' }>;

/**
 * Key, value and the comments inside are taken from `source`, the document as it was, moved to this file's indentation and line breaks;
 * absent there, they go here; absent here, they come behind the key they follow there. Between a block and braces no
 * bytes can be moved: the value is then written as JSON, because going back must always be possible.
 *
 * For the same reason there are several ways, the most faithful first; the caller takes the first that reads as
 * planned. An anchor or alias may mean something else in this version: then aliases elsewhere that repeat a part of
 * the node are written out, then those inside of it, and at last the whole node is JSON.
 */
export function restoreField(
  document: ManifestDocument,
  { path }: RestoreEdit,
  source: ManifestDocument | undefined,
): readonly Change[] {
  if (source === undefined) return [sourceRefused(document, path)];
  const as = (from: ManifestDocument, whole: 'text' | 'json'): Change => restored(document, from, { path, whole });
  const verbatim = as(source, 'text');
  if (verbatim.kind === 'refused') return [verbatim];
  if (!hasAnchors(document.root, source.root))
    return verbatim.replacements.length === 0 ? [noChange] : [verbatim, as(source, 'json')];
  const plain = withoutAnchors(source);
  const outside = aliasesInto(document, path);
  const and = (change: Change): Change =>
    change.kind === 'refused' ? change : { kind: 'replace', replacements: [...change.replacements, ...outside] };
  return [verbatim, and(verbatim), ...(plain === undefined ? [] : [and(as(plain, 'text'))]), and(as(source, 'json'))];
}

type FieldToRestore = { readonly path: FieldPath; readonly whole: 'text' | 'json' };

function restored(document: ManifestDocument, source: ManifestDocument, { path, whole }: FieldToRestore): Change {
  const there = find(source.root, path);
  // Written out behind a merge key it counts in the place of what that brings: going back must always be possible.
  const isMerged = there.kind === 'found' && isBroughtByMerge(document, path);
  const issue = (isMerged ? undefined : issueAt(document, path)) ?? issueAt(source, path);
  if (issue !== undefined) return { kind: 'refused', issue };
  if (there.kind !== 'found') return removeField(document, path, 'take');
  if (there.entry === undefined) return unclearPlace(document, path, 'it is an item of a list');
  const leaf = leafFrom({ document, source, entry: there.entry, chain: there.chain, path, whole });
  const here = find(document.root, path);
  if (here.kind !== 'found') return insertField(document, path, isMerged ? { ...leaf, after: undefined } : leaf);
  return here.entry === undefined
    ? unclearPlace(document, path, 'it is an item of a list')
    : replaceEntry({ document, entry: here.entry, inFlow: mapAbove(here.chain)?.flow === true, leaf });
}

function isBroughtByMerge(document: ManifestDocument, path: FieldPath): boolean {
  return find(document.root, path).kind === 'blocked' && findBeside(document.root, path).kind === 'missing';
}

/** A node that is an alias as a whole has a place: its name. What lies behind one, or behind `<<`, has none. */
function issueAt(document: ManifestDocument, path: FieldPath): Issue | undefined {
  const found = find(document.root, path);
  return found.kind === 'found' && found.node.kind === 'alias' ? undefined : fieldIssue(document, path);
}

type Here = {
  readonly document: ManifestDocument;
  readonly entry: SourceEntry;
  readonly inFlow: boolean;
  readonly leaf: Leaf;
};

function replaceEntry({ document, entry, inFlow, leaf }: Here): Change {
  const { text } = document;
  if (inFlow && entry.afterColon === -1) return unclearPlace(document, [entry.key], 'its key has no colon');
  const first = inFlow ? entry.keyStart : entryStart(text, entry);
  const indentation = column(text, first);
  // Inside braces the key and the blank behind its colon stay: only there are they not part of the value's lines.
  const start = inFlow ? Math.max(entry.afterColon, entry.value.start) : first;
  const end = inFlow ? Math.max(start, entryEnd(text, entry)) : entryEndWithComments(text, entry);
  const replacement = inFlow ? leaf.flow(indentation) : leaf.block(indentation);
  return text.slice(start, end) === replacement
    ? noChange
    : { kind: 'replace', replacements: [{ start, end, text: replacement }] };
}

type There = {
  readonly document: ManifestDocument;
  readonly source: ManifestDocument;
  readonly entry: SourceEntry;
  readonly chain: readonly Link[];
} & FieldToRestore;

function leafFrom(there: There): Leaf {
  const { document, source, entry, chain, whole } = there;
  const { text } = source;
  const parent = mapAbove(chain);
  const from = column(text, entry.keyStart);
  const eol = breakOf(document);
  const asLines = (to: number): string => {
    return shiftLines(text.slice(entry.keyStart, entryEndWithComments(text, entry)), to - from, eol);
  };
  const asJson = jsonToken(at(source.value, there.path) ?? null);
  const key = keyToken(entry.key, notationOf(document));
  const after = parent?.entries[parent.entries.indexOf(entry) - 1]?.key;
  if (whole === 'json') return { block: () => `${key}: ${asJson}`, flow: () => asJson, after };
  const { value } = entry;
  const oneLine = isFlowText(entry.value) && !/[\n#]/.test(text.slice(value.start, value.end));
  const flowLine = oneLine ? text.slice(value.start, value.end) : asJson;
  // A word that stands inside braces in the source means the same inside others.
  const braced = parent?.flow === true && value.kind === 'scalar';
  const movable = (braced || isFlowText(value)) && (notationOf(document) === 'yaml' || notationOf(source) === 'json');
  return {
    block: parent?.flow === true ? () => `${key}: ${flowLine}` : asLines,
    flow: (to) => (movable ? shiftLines(text.slice(value.start, value.end), to - from, eol) : asJson),
    after,
  };
}

/** Text that means the same wherever it stands inside braces. */
function isFlowText(node: SourceNode): boolean {
  if (node.kind === 'map' || node.kind === 'list') return node.flow;
  // An unquoted word may hold a comma or a brace where it stands in a block; only quotes are sure.
  return node.kind === 'scalar' && (node.style === 'single' || node.style === 'double');
}

function sourceRefused(document: ManifestDocument, path: FieldPath): Change {
  return refuse(document, path, {
    reason: 'RestoreSourceUnreadable',
    message: `the earlier text does not hold this object once, readable, under the same kind, namespace and name`,
    hint: `Put the earlier ${pathText(path)} back by hand.`,
  });
}
