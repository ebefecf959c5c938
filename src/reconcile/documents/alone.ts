/** Says whether a workload is all that its folder has: an agent may refuse to delete the last object. */

import { isKustomizationFile, type ManifestFile } from '../../manifests/parse-file.ts';

const MANIFEST = /\.(ya?ml|json)$/;

type Known = { readonly byPath: ReadonlyMap<string, ManifestFile>; readonly below: ReadonlyMap<string, number> };

/**
 * Asked of a file: whether it has one document alone, and no other manifest is in its folder or below. Looks at all
 * paths once, and not before the first question.
 */
export function aloneIn(files: readonly ManifestFile[], paths: () => Iterable<string>): (file: string) => boolean {
  let known: Known | undefined;
  return (file) => {
    known ??= { byPath: new Map(files.map((found) => [found.file, found])), below: manifestsBelow(paths()) };
    const own = known.byPath.get(file);
    if (own === undefined || own.documents.length + own.others.length > 1) return false;
    return (known.below.get(folderOf(file)) ?? 0) === (isManifest(file) ? 1 : 0);
  };
}

/** How many manifests each folder has, those of the folders in it included. */
function manifestsBelow(paths: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!isManifest(path)) continue;
    for (let folder = folderOf(path); ; folder = folderOf(folder.slice(0, -1))) {
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
      if (folder === '') break;
    }
  }
  return counts;
}

function isManifest(path: string): boolean {
  return MANIFEST.test(path) && !isKustomizationFile(path);
}

/** With its slash; empty for the root. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
