/** The content of a file for its reader: its text, or why it has none. */

import type { Oid, TreeFile } from '../../ports/git.ts';
import type { GitLimits } from './limits.ts';
import { legible, markerSearch } from './markers.ts';
import type { FoundObject } from './object-question.ts';
import { decodeText } from './objects.ts';

type Unreadable = Extract<TreeFile['content'], { readonly kind: 'unreadable' }>;

type Reader = { readonly lookup: (oid: Oid) => FoundObject; readonly limits: GitLimits };

/** What files say that were looked up; undefined: nothing that was asked for. */
export function contentOfFile(markers: readonly string[], of: Reader) {
  const read = contentReader(markers, of);
  const readAny = contentReader([], of);
  return (oid: Oid, kind: 'file' | 'named' | 'link'): TreeFile['content'] | undefined =>
    kind === 'link' ? LINK : kind === 'named' ? readAny(oid) : read(oid);
}

function contentReader(texts: readonly string[], { lookup, limits }: Reader) {
  const hasMarker = markerSearch(texts);
  const seen = new Map<Oid, TreeFile['content'] | undefined>();
  return (oid: Oid): TreeFile['content'] | undefined => {
    const found = lookup(oid);
    // Most files: they are not worth remembering.
    if (found.type === 'skipped') return undefined;
    if (seen.has(oid)) return seen.get(oid);
    const content = contentOf(found, hasMarker, limits);
    seen.set(oid, content);
    return content;
  };
}

type Had = Exclude<FoundObject, { readonly type: 'skipped' }>;

function contentOf(
  found: Had,
  hasMarker: (bytes: Buffer) => boolean,
  limits: GitLimits,
): TreeFile['content'] | undefined {
  if (found.type === 'large') return unreadable('large', `it is over the limit of ${limits.fileBytes} bytes`);
  if (found.bytes.length > limits.fileBytes) {
    return unreadable('large', `it has ${found.bytes.length} bytes, over the limit of ${limits.fileBytes}`);
  }
  if (!hasMarker(found.bytes)) return undefined;
  const text = decodeText(found.bytes);
  return text === undefined ? noText(found.bytes) : { kind: 'text', text };
}

/** A file that is not UTF-8, with what can be made out of it. */
export function noText(bytes: Buffer): TreeFile['content'] {
  return { kind: 'unreadable', cause: 'garbled', why: 'it is not UTF-8', legible: legible(bytes) };
}

/** What stands at a path of the request in place of a file or folder: a link is not followed, a submodule not fetched. */
export const LINK = unreadable('link', 'it is a symbolic link or a submodule, which is not followed');

/** Such a file must never be written. */
export const NO_NAME = unreadable('name', 'its name is not UTF-8');

/** Of a file or a folder; what is in it is not read. */
export const LONG_NAME = unreadable('name', 'its name has more than 255 bytes, which no file system takes');

/** What stands for a folder that is not gone into: who merged it keeps no file of others from being read. */
export function tooDeep(folder: Pick<TreeFile, 'path' | 'oid'>, { treeDepth }: Pick<GitLimits, 'treeDepth'>): TreeFile {
  return { ...folder, mode: '100644', content: unreadable('folder', `folders are nested deeper than ${treeDepth}`) };
}

/** The same of one that makes the tree too large to be read; `many`: folders in it do. */
export function tooMuch(
  folder: Pick<TreeFile, 'path' | 'oid'>,
  many: number,
  { treeEntries }: Pick<GitLimits, 'treeEntries'>,
): TreeFile {
  const what = many === 0 ? 'it makes' : `${many} folders in it make`;
  const why = `${what} the tree larger than ${treeEntries} folders and files`;
  return { ...folder, mode: '100644', content: unreadable('folder', why) };
}

function unreadable(cause: Exclude<Unreadable['cause'], 'garbled'>, why: string): Unreadable {
  return { kind: 'unreadable', cause, why };
}
