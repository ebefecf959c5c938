/** What the status branch remembers of one rollout. It reports; it never makes a step. */

import type { JsonObject } from './json.ts';
import type { Marks } from './marks.ts';
import type { Notices } from './notice.ts';
import type { ProposalRecord } from './proposal-record.ts';
import type { ReleaseChange, StepApproval } from './record-change.ts';
import type { Course } from './record-course.ts';
import type { GroupRecord, GroupRestarts } from './record-groups.ts';
import type { MeasuredStep } from './record-metrics.ts';
import type { TrafficRecord } from './record-traffic.ts';
import type { Release } from './release.ts';
import type { FrozenPlan } from './rollout-frozen.ts';
import type { Instant } from './time.ts';

export type { DeliveryShown, SideShown, TrafficRecord } from './record-traffic.ts';

/**
 * Stays 1 until the first release: nobody has a record of another form, so that none is read. A record of an earlier commit that lacks
 * or has something is not trusted, as an edited one, and is rebuilt from Git. From the first release on, another field or word is
 * another version, because an older reader would drop it with its next record: that one leaves what is newer alone (`NewerRecord`).
 */
export const RECORD_VERSION = 1;

/** Kruise's vocabulary (reference: rollout_types.go:538-591). */
export type Phase = 'Initial' | 'Healthy' | 'Progressing' | 'Terminating' | 'Disabled' | 'Disabling';
export type StepState =
  | 'BeforeStepUpgrade'
  | 'StepUpgrade'
  | 'StepTrafficRouting'
  | 'StepMetricsAnalysis'
  | 'StepPaused'
  | 'StepReady'
  | 'Completed';

export type RecordCondition = {
  readonly type: 'Progressing' | 'Succeeded' | 'Stalled';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly since: Instant;
};

export type HoldRecord = {
  readonly reason: string;
  readonly message: string;
  /** When it ends by itself, where that is known. */
  readonly until?: Instant | undefined;
  /** What was seen, where someone may accept the hold for it. */
  readonly facts?: JsonObject | undefined;
  /** A line for each of several things that it waits for; not there: there is one. */
  readonly lines?: readonly string[] | undefined;
};
/** What is left to load, how long that takes if it goes as before, pauses apart, and the most `extra` groups at a time. */
export type Expected = {
  /** Seconds that the last groups took from creation to ready: median, least, most. undefined: none was seen yet. */
  readonly load?:
    | { readonly seconds: number; readonly least: number; readonly most: number; readonly groups: number }
    | undefined;
  /** Groups that restart at a time: one with the StatefulSet's gate off, whatever `budget` (maxUnavailable) says. */
  readonly atOnce: number;
  readonly budget: number;
  readonly step: { readonly groups: number; readonly seconds?: number | undefined };
  readonly rest: { readonly groups: number; readonly seconds?: number | undefined };
  readonly pauses: { readonly seconds: number; readonly manual: number };
  readonly extra?: { readonly groups: number; readonly gpus: number } | undefined;
  /** Groups that have been loading for longer than any estimate covers; not there while there are none. */
  readonly overdue?: readonly number[] | undefined;
};

/** Seconds that a delivery has waited: for what Git says to be live, for nodes, for groups that have them to be ready. */
export type Waited = { readonly apply: number; readonly schedule: number; readonly ready: number };

/** What deadlines count: only time between passes that saw the same wait. */
export type WaitClocks = {
  readonly step: Waited;
  /** In all steps of its release so far. */
  readonly delivery: Waited;
  /** What the last pass has seen it wait for, and when that was; not there: nothing. */
  readonly running?: { readonly at: Instant; readonly clocks: readonly (keyof Waited)[] } | undefined;
  /** Deadlines that are over, and when a pass saw that first. */
  readonly over?: readonly { readonly field: string; readonly since: Instant }[] | undefined;
};

/** Rollbacks that no person asked for. */
export type AutomaticBacks = {
  /** How many since a release was settled. */
  readonly inARow: number;
  /** Those, and those of the last day, the newest last. */
  readonly last: readonly { readonly release: Release; readonly at: Instant }[];
};

/** A step that people merged though it did not hold any more. */
export type StaleMerge = {
  /** The one that was merged. */
  readonly partition: number;
  /** Holds that were shut then, or the move that was due instead, by their names. */
  readonly because: readonly string[];
};

/** The step that Git holds, as it was when it was written. */
export type StepRecord = {
  readonly release: Release;
  readonly index: number;
  /** Planned groups of every step then, and N then: tells an edited plan from a scaled workload. */
  readonly planned: readonly number[];
  readonly replicas: number;
  readonly partition: number;
  /** When its commit was written, by the clock of then; not there in records of before it was kept. */
  readonly writtenAt?: Instant | undefined;
  /** When all of it was first seen done: pauses and soaks count from here. undefined: not yet. */
  readonly doneSince: Instant | undefined;
  /** What is fixed of the Rollout since this release started; not there where that is not known any more. */
  readonly frozen?: FrozenPlan | undefined;
  /** Not there in records of before it was counted: counts from now. */
  readonly restarts?: readonly GroupRestarts[] | undefined;
  /** The policies that governed it when it was written, `name@blob`; not there: none did, or nobody knows. */
  readonly policies?: readonly string[] | undefined;
  /** Not there while no policy has named a deadline. */
  readonly waited?: WaitClocks | undefined;
  /** Restarts and waits are those of the promotion that followed this step; not there: of the step. */
  readonly promotes?: true | undefined;
  /** Not there: it held, or someone has let it stand. */
  readonly stale?: StaleMerge | undefined;
};

/** A field that keeps leaving Git's value: somebody else writes it, and the agent puts it back, in turn. */
export type Contest = {
  readonly path: string;
  /** How often it was seen to leave. */
  readonly count: number;
  /** When that was seen first, and last. */
  readonly since: Instant;
  readonly last: Instant;
  /** Who was seen to have written it, as far as the API server says. */
  readonly writers: readonly string[];
};

export type StableCopy = {
  readonly commit: string;
  readonly release: Release;
  /** The text of the document at that commit. */
  readonly text: string;
};

/** A text that nothing was started of. `gaveWay`: since when others, who have asked before, are let in first. */
export type Requested = { readonly digest: string; readonly since: Instant; readonly gaveWay?: Instant | undefined };

export type RolloutRecord = {
  readonly version: typeof RECORD_VERSION;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** The commit of the desired branch that was read. */
  readonly main: string;
  /** Files by path and blob id; with `settled`, the same blobs need no look at the cluster before the next audit. */
  readonly blobs: Readonly<Record<string, string>>;
  readonly settled: boolean;
  readonly auditedAt: Instant;
  readonly phase: Phase;
  readonly currentStepState: StepState;
  readonly currentStepIndex: number;
  readonly nextStepIndex: number;
  readonly message: string;
  readonly conditions: readonly RecordCondition[];
  readonly holds: readonly HoldRecord[];
  readonly rolloutHash: string;
  readonly observedRolloutID: string;
  readonly marks: Marks | undefined;
  readonly step: StepRecord | undefined;
  /** What is delivered, asked for, or stands. Not there: not known. */
  readonly change?: ReleaseChange | undefined;
  /** Of the last step of this release that rests on one. Not there: none does, or nobody knows. */
  readonly approved?: StepApproval | undefined;
  readonly groups: readonly GroupRecord[];
  /** Why `groups` are older than this record, and since when; not there while they are what the cluster has. */
  readonly unseen?: { readonly why: 'absent' | 'unread'; readonly since: Instant } | undefined;
  /** The groups that the step covers, of N as last read: `step` has what both were when it was written. */
  readonly covers?: { readonly groups: number; readonly of: number } | undefined;
  /** How many seconds the last few groups took to load, the newest last. */
  readonly loads?: readonly number[] | undefined;
  readonly expected?: Expected | undefined;
  /** `name`: of the workload that they are of; a Rollout may have named another one since. */
  readonly uids: { readonly lws: string; readonly leaderSet: string; readonly name?: string | undefined } | undefined;
  /** LWS 0.8 only: since when the live fields have been equal to Git's. */
  readonly appliedSince: Instant | undefined;
  /** Since when the cluster has been seen to differ from this very file; not there while it does not. */
  readonly notAppliedSince?: Instant | undefined;
  /** Not there while nobody else writes the fields of this very file. */
  readonly contest?: Contest | undefined;
  /** The workload that this is about, while the Rollout was pointed at it in mid-delivery; not there: its own. */
  readonly retargeted?: string | undefined;
  /** Not there: no delivery with a second workload is in progress. */
  readonly traffic?: TrafficRecord | undefined;
  /** The key that LWS has given to the template of this digest. */
  readonly revision?: { readonly digest: string; readonly key: string } | undefined;
  readonly stable: StableCopy | undefined;
  /** The text that is asked for and not started, and when a pass saw that first: the oldest is started first. */
  readonly requested?: Requested | undefined;
  /** Not there: there was none lately. */
  readonly automaticBacks?: AutomaticBacks | undefined;
  /** Not there: no notification was sent, or is to be. */
  readonly notices?: Notices | undefined;
  /** For a picture alone; not there: no commit of a delivery was seen. */
  readonly course?: Course | undefined;
  /** Not there: there was never one. */
  readonly proposal?: ProposalRecord | undefined;
  /** Not there: nothing of this delivery was judged by metrics yet. */
  readonly measured?: MeasuredStep | undefined;
  /** Of its kustomize folder. Not there: it is in none, is not at rest, another record has it, or nothing is signed. */
  readonly built?: BuiltRecord | undefined;
};

/** What kustomize built of a folder without our patches. It counts where it is signed, and no longer than until the next audit. */
export type BuiltRecord = {
  /** A digest of all that the folder is built from, but for what our patches say. */
  readonly key: string;
  /** Its LeaderWorkerSets. */
  readonly text: string;
  /** ConfigMaps and Secrets next to them. `isKept`: the agent keeps it when it is built no more. */
  readonly objects: readonly { readonly name: string; readonly isKept: boolean; readonly digest: string }[];
  /** One object is built. */
  readonly isAlone: boolean;
};
