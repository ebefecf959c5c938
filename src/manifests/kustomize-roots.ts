/** Finds the kustomize folders that are applied as they are, and the bases that are only parts of those. */

import { list } from './kustomize-changes.ts';
import { entryIn } from './kustomize-entries.ts';
import { isKustomizationFile, type ManifestDocument, type ManifestFile } from './parse-file.ts';
import { folderOf } from './paths.ts';

export type Root = {
  /** From the root of the repository; empty for that itself. */
  readonly folder: string;
  readonly document: ManifestDocument;
  /** Kustomizations that list this folder all the same: what is written into it reaches what they build as well. */
  readonly listedBy: readonly ManifestDocument[];
};

/**
 * Every kustomization that no other one lists, and those of the folders that an agent applies even though another one lists them. In the
 * order of the files. Components are parts by their kind.
 */
export function rootsIn(files: readonly ManifestFile[], applied: ReadonlySet<string>): readonly Root[] {
  const all = new Map<string, ManifestDocument>();
  for (const { file, documents } of files) {
    const document = isKustomizationFile(file) ? documents[0] : undefined;
    if (document !== undefined && isKustomization(document)) all.set(folderOf(file), document);
  }
  const listedBy = listings(all);
  return [...all].flatMap(([folder, document]): readonly Root[] => {
    const by = listedBy.get(folder) ?? [];
    const isRoot = document.object.kind !== 'Component' && (by.length === 0 || applied.has(folder));
    return isRoot ? [{ folder, document, listedBy: by }] : [];
  });
}

/** Flux has a kind of the same name, and people a file of that name for it. */
function isKustomization({ object: { apiVersion } }: ManifestDocument): boolean {
  return apiVersion === '' || apiVersion.startsWith('kustomize.config.k8s.io/');
}

/** By folder, who lists it. */
function listings(all: ReadonlyMap<string, ManifestDocument>): ReadonlyMap<string, readonly ManifestDocument[]> {
  const by = new Map<string, ManifestDocument[]>();
  for (const [folder, document] of all) {
    const entries = ['resources', 'bases', 'components'].flatMap((key) => list(document.value[key]));
    for (const entry of new Set(entries)) {
      const found = entryIn(folder, entry);
      if (found.kind !== 'path' || !all.has(found.path) || found.path === folder) continue;
      const known = by.get(found.path);
      if (known === undefined) by.set(found.path, [document]);
      else known.push(document);
    }
  }
  return by;
}
