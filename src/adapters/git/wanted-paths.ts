/** Which paths a read asks for, as a tree of names, and which of them are not there. */

import type { Gaps } from '../../ports/git.ts';
import { byteName, fileModeOf, isFolder, textOfName } from './objects.ts';

/** What is wanted below one folder: everything, or some names. `isAsked`: the request has this very path. */
export type Wanted = { everything: boolean; isAsked: boolean; readonly names: Map<string, Wanted> };

type Folder = { readonly path: string; readonly wanted: Wanted };

/** Below a path that is wanted as a whole no names are looked for. */
const EVERYTHING: Wanted = { everything: true, isAsked: false, names: new Map() };
/** How many names next to a path that is not there, and how many links, are reported. */
export const BESIDE_MOST = 1000;
export const PASSED_OVER_MOST = 1000;

/** The path of a name in a folder. */
function pathIn({ path }: Folder, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

/** Paths of the request that end here: what is named is not in this folder, or is no folder and ought to be. */
export function absentIn(
  folder: Folder,
  entries: readonly { readonly mode: string; readonly name: string }[],
): Gaps['absent'] {
  const there = new Map(entries.map(({ name, mode }) => [name, mode]));
  const beside = entries.slice(0, BESIDE_MOST).map(({ name }) => spelled(name));
  return [...folder.wanted.names].flatMap(([name, wanted]) => {
    const mode = there.get(name);
    // A link or submodule on the way is reported by itself.
    if (mode !== undefined && (isFolder(mode) || fileModeOf(mode) === undefined)) return [];
    const ends = pathsBelow(wanted).filter((path) => path !== '' || mode === undefined);
    return ends.map((below) => ({
      path: spelled([pathIn(folder, name), below].filter((part) => part !== '').join('/')),
      folder: spelled(folder.path),
      beside,
    }));
  });
}

/** What is wanted below, each from there; empty: the thing itself. */
function pathsBelow({ isAsked, names }: Wanted): readonly string[] {
  const deeper = [...names].flatMap(([name, wanted]) =>
    pathsBelow(wanted).map((path) => (path === '' ? name : `${name}/${path}`)),
  );
  return isAsked ? ['', ...deeper] : deeper;
}

/** All of them at once: a name may be wanted as a whole, and some below it by their names as well. */
export function wantedOf(paths: readonly string[]): Wanted {
  const root: Wanted = { everything: false, isAsked: false, names: new Map() };
  for (const path of paths) {
    let node = root;
    for (const part of path.split('/').filter((name) => name !== '')) {
      const name = byteName(part);
      const child = node.names.get(name) ?? { everything: false, isAsked: false, names: new Map() };
      node.names.set(name, child);
      node = child;
    }
    node.everything = true;
    node.isAsked = true;
  }
  spread(root);
  return root;
}

/** What is below a path that is wanted as a whole is so as well. */
function spread({ everything, names }: Wanted): void {
  for (const below of names.values()) {
    below.everything ||= everything;
    spread(below);
  }
}

/** What is wanted of a name in a folder; undefined: nothing. */
export function wantedIn(folder: Wanted, name: string): Wanted | undefined {
  if (folder === EVERYTHING) return EVERYTHING;
  return folder.names.get(name) ?? (folder.everything ? EVERYTHING : undefined);
}

/** A name as people read it. In one that is no text other bytes are in octal, as git prints them: no two such names are one. */
export function spelled(name: string): string {
  return textOfName(name) ?? name.replace(/[\x80-\xff\\]/g, (byte) => `\\${byte.charCodeAt(0).toString(8)}`);
}
