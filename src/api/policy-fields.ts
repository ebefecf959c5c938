/** Every field of a RolloutPolicy once: how it is read, how the values of several policies become one, what it means. */

import type { PolicyApproval } from './policy-approvals.ts';
import type { PolicyException } from './policy-exceptions.ts';
import {
  approvals,
  cap,
  exceptions,
  granted,
  labels,
  least,
  type PolicyField,
  parameter,
  pools,
  reviewers,
  targets,
  wait,
  windows,
  words,
} from './policy-field-kinds.ts';
import type { PolicyNotify } from './policy-notify.ts';
import type { InferencePools } from './policy-pools.ts';
import type { PolicyWindow } from './policy-windows.ts';
import { PROMOTIONS, type Promotion } from './promotion.ts';
import { UNDO_LIMIT } from './undo-limits.ts';

/** `Whole`: as one step that all groups take together; `Refuse`: not at all. */
export type SizeChange = 'Refuse' | 'Whole';
export type Recreate = 'Refuse' | 'Allow';
type WithoutDirectPush = 'Refuse' | 'Accept';
/** What a step that has failed leads to. */
type OnFailure = 'hold' | 'withdraw' | 'rollback';

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

/** Groups that a delivery may start in addition to those that Git asks for. */
export const SURGE_LIMIT = 1000;
const GROUPS = { min: 1, max: 1_000_000 } as const;
const PERCENT = { min: 1, max: 100 } as const;
const SECONDS = { min: 1, max: 30 * 86_400 } as const;
/** No policy may ask for a longer drain, so that no annotation keeps one. */
export const DRAIN_MOST_SECONDS = SECONDS.max;
const RESTARTS = { min: 0, max: 1000 } as const;
const GPUS = { min: 0, max: 10_000_000 } as const;

export const POLICY_FIELDS: { readonly [K in PolicyFieldName]: PolicyField<NonNullable<PolicyRules[K]>> } = {
  surge: granted(
    { min: 0, max: SURGE_LIMIT },
    'extra groups in a delivery, at least as many as `maxUnavailable`: see [Hold capacity](#hold-capacity)',
  ),
  sizeChange: {
    ...words(['Refuse', 'Whole']),
    composition: 'grant',
    meaning:
      '`Whole`: a change of the group size may go to all groups in one step: see [below](#changes-that-lws-cannot-take-in-steps)',
  },
  recreate: {
    ...words(['Refuse', 'Allow']),
    composition: 'grant',
    meaning: '`Allow`: the workload may be deleted and re-created for a change that LWS takes in no other way',
  },
  withoutDirectPush: {
    ...words(['Refuse', 'Accept']),
    composition: 'grant',
    meaning:
      '`Accept`: a delivery may start though the rules of the branch refuse commits of tranche: then nothing locks it or takes it back but pull requests of people: see [No direct push](#no-direct-push)',
  },
  maxStepGroups: cap(GROUPS, 'groups that one step may release'),
  maxStepPercent: cap(PERCENT, 'the same as a share of all groups: rounded down, and one at least'),
  maxFirstStepGroups: cap(GROUPS, 'groups that the first step may release'),
  maxUnavailableGroups: cap(GROUPS, 'how large `maxUnavailable` of the workload may be, in groups'),
  minReadyGroups: least(GROUPS, 'groups that must be ready all the time'),
  minReadyPercent: least(PERCENT, 'the same as a share of all groups, rounded up; `100` needs a `surge`'),
  maxGpus: cap(GPUS, 'GPUs that the workload may take in all, those of extra groups included'),
  maxExtraGpus: cap(GPUS, 'GPUs that extra groups may take'),
  maxStepTrafficPercent: cap(
    PERCENT,
    'by how much of all requests a step may raise the share of the new version; the promotion of blueGreen is such a step, that of canary is none: its primary takes the new version group by group, under the limits of groups',
  ),
  maxFirstTrafficPercent: cap(PERCENT, 'how much of all requests its first share may be'),
  maxDeliveriesPerNamespace: cap(GROUPS, 'deliveries at a time in the namespace of the Rollout, rollbacks included'),
  maxDeliveriesPerCluster: cap(GROUPS, 'the same of all Rollouts of this repository in the cluster'),
  maxDeliveriesPerPolicy: cap(GROUPS, 'the same of the Rollouts that this very policy means'),
  allow: windows('a step may start inside of one of these windows alone: see [Windows](#windows)'),
  deny: windows('no step may start inside of one of these windows'),
  exceptions: exceptions('releases that the windows of this very policy let through: see [Exceptions](#exceptions)'),
  leaveAtLeastSeconds: wait(
    SECONDS,
    'how long before the windows close no step starts any more, nor one that has not ended by then if its groups load as long as the longest seen',
  ),
  soakSeconds: wait(SECONDS, 'how long all groups of a step have been ready before the next one, whatever is approved'),
  finalSoakSeconds: wait(SECONDS, 'the same with all groups on the release, before it is settled'),
  drainSeconds: wait(
    SECONDS,
    'how long at least a side that is left answers its last requests before its groups go; where a route does not say how long a request may take, it counts in the place of 600 s. The longest that a commit of a delivery was written under counts until it ends, also where the policy is changed or deleted meanwhile',
  ),
  bakeSeconds: wait(
    SECONDS,
    'with blueGreen: this long, and ten minutes at least, the colour before keeps its groups once it gets no requests any more: until then the rollback is at once',
  ),
  promotion: {
    ...words(PROMOTIONS),
    composition: 'requirement',
    meaning:
      '`pullRequest`: someone approves each step, by a pull request or `tranche approve`: see [Pull requests](#pull-requests)',
  },
  pullRequestLabels: labels('labels of each pull request that is opened for a step'),
  pullRequestReviewers: reviewers(
    'who is asked for a review of each, once: logins, and teams as `org/name`. Whom the forge does not take is named, and nothing waits for that',
  ),
  approvals: approvals(
    'each step is a pull request, and the forge must show who approved it: see [Approvals](#approvals)',
  ),
  applyDeadlineSeconds: cap(SECONDS, 'how long a step may take to be live: see [Deadlines](#deadlines)'),
  scheduleDeadlineSeconds: cap(SECONDS, 'how long its groups may wait for nodes'),
  readyDeadlineSeconds: cap(
    SECONDS,
    'how long they may take to be ready once they have nodes: then the step has failed',
  ),
  deliveryApplyDeadlineSeconds: cap(SECONDS, '`applyDeadlineSeconds` of all steps of a release together'),
  deliveryScheduleDeadlineSeconds: cap(SECONDS, '`scheduleDeadlineSeconds` of all steps together'),
  deliveryReadyDeadlineSeconds: cap(SECONDS, '`readyDeadlineSeconds` of all steps together'),
  maxRestarts: cap(RESTARTS, 'how often a group may be restarted in one step: more, and the step has failed'),
  onFailure: {
    ...words(['hold', 'withdraw', 'rollback']),
    composition: 'choice',
    meaning:
      'what a step that has failed leads to: `hold` (also where nothing is stated), `withdraw` (the share is withdrawn, the groups stay), `rollback`: see [Deadlines](#deadlines)',
  },
  notify: targets('who is notified of what becomes of a delivery: see [Notifications](#notifications)'),
  notifyHoldSeconds: parameter(SECONDS, 'how long a hold may last before a notification is sent. Default: one hour'),
  undo: granted(
    { min: 0, max: UNDO_LIMIT },
    'how many settled releases back one `tranche undo` may go, `1` where nothing is stated; `0`: it is refused: see [Undo](#undo)',
  ),
  undoWithinSeconds: granted(
    { min: 0, max: SECONDS.max },
    'how long after a release has settled `tranche undo` takes it back without steps, a day where nothing is stated; after that it is a request like any other',
  ),
  inferencePools: pools(
    'two InferencePools, `{stable, canary}`, for a Rollout whose `service` is the name of the first: see [InferencePools](#inferencepools)',
  ),
};

/** Those that several Rollouts share. Each policy counts for itself, in its own scope. */
export const SHARED_LIMITS = [
  'maxDeliveriesPerNamespace',
  'maxDeliveriesPerCluster',
  'maxDeliveriesPerPolicy',
] as const satisfies readonly PolicyFieldName[];

/** The names of the table, in its order. */
export const POLICY_FIELD_NAMES: readonly PolicyFieldName[] = Object.keys(POLICY_FIELDS).filter(isFieldName);

function isFieldName(key: string): key is PolicyFieldName {
  return Object.hasOwn(POLICY_FIELDS, key);
}
