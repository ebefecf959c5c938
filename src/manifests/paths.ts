/** Paths of files in a repository, from its root. */

/** The folder of a file, empty for the root. */
export function folderOf(file: string): string {
  return file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
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
