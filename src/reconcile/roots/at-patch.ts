/** An object of a build: which of them a patch is for, and the same at the place where it is changed. */

import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { type Patched, typeOf } from '../../manifests/patch-place.ts';

/** Whether this is what a build has of the object; it need not say the namespace. */
export function isCalled({ object }: ManifestDocument, named: Patched): boolean {
  if (object.kind !== typeOf(named).kind) return false;
  return object.name === named.name && (object.namespace === '' || object.namespace === named.namespace);
}

/** What is built, at the place where it is changed: there is where edits go. Lines of an output help nobody. */
export function atPatch(
  built: ManifestDocument,
  patch: Pick<ManifestDocument, 'object'> | Patched,
  file: string,
): ManifestDocument {
  const object = 'object' in patch ? patch.object : { ...typeOf(patch), name: patch.name, namespace: patch.namespace };
  return {
    ...built,
    file,
    object,
    lineOf: () => 0,
    get root() {
      return built.root;
    },
    get read() {
      return built.read;
    },
  };
}
