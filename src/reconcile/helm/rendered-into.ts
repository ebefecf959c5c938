/** HelmReleases that may render a workload which is in no file, for who looks for it. */

import { CARRIER, CARRIER_KIND } from '../../api/carrier.ts';
import type { Config } from '../../api/config.ts';
import { at } from '../../api/json.ts';
import type { Elsewhere } from '../../manifests/built-elsewhere.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { groupedBy } from '../documents/grouped.ts';
import type { HelmReleases } from '../documents/helm-releases.ts';
import { namespaceOf } from '../documents/manifest-index.ts';

/** Asked of a workload: those that apply objects to its namespace. */
export function renderedInto(
  { all }: HelmReleases,
  config: Config,
): (of: { readonly namespace: string }) => readonly Elsewhere[] {
  const byTarget = groupedBy(all, (document) => targetOf(document, config));
  return ({ namespace }) =>
    (byTarget.get(namespace) ?? []).map((document) => ({
      file: document.file,
      line: document.firstLine,
      what: `is the HelmRelease ${document.object.name}, and what it renders is in no file`,
      hint: `If the workload comes from there, say so in the Rollout by the annotation ${CARRIER}: ${CARRIER_KIND}/${namespaceOf(document, config) ?? '<namespace>'}/${document.object.name}.`,
    }));
}

/** Where its objects go; undefined: neither the manifest nor tranche.yaml says it. */
function targetOf(document: ManifestDocument, config: Config): string | undefined {
  const target = at(document.value, ['spec', 'targetNamespace']);
  return typeof target === 'string' && target !== '' ? target : namespaceOf(document, config);
}
