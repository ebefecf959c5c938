/** Puts HelmReleases that kustomize builds in the place of the documents that they are built from. */

import type { Config } from '../../api/config.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { type BuiltOver, isPartOf } from '../documents/built-over.ts';
import type { HelmReleases } from '../documents/helm-releases.ts';
import { namespaceOf } from '../documents/manifest-index.ts';

/** Each stands at its patch; the documents of its name that it is built from, the patch among them, are none of their own. */
export function withBuiltReleases(
  { all, issues }: HelmReleases,
  { built, config }: { readonly built: readonly BuiltOver[]; readonly config: Config },
): HelmReleases {
  const releases = built.filter(({ named }) => named.kind !== undefined);
  if (releases.length === 0) return { all, issues };
  const isPart = (document: ManifestDocument): boolean =>
    releases.some((one) => isPartOf(one, document, namespaceOf(document, config)));
  return {
    all: [...all.filter((document) => !isPart(document)), ...releases.flatMap(({ document }) => document ?? [])],
    issues,
  };
}
