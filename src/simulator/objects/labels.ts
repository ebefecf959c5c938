/** The labels and annotations that LWS and the StatefulSet controller write, beyond those that a pass reads. */

import { GROUP_INDEX, LWS_NAME, REPLICAS_SEEN, REVISION_KEY, WORKER_INDEX } from '../../api/lws-labels.ts';
import { type KubeObject, labelsOf } from './objects.ts';

export { GROUP_INDEX, LWS_NAME, REPLICAS_SEEN, REVISION_KEY, WORKER_INDEX };

const PREFIX = 'leaderworkerset.sigs.k8s.io/';
export const GROUP_KEY = `${PREFIX}group-key`;
export const SIZE = `${PREFIX}size`;
export const LEADER_NAME = `${PREFIX}leader-name`;
export const SUBDOMAIN_POLICY = `${PREFIX}subdomainPolicy`;
export const TOPOLOGY = `${PREFIX}exclusive-topology`;
export const SUBGROUP_TOPOLOGY = `${PREFIX}subgroup-exclusive-topology`;
export const AFTER_START = `${PREFIX}experimental-recreate-group-after-start`;

export const POD_NAME = 'statefulset.kubernetes.io/pod-name';
export const POD_INDEX = 'apps.kubernetes.io/pod-index';
export const POD_REVISION = 'controller-revision-hash';
export const REVISION_HASH = 'controller.kubernetes.io/hash';

/** The LWS revision that an object was made for; empty where it has none. */
export function revisionKeyOf(object: KubeObject): string {
  return labelsOf(object)[REVISION_KEY] ?? '';
}

/** Tells the leader pod of a group from its workers. */
export function isLeader(pod: KubeObject): boolean {
  return labelsOf(pod)[WORKER_INDEX] === '0';
}
