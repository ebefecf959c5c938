/** Reads the cluster side of a snapshot: one set of lists a namespace and pass, shared by all its rollouts. */

import { at } from '../../api/json.ts';
import { LWS_KIND } from '../../api/kinds.ts';
import { absent, type Known, known, unknown } from '../../api/known.ts';
import type { Scaler } from '../../api/live.ts';
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
import { type ListOf, listOnce } from './list-once.ts';

export type LiveReader = (workload: {
  readonly namespace: string;
  readonly name: string;
  /** Who writes its replicas according to Git. */
  readonly autoscaled: string | undefined;
  /** Git does itself, unless one of them is in the cluster, or could not be read. Not there: it does not. */
  readonly isOwned?: boolean;
}) => Promise<Live>;

/** LWS's own revisions and nothing else: those of StatefulSets carry the labels of their pods. */
const REVISION_SELECTOR = `${LWS_NAME},!${GROUP_INDEX},!${WORKER_INDEX}`;

/** What is kept of an object until its workload is known: whose it is, and what it says. */
type Taken<T> = { readonly workload: unknown; readonly owner: string | undefined; readonly read: Known<T> };
type Listed<T> = Known<readonly Taken<T>[]>;

/**
 * What is read with each workload, a line a kind: its resource, which of its objects, and what is kept of each. Each is asked
 * for once in a namespace and pass. Whose part of `Live` it is, `partsOf` says.
 */
function kindsOf(cluster: Cluster) {
  return {
    sets: listed(cluster, resources.statefulSets, LWS_NAME, parseStatefulSet),
    leaders: listed(cluster, resources.pods, `${LWS_NAME},${WORKER_INDEX}=0`, parseLeader),
    revisions: listed(cluster, resources.controllerRevisions, REVISION_SELECTOR, parseRevision),
    hpas: listed(cluster, resources.horizontalPodAutoscalers, '', parseHorizontalPodAutoscaler),
    scaledObjects: listed(cluster, resources.scaledObjects, '', parseScaledObject),
  };
}

type Kinds = ReturnType<typeof kindsOf>;

function listed<T>(
  cluster: Cluster,
  resource: Resource,
  labelSelector: string,
  parse: (object: unknown) => Known<T>,
): ListOf<Taken<T>> {
  return listOnce(cluster, { resource, labelSelector }, (object) => ({
    workload: at(object, ['metadata', 'labels', LWS_NAME]),
    owner: controllerUid(object),
    read: parse(object),
  }));
}

/**
 * A reader for one pass. The workload is read before what it owns, so that a newer child is never taken for an older one.
 * The namespaces of `early` are asked for at once: there is a delivery in progress in them.
 */
export function liveReader(cluster: Cluster, early: ReadonlySet<string>): LiveReader {
  // Whole: only those in progress are read closely.
  const workloadsIn = listOnce(cluster, { resource: resources.lws, labelSelector: '' }, (object) => object);
  const kinds = kindsOf(cluster);
  // Workers are many, so they are listed only where some are missing: they may know why.
  const workersIn = listed(cluster, resources.pods, `${LWS_NAME},${WORKER_INDEX}!=0`, parseWorker);
  const startReading = async (namespace: string): Promise<void> => {
    const workloads = await workloadsIn(namespace);
    if (workloads.kind === 'known' && workloads.value.length > 0) await readAll(kinds, namespace);
  };
  // What goes wrong is reported to those who come to read.
  for (const namespace of early) startReading(namespace).catch(() => undefined);
  return async ({ namespace, name, autoscaled, isOwned = false }) => {
    const workloads = await workloadsIn(namespace);
    const object =
      workloads.kind === 'known' ? workloads.value.find((item) => at(item, ['metadata', 'name']) === name) : undefined;
    if (object === undefined)
      return workloads.kind === 'known' ? leftOf(kinds, { namespace, name }) : withoutWorkload(workloads);
    const lws = parseLws(object);
    if (lws.kind !== 'known') return { ...withoutWorkload(workloads), lws };
    const parts = await partsOf(kinds, { namespace, name, uid: lws.value.uid });
    const workers = workersMissing(parts) ? await workersIn(namespace) : undefined;
    const named = workers === undefined ? {} : { workerPods: each(mine(workers, (pod) => pod.workload === name)) };
    const alone = isOwned && parts.scaler.kind === 'absent' ? ({ isScalerInFileAlone: true } as const) : {};
    const writer = autoscaled === undefined ? {} : { scaler: known(autoscaled), ...alone };
    return { lws, ...parts, ...named, ...writer };
  };
}

/** All lists of a namespace at once: each is asked for again by name, and answers from here. */
async function readAll(kinds: Kinds, namespace: string): Promise<void> {
  await Promise.all(Object.values<ListOf<unknown>>(kinds).map((list) => list(namespace)));
}

type Owner = { readonly namespace: string; readonly name: string; readonly uid: string };

/** What belongs to one workload; StatefulSets and revisions by owner, because a name may have been used before. */
async function partsOf(kinds: Kinds, { namespace, name, uid }: Owner): Promise<Omit<Live, 'lws' | 'workerPods'>> {
  await readAll(kinds, namespace);
  const named = (item: Taken<unknown>): boolean => item.workload === name;
  const owned = (item: Taken<unknown>): boolean => item.owner === uid;
  const ownSets = mine(await kinds.sets(namespace), named);
  const [hpas, scaledObjects] = [await kinds.hpas(namespace), await kinds.scaledObjects(namespace)];
  return {
    leaderSet: only(each(mine(ownSets, owned))),
    leaders: each(mine(await kinds.leaders(namespace), named)),
    workerSets: each(mine(ownSets, (item) => !owned(item))),
    revisions: each(mine(await kinds.revisions(namespace), owned)),
    scaler: scalerOf(name, hpas, scaledObjects),
    scalers: scalersOf(name, hpas, scaledObjects),
  };
}

function workersMissing({ workerSets }: Pick<Live, 'workerSets'>): boolean {
  return workerSets.kind === 'known' && workerSets.value.some((set) => set.availableReplicas < set.replicas);
}

/** What is left of a workload that is gone: its pods and StatefulSets go after it, and keep their names until then. */
async function leftOf(kinds: Kinds, { namespace, name }: Omit<Owner, 'uid'>): Promise<Live> {
  await readAll(kinds, namespace);
  const named = (item: Taken<unknown>): boolean => item.workload === name;
  return {
    ...unreadLive(absent),
    leaders: each(mine(await kinds.leaders(namespace), named)),
    workerPods: known([]),
    workerSets: each(mine(await kinds.sets(namespace), named)),
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
  return unreadLive(absent);
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
