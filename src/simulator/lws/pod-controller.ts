/** LWS's pod controller: worker StatefulSets of leaders, and groups recreated when one of their pods fails (PC). */

import { isSince09 } from '../modes.ts';
import {
  AFTER_START,
  GROUP_INDEX,
  isLeader,
  LEADER_NAME,
  LWS_NAME,
  revisionKeyOf,
  TOPOLOGY,
} from '../objects/labels.ts';
import {
  annotationsOf,
  controllerOf,
  count,
  isDeleting,
  type KubeObject,
  labelsOf,
  objects,
  specOf,
  statusOf,
  text,
} from '../objects/objects.ts';
import { LWS, PODS, STATEFUL_SETS } from '../objects/resource-table.ts';
import { splitKey, type World } from '../world.ts';
import { isRunningAndReady } from './group-state.ts';
import { ensureService } from './lws-controller.ts';
import { revisionWithKey } from './lws-revision.ts';
import { type LwsView, lwsView } from './lws-view.ts';
import { workerSet } from './worker-set.ts';

const REVISION_SECONDS = 1;

/** Reconciles the pod with this queue key. */
export function reconcilePod(world: World, key: string): void {
  const pod = world.objects.get({ resource: PODS, ...splitKey(key) });
  if (pod === undefined) return;
  const name = labelsOf(pod)[LWS_NAME];
  if (name === undefined) return;
  const object = world.objects.get({ resource: LWS, namespace: pod.metadata.namespace, name });
  if (object === undefined || isDeleting(object)) return;
  const lws = lwsView(object);
  if (recreatesGroup(world, lws, pod)) return;
  if (!isLeader(pod) || isDeleting(pod)) return;
  ensureWorkers(world, lws, pod);
}

/** PC:69-202. The worker StatefulSet is only ever created, never changed. */
function ensureWorkers(world: World, lws: LwsView, leader: KubeObject): void {
  const { name, namespace } = leader.metadata;
  const group = labelsOf(leader)[GROUP_INDEX] ?? '';
  if (lws.uniqueSubdomain)
    ensureService(world, { name, owner: leader, lws: lws.name, selector: { [GROUP_INDEX]: group } });
  if (lws.size === 1) return;
  if (lws.startupPolicy === 'LeaderReady' && !isRunningAndReady(leader)) return;
  // A leftover of the last leader blocks the name until it is collected; its deletion brings us back.
  if (world.objects.get({ resource: STATEFUL_SETS, namespace, name }) !== undefined) return;
  const revision = revisionWithKey(world, lws, revisionKeyOf(leader));
  if (revision === undefined) {
    world.later('pods', `${namespace}/${name}`, REVISION_SECONDS);
    return;
  }
  // With exclusive placement the workers follow the leader's node, so it must have one first.
  if (annotationsOf(leader)[TOPOLOGY] !== undefined && text(specOf(leader)['nodeName']) === '') return;
  world.objects.add(STATEFUL_SETS, workerSet(world, lws, { leader, revision }));
  const note = `Created worker statefulset for leader pod ${name}`;
  world.record({ reason: 'GroupsProgressing', note, type: 'Normal', regarding: lws.object });
}

/** PC:204-266. True where the group is going, and nothing else is to be done for the pod. */
function recreatesGroup(world: World, lws: LwsView, pod: KubeObject): boolean {
  const policy = lws.restartPolicy;
  if (policy !== 'RecreateGroupOnPodRestart' && policy !== 'RecreateGroupAfterStart') return false;
  if (!isDeleting(pod) && !hasRestarted(pod)) return false;
  const leader = isLeader(pod) ? pod : leaderOf(world, pod);
  if (leader === undefined || revisionKeyOf(leader) !== revisionKeyOf(pod)) return false;
  if (isDeleting(leader)) return true;
  const modern = isSince09(world.modes().lws);
  if (modern && leader !== pod && isStale(world, leader, pod)) return false;
  const afterStart = policy === 'RecreateGroupAfterStart' || annotationsOf(lws.object)[AFTER_START] !== undefined;
  if (afterStart && !hasStarted(world, lws, leader)) return false;
  world.objects.remove(PODS, leader, 'Foreground');
  const group = labelsOf(leader)[GROUP_INDEX] ?? '';
  world.record({
    reason: modern ? 'RecreateGroup' : 'RecreateGroupOnPodRestart',
    note: `Worker pod ${pod.metadata.name} failed, deleted leader pod ${leader.metadata.name} to recreate group ${group}`,
    type: 'Normal',
    regarding: lws.object,
  });
  return true;
}

function hasRestarted(pod: KubeObject): boolean {
  const status = statusOf(pod);
  if (status['phase'] !== 'Running' && status['phase'] !== 'Pending') return false;
  const containers = [...objects(status['containerStatuses']), ...objects(status['initContainerStatuses'])];
  return containers.some((container) => count(container['restartCount'], 0) > 0);
}

function leaderOf(world: World, worker: KubeObject): KubeObject | undefined {
  const name = text(annotationsOf(worker)[LEADER_NAME]);
  return world.objects.get({ resource: PODS, namespace: worker.metadata.namespace, name });
}

/** The worker belongs to the StatefulSet of a leader that is gone. */
function isStale(world: World, leader: KubeObject, worker: KubeObject): boolean {
  const { name, namespace } = leader.metadata;
  const workers = world.objects.get({ resource: STATEFUL_SETS, namespace, name });
  if (workers === undefined || controllerOf(workers)?.uid !== leader.metadata.uid) return true;
  return controllerOf(worker)?.uid !== workers.metadata.uid;
}

function hasStarted(world: World, lws: LwsView, leader: KubeObject): boolean {
  const group = labelsOf(leader)[GROUP_INDEX];
  let pods = 0;
  for (const pod of world.objects.unordered(PODS, lws.namespace)) {
    const labels = labelsOf(pod);
    if (labels[LWS_NAME] !== lws.name || labels[GROUP_INDEX] !== group) continue;
    if (statusOf(pod)['phase'] === 'Pending') return false;
    pods += 1;
  }
  return pods === lws.size;
}
