/** Reads the cluster side of a snapshot: one set of lists a namespace and pass, shared by all its rollouts. */

import { at } from '../../api/json.ts';
import { absent, type Known, known, unknown } from '../../api/known.ts';
import type { Scaler } from '../../api/live.ts';
import { parseLws } from '../../api/live-lws.ts';
import { parseLeader, parseWorker } from '../../api/live-pod.ts';
import { parseRevision } from '../../api/live-revision.ts';
import { parseStatefulSet } from '../../api/live-stateful-set.ts';
import { GROUP_INDEX, LWS_NAME, WORKER_INDEX } from '../../api/lws-labels.ts';
import { controllerUid } from '../../api/owner.ts';
import { resources } from '../../api/resources.ts';
import { LWS_KIND } from '../../api/rollout.ts';
import { parseHorizontalPodAutoscaler, parseScaledObject } from '../../api/scaler.ts';
import type { Cluster, Resource } from '../../ports/cluster.ts';
import type { Live } from '../../rollout/snapshot.ts';

export type LiveReader = (workload: {
  readonly namespace: string;
  readonly name: string;
  readonly autoscaled: string | undefined;
}) => Promise<Live>;

/** LWS's own revisions and nothing else: those of StatefulSets carry the labels of their pods. */
const REVISION_SELECTOR = `${LWS_NAME},!${GROUP_INDEX},!${WORKER_INDEX}`;

/**
 * A reader for one pass. The workload is read before what it owns, so that a newer child is never taken for an older one.
 * The namespaces of `early` are asked for at once: there is a delivery under way in them.
 */
export function liveReader(cluster: Cluster, early: ReadonlySet<string>): LiveReader {
  const lists = new Map<string, Promise<Known<readonly unknown[]>>>();
  const list = (resource: Resource, namespace: string, labelSelector: string): Promise<Known<readonly unknown[]>> => {
    const key = `${resource.plural}/${namespace}/${labelSelector}`;
    const reading = lists.get(key) ?? cluster.list(resource, { namespace, labelSelector });
    lists.set(key, reading);
    return reading;
  };
  const owned = (namespace: string) =>
    Promise.all([
      list(resources.statefulSets, namespace, LWS_NAME),
      list(resources.pods, namespace, `${LWS_NAME},${WORKER_INDEX}=0`),
      list(resources.controllerRevisions, namespace, REVISION_SELECTOR),
      list(resources.horizontalPodAutoscalers, namespace, ''),
      list(resources.scaledObjects, namespace, ''),
    ]);
  const startReading = async (namespace: string): Promise<void> => {
    const workloads = await list(resources.lws, namespace, '');
    if (workloads.kind === 'known' && workloads.value.length > 0) await owned(namespace);
  };
  // What goes wrong is told to those who come to read.
  for (const namespace of early) startReading(namespace).catch(() => undefined);
  return async ({ namespace, name, autoscaled }) => {
    const workloads = await list(resources.lws, namespace, '');
    const object =
      workloads.kind === 'known' ? workloads.value.find((item) => at(item, ['metadata', 'name']) === name) : undefined;
    if (object === undefined)
      return workloads.kind === 'known' ? leftOf(name, await owned(namespace)) : withoutWorkload(workloads);
    const lws = parseLws(object);
    if (lws.kind !== 'known') return { ...withoutWorkload(workloads), lws };
    const found = await owned(namespace);
    const [, , , hpas, scaledObjects] = found;
    const parts = partsOf({ name, uid: lws.value.uid }, found);
    const pods = workersMissing(parts)
      ? await list(resources.pods, namespace, `${LWS_NAME},${WORKER_INDEX}!=0`)
      : undefined;
    const scaler = autoscaled === undefined ? scalerOf(name, hpas, scaledObjects) : known(autoscaled);
    return { lws, ...parts, ...(pods === undefined ? {} : { workerPods: workersOf(name, pods) }), scaler };
  };
}

/** Lists of one namespace: StatefulSets, leader pods, LWS's revisions, and the two kinds of autoscalers. */
type Lists = readonly [Listed, Listed, Listed, Listed, Listed];
type Listed = Known<readonly unknown[]>;

/** What belongs to one workload; StatefulSets and revisions by owner, because a name may have been used before. */
function partsOf(
  workload: { readonly name: string; readonly uid: string },
  [sets, pods, revisions]: Lists,
): Pick<Live, 'leaderSet' | 'leaders' | 'workerSets' | 'revisions'> {
  const named = (item: unknown): boolean => at(item, ['metadata', 'labels', LWS_NAME]) === workload.name;
  const owned = (item: unknown): boolean => controllerUid(item) === workload.uid;
  const ownSets = mine(sets, named);
  return {
    leaderSet: only(each(mine(ownSets, owned), parseStatefulSet)),
    leaders: each(mine(pods, named), parseLeader),
    workerSets: each(
      mine(ownSets, (item) => !owned(item)),
      parseStatefulSet,
    ),
    revisions: each(mine(revisions, owned), parseRevision),
  };
}

/** Workers are many, so they are only listed where some are missing: they may know why. */
function workersMissing({ workerSets }: Pick<Live, 'workerSets'>): boolean {
  return workerSets.kind === 'known' && workerSets.value.some((set) => set.availableReplicas < set.replicas);
}

function workersOf(name: string, pods: Known<readonly unknown[]>): NonNullable<Live['workerPods']> {
  const named = (item: unknown): boolean => at(item, ['metadata', 'labels', LWS_NAME]) === name;
  return each(mine(pods, named), parseWorker);
}

/** What is left of a workload that is gone: its pods and StatefulSets go after it, and keep their names until then. */
function leftOf(name: string, [sets, pods]: Lists): Live {
  const named = (item: unknown): boolean => at(item, ['metadata', 'labels', LWS_NAME]) === name;
  return {
    lws: absent,
    leaderSet: absent,
    leaders: each(mine(pods, named), parseLeader),
    workerPods: known([]),
    workerSets: each(mine(sets, named), parseStatefulSet),
    revisions: absent,
    scaler: absent,
  };
}

/** All parts of a live state that was not read, for a reason. */
export function unreadLive(nothing: Known<never>): Live {
  return {
    lws: nothing,
    leaderSet: nothing,
    leaders: nothing,
    workerSets: nothing,
    revisions: nothing,
    scaler: nothing,
  };
}

function withoutWorkload(workloads: Known<readonly unknown[]>): Live {
  if (workloads.kind === 'unknown') return unreadLive(unknown(workloads.why));
  if (workloads.kind === 'absent')
    return unreadLive(
      unknown('the API server has no leaderworkersets.leaderworkerset.x-k8s.io: is LWS installed in this cluster?'),
    );
  return { lws: absent, leaderSet: absent, leaders: absent, workerSets: absent, revisions: absent, scaler: absent };
}

function mine(items: Known<readonly unknown[]>, filter: (item: unknown) => boolean): Known<readonly unknown[]> {
  return items.kind === 'known' ? known(items.value.filter(filter)) : items;
}

/** One object that cannot be read makes the list unknown: a group too few must never look like a group gone. */
function each<T>(items: Known<readonly unknown[]>, parse: (item: unknown) => Known<T>): Known<readonly T[]> {
  if (items.kind !== 'known') return items;
  const values: T[] = [];
  for (const item of items.value) {
    const read = parse(item);
    if (read.kind === 'unknown') return read;
    if (read.kind === 'known') values.push(read.value);
  }
  return known(values);
}

function only<T>(items: Known<readonly T[]>): Known<T> {
  if (items.kind !== 'known') return items;
  const [first, second] = items.value;
  if (second !== undefined) return unknown('the workload has two leader StatefulSets');
  return first === undefined ? absent : known(first);
}

/** Who writes `replicas`. Absent only where both kinds were read and none of them does. */
function scalerOf(
  name: string,
  hpas: Known<readonly unknown[]>,
  scaledObjects: Known<readonly unknown[]>,
): Known<string> {
  const all = [each(hpas, parseHorizontalPodAutoscaler), each(scaledObjects, parseScaledObject)];
  for (const list of all) {
    const found = list.kind === 'known' ? list.value.find((scaler) => targets(scaler, name)) : undefined;
    if (found !== undefined) return known(`${found.kind} ${found.name}`);
  }
  return all.find((list) => list.kind === 'unknown') ?? absent;
}

/** Whether a scaler writes the replicas of the LeaderWorkerSet of that name. */
function targets(scaler: Scaler, name: string): boolean {
  return scaler.target.kind === LWS_KIND && scaler.target.name === name;
}
