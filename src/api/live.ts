/** What we read of live objects: only the fields a decision needs, in plain JSON. */

import type { JsonObject } from './json.ts';
import type { Instant } from './time.ts';

type LiveCondition = {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration: number | undefined;
};

export type WrittenField = 'replicas' | 'partition' | 'maxUnavailable' | 'maxSurge';

/** A LeaderWorkerSet as the API server has it. Counters are as LWS wrote them: they include surge groups. */
export type LiveLws = {
  readonly uid: string;
  readonly generation: number;
  /** undefined before LWS 0.9: `status.observedGeneration` does not exist there. */
  readonly observedGeneration: number | undefined;
  readonly deleting: boolean;
  readonly replicas: number;
  readonly size: number;
  /** LWS reads a missing partition as 0. */
  readonly partition: number;
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
  /** As `releaseContent` gives it, with what the API server defaulted. */
  readonly content: JsonObject;
  /** The label by which routes tell its leaders from those before; not there: it has none. */
  readonly version?: string | undefined;
  /** Only those below tranche.dev/. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Who has written the numbers that commits of ours own, as far as the API server says; for people only. */
  readonly writers?: Readonly<Record<WrittenField, readonly string[]>> | undefined;
  /** When a field of it was last changed, but for its status, as the API server says; undefined: it does not. */
  readonly writtenAt?: Instant | undefined;
  /** The GitOps agents that say on the object that they apply it; for people only. */
  readonly agents?: readonly string[] | undefined;
  /** The object whose controller makes this one, such as a DisaggregatedSet; it writes every field again. */
  readonly owner?: { readonly kind: string; readonly name: string } | undefined;
  readonly conditions: readonly LiveCondition[];
  readonly readyReplicas: number;
  readonly updatedReplicas: number;
};

/** The leader StatefulSet of an LWS, or the worker StatefulSet of one group. */
export type LiveStatefulSet = {
  readonly name: string;
  readonly uid: string;
  readonly ownerUid: string;
  readonly deleting: boolean;
  readonly generation: number;
  readonly observedGeneration: number;
  readonly replicas: number;
  readonly partition: number;
  /** undefined: the API server dropped the field, because its gate MaxUnavailableStatefulSet is off. */
  readonly maxUnavailable: number | string | undefined;
  /** Label `leaderworkerset.sigs.k8s.io/template-revision-hash`: the LWS revision, called key. */
  readonly revisionKey: string;
  /** Annotation `leaderworkerset.sigs.k8s.io/replicas`, on leader sets only. */
  readonly replicasSeen: number | undefined;
  /** Label `…/group-index`, on worker sets only. */
  readonly groupIndex: number | undefined;
  readonly currentRevision: string;
  readonly updateRevision: string;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly updatedReplicas: number;
};

export type LiveLeader = {
  readonly name: string;
  readonly uid: string;
  readonly groupIndex: number;
  readonly revisionKey: string;
  /** Label `tranche.dev/version`; not there: it has none. */
  readonly version?: string | undefined;
  /** Pods of its group, the leader among them, by its own template; undefined: LWS did not say. */
  readonly size: number | undefined;
  readonly deleting: boolean;
  /** Phase Running and condition Ready, as LWS itself judges a leader. */
  readonly ready: boolean;
  readonly createdAt: Instant | undefined;
  /** Since when the condition Ready has been true. */
  readonly readyAt: Instant | undefined;
  /** Since when it has not been; not there: it is, or nothing says. */
  readonly unreadyAt?: Instant | undefined;
} & PodTrouble;

/** The container that keeps a pod from being ready, where one has failed. */
export type ContainerFault = {
  readonly container: string;
  /** How it ended last; `isPrevious`: it was started again, or is going to be. Not there: it has not ended. */
  readonly exit?: { readonly code: number; readonly reason: string; readonly isPrevious: boolean };
  /** Why it cannot be created, in the kubelet's words: one line, cut. Never its own output, which may hold secrets. Else empty. */
  readonly message: string;
};

/** What a pod says of why it is not ready. */
export type PodTrouble = {
  /** `Unschedulable`, `ImagePullBackOff`, `CrashLoopBackOff`, a phase; empty where nothing says. */
  readonly waitingOn: string;
  /** Not there: no container has failed, or the pod is ready. */
  readonly fault?: ContainerFault;
  /** What the scheduler says of a pod that has no place: one printable line, cut; empty otherwise. */
  readonly unschedulable: string;
  /** It has no node yet, whatever it waits for: a scheduler, a gate, a quota. Not there: it has one. */
  readonly unplaced?: true;
  /** How often its most restarted container has been restarted in place. */
  readonly restarts: number;
};

/** A pod of a group other than its leader: read only to tell why workers are missing. */
export type LiveWorker = {
  readonly name: string;
  readonly groupIndex: number;
  /** Of the worker StatefulSet that made it. */
  readonly ownerUid: string;
} & PodTrouble;

/** One ControllerRevision that LWS owns; `content` has the shape of `releaseContent`, without the topology. */
export type LiveRevision = {
  readonly name: string;
  readonly key: string;
  readonly revision: number;
  readonly content: JsonObject;
  /** Label `tranche.dev/version` of its leaders; not there: it has none. */
  readonly version?: string | undefined;
};

/** Something that writes `replicas` of a workload: an HPA or a KEDA ScaledObject. */
export type Scaler = {
  readonly kind: string;
  readonly name: string;
  readonly target: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  /** It takes no group below this many away. */
  readonly floor: number;
};
