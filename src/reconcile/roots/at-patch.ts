/** A LeaderWorkerSet of a build: which of them a patch is for, and the same at the place where it is changed. */

import { LWS_KIND } from '../../api/kinds.ts';
import { LWS_API_VERSION } from '../../api/rollout.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { BuiltOver } from '../documents/built-over.ts';

type Named = BuiltOver['named'];

/** Whether this is what a build has of the workload; it need not say the namespace. */
export function isCalled({ object }: ManifestDocument, named: Named): boolean {
  return object.name === named.name && (object.namespace === '' || object.namespace === named.namespace);
}

/** What is built, at the place where it is changed: there is where edits go. Lines of an output help nobody. */
export function atPatch(
  built: ManifestDocument,
  patch: Pick<ManifestDocument, 'object'> | Named,
  file: string,
): ManifestDocument {
  const object =
    'object' in patch
      ? patch.object
      : { apiVersion: LWS_API_VERSION, kind: LWS_KIND, name: patch.name, namespace: patch.namespace };
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
