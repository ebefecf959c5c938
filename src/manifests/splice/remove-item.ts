/** Plans how an item of a list goes: with its dash and lines, or with its comma. */

import type { PlacedEdit } from '../../rollout/edits/edit.ts';
import { lineEnd, lineStart, startsLine } from '../lines.ts';
import type { ManifestDocument } from '../parse-file.ts';
import { find, type SourceList } from '../source-tree.ts';
import { fieldIssue } from '../strict-scalar.ts';
import { type Change, type Replacement, unclearPlace } from './change.ts';
import { dashesOf, itemEnd } from './list-place.ts';
import { nodeEnd } from './place.ts';
import { removeField } from './remove-field.ts';
import { neededOf, repeatedIn, repeats } from './repeated.ts';

type RemoveEdit = Extract<PlacedEdit, { readonly kind: 'removeItem' }>;

/**
 * Comments inside of the item go with it, those above it stay. The only item takes the key of the list along, because
 * an empty `filters:` is null: so removing what was inserted gives the original bytes back.
 */
export function removeItem(document: ManifestDocument, { path }: RemoveEdit): Change {
  const listPath = path.slice(0, -1);
  const issue = fieldIssue(document, listPath);
  if (issue !== undefined) return { kind: 'refused', issue };
  const found = find(document.root, listPath);
  const place = Number(path.at(-1));
  const item = found.kind === 'found' && found.node.kind === 'list' ? found.node.items[place] : undefined;
  if (found.kind !== 'found' || found.node.kind !== 'list' || item === undefined)
    return unclearPlace(document, path, 'it is not an item of a list');
  const { node: list, chain } = found;
  const alias = repeatedIn(document, chain) ?? neededOf(document, item);
  if (alias !== undefined) return repeats(document, path, alias);
  if (list.items.length === 1) return removeField(document, listPath, 'leave');
  const cut = list.flow ? cutFromFlow(document, list, place) : cutLines(document, list, place);
  return cut === undefined
    ? unclearPlace(document, path, 'its lines or brackets hold more than the item')
    : { kind: 'replace', replacements: [cut] };
}

/** The lines of an item with the line break before them, so that a file without a last line break keeps none. */
function cutLines({ text }: ManifestDocument, list: SourceList, place: number): Replacement | undefined {
  const dash = dashesOf(text, list)?.[place];
  const node = list.items[place];
  if (dash === undefined || node === undefined || !startsLine(text, dash)) return undefined;
  const line = lineStart(text, dash);
  if (line === 0) return undefined;
  return { start: lineEnd(text, lineStart(text, line - 1)), end: itemEnd(text, { dash, node }), text: '' };
}

/** The item with one comma: the one before it, or for the first item the one behind it. */
function cutFromFlow({ text }: ManifestDocument, { items }: SourceList, place: number): Replacement | undefined {
  const [before, item, behind] = [items[place - 1], items[place], items[place + 1]];
  if (item === undefined) return undefined;
  const first = before === undefined && behind !== undefined;
  // An anchor stands before its node: it would stay behind, or go with the wrong one.
  if (item.anchor !== undefined || (first && behind.anchor !== undefined)) return undefined;
  const start = before === undefined ? item.start : nodeEnd(text, before);
  const cut = first ? { start, end: behind.start } : { start, end: nodeEnd(text, item) };
  const gap = text.slice(cut.start, item.start) + text.slice(nodeEnd(text, item), cut.end);
  return gap.includes('#') ? undefined : { ...cut, text: '' };
}
