/** What we have made for a workload, by its annotation or by its name: what is handed back takes it along. */

import { LWS_KIND, SERVICE_KIND } from '../../api/kinds.ts';
import { releaseContent } from '../../api/release-content.ts';
import { versionIn } from '../../api/version-label.ts';
import type { ManifestDocument } from '../../manifests/parse-file.ts';
import { folderOf } from '../../manifests/paths.ts';
import { replicasOf } from '../../rollout/ladders/delivery.ts';
import type { MadeDocument } from '../../rollout/orders/eject-scene.ts';
import { CANARY_SUBSET, subsetMadeFor } from '../../rollout/traffic/destination-rule.ts';
import { madeFor, namespaceOf } from '../documents/manifest-index.ts';
import { namesIn } from '../documents/names-in.ts';
import { trafficKinds } from '../documents/traffic-index.ts';
import type { Desired, DesiredRollout } from './desired-rollout.ts';

type Of = Pick<DesiredRollout, 'identity' | 'key' | 'rollout' | 'reading'>;
type In = Pick<Desired, 'index' | 'traffic' | 'config'>;

/**
 * Services and routes only where a Rollout routes traffic: else they are not read. What stands in no folder where we put any is
 * of somebody who says so, and neither taken along nor in the way.
 */
export function madeDocuments(of: Of, desired: In): readonly MadeDocument[] {
  const { identity } = of;
  const { namespace } = of.key;
  const { index, traffic, config } = desired;
  if (identity === undefined) return [];
  const folders = modelFolders(of, desired);
  const isOurs = (document: ManifestDocument): boolean =>
    madeFor(document) === identity.name && folders.has(folderOf(document.file));
  const workloads = index.workloads.filter((one) => isOurs(one) && namespaceOf(one, config) === namespace);
  const others = trafficKinds(traffic.customs).flatMap((kind) => traffic.inNamespace(kind, namespace));
  const routes = others.filter((one) => one.object.kind !== SERVICE_KIND && !isOurs(one));
  const rules = traffic.inNamespace('DestinationRule', namespace).filter(({ file }) => folders.has(folderOf(file)));
  const subsets = madeSubsets(rules, identity.name);
  const made = [...workloads, ...others.filter(isOurs)].map((document): MadeDocument => {
    const { file, object, value } = document;
    const isWorkload = object.kind === LWS_KIND;
    const users = isWorkload ? index.scalersOf({ namespace, name: object.name }) : routes;
    const namedBy = users.filter((one) => namesIn(one, object.name));
    return {
      file,
      object,
      groups: isWorkload ? replicasOf(document) : 0,
      ...(isWorkload ? { template: { content: releaseContent(value), version: versionIn(value) } } : {}),
      namedBy: namedBy.map((one) => `${one.object.kind} ${one.object.name}`),
    };
  });
  const senders = traffic.inNamespace('VirtualService', namespace).filter(namesSubset);
  const namedBy = senders.map((one) => `${one.object.kind} ${one.object.name}`);
  return [...made, ...subsets.map((subset) => ({ ...subset, groups: 0, namedBy }))];
}

/** Where what we copy stands, and so the copies: the workload and its Rollout, its Service and its routes. */
function modelFolders({ identity, rollout, reading, key }: Of, { traffic }: In): ReadonlySet<string> {
  const { routing } = reading.rollout?.rollout ?? {};
  const named = new Set([routing?.service, ...(routing?.routes ?? []).map(({ name }) => name)]);
  const routed = trafficKinds(traffic.customs)
    .flatMap((kind) => traffic.inNamespace(kind, key.namespace))
    .filter(({ object }) => named.has(object.name));
  const files = [identity?.file, rollout?.file, ...routed.map(({ file }) => file)];
  return new Set(files.filter((file) => file !== undefined).map(folderOf));
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
