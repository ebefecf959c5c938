/** The HelmRelease that a Rollout names, among the files. */

import { CARRIER, type Carrier, parseCarrier } from '../../api/carrier.ts';
import type { Config } from '../../api/config.ts';
import { at } from '../../api/json.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';
import { type ManifestIndex, namespaceOf } from '../documents/manifest-index.ts';

export const CARRIER_PATH: FieldPath = ['metadata', 'annotations', CARRIER];

/** undefined: it names none, or says nothing that can be read. */
export function carrierOf(rollout: ManifestDocument | undefined): Carrier | undefined {
  const said = at(rollout?.value, CARRIER_PATH);
  return typeof said === 'string' ? parseCarrier(said) : undefined;
}

/** All documents of that name: the cluster has one of them. */
export function releasesCalled(
  { namespace, name }: Carrier,
  { index, config }: { readonly index: Pick<ManifestIndex, 'helmReleases'>; readonly config: Config },
): readonly ManifestDocument[] {
  return index.helmReleases().all.filter((one) => one.object.name === name && namespaceOf(one, config) === namespace);
}
