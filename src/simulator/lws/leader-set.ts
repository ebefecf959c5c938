/** The leader StatefulSet as LWS wants it: its template, labels and update strategy. */

import { isJsonObject, type Json, type JsonObject } from '../../api/json.ts';
import { isSince09 } from '../modes.ts';
import {
  LWS_NAME,
  REPLICAS_SEEN,
  REVISION_KEY,
  SIZE,
  SUBDOMAIN_POLICY,
  SUBGROUP_TOPOLOGY,
  TOPOLOGY,
  WORKER_INDEX,
} from '../objects/labels.ts';
import { annotationsOf, labelsOf, type NewObject, ownerReference, part, specOf, strings } from '../objects/objects.ts';
import { withCanonicalQuantities } from '../objects/quantity.ts';
import { defaultedTemplate } from '../pods/pod-template.ts';
import type { World } from '../world.ts';
import type { Parameters } from './lws-parameters.ts';
import type { LwsView } from './lws-view.ts';

/** What LWS applies at every reconcile; unset fields have the API server's defaults. */
export function leaderSet(world: World, lws: LwsView, wanted: Parameters & { readonly key: string }): NewObject {
  const { lws: version, gate } = world.modes();
  // Since 0.10 the metadata of the LWS goes into its StatefulSets unfiltered (lws#896).
  const inherited = version === '0.10';
  const rollingUpdate: JsonObject = {
    partition: wanted.partition,
    // With the gate off the API server drops the field.
    ...(gate !== 'off' ? { maxUnavailable: maxUnavailable(world, lws) } : {}),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name: lws.name,
      namespace: lws.namespace,
      labels: {
        ...(inherited ? labelsOf(lws.object) : {}),
        [LWS_NAME]: lws.name,
        [REVISION_KEY]: wanted.key,
      },
      annotations: {
        ...(inherited ? annotationsOf(lws.object) : {}),
        [REPLICAS_SEEN]: String(lws.replicas),
      },
      ownerReferences: [ownerReference(lws.object)],
    },
    spec: {
      ...statefulSetDefaults(lws.template),
      replicas: wanted.replicas,
      selector: { matchLabels: { [LWS_NAME]: lws.name, [WORKER_INDEX]: '0' } },
      template: leaderTemplate(world, lws, wanted.key),
      serviceName: lws.name,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
    },
  };
}

/** Fields that leader and worker StatefulSets share, with the API server's defaults. */
export function statefulSetDefaults(template: JsonObject): JsonObject {
  const claims = template['volumeClaimTemplates'];
  return {
    podManagementPolicy: 'Parallel',
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: {
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
      ...part(template, 'persistentVolumeClaimRetentionPolicy'),
    },
    ...(claims === undefined ? {} : { volumeClaimTemplates: claims }),
  };
}

/** Since 0.9 surge counts too, or the surge groups would use the budget up (lws#781). */
function maxUnavailable(world: World, lws: LwsView): Json {
  return isSince09(world.modes().lws) ? Math.max(1, lws.unavailable + lws.surge) : lws.rawUnavailable;
}

function leaderTemplate(world: World, lws: LwsView, key: string): JsonObject {
  const annotations = annotationsOf(lws.object);
  const topology: Record<string, string> = {};
  for (const name of [TOPOLOGY, SUBGROUP_TOPOLOGY]) {
    const value = annotations[name];
    if (value !== undefined) topology[name] = value;
  }
  if (lws.uniqueSubdomain) topology[SUBDOMAIN_POLICY] = 'UniquePerReplica';
  const fingerprint = JSON.stringify([lws.name, key, lws.size, topology]);
  const known = world.memo.leaderTemplates.get(lws.leaderTemplate) ?? new Map<string, JsonObject>();
  world.memo.leaderTemplates.set(lws.leaderTemplate, known);
  const made = known.get(fingerprint);
  if (made !== undefined) return made;
  const metadata = part(lws.leaderTemplate, 'metadata');
  const template = {
    metadata: {
      ...metadata,
      labels: { ...strings(metadata['labels']), [LWS_NAME]: lws.name, [WORKER_INDEX]: '0', [REVISION_KEY]: key },
      annotations: { ...strings(metadata['annotations']), ...topology, [SIZE]: String(lws.size) },
    },
    spec: specOf(defaulted(world, lws.leaderTemplate)),
  };
  known.set(fingerprint, template);
  return template;
}

/** The template as LWS writes it, typed and so with canonical quantities, and as the API server completes it. */
export function defaulted(world: World, template: JsonObject): JsonObject {
  const known = world.memo.defaulted.get(template);
  if (known !== undefined) return known;
  const typed = withCanonicalQuantities(template);
  const made = defaultedTemplate(isJsonObject(typed) ? typed : template);
  world.memo.defaulted.set(template, made);
  return made;
}
