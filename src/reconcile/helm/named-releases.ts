/** The HelmRelease that a Rollout names, among the files. */

import { CARRIER, CARRIER_KIND, type Carrier, parseCarrier } from '../../api/carrier.ts';
import { at } from '../../api/json.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import type { Patched } from '../../manifests/patch-place.ts';
import type { FieldPath } from '../../rollout/edits/edit.ts';

export const CARRIER_PATH: FieldPath = ['metadata', 'annotations', CARRIER];

/** undefined: it names none, or says nothing that can be read. */
export function carrierOf(rollout: ManifestDocument | undefined): Carrier | undefined {
  const said = at(rollout?.value, CARRIER_PATH);
  return typeof said === 'string' ? parseCarrier(said) : undefined;
}

/** Of all that Rollouts say to render a workload. */
export function carrierNames(
  rollouts: readonly { readonly rollout: ManifestDocument | undefined }[],
): readonly string[] {
  return rollouts.flatMap(({ rollout }) => carrierOf(rollout)?.name ?? []);
}

/** What a kustomize folder would have to build for it: the HelmRelease, else the workload that it names. */
export function wantedBy(
  rollout: ManifestDocument | undefined,
  workload: { readonly namespace: string; readonly name: string },
): Patched {
  const carrier = carrierOf(rollout);
  return carrier === undefined ? workload : { ...carrier, kind: CARRIER_KIND };
}
