/** Reads the cluster side of a snapshot: one set of lists a namespace and pass, shared by all its rollouts. */

import { at } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { absent, type Known, known, unknown } from '../../api/known.ts';
import type { LiveLeader, LiveRevision, LiveStatefulSet, Scaler } from '../../api/live.ts';
import { parseLws } from '../../api/live-lws.ts';
import { parseLeader, parseWorker } from '../../api/live-pod.ts';
import { parseRevision } from '../../api/live-revision.ts';
import { parseStatefulSet } from '../../api/live-stateful-set.ts';
import { GROUP_INDEX, LWS_NAME, WORKER_INDEX } from '../../api/lws-labels.ts';
import { controllerUid } from '../../api/owner.ts';
import { resources } from '../../api/resources.ts';
import { parseHorizontalPodAutoscaler, parseScaledObject } from '../../api/scaler.ts';
import type { Cluster, Resource } from '../../ports/cluster.ts';
import type { Live } from '../../rollout/snapshot.ts';
import { listOnce } from './list-once.ts';

export type LiveReader = (workload: {
  readonly namespace: string;
  readonly name: string;
  readonly autoscaled: string | undefined;
}) => Promise<Live>;

/** LWS's own revisions and nothing else: those of StatefulSets carry the labels of their pods. */
const REVISION_SELECTOR = `${LWS_NAME},!${GROUP_INDEX},!${WORKER_INDEX}`;

/** What is held of an object until its workload is known: whose it is, and what it says. */
type Taken<T> = { readonly workload: unknown; readonly owner: string | undefined; readonly read: Known<T> };

type Listed<T> = Known<readonly Taken<T>[]>;

/**
 * A reader for one pass. The workload is read before what it owns, so that a newer child is never taken for an older one.
 * The namespaces of `early` are asked for at once: there is a delivery in progress in them.
 */
export function liveReader(cluster: Cluster, early: ReadonlySet<string>): LiveReader {
  const lists = listsOf(cluster);
  const owned = (namespace: string) =>
    Promise.all([
      lists.sets(namespace),
      lists.leaders(namespace),
      lists.revisions(namespace),
      lists.hpas(namespace),
      lists.scaledObjects(namespace),
    ]);
  const startReading = async (namespace: string): Promise<void> => {
    const workloads = await lists.workloads(namespace);
    if (workloads.kind === 'known' && workloads.value.length > 0) await owned(namespace);
  };
  // What goes wrong is reported to those who come to read.
  for (const namespace of early) startReading(namespace).catch(() => undefined);
  return async ({ namespace, name, autoscaled }) => {
    const workloads = await lists.workloads(namespace);
    const object =
      workloads.kind === 'known' ? workloads.value.find((item) => at(item, ['metadata', 'name']) === name) : undefined;
    if (object === undefined)
      return workloads.kind === 'known' ? leftOf(name, await owned(namespace)) : withoutWorkload(workloads);
    const lws = parseLws(object);
    if (lws.kind !== 'known') return { ...withoutWorkload(workloads), lws };
    const found = await owned(namespace);
    const [, , , hpas, scaledObjects] = found;
    const parts = partsOf({ name, uid: lws.value.uid }, found);
    const workers = workersMissing(parts) ? await lists.workers(namespace) : undefined;
    const scaler = autoscaled === undefined ? scalerOf(name, hpas, scaledObjects) : known(autoscaled);
    const named = workers === undefined ? {} : { workerPods: each(mine(workers, (pod) => pod.workload === name)) };
    return { lws, ...parts, ...named, scaler, scalers: scalersOf(name, hpas, scaledObjects) };
  };
}

/** The lists of a pass, each asked for once in a namespace. */
function listsOf(cluster: Cluster) {
  const once = <T>(resource: Resource, labelSelector: string, take: (object: unknown) => T) =>
    listOnce(cluster, { resource, labelSelector }, take);
  return {
    // Whole: only those in progress are read closely.
    workloads: once(resources.lws, '', (object) => object),
    sets: once(resources.statefulSets, LWS_NAME, taken(parseStatefulSet)),
    leaders: once(resources.pods, `${LWS_NAME},${WORKER_INDEX}=0`, taken(parseLeader)),
    workers: once(resources.pods, `${LWS_NAME},${WORKER_INDEX}!=0`, taken(parseWorker)),
    revisions: once(resources.controllerRevisions, REVISION_SELECTOR, taken(parseRevision)),
    hpas: once(resources.horizontalPodAutoscalers, '', taken(parseHorizontalPodAutoscaler)),
    scaledObjects: once(resources.scaledObjects, '', taken(parseScaledObject)),
  };
}

function taken<T>(parse: (object: unknown) => Known<T>): (object: unknown) => Taken<T> {
  return (object) => ({
    workload: at(object, ['metadata', 'labels', LWS_NAME]),
    owner: controllerUid(object),
    read: parse(object),
  });
}

/** Lists of one namespace: StatefulSets, leader pods, LWS's revisions, and the two kinds of autoscalers. */
type Lists = readonly [
  Listed<LiveStatefulSet>,
  Listed<LiveLeader>,
  Listed<LiveRevision>,
  Listed<Scaler>,
  Listed<Scaler>,
];

/** What belongs to one workload; StatefulSets and revisions by owner, because a name may have been used before. */
function partsOf(
  workload: { readonly name: string; readonly uid: string },
  [sets, pods, revisions]: Lists,
): Pick<Live, 'leaderSet' | 'leaders' | 'workerSets' | 'revisions'> {
  const named = (item: Taken<unknown>): boolean => item.workload === workload.name;
  const owned = (item: Taken<unknown>): boolean => item.owner === workload.uid;
  const ownSets = mine(sets, named);
  return {
    leaderSet: only(each(mine(ownSets, owned))),
    leaders: each(mine(pods, named)),
    workerSets: each(mine(ownSets, (item) => !owned(item))),
    revisions: each(mine(revisions, owned)),
  };
}

/** Workers are many, so they are only listed where some are missing: they may know why. */
function workersMissing({ workerSets }: Pick<Live, 'workerSets'>): boolean {
  return workerSets.kind === 'known' && workerSets.value.some((set) => set.availableReplicas < set.replicas);
}

/** What is left of a workload that is gone: its pods and StatefulSets go after it, and keep their names until then. */
function leftOf(name: string, [sets, pods]: Lists): Live {
  const named = (item: Taken<unknown>): boolean => item.workload === name;
  return {
    lws: absent,
    leaderSet: absent,
    leaders: each(mine(pods, named)),
    workerPods: known([]),
    workerSets: each(mine(sets, named)),
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

function mine<T>(items: Listed<T>, filter: (item: Taken<T>) => boolean): Listed<T> {
  return items.kind === 'known' ? known(items.value.filter(filter)) : items;
}

/** One object that cannot be read makes the list unknown: a group too few must never look like a group gone. */
function each<T>(items: Listed<T>): Known<readonly T[]> {
  if (items.kind !== 'known') return items;
  const values: T[] = [];
  for (const { read } of items.value) {
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
function scalerOf(name: string, hpas: Listed<Scaler>, scaledObjects: Listed<Scaler>): Known<string> {
  const all = [each(hpas), each(scaledObjects)];
  for (const list of all) {
    const found = list.kind === 'known' ? list.value.find((scaler) => targets(scaler, name)) : undefined;
    if (found !== undefined) return known(`${found.kind} ${found.name}`);
  }
  return all.find((list) => list.kind === 'unknown') ?? absent;
}

/** All that write `replicas`; without KEDA there are none of its kind. */
function scalersOf(name: string, ...lists: readonly Listed<Scaler>[]): Known<readonly Scaler[]> {
  const all: Scaler[] = [];
  for (const list of lists.map(each)) {
    if (list.kind === 'unknown') return list;
    if (list.kind === 'known') all.push(...list.value.filter((scaler) => targets(scaler, name)));
  }
  return known(all);
}

/** Whether a scaler writes the replicas of the LeaderWorkerSet of that name. */
function targets(scaler: Scaler, name: string): boolean {
  return scaler.target.kind === LWS_KIND && scaler.target.name === name;
}
