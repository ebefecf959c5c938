/** Finds our patches over kustomize folders among the files of a commit. */

import { CARRIER_KIND } from '../../api/carrier.ts';
import { at } from '../../api/json.ts';
import { MARK } from '../../api/marks.ts';
import { type ManifestDocument, type ManifestFile, parseManifestFile } from '../../manifests/parse-file.ts';
import { applyFile, patchedAs, rootOfPatch } from '../../manifests/patch-place.ts';
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
export function patchesIn({ files, blobs, config, texts }: Desired): readonly Asked[] {
  return [...files, ...releasePatches(texts)].flatMap(({ file, documents }) => {
    const root = rootOfPatch(file);
    if (root === undefined) return [];
    const isApplied = blobs.get(applyFile(root)) !== undefined;
    return documents
      .filter((one) => isApplied || isPatch(one))
      .flatMap((patch) => {
        const { kind, name } = patch.object;
        const namespace = namespaceOf(patch, config);
        const named = namespace === undefined ? undefined : patchedAs(kind, { namespace, name });
        return named === undefined ? [] : [{ root, named, patch }];
      });
  });
}

/** No pass parses a HelmRelease before it is asked for. */
function releasePatches(texts: Desired['texts']): readonly ManifestFile[] {
  return [...texts].flatMap(([file, text]) =>
    rootOfPatch(file) !== undefined && text.includes(CARRIER_KIND)
      ? [parseManifestFile(file, text, [CARRIER_KIND])]
      : [],
  );
}

/** With annotations of ours and no template but a pin, or without an interval: no cluster takes it for an object of its own, whatever has become of what applies it. */
function isPatch(document: ManifestDocument): boolean {
  if (document.object.kind === CARRIER_KIND)
    return hasMarks(document) && at(document.value, ['spec', 'interval']) === undefined;
  const template = at(document.value, ['spec', 'leaderWorkerTemplate']);
  const isPin = at(template, ['$patch']) !== undefined;
  return hasMarks(document) && (template === undefined || isPin);
}

/** Whether a document has any annotation of a delivery. */
export function hasMarks({ value }: ManifestDocument): boolean {
  return Object.values(MARK).some((mark) => at(value, ['metadata', 'annotations', mark]) !== undefined);
}
