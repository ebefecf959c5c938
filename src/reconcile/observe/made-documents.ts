/** The documents that we have made for a workload, by their annotation: what is handed back takes them along. */

import { LWS_KIND, SERVICE_KIND } from '../../api/kinds.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { replicasOf } from '../../rollout/ladders/delivery.ts';
import type { MadeDocument } from '../../rollout/orders/eject-scene.ts';
import type { Desired, DesiredRollout } from './desired.ts';
import { madeFor, namespaceOf } from './manifest-index.ts';
import { trafficKinds } from './traffic-index.ts';

/** Services and routes only where a Rollout routes traffic: else they are not read. */
export function madeDocuments(
  { identity, key: { namespace } }: Pick<DesiredRollout, 'identity' | 'key'>,
  { index, traffic, config }: Pick<Desired, 'index' | 'traffic' | 'config'>,
): readonly MadeDocument[] {
  if (identity === undefined) return [];
  const isOurs = (document: ManifestDocument): boolean => madeFor(document) === identity.name;
  const workloads = index.workloads.filter((one) => isOurs(one) && namespaceOf(one, config) === namespace);
  const others = trafficKinds(traffic.customs).flatMap((kind) => traffic.inNamespace(kind, namespace));
  const routes = others.filter((one) => one.object.kind !== SERVICE_KIND && !isOurs(one));
  return [...workloads, ...others.filter(isOurs)].map((document) => {
    const { file, object } = document;
    const users = object.kind === LWS_KIND ? index.scalersOf({ namespace, name: object.name }) : routes;
    const namedBy = users.filter((one) => names(one, object.name));
    return {
      file,
      object,
      groups: object.kind === LWS_KIND ? replicasOf(document) : 0,
      namedBy: namedBy.map((one) => `${one.object.kind} ${one.object.name}`),
    };
  });
}

/** In whatever field, also within a text as some dialects have it. */
function names({ value }: ManifestDocument, name: string): boolean {
  return new RegExp(`(?<![a-z0-9-])${name.replaceAll('.', '\\.')}(?![a-z0-9-])`).test(JSON.stringify(value));
}
