/** The StatefulSet controller for parallel sets: one sync, with the gate MaxUnavailableStatefulSet off or on (KSC). */

import type { JsonObject } from '../../api/json.ts';
import { isRunningAndReady } from '../lws/group-state.ts';
import { resolved } from '../lws/lws-view.ts';
import { POD_REVISION, REVISION_HASH } from '../objects/labels.ts';
import {
  controllerOf,
  count,
  isDeleting,
  type KubeObject,
  labelsOf,
  ownerReference,
  part,
  specOf,
  statusOf,
  strings,
  text,
} from '../objects/objects.ts';
import { CONTROLLER_REVISIONS, PODS, STATEFUL_SETS } from '../objects/resource-table.ts';
import { splitKey, type World } from '../world.ts';
import { podOf } from './new-pod.ts';
import { dropOldRevisions, type Revisions, statefulSetRevisions } from './stateful-set-revisions.ts';

type Range = {
  readonly start: number;
  readonly replicas: number;
  /** Ordinals below it stay on the current revision. */
  readonly partition: number;
};

/** Syncs the StatefulSet with this queue key. */
export function syncStatefulSet(world: World, key: string): void {
  const sts = world.objects.get({ resource: STATEFUL_SETS, ...splitKey(key) });
  if (sts === undefined || isDeleting(sts)) return;
  const spec = specOf(sts);
  const rolling = part(part(spec, 'updateStrategy'), 'rollingUpdate');
  const range = {
    start: count(part(spec, 'ordinals')['start'], 0),
    replicas: count(spec['replicas'], 1),
    partition: count(rolling['partition'], 0),
  };
  adopt(world, sts);
  const revisions = statefulSetRevisions(world, sts);
  // As long as a name is taken, creating fails: nothing is deleted then, but the status is written.
  if (createMissing(world, sts, { range, revisions })) {
    for (const pod of podsOf(world, sts)) {
      if (!inRange(pod, range)) world.objects.remove(PODS, pod, 'Background');
    }
    const before = podsOf(world, sts);
    for (const pod of toUpdate(world, { pods: before, range, revisions, maxUnavailable: rolling['maxUnavailable'] })) {
      world.objects.remove(PODS, pod, 'Background');
    }
  }
  const pods = podsOf(world, sts);
  const written = world.objects.putStatus(STATEFUL_SETS, sts, status(sts, { pods, range, revisions }));
  dropOldRevisions(world, written, pods);
}

/** Pods and revisions that an orphaning deletion left without a controller belong to the next set of the name. */
function adopt(world: World, sts: KubeObject): void {
  const selector = Object.entries(strings(part(part(specOf(sts), 'selector'), 'matchLabels')));
  for (const resource of [PODS, CONTROLLER_REVISIONS]) {
    for (const object of world.objects.unordered(resource, sts.metadata.namespace)) {
      const { name, ownerReferences } = object.metadata;
      // Nearly every object has an owner, so this comes first.
      if (ownerReferences !== undefined || isDeleting(object)) continue;
      if (!name.startsWith(`${sts.metadata.name}-`)) continue;
      if (resource === CONTROLLER_REVISIONS && labelsOf(object)[REVISION_HASH] === undefined) continue;
      if (!selector.every(([key, value]) => labelsOf(object)[key] === value)) continue;
      const metadata = { ...object.metadata, ownerReferences: [ownerReference(sts)] };
      world.objects.put(resource, object, { ...object, metadata });
    }
  }
}

/**
 * Pods that failed or are missing are re-created, all at once; a terminating one is waited for. False where the pod of
 * another StatefulSet has the name.
 */
function createMissing(world: World, sts: KubeObject, from: { range: Range; revisions: Revisions }): boolean {
  const { range, revisions } = from;
  let free = true;
  const { namespace } = sts.metadata;
  for (let ordinal = range.start; ordinal < range.start + range.replicas; ordinal++) {
    const key = { resource: PODS, namespace, name: `${sts.metadata.name}-${ordinal}` };
    const pod = world.objects.get(key);
    const phase = pod === undefined ? '' : statusOf(pod)['phase'];
    const mine = pod !== undefined && controllerOf(pod)?.uid === sts.metadata.uid;
    if (pod !== undefined && mine && (phase === 'Failed' || phase === 'Succeeded')) {
      world.objects.remove(PODS, pod, 'Background');
    }
    // A pod of a deleted StatefulSet of the same name blocks the ordinal until it is collected.
    if (pod !== undefined && !mine) free = false;
    if (world.objects.get(key) !== undefined) continue;
    const revision = ordinal < range.start + range.partition ? revisions.current : revisions.update;
    world.objects.add(PODS, podOf(sts, { ordinal, revision, nodeName: world.nodeName }));
  }
  return free;
}

/** The pods that the update pass deletes, highest ordinal first. */
function toUpdate(
  world: World,
  from: {
    pods: readonly KubeObject[];
    range: Range;
    revisions: Revisions;
    maxUnavailable: JsonObject[string] | undefined;
  },
): readonly KubeObject[] {
  const { range } = from;
  const updateName = from.revisions.update.metadata.name;
  const pods = from.pods.filter((pod) => inRange(pod, range)).sort((left, right) => ordinalOf(right) - ordinalOf(left));
  const lowest = range.start + range.partition;
  const isOld = (pod: KubeObject): boolean =>
    ordinalOf(pod) >= lowest && labelsOf(pod)[POD_REVISION] !== updateName && !isDeleting(pod);

  const { gate } = world.modes();
  if (gate !== 'off') {
    const most = Math.max(1, resolved(from.maxUnavailable ?? 1, range.replicas, 'down'));
    // With 1.35 and 1.36 broken pods of the old revision count too, and so use up the budget that would replace them
    // (kubernetes#137409). Since 1.37 those that are due for the update no longer do (kubernetes#137666).
    const spares = (pod: KubeObject): boolean => isAvailable(pod) || (gate === 'on-1.37' && isOld(pod));
    const unavailable = range.replicas - pods.filter(spares).length;
    return pods.filter(isOld).slice(0, Math.max(0, most - unavailable));
  }
  for (const pod of pods) {
    if (ordinalOf(pod) < lowest) return [];
    if (isOld(pod)) return [pod];
    if (!isAvailable(pod)) return [];
  }
  return [];
}

function isAvailable(pod: KubeObject): boolean {
  return isRunningAndReady(pod) && !isDeleting(pod);
}

function status(
  sts: KubeObject,
  from: { readonly pods: readonly KubeObject[]; readonly range: Range; readonly revisions: Revisions },
): JsonObject {
  const { pods, revisions } = from;
  const current = revisions.current.metadata.name;
  const update = revisions.update.metadata.name;
  const on = (name: string): number =>
    pods.filter((pod) => labelsOf(pod)[POD_REVISION] === name && !isDeleting(pod)).length;
  const ready = pods.filter(isRunningAndReady).length;
  const updated = on(update);
  // Workers and the partition do not matter for the flip; zero of zero counts (trace 09).
  const { replicas } = from.range;
  const flips = updated === replicas && ready === replicas && pods.length === replicas;
  return {
    observedGeneration: sts.metadata.generation ?? 1,
    replicas: pods.length,
    ...(ready === 0 ? {} : { readyReplicas: ready }),
    ...nonZero('currentReplicas', flips ? updated : on(current)),
    ...nonZero('updatedReplicas', updated),
    currentRevision: flips ? update : current,
    updateRevision: update,
    collisionCount: 0,
    availableReplicas: ready,
  };
}

function nonZero(key: string, value: number): JsonObject {
  return value === 0 ? {} : { [key]: value };
}

function podsOf(world: World, sts: KubeObject): KubeObject[] {
  const found: KubeObject[] = [];
  for (const pod of world.objects.unordered(PODS, sts.metadata.namespace)) {
    if (controllerOf(pod)?.uid === sts.metadata.uid) found.push(pod);
  }
  return found;
}

function inRange(pod: KubeObject, range: Range): boolean {
  const ordinal = ordinalOf(pod);
  return ordinal >= range.start && ordinal < range.start + range.replicas;
}

function ordinalOf(pod: KubeObject): number {
  return Number(text(pod.metadata.name).slice(pod.metadata.name.lastIndexOf('-') + 1));
}
