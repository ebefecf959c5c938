/** The worker StatefulSet of one group, as LWS creates it for a leader pod. */

import type { JsonObject } from '../../api/json.ts';
import { GROUP_INDEX, GROUP_KEY, LEADER_NAME, LWS_NAME, REVISION_KEY, SIZE, TOPOLOGY } from '../objects/labels.ts';
import {
  annotationsOf,
  type KubeObject,
  labelsOf,
  type NewObject,
  ownerReference,
  part,
  specOf,
  strings,
  text,
} from '../objects/objects.ts';
import type { World } from '../world.ts';
import { defaulted, statefulSetDefaults } from './leader-set.ts';
import { type LwsRevision, revisionTemplate } from './lws-revision.ts';
import type { LwsView } from './lws-view.ts';

/** Exclusive placement: the workers go where the leader is. The model's nodes carry their own name for every topology. */
function placement(leader: KubeObject): JsonObject {
  const topology = annotationsOf(leader)[TOPOLOGY];
  return topology === undefined ? {} : { nodeSelector: { [topology]: text(specOf(leader)['nodeName']) } };
}

/**
 * The template comes from the revision of the leader. Up to 0.10.0 size, network and claims are the live ones, also
 * for an old revision (trace 17; fixed by lws#963).
 */
export function workerSet(
  world: World,
  lws: LwsView,
  from: { readonly leader: KubeObject; readonly revision: LwsRevision },
): NewObject {
  const { leader, revision } = from;
  const { name, namespace } = leader.metadata;
  const template = part(revisionTemplate(revision.object), 'workerTemplate');
  const metadata = part(template, 'metadata');
  const inherited = world.modes().lws === '0.10';
  const group = labelsOf(leader);
  const own = {
    [LWS_NAME]: lws.name,
    [GROUP_INDEX]: group[GROUP_INDEX] ?? '',
    [GROUP_KEY]: group[GROUP_KEY] ?? '',
  };
  const labels = { ...own, [REVISION_KEY]: revision.key };
  const annotations = { [LEADER_NAME]: name, [SIZE]: String(lws.size) };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name,
      namespace,
      labels: { ...(inherited ? labelsOf(lws.object) : {}), ...labels },
      ...(inherited ? { annotations: annotationsOf(lws.object) } : {}),
      ownerReferences: [ownerReference(leader)],
    },
    spec: {
      ...statefulSetDefaults(lws.template),
      replicas: lws.size - 1,
      selector: { matchLabels: own },
      template: {
        metadata: {
          ...metadata,
          labels: { ...strings(metadata['labels']), ...labels },
          annotations: { ...strings(metadata['annotations']), ...annotations },
        },
        spec: { ...specOf(defaulted(world, template)), ...placement(leader) },
      },
      serviceName: lws.uniqueSubdomain ? name : lws.name,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      ordinals: { start: 1 },
    },
  };
}
