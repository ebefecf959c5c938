/** Plans the text of a new item of a list, in the style of the items next to it. */

import type { Json } from '../../api/json.ts';
import type { FieldPath, PlacedEdit } from '../../rollout/edits/edit.ts';
import { MAX_LIST_ITEMS } from '../limits.ts';
import { column, lineEnd, lineStart, startsLine } from '../lines.ts';
import type { ManifestDocument } from '../parse-file.ts';
import { pathText } from '../path-text.ts';
import { find, type Link, type SourceEntry, type SourceList, type SourceNode } from '../source-tree.ts';
import { fieldIssue } from '../strict-scalar.ts';
import { type Change, refuse, unclearPlace } from './change.ts';
import { insertField } from './insert-field.ts';
import { dashesOf, dashStep, dashWidth, itemEnd } from './list-place.ts';
import {
  breakOf,
  colonGap,
  endWithComments,
  entryEnd,
  indentationStep,
  mapAbove,
  notationOf,
  prettyUnit,
} from './place.ts';
import { repeatedIn, repeats } from './repeated.ts';
import { type BlockStyle, entryLines, type FlowStyle, flowText, indented, itemLines } from './write-value.ts';

type InsertEdit = Extract<PlacedEdit, { readonly kind: 'insertItem' }>;

/** The last part of the path is the place in the list that the new item will have. */
export function insertItem(document: ManifestDocument, edit: InsertEdit): Change {
  const path = edit.path.slice(0, -1);
  const issue = fieldIssue(document, path);
  if (issue !== undefined) return { kind: 'refused', issue };
  const found = find(document.root, path);
  if (found.kind === 'blocked') return unclearPlace(document, path, 'it has no place of its own');
  const anchor = repeatedIn(document, found.chain);
  if (anchor !== undefined) return repeats(document, path, anchor);
  if (found.kind === 'missing') return insertField(document, path, newList(document, found.chain, edit));
  const { node, entry, chain } = found;
  const spot: Spot = { document, path, chain, value: edit.value, place: Number(edit.path.at(-1)) };
  if (node.kind === 'list' && node.items.length >= MAX_LIST_ITEMS) return tooLong(document, path, node.items.length);
  if (node.kind === 'list' && node.items.length > 0) return node.flow ? amongFlow(spot, node) : amongBlock(spot, node);
  const isEmpty = node.kind === 'list' || (node.kind === 'scalar' && node.value === null && !node.tagged);
  if (!isEmpty || node.anchor !== undefined || entry === undefined || entry.afterColon === -1)
    return unclearPlace(document, path, 'it is not a list, or not written as "key: value"');
  return mapAbove(chain)?.flow === false ? openBlock(spot, node, entry) : openFlow(spot, node, entry);
}

type Spot = {
  readonly document: ManifestDocument;
  /** The list. */
  readonly path: FieldPath;
  readonly chain: readonly Link[];
  readonly value: Json;
  readonly place: number;
};

function newList(document: ManifestDocument, chain: readonly Link[], { path, value }: InsertEdit) {
  const key = path.at(-2) ?? '';
  const lines = entryLines(key, [value], blockStyle(document, chain, undefined));
  const [first = '', ...rest] = lines;
  return {
    block: (to: number) => [first, ...indented(rest, to)].join(breakOf(document)),
    flow: (to: number) => flowText([value], flowStyle(document, to, undefined)),
    // No such key: behind the last one and the comments inside of it.
    after: '',
  };
}

function amongBlock(spot: Spot, list: SourceList): Change {
  const { document, path, chain, value, place } = spot;
  const { text } = document;
  const dashes = dashesOf(text, list);
  const at = Math.max(0, place - 1);
  const [dash, node] = [dashes?.[at], list.items[at]];
  if (dash === undefined || node === undefined)
    return unclearPlace(document, path, 'its items do not have a dash each');
  const beside = { dash, node };
  const style = blockStyle(document, chain, beside);
  const lines = isBraced(node)
    ? [`-${' '.repeat(style.dashWidth - 1)}${flowText(value, flowStyle(document, 0, node))}`]
    : itemLines(value, style);
  const body = indented(lines, column(text, list.start)).join(breakOf(document));
  const start = place === 0 ? frontOf(spot, list) : itemEnd(text, beside);
  if (start === undefined) return unclearPlace(document, path, 'its first dash is not on a line of its own');
  return { kind: 'replace', replacements: [{ start, end: start, text: `${breakOf(document)}${body}` }] };
}

/** The end of the line behind which a new first item goes: above the comments of the old one, unless they stand so far
 *  inside that they would be comments in the new one. */
function frontOf({ document, chain }: Spot, list: SourceList): number | undefined {
  const { text } = document;
  const entry = chain.at(-1)?.entry;
  if (entry === undefined || entry.afterColon === -1 || !startsLine(text, list.start)) return undefined;
  const key = lineEnd(text, entry.afterColon);
  if (endWithComments(text, key, column(text, list.start)) === key) return key;
  return lineEnd(text, lineStart(text, lineStart(text, list.start) - 1));
}

/** `key:`, `key: []` or `key: null` in a block map: what stands behind the colon goes, lines below it come. */
function openBlock({ document, path, chain, value }: Spot, node: SourceNode, entry: SourceEntry): Change {
  const { text } = document;
  if (text.slice(node.start, node.end).includes('#')) return unclearPlace(document, path, 'a comment lies inside [ ]');
  const style = blockStyle(document, chain, undefined);
  const lines = indented(itemLines(value, style), column(text, entry.keyStart) + style.dashStep);
  const at = lineEnd(text, entryEnd(text, entry));
  const fresh = { start: at, end: at, text: ['', ...lines].join(breakOf(document)) };
  const isEmpty = node.kind === 'scalar' && node.style === 'empty';
  const was = { start: entry.afterColon, end: node.end, text: '' };
  return { kind: 'replace', replacements: isEmpty ? [fresh] : [was, fresh] };
}

function openFlow({ document, value }: Spot, node: SourceNode, entry: SourceEntry): Change {
  const { text } = document;
  const inside = startsLine(text, entry.keyStart) ? column(text, entry.keyStart) : 0;
  const list = flowText([value], flowStyle(document, inside, undefined));
  const isEmpty = node.kind === 'scalar' && node.style === 'empty';
  const start = isEmpty ? entry.afterColon : node.start;
  return {
    kind: 'replace',
    replacements: [{ start, end: isEmpty ? start : node.end, text: isEmpty ? ` ${list}` : list }],
  };
}

function amongFlow(spot: Spot, list: SourceList): Change {
  const { document, path, value, place } = spot;
  const { text } = document;
  const beside = list.items[Math.max(0, place - 1)];
  if (beside === undefined || beside.anchor !== undefined)
    return unclearPlace(document, path, 'an anchor lies inside [ ]');
  const ownLine = startsLine(text, beside.start);
  const inside = ownLine ? column(text, beside.start) : 0;
  const style = flowStyle(document, inside, beside);
  const gap = ownLine ? `${breakOf(document)}${text.slice(beside.start - inside, beside.start)}` : style.gap;
  if (text.slice(beside.end, lineEnd(text, beside.end)).includes('#') && ownLine)
    return unclearPlace(document, path, 'a comment lies inside [ ]');
  const item = flowText(value, style);
  const at = place === 0 ? beside.start : beside.end;
  const fresh = place === 0 ? `${item},${gap}` : `,${gap}${item}`;
  return { kind: 'replace', replacements: [{ start: at, end: at, text: fresh }] };
}

type Beside = { readonly dash: number; readonly node: SourceNode };

function blockStyle(document: ManifestDocument, chain: readonly Link[], beside: Beside | undefined): BlockStyle {
  return {
    step: indentationStep(document, chain),
    dashStep: dashStep(document, chain),
    dashWidth: beside === undefined ? 2 : dashWidth(document.text, beside),
  };
}

function isBraced(node: SourceNode): boolean {
  return (node.kind === 'map' || node.kind === 'list') && node.flow;
}

function flowStyle(document: ManifestDocument, inside: number, beside: SourceNode | undefined): FlowStyle {
  const { text, root } = document;
  const unit = prettyUnit(document);
  const [first] = root.entries;
  const isOneLine = beside === undefined || !text.slice(beside.start, beside.end).includes('\n');
  return {
    notation: notationOf(document),
    gap: first !== undefined && root.flow ? colonGap(first) : ' ',
    padding: beside?.kind === 'map' && text[beside.start + 1] === ' ' ? ' ' : '',
    lines:
      unit === undefined || (beside !== undefined && isOneLine)
        ? undefined
        : { start: `${breakOf(document)}${indentationOf(unit, inside)}`, unit },
  };
}

/** JSON may be indented by tabs: `inside` characters are then tabs too. */
function indentationOf(unit: string, inside: number): string {
  return (unit[0] ?? ' ').repeat(inside);
}

function tooLong(document: ManifestDocument, path: FieldPath, length: number): Change {
  return refuse(document, path, {
    reason: 'ListTooLong',
    message: `${pathText(path)} has ${length} items; no item is added to a list of ${MAX_LIST_ITEMS} or more, the limit`,
    hint: 'Split the object.',
  });
}
