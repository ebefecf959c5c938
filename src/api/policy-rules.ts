/** What policies say of one Rollout, once several have become one. */

import type { PolicyApproval } from './policy-approvals.ts';
import type { PolicyException } from './policy-exceptions.ts';
import type { PolicyNotify } from './policy-notify.ts';
import type { InferencePools } from './policy-pools.ts';
import type { PolicyWindow } from './policy-windows.ts';
import type { Promotion } from './promotion.ts';

/** `Whole`: as one step that all groups take together; `Refuse`: not at all. */
export type SizeChange = 'Refuse' | 'Whole';
export type Recreate = 'Refuse' | 'Allow';
type WithoutDirectPush = 'Refuse' | 'Accept';
/** What a step that has failed leads to. */
export type OnFailure = 'hold' | 'withdraw' | 'rollback';
type AnalysisAccept = 'Refuse' | 'Allow';
type WithoutRequests = 'Hold' | 'Pass';

/** What policies say of one Rollout: of a field that none of them names, `NO_RULES`. */
export type PolicyRules = {
  /** Groups that are started on the new version as well, so that capacity does not dip; 0 forbids it. */
  readonly surge: number;
  /** What becomes of a change of the size of groups where LWS cannot take it in steps. */
  readonly sizeChange: SizeChange;
  /** Whether a workload may be deleted and re-created for a change that the API server does not take in place. */
  readonly recreate: Recreate;
  /** Whether a delivery may start though no commit of ours reaches the branch. Not there: `Refuse`. */
  readonly withoutDirectPush?: WithoutDirectPush;
  /** Groups that one step may release. */
  readonly maxStepGroups?: number;
  /** The same as a share of all groups, rounded down, and one at least. */
  readonly maxStepPercent?: number;
  readonly maxFirstStepGroups?: number;
  /** `maxUnavailable` of the workload, in groups. */
  readonly maxUnavailableGroups?: number;
  /** Groups that must serve all the time. */
  readonly minReadyGroups?: number;
  /** The same as a share of all groups, rounded up. */
  readonly minReadyPercent?: number;
  /** Of all groups of the workload, the extra ones included. */
  readonly maxGpus?: number;
  /** Of the extra groups alone. */
  readonly maxExtraGpus?: number;
  /** By how much of all requests a step may raise the share of the new version. */
  readonly maxStepTrafficPercent?: number;
  /** So much of all requests its first share may be. */
  readonly maxFirstTrafficPercent?: number;
  /** Deliveries in progress at a time, rollbacks included: of this namespace, of the cluster, of this very policy. */
  readonly maxDeliveriesPerNamespace?: number;
  readonly maxDeliveriesPerCluster?: number;
  readonly maxDeliveriesPerPolicy?: number;
  /** A step may start inside of one of these alone. Each policy counts for itself. */
  readonly allow?: readonly PolicyWindow[];
  /** No step may start inside of one of these. */
  readonly deny?: readonly PolicyWindow[];
  /** Releases that the windows of their own policy let through for a time. */
  readonly exceptions?: readonly PolicyException[];
  /** How long before the windows close no step starts any more. */
  readonly leaveAtLeastSeconds?: number;
  /** How long all groups of a step have been ready before the next starts. */
  readonly soakSeconds?: number;
  /** The same once all groups are on the release, before it is settled: until then the rollback is short. */
  readonly finalSoakSeconds?: number;
  /** This long, and not less than its requests may take, a side that gets none any more keeps its groups. */
  readonly drainSeconds?: number;
  /** This long, and ten minutes at least, the colour before keeps its groups once it gets no requests any more. */
  readonly bakeSeconds?: number;
  /** Not there: `commit`. */
  readonly promotion?: Promotion;
  /** Of each pull request of tranche, when it is opened. */
  readonly pullRequestLabels?: readonly string[];
  /** Who is asked for a review of each, once, when it is opened: logins, and teams as `org/name`. */
  readonly pullRequestReviewers?: readonly string[];
  /** What the forge must show before a step is written: each of them. With it every step is a pull request. */
  readonly approvals?: readonly PolicyApproval[];
  /** How long a step may wait until what Git says is live. */
  readonly applyDeadlineSeconds?: number;
  /** How long its groups may wait for nodes. */
  readonly scheduleDeadlineSeconds?: number;
  /** How long they may load once they have them; after that the step has failed. */
  readonly readyDeadlineSeconds?: number;
  /** The same of all steps of a release together. */
  readonly deliveryApplyDeadlineSeconds?: number;
  readonly deliveryScheduleDeadlineSeconds?: number;
  readonly deliveryReadyDeadlineSeconds?: number;
  /** A group that is restarted more often in one step has failed. */
  readonly maxRestarts?: number;
  /** undefined: `hold`. */
  readonly onFailure?: OnFailure;
  /** Names of Analyses that the metrics of a step have to pass before the next. */
  readonly analyses?: readonly string[];
  /** What a step leads to whose metrics have failed; undefined: `hold`, whatever `onFailure` says. */
  readonly onAnalysisFailure?: OnFailure;
  /** Whether someone may accept a failed or undecided analysis; undefined: `Allow`. */
  readonly analysisAccept?: AnalysisAccept;
  /** Whether a step goes on that was seen to get no request. Not there: `Hold`. */
  readonly withoutRequests?: WithoutRequests;
  /** Which targets are notified, of which events. */
  readonly notify?: readonly PolicyNotify[];
  /** How long a hold may last before a notification is sent; undefined: an hour. */
  readonly notifyHoldSeconds?: number;
  /** How many settled releases back one order to undo may go. Not there: `UNDO_DEFAULTS`. */
  readonly undo?: number;
  /** How long after a release has settled it may be undone without steps. Not there: `UNDO_DEFAULTS`. */
  readonly undoWithinSeconds?: number;
  /** Both sides of routes to InferencePools, for the Rollout that names the first as its Service. */
  readonly inferencePools?: InferencePools;
};

export type PolicyFieldName = keyof PolicyRules;

/** What one policy says; a field that is not there, it says nothing of. */
export type RolloutPolicy = { readonly [K in PolicyFieldName]?: NonNullable<PolicyRules[K]> };

/** Where no policy says anything. */
export const NO_RULES: PolicyRules = { surge: 0, sizeChange: 'Refuse', recreate: 'Refuse' };

/** Those that several Rollouts share. Each policy counts for itself, in its own scope. */
export const SHARED_LIMITS = [
  'maxDeliveriesPerNamespace',
  'maxDeliveriesPerCluster',
  'maxDeliveriesPerPolicy',
] as const satisfies readonly PolicyFieldName[];
