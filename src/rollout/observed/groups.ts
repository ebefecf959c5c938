/** The groups of a workload: which version each is on and whether it serves, judged from leaders and worker StatefulSets. */

import type { ContainerFault, LiveLeader, LiveStatefulSet, LiveWorker, PodTrouble } from '../../api/live.ts';
import type { Instant } from '../../api/time.ts';

export type GroupVersion = 'release' | 'stable' | 'other' | 'absent';

/** Its workers are not as many as its template wants; what helps is to delete the pod of its leader. */
export type SizeFault = { readonly seen: string; readonly pod: string };

export type Group = {
  readonly index: number;
  /** UID of the leader pod; empty where there is none. */
  readonly uid: string;
  /** The revision key that leader and workers share; undefined while they differ or are not there. */
  readonly key: string | undefined;
  readonly version: GroupVersion;
  /** The leader Ready and all workers available: LWS before 0.9 looks at the leader only (trace 29b), we never do. */
  readonly ready: boolean;
  /** Of the leader alone, which comes back before its workers; on its way out: something restarts the group just now. */
  readonly leader: {
    /** Its revision; undefined where there is no leader. */
    readonly key: string | undefined;
    readonly version: GroupVersion;
    readonly ready: boolean;
    readonly leaving: boolean;
    readonly createdAt: Instant | undefined;
    readonly readyAt: Instant | undefined;
    /** By the API server; not there: it is ready, or nothing says. */
    readonly unreadyAt?: Instant;
  };
  /** Why it is not ready, where something says so. */
  readonly waitingOn: string;
  /** The first of its pods in which a container has failed; not there: none, or the group is ready. */
  readonly fault?: ContainerFault & { readonly pod: string };
  /** The pod that no node has a place for, and what the scheduler says of it. */
  readonly unschedulable: { readonly pod: string; readonly why: string } | undefined;
  /** Each of its pods is there and has a node, as far as all of that was read. */
  readonly placed: boolean;
  /** How often a container of one of its pods has been restarted in place; workers count while they are missing. */
  readonly restarts: number;
  /** What is wrong with its number of workers, though LWS counts it as ready: made again while the size changed. */
  readonly sizeFault: SizeFault | undefined;
};

/** Revision keys by the template they contain; undefined: no such revision is there (any more). */
type VersionKeys = { readonly release: string | undefined; readonly stable: string | undefined };

type GroupParts = {
  readonly leaders: readonly LiveLeader[];
  readonly workerSets: readonly LiveStatefulSet[];
  /** Empty where nobody asked for them. */
  readonly workerPods: readonly LiveWorker[];
  /** Of the LeaderWorkerSet as it is: for groups whose leader does not say its own. */
  readonly size: number;
  readonly keys: VersionKeys;
};

/** One entry for every ordinal below `replicas`, and for every group above it that is still there. */
export function groupsOf(replicas: number, parts: GroupParts): readonly Group[] {
  const leaders = new Map(parts.leaders.map((leader) => [leader.groupIndex, leader]));
  const workers = new Map(parts.workerSets.map((set) => [set.groupIndex ?? -1, set]));
  const last = Math.max(replicas - 1, ...leaders.keys());
  return Array.from({ length: last + 1 }, (_, index) =>
    groupOf(index, leaders.get(index), workers.get(index), parts),
  ).filter((group) => group.index < replicas || group.uid !== '');
}

const NOBODY: Omit<Group, 'index'> = {
  uid: '',
  key: undefined,
  version: 'absent',
  ready: false,
  leader: {
    key: undefined,
    version: 'absent',
    ready: false,
    leaving: false,
    createdAt: undefined,
    readyAt: undefined,
  },
  waitingOn: 'no leader pod',
  unschedulable: undefined,
  placed: false,
  restarts: 0,
  sizeFault: undefined,
};

function groupOf(
  index: number,
  leader: LiveLeader | undefined,
  workers: LiveStatefulSet | undefined,
  parts: GroupParts,
): Group {
  if (leader === undefined) return { ...NOBODY, index };
  // A worker StatefulSet of the leader before this one is on its way out and proves nothing.
  const own = workers !== undefined && workers.ownerUid === leader.uid && !workers.deleting ? workers : undefined;
  // While the size changes, each group has the one it was made with; LWS itself counts by the newest (trace 17). A group
  // of one that LWS made again may have got workers all the same: then they count.
  const alone = (leader.size ?? parts.size) === 1 && own === undefined;
  const key = alone || own?.revisionKey === leader.revisionKey ? leader.revisionKey : undefined;
  const workersReady =
    alone || (own !== undefined && own.observedGeneration >= own.generation && own.availableReplicas >= own.replicas);
  const ready = leader.ready && !leader.deleting && workersReady;
  const pods = [leader, ...parts.workerPods.filter((pod) => own !== undefined && pod.ownerUid === own.uid)];
  const unscheduled = pods.find((pod) => pod.unschedulable !== '');
  const failed = pods.find((pod) => pod.fault !== undefined);
  return {
    index,
    uid: leader.uid,
    key,
    version: versionOf(key, parts.keys),
    ready,
    leader: {
      key: leader.revisionKey,
      version: versionOf(leader.revisionKey, parts.keys),
      ready: leader.ready,
      leaving: leader.deleting,
      createdAt: leader.createdAt,
      readyAt: leader.readyAt,
      ...(leader.unreadyAt === undefined ? {} : { unreadyAt: leader.unreadyAt }),
    },
    waitingOn: ready ? '' : waitingOn(leader, own, pods),
    ...(ready || failed?.fault === undefined ? {} : { fault: { ...failed.fault, pod: failed.name } }),
    unschedulable:
      ready || unscheduled === undefined ? undefined : { pod: unscheduled.name, why: unscheduled.unschedulable },
    placed: pods.every(({ unplaced }) => unplaced !== true) && hasWorkers(own, pods.length - 1),
    restarts: Math.max(...pods.map((pod) => pod.restarts)),
    sizeFault: sizeFault(leader, own, parts.size),
  };
}

/** Before its leader is ready a group may have none yet; those that are not available must be there all the same. */
function hasWorkers(own: LiveStatefulSet | undefined, there: number): boolean {
  return own === undefined || own.availableReplicas >= own.replicas || there >= own.replicas;
}

/** Up to 0.10 LWS gives a group that it makes again its old template and the newest number of workers (trace 17). */
function sizeFault(leader: LiveLeader, workers: LiveStatefulSet | undefined, size: number): Group['sizeFault'] {
  const wanted = (leader.size ?? size) - 1;
  // With a newest size of one nobody makes workers any more; otherwise they may just not be there yet.
  const seen = workers?.replicas ?? (size === 1 && leader.ready ? 0 : wanted);
  return seen === wanted
    ? undefined
    : {
        seen: `${seen} workers, where its template wants ${wanted}:`,
        pod: leader.name,
      };
}

function versionOf(key: string | undefined, keys: VersionKeys): GroupVersion {
  if (key === undefined) return 'other';
  if (key === keys.release) return 'release';
  return key === keys.stable ? 'stable' : 'other';
}

/** Every pod that loads says one of these: they explain nothing. */
const EVERY_START = ['', 'Pending', 'ContainerCreating', 'PodInitializing', 'ContainersNotReady', 'Completed'];

function waitingOn(
  leader: LiveLeader,
  workers: LiveStatefulSet | undefined,
  pods: readonly (PodTrouble & { readonly name: string })[],
): string {
  if (leader.deleting) return 'leader is being deleted';
  if (!leader.ready) return leader.waitingOn === '' ? 'leader not ready' : `leader: ${saying(leader)}`;
  if (workers === undefined) return `no worker StatefulSet yet; if that takes long, delete the pod ${leader.name}`;
  const told = pods.find((pod) => !EVERY_START.includes(pod.waitingOn));
  const why = told === undefined ? '' : `; ${told.name}: ${saying(told)}`;
  return `${workers.availableReplicas} of ${workers.replicas} workers available${why}`;
}

function saying({ waitingOn: reason, unschedulable, fault }: PodTrouble): string {
  return [reason, unschedulable, fault === undefined ? '' : faultText(fault)].filter((part) => part !== '').join(', ');
}

/** `container vllm ended with exit code 137 (OOMKilled)`, `container vllm: Back-off pulling image …`. */
function faultText({ container, exit, message }: ContainerFault): string {
  const ended =
    exit === undefined ? '' : ` ended with exit code ${exit.code}${exit.reason === '' ? '' : ` (${exit.reason})`}`;
  return `container ${container}${ended}${message === '' ? '' : `: ${message}`}`;
}

/** `group 3`, `groups 1 and 2`, `groups 4–7`: for people. */
export function nameGroups(indexes: readonly number[]): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return 'no group';
  if (sorted.length === 1) return `group ${first}`;
  if (sorted.length > 2 && last - first === sorted.length - 1) return `groups ${first}–${last}`;
  return `groups ${sorted.slice(0, -1).join(', ')} and ${last}`;
}
