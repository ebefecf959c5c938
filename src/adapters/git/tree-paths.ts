/** Names and paths of the entries of trees: as bytes, as text, in order. */

import type { SkippedFile } from '../../ports/git.ts';
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

/** Bytes of one name: what is longer no file system takes, so no agent applies it. */
const NAME_MOST = 255;
const SHOWN = 100;

/** True for a name that is never made part of a path: each file below it would have it in its own. */
export function isLong({ start, end }: EntryPlace): boolean {
  return end - start > NAME_MOST;
}

/** The beginning of a name that is too long to be one, others as they are. */
export function shortName(name: string): string {
  return name.length > NAME_MOST ? `${name.slice(0, SHOWN)}...` : name;
}

/** The path as text; in one that is none other bytes are in octal. */
export function pathOf(
  folder: { readonly prefix: string; readonly isAscii: boolean; readonly bytes: Buffer },
  place: EntryPlace,
) {
  const path = folder.prefix + nameOf(folder.bytes, place);
  const text = folder.isAscii && place.isAscii ? path : textOfName(path);
  return text === undefined ? { isText: false, spelled: spelled(path) } : { isText: true, spelled: text };
}
