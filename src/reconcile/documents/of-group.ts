/** Whether a document is what its kind means here: another API group may have a kind of the same name (a Service of Knative). */

import { CARRIER_KIND, HELM_GROUP } from '../../api/carrier.ts';
import { groupOf } from '../../api/group-of.ts';
import { LWS_KIND, SERVICE_KIND } from '../../api/kinds.ts';
import { LWS_API_VERSION, ROLLOUT_API_VERSION } from '../../api/rollout.ts';
import type { CustomKind } from '../../api/route-provider.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { onePerKind } from '../../rollout/traffic/index.ts';

export const POOL_KIND = 'InferencePool';

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  [LWS_KIND]: [groupOf(LWS_API_VERSION)],
  Rollout: [groupOf(ROLLOUT_API_VERSION)],
  [CARRIER_KIND]: [HELM_GROUP],
  [SERVICE_KIND]: [''],
  [POOL_KIND]: ['inference.networking.k8s.io', 'inference.networking.x-k8s.io'],
};

/** Whether it is of the group that tranche reads this kind of; undefined: it reads none of this name. */
function isKnownGroup(document: Pick<ManifestDocument, 'object'>): boolean | undefined {
  const { kind, apiVersion } = document.object;
  if (Object.hasOwn(GROUPS, kind)) return GROUPS[kind]?.includes(groupOf(apiVersion));
  return onePerKind.find((provider) => provider.kind === kind)?.isOf(document);
}

/** A Service of the core API. */
export const isService = ({ object: { kind, apiVersion } }: Pick<ManifestDocument, 'object'>): boolean =>
  kind === SERVICE_KIND && groupOf(apiVersion) === '';

/** Whether it is of the group that tranche reads this kind of, or of one that the files describe as a kind of routes themselves. */
export function isOfItsGroup(document: ManifestDocument, customs: readonly CustomKind[]): boolean {
  const { kind, apiVersion } = document.object;
  if (isKnownGroup(document) === true) return true;
  return customs.some((one) => one.kind === kind && one.group === groupOf(apiVersion));
}
