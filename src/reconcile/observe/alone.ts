/** Says whether a workload is all that its folder has: an agent may refuse to delete the last object. */

import { isKustomizationFile } from '../../manifests/parse-file.ts';
import type { Desired } from './desired.ts';

const MANIFEST = /\.(ya?ml|json)$/;

/** Whether a file has one document alone, and no other manifest is in its folder or below. */
export function isAlone({ files, blobs }: Pick<Desired, 'files' | 'blobs'>, file: string): boolean {
  const own = files.find((found) => found.file === file);
  if (own === undefined || own.documents.length + own.others.length > 1) return false;
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  return ![...blobs.keys()].some(
    (path) => path !== file && path.startsWith(folder) && MANIFEST.test(path) && !isKustomizationFile(path),
  );
}
