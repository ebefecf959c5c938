/** Answers where the items of a block list are: their dashes, their ends, and how far they stand inside. */

import { column, lineEnd, nextLine, startsLine } from '../lines.ts';
import type { ManifestDocument } from '../parse-file.ts';
import type { Link, SourceList, SourceNode } from '../source-tree.ts';
import { endWithComments, entryStart, nodeEnd } from './place.ts';

/** Where the dash of each item is; undefined where the text does not show them one by one. */
export function dashesOf(text: string, list: SourceList): readonly number[] | undefined {
  const dashes: number[] = [];
  const inside = column(text, list.start);
  let from = list.start;
  for (const [at, item] of list.items.entries()) {
    const dash = at === 0 ? from : dashBehind({ text, from, inside, until: text.length });
    if (dash === undefined || text[dash] !== '-') return undefined;
    dashes.push(dash);
    from = Math.max(dash + 1, nodeEnd(text, item));
  }
  return dashes;
}

type Search = { readonly text: string; readonly from: number; readonly inside: number; readonly until: number };

/** Between two items there are only blanks and comments: the first line with a dash in that column is the next item. */
function dashBehind({ text, from, inside, until }: Search): number | undefined {
  for (let line = nextLine(text, from); line < until; line = nextLine(text, line)) {
    const dash = line + inside;
    if (text[dash] === '-' && startsLine(text, dash)) return dash;
  }
  return undefined;
}

type BlockItem = { readonly dash: number; readonly node: SourceNode };

/** The end of the last line of an item, with the comments behind it and those on lines that are indented below it. */
export function itemEnd(text: string, { dash, node }: BlockItem): number {
  return endWithComments(text, Math.max(dash + 1, nodeEnd(text, node)), column(text, dash));
}

/** How many characters there are from a dash to what it holds: as in this item, or 2. */
export function dashWidth(text: string, { dash, node }: BlockItem): number {
  const [entry] = node.kind === 'map' && !node.flow ? node.entries : [];
  const inner = entry === undefined ? node.start : entryStart(text, entry);
  const isBeside = inner > dash && lineEnd(text, dash) >= inner;
  return isBeside && node.anchor === undefined ? inner - dash : 2;
}

/** How far a dash stands inside the key of its list: as next to the place of change, else as in the document, else 0. */
export function dashStep({ text, root }: ManifestDocument, chain: readonly Link[]): number {
  for (const link of chain.toReversed()) {
    const step = stepOf(text, link) ?? firstStep(text, linksIn(link.node));
    if (step !== undefined) return step;
  }
  return firstStep(text, linksOf(root)) ?? 0;
}

function firstStep(text: string, links: Iterable<Link>): number | undefined {
  for (const link of links) {
    const step = stepOf(text, link);
    if (step !== undefined) return step;
  }
  return undefined;
}

function stepOf(text: string, { node, entry }: Link): number | undefined {
  if (node.kind !== 'list' || node.flow || node.items.length === 0 || entry === undefined) return undefined;
  const step = column(text, node.start) - column(text, entry.keyStart);
  return step < 0 ? undefined : step;
}

function linksIn(node: SourceNode): readonly Link[] {
  return node.kind === 'map' ? node.entries.map((entry) => ({ node: entry.value, entry })) : [];
}

/** Every value of a map in `node`, with the entry that holds it. */
function* linksOf(node: SourceNode): Generator<Link> {
  for (const link of linksIn(node)) {
    yield link;
    yield* linksOf(link.node);
  }
  if (node.kind === 'list') for (const item of node.items) yield* linksOf(item);
}
