/** Finds our patches over kustomize folders among the files of a commit. */

import { at } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { MARK } from '../../api/marks.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { applyFile, rootOfPatch } from '../../manifests/patch-place.ts';
import type { Desired } from '../desired/desired-rollout.ts';
import type { BuiltOver } from '../documents/built-over.ts';
import { namespaceOf } from '../documents/manifest-index.ts';

/** A workload of a folder that somebody asks about. */
export type Asked = {
  readonly root: string;
  readonly named: BuiltOver['named'];
  /** undefined: it has none yet. */
  readonly patch: ManifestDocument | undefined;
};

/** Documents at places of patches, as far as something there applies them or a kustomization could. */
export function patchesIn({ files, blobs, config }: Desired): readonly Asked[] {
  return files.flatMap(({ file, documents }) => {
    const root = rootOfPatch(file);
    if (root === undefined) return [];
    const isApplied = blobs.get(applyFile(root)) !== undefined;
    return documents
      .filter((one) => isApplied || isPatch(one))
      .flatMap((patch) => {
        const { kind, name } = patch.object;
        const namespace = namespaceOf(patch, config);
        return kind === LWS_KIND && namespace !== undefined ? [{ root, named: { namespace, name }, patch }] : [];
      });
  });
}

/** With annotations of ours and no template but a pin: no cluster takes it for a workload, whatever has become of what applies it. */
function isPatch(document: ManifestDocument): boolean {
  const template = at(document.value, ['spec', 'leaderWorkerTemplate']);
  const isPin = at(template, ['$patch']) !== undefined;
  return hasMarks(document) && (template === undefined || isPin);
}

/** Whether a document has any annotation of a delivery. */
export function hasMarks({ value }: ManifestDocument): boolean {
  return Object.values(MARK).some((mark) => at(value, ['metadata', 'annotations', mark]) !== undefined);
}
