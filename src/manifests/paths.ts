/** Paths of files in a repository, from its root. */

import { MAX_NAME_BYTES, MAX_PATH_BYTES } from './limits.ts';

/** The folder of a file, empty for the root. */
export function folderOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
}

/** Whether a file system may refuse a path of the repository for its length alone. */
export function isTooLong(path: string): boolean {
  // A text has no more characters than bytes: a hostile one is not encoded first.
  if (path.length > MAX_PATH_BYTES || bytesOf(path) > MAX_PATH_BYTES) return true;
  return path.split('/').some((name) => bytesOf(name) > MAX_NAME_BYTES);
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Where a path leads that is written in a file of this folder. One that leaves the repository ends at its root. */
export function resolvePath(folder: string, path: string): string {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
