/** Names and paths of the entries of trees: as bytes, as text, in order; and which folder holds the most of a tree. */

import type { Oid, SkippedFile } from '../../ports/git.ts';
import { type EntryPlace, textOfName } from './objects.ts';
import { spelled } from './wanted-paths.ts';

/** By their paths, the same on every machine. */
export function byPath(left: Pick<SkippedFile, 'path'>, right: Pick<SkippedFile, 'path'>): number {
  return left.path < right.path ? -1 : left.path > right.path ? 1 : 0;
}

/** A byte string. */
export function nameOf(bytes: Buffer, { start, end }: EntryPlace): string {
  return bytes.toString('latin1', start, end);
}

/** The path as text; one that is none is spelled as well as can be. */
export function pathOf(
  folder: { readonly prefix: string; readonly isAscii: boolean; readonly bytes: Buffer },
  place: EntryPlace,
) {
  const path = folder.prefix + nameOf(folder.bytes, place);
  const text = folder.isAscii && place.isAscii ? path : textOfName(path);
  return text === undefined ? { isText: false, spelled: spelled(path) } : { isText: true, spelled: text };
}

/** A folder that has less than this part of a tree is not to blame for what all of it comes to. */
const PART_LEAST = 1 / 16;

/**
 * Of the folder that the largest part of these trees is below, and in it of the one with the largest part of that, and so on:
 * the id of the last that has a sixteenth of all. undefined: none has, so that no one folder is to blame.
 */
export function heaviest(
  folders: readonly { readonly prefix: string; readonly oid: Oid; readonly bytes: Buffer }[],
): Oid | undefined {
  const all = folders.reduce((sum, { bytes }) => sum + bytes.length, 0);
  let here = '';
  let below = folders;
  for (;;) {
    const children = new Map<string, number>();
    for (const { prefix, bytes } of below) {
      const end = prefix.indexOf('/', here.length);
      if (end < 0) continue;
      const child = prefix.slice(0, end + 1);
      children.set(child, (children.get(child) ?? 0) + bytes.length);
    }
    let [child, weight] = ['', 0];
    for (const [name, bytes] of children) if (bytes > weight) [child, weight] = [name, bytes];
    if (weight < all * PART_LEAST) return here === '' ? undefined : below.find(({ prefix }) => prefix === here)?.oid;
    const into = child;
    here = into;
    below = below.filter(({ prefix }) => prefix.startsWith(into));
  }
}
