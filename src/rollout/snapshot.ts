/** Everything one decision may depend on, read at one instant, as plain JSON: desired, recorded and observed. */

import type { Aside } from '../api/aside.ts';
import type { AcceptableReason, Intents } from '../api/intents.ts';
import type { Issue } from '../api/issue.ts';
import type { JsonObject } from '../api/json.ts';
import type { Known } from '../api/known.ts';
import type { LiveLeader, LiveLws, LiveRevision, LiveStatefulSet, LiveWorker, Scaler } from '../api/live.ts';
import type { LiveEndpointSlice, LiveService } from '../api/live-traffic.ts';
import type { LwsVersion } from '../api/lws-version.ts';
import type { Marks } from '../api/marks.ts';
import type { PolicyNotify } from '../api/policy-notify.ts';
import type { PolicyRules } from '../api/policy-rules.ts';
import type { AutomaticBacks, RolloutRecord } from '../api/record.ts';
import type { Release } from '../api/release.ts';
import type { Rollout } from '../api/rollout.ts';
import type { Instant } from '../api/time.ts';
import type { Workload } from '../api/workload.ts';
import type { AnalysisSeen } from './analysis/seen.ts';
import type { Beneath } from './edits/beneath.ts';
import type { Carried, RenderedFrom } from './edits/carried.ts';
import type { ObjectRef } from './edits/edit.ts';
import type { LadderFiles } from './ladders/ladder-files.ts';
import type { PolicyConflict, PolicySources, Turn } from './observed/policy-facts.ts';
import type { MissingPolicy, WindowFacts } from './observed/window-facts.ts';
import type { ApprovalEvidence } from './proposals/requirements.ts';
import type { RecordProof, Unsigned } from './record/trust.ts';

export type { PolicyConflict, PolicySources, Turn } from './observed/policy-facts.ts';
export type { ExceptedWindows, MissingPolicy, PolicyPlace, WindowFacts } from './observed/window-facts.ts';
export type { Unsigned } from './record/trust.ts';

export const SNAPSHOT_VERSION = 4;

/** Names a rollout; `name` is the Rollout's, or the LeaderWorkerSet's where no Rollout is left. */
export type RolloutKey = {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** What `tranche` takes for it on a command line, as `llm/vllm --cluster=eu`; not there: its name is enough. */
  readonly called?: string;
};

export type RolloutFile = {
  readonly file: string;
  readonly object: ObjectRef;
  readonly rollout: Rollout;
  readonly intents: Intents;
  /** Kruise's hash of the strategy: changes when steps are edited, not when pauses are. */
  readonly hash: string;
};

export type WorkloadFile = {
  readonly file: string;
  readonly object: ObjectRef;
  readonly workload: Workload;
  /** F of the specification. */
  readonly digest: string;
  /** The template of the document: the source of a later rollback. */
  readonly text: string;
  /** Not there: the file is what the agent applies. There: it is our patch, and `workload` what kustomize builds with it. */
  readonly beneath?: Beneath;
  /** There: the file is a HelmRelease that renders it; the digest is of its inputs, and what it comes to is as the cluster has it. */
  readonly carried?: Carried;
};

/** The version to go back to: verified, so that a step is never written without one. */
export type Stable = {
  readonly commit: string;
  readonly release: Release;
  readonly content: JsonObject;
  /** Label `tranche.dev/version` of its leaders; not there: it has none. */
  readonly version?: string | undefined;
  readonly text: string;
  /** There: a HelmRelease, and the content is as the cluster has it. */
  readonly rendered?: RenderedFrom | undefined;
};

/** The same with the document that has it. `takenOut`: what our patch takes out of a build, as it is built without that line. */
export type StableDocument = Stable & { readonly manifest: EditedFile; readonly takenOut?: WorkloadFile };

/** Where edits are made: a document, and the marks that it has. */
export type EditedFile = Pick<WorkloadFile, 'file' | 'object'> & {
  readonly workload: Pick<Workload, 'marks' | 'marksInFile' | 'partition' | 'replicas' | 'maxUnavailable'>;
};

/** What became of the commit that the record was made from. `rewritten`: main no longer descends from it. */
export type History =
  | { readonly kind: 'continued' }
  | { readonly kind: 'rewritten'; readonly recorded: string; readonly acknowledged: boolean };

export type Live = {
  readonly lws: Known<LiveLws>;
  readonly leaderSet: Known<LiveStatefulSet>;
  readonly leaders: Known<readonly LiveLeader[]>;
  readonly workerSets: Known<readonly LiveStatefulSet[]>;
  readonly revisions: Known<readonly LiveRevision[]>;
  /** Read only where workers are missing, to say why; nothing else hangs on them. undefined: not asked for. */
  readonly workerPods?: Known<readonly LiveWorker[]> | undefined;
  /** Who writes `replicas` in addition to Git; names it for people. `absent`: nobody. In a file alone: those of Git count. */
  readonly scaler: Known<string>;
  readonly isScalerInFileAlone?: true;
  /** All that the cluster has of them; not there: not asked for. */
  readonly scalers?: Known<readonly Scaler[]> | undefined;
};

/** A route as the cluster has it: `metadata`, `spec` and `status`. */
export type LiveRoute = {
  readonly kind: string;
  readonly name: string;
  readonly live: Known<JsonObject>;
  /** When somebody has last changed it, but for its status; not there: the object does not tell. */
  readonly writtenAt?: Instant | undefined;
};

/** What the cluster has of a delivery with a second workload, next to the user's own. */
export type LiveTraffic = {
  /** The other LeaderWorkerSet, read as the user's own is. */
  readonly second: Live;
  /** The user's Service, and the one of the new version; not asked for where the Rollout names none. */
  readonly service: Known<LiveService>;
  readonly canaryService: Known<LiveService>;
  /** Of both Services. */
  readonly endpoints: Known<readonly LiveEndpointSlice[]>;
  /** Those that the Rollout names, and the copies of them. */
  readonly routes: readonly LiveRoute[];
};

/** Marks and step of the record before people merged the step that Git has; undefined: it knew of none. */
export type MergedStep = Pick<RolloutRecord, 'marks' | 'step'>;

/** A release that had settled before the present one: how many releases back, undone ones counted, and when the present one settled. */
type UndoFacts = { readonly target: Stable; readonly back: number; readonly settledAt: Instant };

/**
 * What groups run came before what the file has: going to the template of the file would take them on. `stable`: what main had before it;
 * unknown: nobody can tell which is the older one. `release`: what an abort is about.
 */
export type Behind = { readonly stable: Known<Stable>; readonly release: Release };

/** A Rollout was pointed at another workload in mid-delivery: the one that it named, and the one that is in progress. */
export type Retargeted = { readonly was: string; readonly underWay: string };

export type Snapshot = {
  readonly version: typeof SNAPSHOT_VERSION;
  readonly key: RolloutKey;
  readonly now: Instant;
  /** The commit of the desired branch. */
  readonly main: string;
  readonly history: History;
  /** Files the decision hangs on, by path and blob id. */
  readonly blobs: Readonly<Record<string, string>>;
  /** undefined: deleted, or so wrong that nothing could be read; `issues` tells which. */
  readonly rollout: RolloutFile | undefined;
  /** Digests of what is seen, for the holds that an acceptance names: the core does not hash. */
  readonly facts: Readonly<Partial<Record<AcceptableReason, string>>>;
  /** What the policies that match the Rollout ask for together. */
  readonly policy: PolicyRules;
  /** Not there: no policy matches. */
  readonly policySources?: PolicySources;
  /** Fields that have to be the same wherever they are stated, and are not; not there: none. */
  readonly policyConflicts?: readonly PolicyConflict[];
  /** The targets that policies notify, as far as the runner knows where they are; not there: nobody. */
  readonly notifyTo?: readonly PolicyNotify[];
  /** `name@blob` of those that match and can say no; not there: none. */
  readonly governing?: readonly string[];
  /** The Analyses that policies name, with what their providers said. Not there: no policy names any. */
  readonly analyses?: readonly AnalysisSeen[];
  /** Not there: no policy has windows. */
  readonly windows?: WindowFacts;
  /** Not there: no policy limits how many are delivered at a time. */
  readonly turns?: readonly Turn[];
  /** How far the clocks of the servers are ahead of ours (below 0: behind), where that is too much to go by the time. */
  readonly clockOffSeconds?: number;
  /** How long after `now` Services and routes had been read; not there: within a second, or they were not. */
  readonly readSeconds?: number;
  /** How often a pass looks, where `tranche.yaml` wants it more seldom than every 30 s. */
  readonly intervalSeconds?: number;
  /** Not there: every policy that is required governs it. */
  readonly missingPolicies?: readonly MissingPolicy[];
  /** As `tranche.yaml` declares it. */
  readonly lwsVersion: LwsVersion | undefined;
  readonly workload: WorkloadFile | undefined;
  /** No other manifest is in the folder of its file: without it the folder would be empty. Absent: not known. */
  readonly alone?: boolean;
  /** Marks that our last commit wrote and that somebody has taken out of the file since. Not there: none. */
  readonly lostMarks?: Marks | undefined;
  /** Marks of the release that settled last, where the file says that an older one did: it was put back. Not there: none. */
  readonly settledSince?: Marks | undefined;
  /** Groups are on a version before that of the file, though nothing is in progress by the annotations. Not there: none is. */
  readonly behind?: Behind;
  /** The release that was on its way when the file was put back, where an order to abort it stands. Not there: none does. */
  readonly putBack?: Release;
  readonly stable: Known<Stable>;
  /** A commit of the desired branch where this object has the release of its marks: what `stable` becomes. */
  readonly delivered: Known<string>;
  /** The template of the release that a retry names, where the file does not have it; read only then. */
  readonly retryText: Known<Stable>;
  /** The release that an order to undo brings back. Not there: no such order stands. */
  readonly undo?: Known<UndoFacts>;
  /** The release that had settled before, whose template the file asks for: an order may bring it back without steps. Not there: none. */
  readonly earlier?: Release;
  /** The template that is re-created, while the document is out of its file; read only then. */
  readonly recreateText: Known<StableDocument>;
  /** Not there: the Rollout names the workload that it named when its delivery started. */
  readonly retargeted?: Retargeted;
  /** Wrong files: no step forward while there are any. */
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
  /** What main tells of rollbacks by themselves, where no record does. Not there: none, or there is a record. */
  readonly backsInHistory?: AutomaticBacks;
  /** undefined: none, or not to be trusted; `recordFault` says why it is not. */
  readonly record: RolloutRecord | undefined;
  readonly recordFault: string;
  /** What bears the record out; not there: there is none, or nothing does. */
  readonly recordProof?: RecordProof;
  /** Why this process may not write records, where main names keys that sign them. Not there: it may. */
  readonly keyMissing?: string;
  /** Why the status branch has taken no record in this pass. Not there: it takes them, or nothing was to be written. */
  readonly recordNotTaken?: string;
  /** Not there: the record is borne out, or there is none. */
  readonly unsigned?: Unsigned;
  /** There: that a pass has seen the annotations as they are rests on a record that nobody bears out. Asked for by `eject` alone. */
  readonly seenUnproven?: true;
  /** The template as it settled, where the file has it with another label since. Asked for by `eject` alone. */
  readonly settledAs?: Stable;
  /** When main got the marks of a rollback that the record is not of: its drain is dated by this. Not there: it is of it, or nobody knows. */
  readonly rollbackAt?: Instant;
  /** When main got the request, where no record bears out how long it gives way; 0: before all that is known. Not there: one does. */
  readonly requestedAt?: Instant;
  /** The version of the record, where a newer tranche has written it: nothing goes forward without it. Not there: it is none. */
  readonly newerRecord?: number;
  /** People merged the step that Git has, and no pass has seen that before. Not there: it was not so. */
  readonly merged?: MergedStep;
  /** True where this pass reads a settled workload because its audit is due. */
  readonly audit: boolean;
  readonly live: Live;
  /** Who gave the approval in the Rollout, where a policy asks; and the commit that brought it, with the name in it, for texts alone. */
  readonly approval?: Known<ApprovalEvidence> | undefined;
  readonly approvedBy?: string;
  readonly approver?: string;
  /** Not there: the strategy fills no second workload, one of its documents is not in the files, or nothing is in progress. */
  readonly ladder?: LadderFiles | undefined;
  /** Not there: the Rollout has no second workload, or nothing is in progress. */
  readonly traffic?: LiveTraffic | undefined;
  /** What the mark `restore` has put aside of other objects, as main's own line bears it out. Not there: as the mark says. */
  readonly asides?: readonly Aside[] | undefined;
  /** The longest drain of the mark `restore` that main's own line bears out. Not there: as the mark says. */
  readonly drainMost?: number;
};
