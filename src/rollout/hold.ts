/** Why a rollout stands still, in words that name what was seen, what is wanted and what to do. */

import type { JsonObject } from '../api/json.ts';
import { oneLine } from '../api/printable.ts';
import { capital } from './sentences.ts';

/** Stable names: people match alerts on them. */
export type HoldReason =
  // The world is not there yet, or not readable.
  | 'ClusterUnreadable'
  | 'WorkloadAbsent'
  | 'WorkloadDeleting'
  | 'NotApplied'
  | 'AgentNotApplying'
  | 'FieldContested'
  | 'NotObserved'
  | 'ScalerUnreadable'
  // Groups.
  | 'GroupsNotUpdated'
  | 'GroupsNotReady'
  | 'StatefulSetNotFlipped'
  | 'BlockedByUnreadyGroup'
  | 'BlockedByFailedGroup'
  | 'BlockedByStatefulSetGate'
  | 'Unschedulable'
  | 'GroupCrashLoop'
  | 'NotAtRest'
  | 'MixedRevisions'
  | 'RevisionChanged'
  | 'GroupsAstray'
  | 'Overshoot'
  | 'StepScaledAway'
  | 'Recreated'
  | 'ScaledToZero'
  | 'RollingBack'
  | 'NoWholeStep'
  | 'SurgeRefused'
  | 'FolderEmptied'
  | 'AwaitingRemoval'
  | 'ReturnedByHand'
  // People.
  | 'Paused'
  | 'Disabled'
  | 'OrphanArmed'
  | 'PausedForApproval'
  | 'PauseDuration'
  | 'ReleaseAborted'
  | 'AbortedTemplateReturned'
  | 'PartitionEdited'
  | 'StepCountChanged'
  | 'FrozenFieldChanged'
  | 'JumpRefused'
  | 'AbortRefused'
  | 'RetryRefused'
  | 'RequestQueued'
  // Git.
  | 'HistoryRewritten'
  | 'StableUnavailable'
  | 'PushRefused'
  | 'StatusRefused'
  | 'AnnotationsGone'
  | 'Stalled'
  | 'Drift';

export type Hold = {
  readonly reason: HoldReason;
  readonly message: string;
  /** When looking again could help by itself; undefined: at the ordinary interval. */
  readonly requeueAfterSeconds: number | undefined;
  /** What was seen, where a person may accept it; not there: nobody can overrule this. */
  readonly facts?: JsonObject | undefined;
};

/** A hold; without a time, it is looked at again at the ordinary interval. */
export function hold(reason: HoldReason, message: string, requeueAfterSeconds?: number): Hold {
  return { reason, message: oneLine(capital(message)), requeueAfterSeconds };
}

/** A hold that a person may accept for what was seen. */
export function withFacts(held: Hold, facts: JsonObject): Hold {
  return { ...held, facts };
}

/** One hold a reason: two gates may have seen the same thing. */
export function unique(holds: readonly Hold[]): readonly Hold[] {
  return holds.filter((found, index) => holds.findIndex((other) => other.reason === found.reason) === index);
}
