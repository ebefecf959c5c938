/** Finds Flux HelmReleases: what one renders is in no file, so that a workload of it is looked for here once it is missing. */

import { CARRIER_KIND, HELM_GROUP } from '../../api/carrier.ts';
import type { Issue } from '../../api/issue.ts';
import { type ManifestDocument, parseManifestFile } from '../../manifests/parse-file.ts';

export type HelmReleases = {
  readonly all: readonly ManifestDocument[];
  /** Of documents that look like one and cannot be read. */
  readonly issues: readonly Issue[];
};

/** Every one in these texts. */
export function helmReleasesIn(texts: ReadonlyMap<string, string>): HelmReleases {
  const read = [...texts].flatMap(([file, text]) =>
    text.includes(HELM_GROUP) ? [parseManifestFile(file, text, [CARRIER_KIND])] : [],
  );
  const documents = read.flatMap((file) => file.documents);
  return {
    all: documents.filter(({ object }) => object.apiVersion.startsWith(`${HELM_GROUP}/`)),
    issues: read.flatMap(({ issues }) => issues),
  };
}
