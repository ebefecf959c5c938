/** What we read of live objects: only the fields a decision needs, in plain JSON. */

import type { JsonObject } from './json.ts';

export type LiveCondition = {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration: number | undefined;
};

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
  /** Only those below tranche.dev/. */
  readonly annotations: Readonly<Record<string, string>>;
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
  readonly deleting: boolean;
  /** Phase Running and condition Ready, as LWS itself judges a leader. */
  readonly ready: boolean;
  /** Why it is not: `Unschedulable`, `ImagePullBackOff`, `CrashLoopBackOff`, a phase; empty where nothing says. */
  readonly waitingOn: string;
};

/** One ControllerRevision that LWS owns; `content` has the shape of `releaseContent`, without the topology. */
export type LiveRevision = {
  readonly name: string;
  readonly key: string;
  readonly revision: number;
  readonly content: JsonObject;
};

/** Something that writes `replicas` of a workload: an HPA or a KEDA ScaledObject. */
export type Scaler = {
  readonly kind: string;
  readonly name: string;
  readonly target: { readonly apiVersion: string; readonly kind: string; readonly name: string };
};
