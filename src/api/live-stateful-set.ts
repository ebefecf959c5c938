/** Parses a StatefulSet that belongs to a LeaderWorkerSet: the leaders', or the workers' of one group. */

import type { Known } from './known.ts';
import type { LiveStatefulSet } from './live.ts';
import { fieldsOf } from './live-fields.ts';
import { countFromText, GROUP_INDEX, REPLICAS_SEEN, REVISION_KEY } from './lws-labels.ts';
import { controllerUid } from './owner.ts';

const MAX_UNAVAILABLE = ['spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable'];

/**
 * What we read of a StatefulSet. Without an owner `ownerUid` is empty, without a revision label `revisionKey` is:
 * neither matches anything. A label that should hold a number and does not makes the object `unknown`.
 */
export function parseStatefulSet(object: unknown): Known<LiveStatefulSet> {
  const fields = fieldsOf('statefulsets', object);
  const countIn = (path: readonly string[]): number | undefined => {
    if (!fields.has(path)) return undefined;
    const count = countFromText(fields.text(path));
    if (count === undefined) fields.wrong(path, 'decimal digits');
    return count;
  };
  return fields.end({
    name: fields.text(['metadata', 'name']),
    uid: fields.text(['metadata', 'uid']),
    ownerUid: controllerUid(object),
    deleting: fields.has(['metadata', 'deletionTimestamp']),
    generation: fields.count(['metadata', 'generation']),
    observedGeneration: fields.count(['status', 'observedGeneration'], 0),
    replicas: fields.count(['spec', 'replicas'], 1),
    partition: fields.count(['spec', 'updateStrategy', 'rollingUpdate', 'partition'], 0),
    maxUnavailable: fields.has(MAX_UNAVAILABLE) ? fields.countOrPercent(MAX_UNAVAILABLE, 1) : undefined,
    revisionKey: fields.text(['metadata', 'labels', REVISION_KEY], ''),
    replicasSeen: countIn(['metadata', 'annotations', REPLICAS_SEEN]),
    groupIndex: countIn(['metadata', 'labels', GROUP_INDEX]),
    currentRevision: fields.text(['status', 'currentRevision'], ''),
    updateRevision: fields.text(['status', 'updateRevision'], ''),
    readyReplicas: fields.count(['status', 'readyReplicas'], 0),
    availableReplicas: fields.count(['status', 'availableReplicas'], 0),
    updatedReplicas: fields.count(['status', 'updatedReplicas'], 0),
  });
}
