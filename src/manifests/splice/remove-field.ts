/** Plans how a key goes: with its whole lines, and with the parents that would be left empty. */

import type { FieldPath } from '../../rollout/edits/edit.ts';
import { lineEnd, lineStart, nextLine, startsLine } from '../lines.ts';
import type { ManifestDocument } from '../parse-file.ts';
import { find, type Link, type SourceEntry, type SourceMap } from '../source-tree.ts';
import { fieldIssue } from '../strict-scalar.ts';
import { type Change, noChange, type Replacement, unclearPlace } from './change.ts';
import { entryEnd, entryEndWithComments } from './place.ts';

/**
 * Removes the key at `path`; nothing to do where it is missing. A parent whose only key it was goes too, because an
 * empty `annotations:` is null: so removing what was inserted gives the original bytes back. Where a comment of the
 * user's holds the parent's place, the parent stays as `{}`.
 */
export function removeField(document: ManifestDocument, path: FieldPath, comments: 'leave' | 'take'): Change {
  const issue = fieldIssue(document, path);
  const found = find(document.root, path);
  if (issue !== undefined && found.kind === 'blocked') return { kind: 'refused', issue };
  if (found.kind !== 'found') return noChange;
  const target = highestOnlyChild(document, found.chain);
  const { entry, parent, holder } = target;
  if (entry === undefined || parent === undefined) return unclearPlace(document, path, 'it is an item of a list');
  if (parent === document.root && parent.entries.length === 1) {
    return unclearPlace(document, path, 'nothing would be left of the document');
  }
  const cut = parent.flow ? cutFromFlow(document, parent, entry) : cutLines(document, entry, comments);
  if (cut === undefined)
    return unclearPlace(document, path, 'the lines hold more than the key, or a comment of another');
  if (parent.entries.length > 1) return { kind: 'replace', replacements: [cut] };
  if (holder === undefined || holder.afterColon === -1)
    return unclearPlace(document, path, 'its parent is an item of a list');
  const braces = { start: holder.afterColon, end: holder.afterColon, text: ' {}' };
  return { kind: 'replace', replacements: parent.flow ? [cut] : [cut, braces] };
}

type Target = {
  readonly entry: SourceEntry | undefined;
  /** The map that holds `entry`. */
  readonly parent: SourceMap | undefined;
  /** The entry whose value `parent` is. */
  readonly holder: SourceEntry | undefined;
};

/** Climbs while the key is the only one of its map and nothing of the user's is lost with the map. */
function highestOnlyChild(document: ManifestDocument, chain: readonly Link[]): Target {
  let target = targetAt(chain, chain.length - 1);
  for (let at = chain.length - 2; at > 0; at -= 1) {
    const { parent, holder, entry } = target;
    if (parent === undefined || holder === undefined || entry === undefined) break;
    if (parent.entries.length > 1 || parent.anchor !== undefined) break;
    if (document.text.slice(holder.afterColon, entry.keyStart).includes('#') || holder.afterColon === -1) break;
    target = targetAt(chain, at);
  }
  return target;
}

function targetAt(chain: readonly Link[], at: number): Target {
  const above = chain[at - 1];
  return {
    entry: chain[at]?.entry,
    parent: above?.node.kind === 'map' ? above.node : undefined,
    holder: above?.entry,
  };
}

/** The lines of an entry with the line break before them, so that a file without a last line break keeps none. */
export function cutLines(
  document: ManifestDocument,
  entry: SourceEntry,
  comments: 'leave' | 'take',
): Replacement | undefined {
  const { text } = document;
  if (!startsLine(text, entry.keyStart)) return undefined;
  const from = lineStart(text, entry.keyStart);
  const end = comments === 'take' ? entryEndWithComments(text, entry) : lineEnd(text, entryEnd(text, entry));
  if (from === 0) return { start: 0, end: nextLine(text, end), text: '' };
  return { start: lineEnd(text, lineStart(text, from - 1)), end, text: '' };
}

/** The entry with one comma: the one before it, or for the first entry the one behind it. */
function cutFromFlow(document: ManifestDocument, parent: SourceMap, entry: SourceEntry): Replacement | undefined {
  const { text } = document;
  const at = parent.entries.indexOf(entry);
  const before = parent.entries[at - 1];
  const behind = parent.entries[at + 1];
  const end = entryEnd(text, entry);
  const start = before === undefined ? entry.keyStart : entryEnd(text, before);
  const cut = before === undefined && behind !== undefined ? { start, end: behind.keyStart } : { start, end };
  const gap = text.slice(cut.start, entry.keyStart) + text.slice(end, cut.end);
  return gap.includes('#') ? undefined : { ...cut, text: '' };
}
