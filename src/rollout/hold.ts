/** Why a rollout stands still, in words that name what was seen, what is wanted and what to do. */

import type { AcceptableReason } from '../api/intents.ts';
import type { JsonObject } from '../api/json.ts';
import { oneLine } from '../api/printable.ts';
import type { Advice, Deed } from './texts/advice.ts';
import { capital, holdMessage } from './texts/sentences.ts';

/** When to look again where nothing says when that could help. */
export const ORDINARY_REQUEUE_SECONDS = 30;

/** What a hold is, in addition to its name. Code asks this and no list of names. */
type HoldKind = {
  /** Whether a step waits for it, or it is only said as well. */
  readonly effect: 'blocks' | 'informs';
  /** What someone accepts it for, by name; not there: nobody can overrule it. `facts.ts` works it out. */
  readonly accept?: string;
  /**
   * Why the pass counts as failed: the world could not be read; or only an edit of the files ends it. `issue`: it
   * quotes an issue, which counts by itself and is shown with its line.
   */
  readonly failure?: 'unread' | 'stalled' | 'issue';
  /** What status says of it behind the state, for people; not there: wrong files are `stalled`, all else is as the step is. */
  readonly state?: string;
  /** Kruise's state of a step whose groups are there and that waits for this; not there: ready for the next. */
  readonly stepState?: 'StepPaused' | 'StepMetricsAnalysis';
  /** A setting outside of the files is in the way, which only a report shows: the Action warns of it. */
  readonly warns?: true;
  /** The cluster was read and differs from Git: at rest that is drift. */
  readonly differs?: true;
  /** Its message counts seconds down; this and the time of the end are what stays the same with every pass. */
  readonly until?: string;
  /** Its message has the time of its end: what is left by then is said next to it, where people look. */
  readonly dated?: true;
};

/** A step whose groups are there, and whose metrics are looked at. */
const MEASURED = { effect: 'blocks', stepState: 'StepMetricsAnalysis' } as const;

/** Every reason once. Stable names: people match alerts on them. */
export const HOLDS = {
  // The world is not there yet, or not readable.
  ClusterUnreadable: { effect: 'blocks', failure: 'unread' },
  WorkloadAbsent: { effect: 'blocks' },
  WorkloadDeleting: { effect: 'blocks' },
  NotApplied: { effect: 'blocks', differs: true },
  AgentNotApplying: { effect: 'blocks', differs: true },
  BuildDiffers: { effect: 'blocks', differs: true },
  FieldContested: { effect: 'blocks' },
  WorkloadOwned: { effect: 'blocks' },
  NotObserved: { effect: 'blocks' },
  ScalerUnreadable: { effect: 'blocks', failure: 'unread' },
  // Groups.
  GroupsNotUpdated: { effect: 'blocks' },
  GroupsNotReady: { effect: 'blocks' },
  StatefulSetNotFlipped: { effect: 'blocks' },
  BlockedByUnreadyGroup: { effect: 'blocks' },
  BlockedByFailedGroup: { effect: 'blocks' },
  BlockedByStatefulSetGate: { effect: 'blocks' },
  Unschedulable: { effect: 'blocks' },
  GroupCrashLoop: {
    effect: 'blocks',
    accept: 'the groups with the UID of their leader, and how often each was restarted',
    stepState: 'StepPaused',
  },
  // Two workloads, and the requests between them.
  CanaryEdited: { effect: 'blocks', accept: 'the object, its field, and the value that it has, or a digest of it' },
  TrafficWithdrawn: { effect: 'blocks', accept: 'how often the share was taken back in this delivery' },
  PrimaryReplaced: { effect: 'blocks', accept: 'the groups of the primary that serve, all on the requested template' },
  StableNotServing: { effect: 'blocks' },
  PrimaryNotCovered: { effect: 'blocks', failure: 'issue', state: 'primary not covered' },
  VersionLabelEdited: { effect: 'blocks' },
  ScalerRefused: { effect: 'blocks' },
  ChangeRefused: { effect: 'blocks' },
  GreenServes: { effect: 'blocks' },
  IdleScaled: { effect: 'blocks' },
  NotServing: { effect: 'blocks' },
  CanaryDiffers: { effect: 'blocks' },
  CanaryNotEmpty: { effect: 'blocks' },
  RouteNotAccepted: { effect: 'blocks' },
  GracePeriod: { effect: 'blocks', until: 'The grace period of the routes lasts until' },
  Draining: { effect: 'blocks', until: 'The last requests are given until' },
  EndpointsElsewhere: { effect: 'blocks' },
  Baking: { effect: 'blocks', until: 'The stable version keeps its groups until' },
  NotAtRest: { effect: 'blocks' },
  MixedRevisions: { effect: 'blocks' },
  RevisionChanged: { effect: 'blocks' },
  StepOverdue: { effect: 'blocks' },
  StepFailed: { effect: 'blocks', accept: 'the step, its deadlines that are over, how often each group was restarted' },
  GroupsElsewhere: { effect: 'blocks', accept: 'the groups that run another template than Git has' },
  GroupsBehind: { effect: 'blocks', accept: 'the groups that would be taken on, and the template of the file' },
  UnexpectedGroups: { effect: 'blocks', accept: 'the groups on the release below the partition' },
  Overshoot: { effect: 'blocks', accept: 'the groups on the release, and N' },
  StepScaledAway: { effect: 'blocks', accept: 'the step, and N' },
  Recreated: { effect: 'blocks', accept: 'the UIDs of the objects that are there' },
  ScaledToZero: { effect: 'blocks' },
  RollingBack: { effect: 'blocks' },
  FullStepMissing: { effect: 'blocks' },
  SurgeRefused: { effect: 'blocks' },
  FolderEmptied: { effect: 'blocks' },
  AwaitingRemoval: { effect: 'blocks' },
  ReturnedByHand: { effect: 'blocks' },
  // People.
  StepTooLarge: { effect: 'blocks' },
  ShareTooLarge: { effect: 'blocks' },
  BudgetTooLarge: { effect: 'blocks' },
  CapacityTooLow: { effect: 'blocks' },
  GpusOverLimit: { effect: 'blocks' },
  PoliciesContradict: { effect: 'blocks' },
  NotItsTurn: { effect: 'blocks' },
  WindowClosed: { effect: 'blocks', dated: true },
  ClockSkew: { effect: 'blocks' },
  Soaking: { effect: 'blocks', stepState: 'StepPaused', until: 'The soak of the step lasts until' },
  // What metrics say.
  AnalysisMissing: { effect: 'blocks', failure: 'stalled' },
  Analysing: MEASURED,
  AnalysisFailed: { ...MEASURED, accept: 'the step, and the failed metrics with the blobs of their Analyses' },
  AnalysisInconclusive: { ...MEASURED, accept: 'the step, and the undecided metrics with the blobs of their Analyses' },
  BothSidesBad: { ...MEASURED, accept: 'the step, and the metrics that are bad on both sides, with their blobs' },
  GroupOutlier: { ...MEASURED, accept: 'the step, and the metrics that fail by one group alone, with their blobs' },
  AlertFiring: MEASURED,
  NoRequests: MEASURED,
  SeriesMissing: MEASURED,
  SeriesTwice: MEASURED,
  SeriesUnusable: MEASURED,
  SidesNotApart: MEASURED,
  MetricsUnreadable: { ...MEASURED, failure: 'unread' },
  PolicyMissing: { effect: 'blocks', failure: 'stalled' },
  PolicyGone: { effect: 'blocks', accept: 'the step, and the policies that are gone, with the blobs of their files' },
  Paused: { effect: 'blocks' },
  Disabled: { effect: 'blocks' },
  LockedWithoutRollout: { effect: 'blocks' },
  PausedForApproval: { effect: 'blocks', stepState: 'StepPaused' },
  PauseDuration: { effect: 'blocks', stepState: 'StepPaused', until: 'The pause of the step lasts until' },
  NewerRequestWaits: { effect: 'blocks' },
  ReleasesAlike: { effect: 'blocks' },
  TooManyRollbacks: { effect: 'blocks', accept: 'the newest release that was aborted automatically' },
  // Their pull requests.
  ProposalOpen: { effect: 'blocks', stepState: 'StepPaused' },
  ProposalChanged: { effect: 'blocks', stepState: 'StepPaused' },
  ProposalVetoed: { effect: 'blocks', stepState: 'StepPaused' },
  ProposalClosed: { effect: 'blocks', stepState: 'StepPaused' },
  ProposalReverted: { effect: 'blocks', stepState: 'StepPaused' },
  ApprovalUnproven: { effect: 'blocks', stepState: 'StepPaused' },
  ProposalsFull: { effect: 'blocks', stepState: 'StepPaused' },
  NoDirectPush: { effect: 'blocks', stepState: 'StepPaused', warns: true },
  BranchTaken: { effect: 'blocks', stepState: 'StepPaused', warns: true },
  ForgeRefused: { effect: 'blocks', stepState: 'StepPaused', warns: true },
  ForgeUnavailable: { effect: 'blocks', stepState: 'StepPaused' },
  ReleaseAborted: { effect: 'blocks' },
  AbortedTemplateReturned: { effect: 'blocks' },
  PartitionEdited: { effect: 'blocks', accept: 'the partition in Git, the one that was expected, and how often' },
  LateMerge: { effect: 'blocks', accept: 'the partition that was merged, and what held it' },
  StepCountChanged: { effect: 'blocks' },
  FrozenFieldChanged: { effect: 'blocks' },
  WorkloadRefChanged: { effect: 'blocks' },
  JumpRefused: { effect: 'informs' },
  AbortRefused: { effect: 'informs' },
  UndoRefused: { effect: 'informs' },
  EarlierTemplate: { effect: 'informs' },
  RetryRefused: { effect: 'informs' },
  RequestQueued: { effect: 'informs' },
  // Git.
  HistoryRewritten: { effect: 'blocks' },
  StableUnavailable: { effect: 'blocks' },
  PushRefused: { effect: 'blocks', warns: true },
  RollbackRefused: { effect: 'blocks', warns: true },
  StatusRefused: { effect: 'blocks' },
  NewerRecord: { effect: 'blocks', failure: 'unread' },
  StatusKeyMissing: { effect: 'blocks', failure: 'unread' },
  AnnotationsGone: { effect: 'blocks', failure: 'stalled' },
  Stalled: { effect: 'blocks', failure: 'issue' },
  Drift: { effect: 'informs' },
} as const satisfies Readonly<Record<string, HoldKind>> &
  Readonly<Record<AcceptableReason, HoldKind & { readonly accept: string }>>;

export type HoldReason = keyof typeof HOLDS;

/** The reasons that the table says someone may accept. */
export type AcceptedReason = {
  [R in HoldReason]: (typeof HOLDS)[R] extends { readonly accept: string } ? R : never;
}[HoldReason];

/** Who ends a hold where nothing is to be done but wait; `people`: anyone who held it shut, as `seen` says. */
type WaitsFor = 'controllers' | 'groups' | 'reading' | 'time' | 'tranche' | 'people';

/** What somebody can do about it; where that is nothing, who is waited for. */
export type Next = { readonly action: string | Advice } | { readonly waits: WaitsFor };

/** What was seen, and what comes next. */
type Told = { readonly seen: string } & Next;

export type Hold = { readonly seen: string } & (
  | {
      readonly action: string;
      /** What of the action is a command line or an edit, as data. */
      readonly deeds: readonly Deed[];
    }
  | { readonly waits: WaitsFor }
) & {
    readonly reason: HoldReason;
    /** All of it for people, as `sentences.ts` puts it. */
    readonly message: string;
    /** When looking again could help by itself; undefined: at the ordinary interval. */
    readonly requeueAfterSeconds: number | undefined;
    /** What was seen, where someone may accept it; not there: nobody can overrule this. */
    readonly facts?: JsonObject | undefined;
    /** One of several things that must be true each, as people see it below the message; not there: there is one. */
    readonly lines?: readonly string[];
  };

/** What the table says of a reason; of one that an older or newer version has recorded, nothing. */
export function holdKind(reason: string): HoldKind | undefined {
  const kinds: Readonly<Record<string, HoldKind>> = HOLDS;
  return Object.hasOwn(kinds, reason) ? kinds[reason] : undefined;
}

/** Those that a step waits for. */
export function blocking(holds: readonly Hold[]): readonly Hold[] {
  return holds.filter(({ reason }) => HOLDS[reason].effect === 'blocks');
}

/** A hold; without a time, it is looked at again at the ordinary interval. */
export function hold(reason: HoldReason, told: Told, requeueAfterSeconds?: number): Hold {
  const seen = oneLine(capital(told.seen));
  const next = 'action' in told ? adviceOf(told.action) : { waits: told.waits };
  return { reason, message: holdMessage({ seen, ...next }), seen, ...next, requeueAfterSeconds };
}

function adviceOf(action: string | Advice): { readonly action: string; readonly deeds: readonly Deed[] } {
  const { text, deeds } = typeof action === 'string' ? { text: action, deeds: [] } : action;
  return { action: oneLine(text), deeds };
}

/** A hold that someone may accept for what was seen. */
export function withFacts(held: Hold, facts: JsonObject): Hold {
  return { ...held, facts };
}

/** A hold with a line for each of the things that it waits for. */
export function withLines(held: Hold, lines: readonly string[]): Hold {
  return { ...held, lines: lines.map(oneLine) };
}

/** One hold a reason: two gates may have seen the same thing. */
export function unique(holds: readonly Hold[]): readonly Hold[] {
  return holds.filter((found, index) => holds.findIndex((other) => other.reason === found.reason) === index);
}
