/** Whether a group is ready and updated in the eyes of LWS, which are not those of the StatefulSet. */

import { isSince09, type LwsVersion } from '../modes.ts';
import { revisionKeyOf } from '../objects/labels.ts';
import { count, type KubeObject, objects, specOf, statusOf, text } from '../objects/objects.ts';
import { PODS, STATEFUL_SETS } from '../objects/resource-table.ts';
import type { World } from '../world.ts';
import type { GroupState } from './lws-parameters.ts';
import type { LwsView } from './lws-view.ts';

/** All of the world that a judgement needs. */
type Seen = Pick<World, 'objects' | 'modes'>;

const ABSENT: GroupState = { ready: false, updated: false };

/** LC:582-647. A group without its leader pod, or of more than one pod without its worker StatefulSet, is neither. */
export function groupState(world: Seen, lws: LwsView, group: { index: number; key: string }): GroupState {
  const name = `${lws.name}-${group.index}`;
  const leader = world.objects.get({ resource: PODS, namespace: lws.namespace, name });
  if (leader === undefined) return ABSENT;
  return judgedGroup(world, lws, { leader, key: group.key }) ?? ABSENT;
}

/** The same for a leader pod at hand; undefined where the worker StatefulSet is missing. */
export function judgedGroup(
  world: Seen,
  lws: LwsView,
  group: { readonly leader: KubeObject; readonly key: string },
): GroupState | undefined {
  const { leader, key } = group;
  const leaderUpdated = revisionKeyOf(leader) === key;
  // The live size decides, also for groups of an older revision.
  if (lws.size === 1) return { ready: isRunningAndReady(leader), updated: leaderUpdated };
  const workers = world.objects.get({
    resource: STATEFUL_SETS,
    namespace: lws.namespace,
    name: leader.metadata.name,
  });
  if (workers === undefined) return undefined;
  return {
    ready: isRunningAndReady(leader) && workersReady(workers, world.modes().lws),
    updated: leaderUpdated && revisionKeyOf(workers) === key,
  };
}

/** Before 0.9 it was enough that the worker pods exist (trace 29b). */
function workersReady(workers: KubeObject, lws: LwsVersion): boolean {
  const status = statusOf(workers);
  const reached = count(status[isSince09(lws) ? 'availableReplicas' : 'replicas'], 0);
  return (
    reached === count(specOf(workers)['replicas'], 1) &&
    text(status['currentRevision']) === text(status['updateRevision'])
  );
}

/** Phase Running and condition Ready. */
export function isRunningAndReady(pod: KubeObject): boolean {
  const status = statusOf(pod);
  if (status['phase'] !== 'Running') return false;
  return objects(status['conditions']).some(
    (condition) => condition['type'] === 'Ready' && condition['status'] === 'True',
  );
}
