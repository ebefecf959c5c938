/** What one entry of a kustomization leads to: a path of the repository, or why kustomize may not be asked to follow it. */

import { MAX_NAME_BYTES, MAX_PATH_BYTES } from './limits.ts';
import { isTooLong } from './paths.ts';

/** Why an entry is not followed. */
export type EntryFault = {
  /** Completes the sentence that starts with what has the entry. */
  readonly what: string;
  readonly hint: string;
};

type Entry =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'refused'; readonly fault: EntryFault };

/** Of an entry as much as people read. */
const SHOWN_MOST = 120;

/**
 * What kustomize may take for an address, read in its source (api v0.21.1, repospec.go and fileloader.go): a scheme, `git::`,
 * a user in front of a host, `github.com`, a query. It tries these even where a file of that name is there. Wider on
 * purpose: no path of a repository needs a colon, a question mark or a backslash.
 */
const ADDRESS = /[:?\\]|^[A-Za-z0-9._-]+@|^(www\.)?(github\.com|gitlab\.com|bitbucket\.org)(\/|$)/i;

/** Of a path that no file system may take: reading it would fail for all folders, not for this one. */
export const TOO_LONG = `is longer than ${MAX_NAME_BYTES} bytes a name or ${MAX_PATH_BYTES} in all, the limit`;
export const SHORTEN = 'Name it in fewer letters.';

/** An entry without what may be a password in it, and not longer than people read. */
export function shownEntry(entry: string): string {
  return entry.replace(/\/\/[^/@]*@/, '//').slice(0, SHOWN_MOST);
}

/** Whether kustomize may fetch what an entry names. */
export function isAddress(entry: string): boolean {
  return ADDRESS.test(entry);
}

/** Where the entry leads, from the root of the repository, when it is written in a kustomization of this folder. */
export function entryIn(folder: string, entry: unknown): Entry {
  if (typeof entry !== 'string' || entry.trim() === '' || hasControl(entry))
    return refused({ what: 'has an entry that is no path', hint: 'Write a path of the repository, or remove it.' });
  const shown = shownEntry(entry);
  if (isAddress(entry))
    return refused({
      what: `lists ${shown}, and what that holds is not in this repository`,
      hint: 'Copy it into the repository (kustomize localize), and list the copy.',
    });
  const parts = entry.startsWith('/') ? undefined : partsOf(folder, entry);
  if (parts === undefined)
    return refused({
      what: `lists ${shown}, which leads out of the repository`,
      hint: 'Copy the file into the repository, and list it by a path that starts at this folder.',
    });
  const path = parts.join('/');
  return isTooLong(path)
    ? refused({ what: `lists ${shown}…, which ${TOO_LONG}`, hint: SHORTEN })
    : { kind: 'path', path };
}

/**
 * Why a text that holds a document itself is not taken: kustomize tries one that is no document to it as a path, and as such
 * this one leads out of the repository, to files of the machine that builds.
 */
export function inlineFault(folder: string, text: string): EntryFault | undefined {
  if (!text.startsWith('/') && partsOf(folder, text) !== undefined) return undefined;
  return {
    what: `has a document in itself that kustomize may take for a path out of the repository: ${shownEntry(text).split('\n')[0]}`,
    hint: 'Write the document into a file of its own, and list that file.',
  };
}

/** The names on the way; undefined: it leaves the repository. */
function partsOf(folder: string, entry: string): readonly string[] | undefined {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of entry.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts;
}

function refused(fault: EntryFault): Entry {
  return { kind: 'refused', fault };
}

/** A line break, a tab or the like. */
function hasControl(text: string): boolean {
  for (let place = 0; place < text.length; place += 1) if (text.charCodeAt(place) < 0x20) return true;
  return false;
}
