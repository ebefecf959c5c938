/** Finds out how many edits can be made at once: those of which none sees or moves what another one writes. */

import type { Edit, FieldPath, PlacedEdit } from '../../rollout/edits/edit.ts';
import type { ManifestDocument } from '../parse-file.ts';
import { find } from '../source-tree.ts';
import { hasAnchors } from './anchors.ts';
import type { Replacement } from './change.ts';
import { changesFor, placed } from './changes-for.ts';
import type { Sources } from './sources.ts';

/** An edit with the bytes that it replaces in the text of the document. */
export type Separate = { readonly edit: PlacedEdit; readonly replacements: readonly Replacement[] };

type EditsOfDocument = {
  readonly document: ManifestDocument;
  readonly edits: readonly Edit[];
  readonly sources: Sources;
};

/**
 * The first edits up to one that is better made alone, in order. What one after another would give is what they give
 * together: a value is replaced where it stands, or a key comes into a map that is there.
 */
export function separateEdits({ document, edits, sources }: EditsOfDocument): readonly Separate[] {
  if (edits.length < 2 || hasAnchors(document.root)) return [];
  const found: Separate[] = [];
  for (const edit of edits) {
    const separate = separateEdit(document, edit, sources);
    if (separate === undefined || found.some((other) => meet(other, separate))) break;
    // A text that is put back may bring another indentation, which a new key would follow.
    const restored = found.some((other) => other.edit.kind === 'restore' && other.replacements.length > 0);
    if (restored && inserts(separate)) break;
    found.push(separate);
  }
  return found;
}

/** All replacements; keys that come to the same place are one, in the order of the edits. */
export function joined(separate: readonly Separate[]): readonly Replacement[] {
  const byPlace = new Map<string, Replacement>();
  for (const replacement of separate.flatMap(({ replacements }) => replacements)) {
    const place = `${replacement.start} ${replacement.end}`;
    const there = byPlace.get(place)?.text ?? '';
    byPlace.set(place, { ...replacement, text: `${there}${replacement.text}` });
  }
  return [...byPlace.values()];
}

function separateEdit(document: ManifestDocument, edit: Edit, sources: Sources): Separate | undefined {
  if (edit.kind !== 'set' && edit.kind !== 'restore') return undefined;
  const located = placed(document, edit);
  if (located.kind === 'refused') return undefined;
  const source = sources(document, located.edit);
  if (source !== undefined && hasAnchors(source.root)) return undefined;
  const [change] = changesFor(document, located.edit, sources);
  if (change?.kind !== 'replace') return undefined;
  const { path } = located.edit;
  const separate = { edit: located.edit, replacements: change.replacements };
  const here = find(document.root, path);
  if (here.kind === 'found') {
    const goes = edit.kind === 'restore' && source !== undefined && find(source.root, path).kind !== 'found';
    return goes ? undefined : separate;
  }
  if (change.replacements.length === 0) return separate;
  const isKey = edit.kind === 'set' && here.kind === 'missing' && here.missing.length === 1;
  return isKey && inserts(separate) ? separate : undefined;
}

function inserts({ replacements }: Separate): boolean {
  return replacements.length > 0 && replacements.every(({ start, end }) => start === end);
}

function meet(one: Separate, other: Separate): boolean {
  if (isWithin(one.edit.path, other.edit.path) || isWithin(other.edit.path, one.edit.path)) return true;
  return one.replacements.some((left) => other.replacements.some((right) => touch(left, right)));
}

function isWithin(path: FieldPath, above: FieldPath): boolean {
  return above.every((key, at) => path[at] === key);
}

/** Two new keys may come to the same place; a key and a value may not, for one of them would have to be first. */
function touch(left: Replacement, right: Replacement): boolean {
  const areKeys = isNewLine(left) && isNewLine(right);
  if (left.start === right.start) return !areKeys;
  return left.start < right.end && right.start < left.end;
}

function isNewLine({ start, end, text }: Replacement): boolean {
  return start === end && /^\r?\n/.test(text);
}
