/** HelmReleases that may render a workload which is in no file, for who looks for it. */

import type { Config } from '../../api/config.ts';
import { at } from '../../api/json.ts';
import type { Elsewhere } from '../../manifests/built-elsewhere.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { HelmReleases } from '../documents/helm-releases.ts';
import { namespaceOf } from '../documents/manifest-index.ts';

/** The way out of all of them: this layout is delivered. */
export const RENDER_IT =
  'Let CI render the chart (helm template) into a file or into the base of a kustomization, and let Flux apply that.';

/** Those that apply objects to this namespace. */
export function renderedInto(
  { all }: HelmReleases,
  { namespace }: { readonly namespace: string },
  config: Config,
): readonly Elsewhere[] {
  return all
    .filter((document) => targetOf(document, config) === namespace)
    .map(({ file, firstLine, object: { name } }) => ({
      file,
      line: firstLine,
      what: `is the HelmRelease ${name}, and what it renders is in no file`,
      hint: `If the workload comes from there: it is not delivered in steps yet. ${RENDER_IT}`,
    }));
}

/** Where its objects go; undefined: neither the manifest nor tranche.yaml says it. */
function targetOf(document: ManifestDocument, config: Config): string | undefined {
  const target = at(document.value, ['spec', 'targetNamespace']);
  return typeof target === 'string' && target !== '' ? target : namespaceOf(document, config);
}
