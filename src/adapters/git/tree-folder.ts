/** What of one folder a request is about. Nothing is made of an entry that nobody asks for: of a whole tree nearly none counts. */

import type { ReadRequest } from '../../ports/git.ts';
import { byteName, type EntryPlace, fileModeOf, isFolder, isSubmodule, isText } from './objects.ts';
import { type Wanted, wantedIn } from './wanted-paths.ts';

/** Which files count by their names; those of `names` whatever is in them. `isWhole`: the request is for the whole tree. */
export type Wants = {
  readonly suffixes: readonly string[];
  readonly names: readonly string[];
  readonly isWhole: boolean;
};

/**
 * `named`: a file of a name that is wanted whatever is in it. `link`: it leads elsewhere, and the request names it.
 * `passedLink`: so does this, somewhere below. `other`: a blob that nobody wants.
 */
type EntryKind = 'folder' | 'file' | 'named' | 'link' | 'passedLink' | 'submodule' | 'other';

/** What a request asks of names, as they lie in trees. */
export function wantsOf({ paths, suffixes, names = [] }: ReadRequest): Wants {
  return { suffixes: suffixes.map(byteName), names: names.map(byteName), isWhole: paths.includes('') };
}

/** What is wanted of an entry of a folder; undefined: nothing. */
export function wantedAt(folder: Wanted, bytes: Buffer, place: EntryPlace): Wanted | undefined {
  if (folder.everything && folder.names.size === 0) return folder;
  return wantedIn(folder, bytes.toString('latin1', place.start, place.end));
}

/** What an entry is of which something is wanted. */
export function kindOf(
  bytes: Buffer,
  place: EntryPlace,
  of: { readonly folder: Wanted; readonly wanted: Wanted; readonly wants: Wants },
): EntryKind {
  const { mode } = place;
  if (isFolder(mode)) return 'folder';
  if (fileModeOf(mode) === undefined) {
    if (!of.folder.everything) return 'link';
    return isSubmodule(mode) ? 'submodule' : 'passedLink';
  }
  const { suffixes, names } = of.wants;
  if (!of.wanted.everything || !(suffixes.length === 0 || endsWith(bytes, place, suffixes))) return 'other';
  return isOneOf(bytes, place, names) ? 'named' : 'file';
}

/** Whether manifests may be behind a link: one of another ending leads to a file that would not be read either. */
export function mayLeadToManifests(name: string, suffixes: readonly string[]): boolean {
  if (suffixes.length === 0 || suffixes.some((suffix) => name.endsWith(suffix))) return true;
  return !/\.[a-z][a-z0-9]*$/i.test(name);
}

function endsWith(bytes: Buffer, { start, end }: EntryPlace, suffixes: readonly string[]): boolean {
  for (const suffix of suffixes)
    if (end - start >= suffix.length && isText(bytes, end - suffix.length, suffix)) return true;
  return false;
}

function isOneOf(bytes: Buffer, { start, end }: EntryPlace, names: readonly string[]): boolean {
  for (const name of names) if (end - start === name.length && isText(bytes, start, name)) return true;
  return false;
}
