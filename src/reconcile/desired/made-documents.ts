/** What we have made for a workload, by its annotation or by its name: what is handed back takes it along. */

import { LWS_KIND, SERVICE_KIND } from '../../api/kinds.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { replicasOf } from '../../rollout/ladders/delivery.ts';
import type { MadeDocument } from '../../rollout/orders/eject-scene.ts';
import { CANARY_SUBSET, subsetMadeFor } from '../../rollout/traffic/destination-rule.ts';
import { madeFor, namespaceOf } from '../documents/manifest-index.ts';
import { trafficKinds } from '../documents/traffic-index.ts';
import type { Desired, DesiredRollout } from './desired-rollout.ts';

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
  const subsets = madeSubsets(traffic.inNamespace('DestinationRule', namespace), identity.name);
  const made = [...workloads, ...others.filter(isOurs)].map((document): MadeDocument => {
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
  const senders = traffic.inNamespace('VirtualService', namespace).filter(namesSubset);
  const namedBy = senders.map((one) => `${one.object.kind} ${one.object.name}`);
  return [...made, ...subsets.map((subset) => ({ ...subset, groups: 0, namedBy }))];
}

/** An item of a DestinationRule of people's: it has no place for an annotation of ours. */
function madeSubsets(
  rules: readonly ManifestDocument[],
  workload: string,
): readonly Pick<MadeDocument, 'file' | 'object' | 'item'>[] {
  return rules.flatMap(({ file, object, value }) => {
    const path = subsetMadeFor(value, `${workload}-canary`);
    return path === undefined ? [] : [{ file, object, item: { path, called: `the subset ${CANARY_SUBSET}` } }];
  });
}

/** Of whatever host: a weight of 0 is a destination as well, and one without its subset breaks the route. */
function namesSubset({ value }: ManifestDocument): boolean {
  return JSON.stringify(value).includes(`"subset":"${CANARY_SUBSET}"`);
}

/** In whatever field, also within a text as some dialects have it. */
function names({ value }: ManifestDocument, name: string): boolean {
  return new RegExp(`(?<![a-z0-9-])${name.replaceAll('.', '\\.')}(?![a-z0-9-])`).test(JSON.stringify(value));
}
