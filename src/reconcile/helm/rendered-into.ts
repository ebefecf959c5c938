/** HelmReleases that may render a workload which is in no file, for who looks for it. */

import { CARRIER, CARRIER_KIND } from '../../api/carrier.ts';
import type { Config } from '../../api/config.ts';
import { at } from '../../api/json.ts';
import type { Elsewhere } from '../../manifests/built-elsewhere.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { HelmReleases } from '../documents/helm-releases.ts';
import { namespaceOf } from '../documents/manifest-index.ts';

/** Those that apply objects to this namespace. */
export function renderedInto(
  { all }: HelmReleases,
  { namespace }: { readonly namespace: string },
  config: Config,
): readonly Elsewhere[] {
  return all
    .filter((document) => targetOf(document, config) === namespace)
    .map((document) => ({ document, name: document.object.name }))
    .map(({ document, name }) => ({
      file: document.file,
      line: document.firstLine,
      what: `is the HelmRelease ${name}, and what it renders is in no file`,
      hint: `If the workload comes from there, say so in the Rollout by the annotation ${CARRIER}: ${CARRIER_KIND}/${namespaceOf(document, config) ?? '<namespace>'}/${name}.`,
    }));
}

/** Where its objects go; undefined: neither the manifest nor tranche.yaml says it. */
function targetOf(document: ManifestDocument, config: Config): string | undefined {
  const target = at(document.value, ['spec', 'targetNamespace']);
  return typeof target === 'string' && target !== '' ? target : namespaceOf(document, config);
}
