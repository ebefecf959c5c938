/** Plans the text of a key that is not there yet, with the parents it needs, behind the last of its siblings. */

import type { FieldPath } from '../../rollout/edits/edit.ts';
import { column, lineEnd, startsLine } from '../lines.ts';
import type { ManifestDocument } from '../parse-file.ts';
import { pathText } from '../path-text.ts';
import { findBeside, type Link, type SourceEntry, type SourceMap } from '../source-tree.ts';
import { type Change, refuse, unclearPlace } from './change.ts';
import {
  breakOf,
  colonGap,
  endsInBlockText,
  entryEnd,
  entryEndWithComments,
  entryStart,
  indentationStep,
  mapAbove,
  notationOf,
  prettyUnit,
} from './place.ts';
import { keyToken } from './token.ts';

/** The value to insert, written for the place where it goes. */
export type Leaf = {
  /** `key: value` for a block map, its first line without indentation, the others for a key at `column`. */
  readonly block: (column: number) => string;
  /** The value alone, for a map in braces whose keys stand at `column`. */
  readonly flow: (column: number) => string;
  /** The key behind which to insert if it is there; else behind the last. */
  readonly after: string | undefined;
};

/** Inserts at `path`, of which the last part is missing (and perhaps some before it), or brought by a merge key alone. */
export function insertField(document: ManifestDocument, path: FieldPath, leaf: Leaf): Change {
  const found = findBeside(document.root, path);
  if (found.kind !== 'missing') return unclearPlace(document, path, 'the key is already there');
  const { chain, missing } = found;
  const parent = chain.at(-1);
  if (parent === undefined) return unclearPlace(document, path, 'the document is empty');
  const spot: Spot = { document, path, chain, parent, missing, leaf };
  const { node } = parent;
  if (node.kind === 'map' && node.entries.length > 0) return node.flow ? amongFlow(spot, node) : amongBlock(spot, node);
  const isEmpty = node.kind === 'map' || (node.kind === 'scalar' && node.value === null && !node.tagged);
  if (!isEmpty || node.anchor !== undefined) return notAMap(spot);
  return mapAbove(chain)?.flow === false ? intoEmptyBlock(spot) : intoEmptyFlow(spot);
}

type Spot = {
  readonly document: ManifestDocument;
  readonly path: FieldPath;
  readonly chain: readonly Link[];
  readonly parent: Link;
  readonly missing: FieldPath;
  readonly leaf: Leaf;
};

function amongBlock(spot: Spot, map: SourceMap): Change {
  const { document, leaf, missing } = spot;
  const { text } = document;
  const first = map.entries[0];
  const behind = predecessor(map, missing.length === 1 ? leaf.after : undefined);
  if (first === undefined || behind === undefined) return notAMap(spot);
  const indentation = column(text, entryStart(text, first));
  // A restored block goes behind the comments of the block before it, where it was; a new key hugs its sibling.
  const at = leaf.after === undefined ? lineEnd(text, entryEnd(text, behind)) : entryEndWithComments(text, behind);
  if (at === text.length && endsInBlockText(behind.value)) return behindOpenText(spot);
  const lines = blockLines(spot, indentation);
  return { kind: 'replace', replacements: [{ start: at, end: at, text: `${breakOf(document)}${lines}` }] };
}

/** The line break before a new key would be one more of the text that stands there. */
function behindOpenText({ document, path }: Spot): Change {
  return refuse(document, path, {
    reason: 'UnsupportedEdit',
    message: `${pathText(path)} cannot be written behind block text that ends the file without a line break: it would change that text`,
    hint: 'Write the key further up by hand, or end the file with a line break, which becomes part of the text.',
  });
}

/** `key:`, `key: {}` or `key: null` in a block map: what stands behind the colon goes, lines below it come. */
function intoEmptyBlock(spot: Spot): Change {
  const { document, parent } = spot;
  const { entry, node } = parent;
  if (entry === undefined || entry.afterColon === -1) return notAMap(spot);
  const { text } = document;
  const indentation = column(text, entry.keyStart) + indentationStep(document, spot.chain);
  const at = lineEnd(text, entryEnd(text, entry));
  const lines = `${breakOf(document)}${blockLines(spot, indentation)}`;
  if (node.kind === 'scalar' && node.style === 'empty') {
    return { kind: 'replace', replacements: [{ start: at, end: at, text: lines }] };
  }
  if (text.slice(node.start, node.end).includes('#'))
    return unclearPlace(document, spot.path, 'a comment lies inside { }');
  const replacements = [
    { start: entry.afterColon, end: node.end, text: '' },
    { start: at, end: at, text: lines },
  ];
  return { kind: 'replace', replacements };
}

/** The lines from the first missing key to the leaf, indented, without a line break before or behind them. */
function blockLines({ document, chain, missing, leaf }: Spot, indentation: number): string {
  const step = indentationStep(document, chain);
  const lines = missing.slice(0, -1).map((key, depth) => {
    return `${' '.repeat(indentation + depth * step)}${keyToken(key, 'yaml')}:`;
  });
  const leafColumn = indentation + (missing.length - 1) * step;
  return [...lines, `${' '.repeat(leafColumn)}${leaf.block(leafColumn)}`].join(breakOf(document));
}

function amongFlow(spot: Spot, map: SourceMap): Change {
  const { document, missing, leaf } = spot;
  const { text } = document;
  const behind = predecessor(map, missing.length === 1 ? leaf.after : undefined);
  if (behind === undefined) return notAMap(spot);
  const ownLine = startsLine(text, behind.keyStart);
  const indentation = ownLine ? text.slice(behind.keyStart - column(text, behind.keyStart), behind.keyStart) : '';
  const gap = colonGap(behind);
  const separator = ownLine ? `,${breakOf(document)}${indentation}` : `,${gap}`;
  const at = entryEnd(text, behind);
  return {
    kind: 'replace',
    replacements: [{ start: at, end: at, text: `${separator}${flowEntry(spot, indentation, gap)}` }],
  };
}

function intoEmptyFlow(spot: Spot): Change {
  const { document, parent } = spot;
  const { node, entry } = parent;
  const { text } = document;
  if (entry?.afterColon === -1) return notAMap(spot);
  const holder = entry?.keyStart ?? node.start;
  const indentation = startsLine(text, holder) ? text.slice(holder - column(text, holder), holder) : '';
  const gap = entry === undefined ? ' ' : colonGap(entry);
  const unit = startsLine(text, holder) ? prettyUnit(document) : undefined;
  const eol = breakOf(document);
  const inner = flowEntry(spot, indentation + (unit ?? ''), gap);
  const braces = unit === undefined ? `{${inner}}` : `{${eol}${indentation}${unit}${inner}${eol}${indentation}}`;
  const isEmpty = node.kind === 'scalar' && node.style === 'empty';
  const start = isEmpty ? (entry?.afterColon ?? node.start) : node.start;
  return {
    kind: 'replace',
    replacements: [{ start, end: isEmpty ? start : node.end, text: isEmpty ? ` ${braces}` : braces }],
  };
}

/** `key: {key: value}`, over several lines where the document is JSON over several lines. */
function flowEntry(spot: Spot, indentation: string, gap: string): string {
  const { document, missing, leaf } = spot;
  const notation = notationOf(document);
  const unit = prettyUnit(document);
  const eol = breakOf(document);
  let inner = leaf.flow(indentation.length);
  for (let depth = missing.length - 1; depth >= 0; depth -= 1) {
    const key = keyToken(missing[depth] ?? '', notation);
    // Without quotes a key needs the blank, or `a:1` would be one word.
    inner = `${key}:${key.startsWith('"') ? gap : ' '}${inner}`;
    if (depth === 0) break;
    const outer = `${indentation}${(unit ?? '').repeat(depth - 1)}`;
    inner = unit === undefined ? `{${inner}}` : `{${eol}${outer}${unit}${inner}${eol}${outer}}`;
  }
  return inner;
}

function predecessor(map: SourceMap, after: string | undefined): SourceEntry | undefined {
  return map.entries.find((entry) => entry.key === after && !entry.merge) ?? map.entries.at(-1);
}

function notAMap({ document, path, chain }: Spot): Change {
  const depth = chain.length - 1;
  return refuse(document, path.slice(0, depth), {
    reason: 'FieldIsNotMap',
    message: `${path.slice(0, depth).join('.')} is not a map, so ${path.slice(depth).join('.')} cannot be written below it`,
    hint: 'Write it as a map of keys and values.',
  });
}
