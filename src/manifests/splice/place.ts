/** Answers where things are in a document's text: ends of entries, columns, steps of indentation. */

import { column, lineBreak, lineEnd, nextLine, startsLine } from '../lines.ts';
import type { ManifestDocument } from '../parse-file.ts';
import type { Link, SourceEntry, SourceMap, SourceNode } from '../source-tree.ts';
import type { Notation } from './token.ts';

/** Where an entry of a block starts: at the sign before it where it is written `? key`. */
export function entryStart(text: string, { keyStart, afterColon }: SourceEntry): number {
  const sign = afterColon === -1 ? text.lastIndexOf('?', keyStart) : -1;
  return sign !== -1 && /^\?[ \t]+$/.test(text.slice(sign, keyStart)) ? sign : keyStart;
}

/** Where the last character of an entry's value, or of its colon, ends: before any comment behind it. */
export function entryEnd(text: string, entry: SourceEntry): number {
  return Math.max(entry.keyEnd, entry.afterColon, nodeEnd(text, entry.value));
}

/** The same of a node. */
export function nodeEnd(text: string, node: SourceNode): number {
  if (node.kind === 'map' && !node.flow) {
    const last = node.entries.at(-1);
    return last === undefined ? node.end : entryEnd(text, last);
  }
  if (node.kind === 'list' && !node.flow) {
    const last = node.items.at(-1);
    return last === undefined ? node.end : nodeEnd(text, last);
  }
  if (node.kind !== 'scalar') return node.end;
  if (node.style === 'empty')
    return node.anchor === undefined && !node.tagged ? node.start - blanksBefore(text, node.start) : node.end;
  return node.style === 'block' ? blockTextEnd(text, node) : node.end;
}

function blanksBefore(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && /[ \t\r\n]/.test(text[at - 1] ?? '')) at -= 1;
  return offset - at;
}

/** Does a line break more or less at the end of the document change its last value? */
export function endsInBlockText(root: SourceNode): boolean {
  let node: SourceNode | undefined = root;
  while (node !== undefined && (node.kind === 'map' || node.kind === 'list')) {
    node = node.kind === 'map' ? node.entries.at(-1)?.value : node.items.at(-1);
  }
  return node?.kind === 'scalar' && node.style === 'block';
}

/** Blank lines behind block text belong to it only where its header says to keep them (`|+`). */
function blockTextEnd(text: string, node: SourceNode): number {
  const raw = text.slice(node.start, node.end);
  const header = raw.slice(0, lineEnd(raw, 0));
  if (!/^[|>][0-9]?\+/.test(header)) return node.start + raw.trimEnd().length;
  return node.start + raw.replace(/\r?\n$/, '').length;
}

/** The end of an entry with the comments behind it, and with those on further lines that are indented below its key. */
export function entryEndWithComments(text: string, entry: SourceEntry): number {
  return endWithComments(text, entryEnd(text, entry), column(text, entryStart(text, entry)));
}

/** The end of the line at `from`, or of the last comment below it that stands further inside than `indentation`. */
export function endWithComments(text: string, from: number, indentation: number): number {
  let end = lineEnd(text, from);
  for (let at = nextLine(text, end); at < text.length; at = nextLine(text, at)) {
    const line = text.slice(at, lineEnd(text, at));
    const content = line.search(/[^ \t]/);
    if (content === -1) continue;
    if (line[content] !== '#' || content <= indentation) break;
    end = at + line.length;
  }
  return end;
}

/** How far a level lies inside the level above it: as next to the place of change, else as in the document, else 2. */
export function indentationStep(document: ManifestDocument, chain: readonly Link[]): number {
  const near = chain.map(({ node }) => blockColumn(document.text, node));
  for (let at = near.length - 1; at > 0; at -= 1) {
    const step = (near[at] ?? 0) - (near[at - 1] ?? Number.POSITIVE_INFINITY);
    if (step > 0) return step;
  }
  const root = blockColumn(document.text, document.root) ?? 0;
  for (const { value } of document.root.entries) {
    const step = (blockColumn(document.text, value) ?? root) - root;
    if (step > 0) return step;
  }
  return 2;
}

function blockColumn(text: string, node: SourceNode): number | undefined {
  const first = node.kind === 'map' && !node.flow ? node.entries[0] : undefined;
  return first === undefined ? undefined : column(text, entryStart(text, first));
}

/** JSON is recognised by its file name, or by braces and a quoted first key. */
export function notationOf(document: ManifestDocument): Notation {
  const { root, text, file } = document;
  const first = root.entries[0];
  const quoted = first !== undefined && text[first.keyStart] === '"';
  return file.endsWith('.json') || (root.flow && quoted) ? 'json' : 'yaml';
}

/** The indentation of one level of a JSON text over several lines; undefined where all is on one line. */
export function prettyUnit(document: ManifestDocument): string | undefined {
  const first = document.root.entries[0];
  if (first === undefined || !document.root.flow || !startsLine(document.text, first.keyStart)) return undefined;
  return document.text.slice(first.keyStart - column(document.text, first.keyStart), first.keyStart);
}

/** The map above the last link of a chain, if it is one. */
export function mapAbove(chain: readonly Link[]): SourceMap | undefined {
  const above = chain.at(-2)?.node;
  return above?.kind === 'map' ? above : undefined;
}

/** What stands behind the colon of an entry: nothing only in JSON that is written without blanks. */
export function colonGap(entry: SourceEntry): string {
  return entry.afterColon !== -1 && entry.afterColon === entry.value.start && entry.value.end > entry.value.start
    ? ''
    : ' ';
}

/** The line break to write: that of the file, which for a document of one line is that of the file's first line. */
export function breakOf(document: ManifestDocument): string {
  return document.text.includes('\n') ? lineBreak(document.text) : document.lineBreak;
}
