/** Every field of a RolloutPolicy once: how it is read, how the values of several policies become one, what it means. */

import {
  analyses,
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
import type { PolicyFieldName, PolicyRules } from './policy-rules.ts';
import { PROMOTIONS } from './promotion.ts';
import { UNDO_LIMIT } from './undo-limits.ts';

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
    'how many extra groups run during a delivery: `0`, or at least `maxUnavailable`. See [Hold capacity](#hold-capacity)',
  ),
  sizeChange: {
    ...words(['Refuse', 'Whole']),
    composition: 'grant',
    meaning: '`Whole`: one step may change the size of all groups. See [below](#changes-that-lws-cannot-take-in-steps)',
  },
  recreate: {
    ...words(['Refuse', 'Allow']),
    composition: 'grant',
    meaning: '`Allow`: if LWS can take a change in no other way, the workload may be deleted and re-created',
  },
  withoutDirectPush: {
    ...words(['Refuse', 'Accept']),
    composition: 'grant',
    meaning:
      '`Accept`: a delivery may start even if the rules of the branch refuse commits of tranche. Then only pull requests of people can lock it or roll it back. See [No direct push](#no-direct-push)',
  },
  maxStepGroups: cap(GROUPS, 'how many groups one step may release'),
  maxStepPercent: cap(PERCENT, 'how many percent of all groups one step may release: rounded down, at least one group'),
  maxFirstStepGroups: cap(GROUPS, 'how many groups the first step may release'),
  maxUnavailableGroups: cap(GROUPS, 'how large `maxUnavailable` of the workload may be, in groups'),
  minReadyGroups: least(GROUPS, 'how many groups must be ready at any time'),
  minReadyPercent: least(
    PERCENT,
    'how many percent of all groups must be ready at any time, rounded up. `100` needs a `surge`',
  ),
  maxGpus: cap(GPUS, 'how many GPUs the workload may take in total, including those of extra groups'),
  maxExtraGpus: cap(GPUS, 'how many GPUs extra groups may take'),
  maxStepTrafficPercent: cap(
    PERCENT,
    'by how many percent of all requests a step may raise the share of the new version. The promotion of blueGreen counts as such a step. The promotion of canary does not: its primary takes the new version group by group, under the limits for groups',
  ),
  maxFirstTrafficPercent: cap(PERCENT, 'how many percent of all requests the first share of the new version may be'),
  maxDeliveriesPerNamespace: cap(
    GROUPS,
    'how many deliveries may be in progress at a time in the namespace of the Rollout, including rollbacks',
  ),
  maxDeliveriesPerCluster: cap(
    GROUPS,
    'how many deliveries of this repository may be in progress at a time in the cluster, including rollbacks',
  ),
  maxDeliveriesPerPolicy: cap(
    GROUPS,
    'how many deliveries may be in progress at a time among the Rollouts that this policy applies to, including rollbacks',
  ),
  allow: windows('a step starts only inside one of these windows. See [Windows](#windows)'),
  deny: windows('no step starts inside one of these windows'),
  exceptions: exceptions('releases that the windows of this policy do not stop. See [Exceptions](#exceptions)'),
  leaveAtLeastSeconds: wait(
    SECONDS,
    'how much time must be left until the windows close for a step to start. It must also be enough for the groups of the step to load, by the longest load that was seen',
  ),
  soakSeconds: wait(
    SECONDS,
    'how long all groups of a step must have been ready before the next step starts. An approval does not shorten it',
  ),
  finalSoakSeconds: wait(SECONDS, 'how long all groups must have been ready on the release before it is settled'),
  drainSeconds: wait(
    SECONDS,
    'how long, at least, a version keeps its groups after its last new request, to answer what is open. If a route does not say how long a request may take, this replaces the 600 s that are assumed. If the value is lowered or deleted during a delivery, the earlier, longer one counts until the delivery ends',
  ),
  bakeSeconds: wait(
    SECONDS,
    'with blueGreen: how long the old colour keeps its groups once it gets no requests any more, at least ten minutes. Until then a rollback takes effect at once',
  ),
  promotion: {
    ...words(PROMOTIONS),
    composition: 'requirement',
    meaning:
      '`pullRequest`: someone approves each step, by a pull request or `tranche approve`. See [Pull requests](#pull-requests)',
  },
  pullRequestLabels: labels('labels that each pull request of a step gets'),
  pullRequestReviewers: reviewers(
    'who is asked once for a review of each pull request: logins, and teams as `org/name`. If the forge refuses one, tranche names it and does not wait for it',
  ),
  approvals: approvals(
    'each step is a pull request, and the forge must show who approved it. See [Approvals](#approvals)',
  ),
  applyDeadlineSeconds: cap(SECONDS, 'how long a step may take to be live in the cluster. See [Deadlines](#deadlines)'),
  scheduleDeadlineSeconds: cap(
    SECONDS,
    'how long the groups of a step may wait for nodes. See [Deadlines](#deadlines)',
  ),
  readyDeadlineSeconds: cap(
    SECONDS,
    'how long the groups of a step may take to be ready once they have nodes. If they take longer, the step has failed',
  ),
  deliveryApplyDeadlineSeconds: cap(
    SECONDS,
    'how long all steps of a release together may take to be live in the cluster',
  ),
  deliveryScheduleDeadlineSeconds: cap(
    SECONDS,
    'how long the groups of all steps of a release together may wait for nodes',
  ),
  deliveryReadyDeadlineSeconds: cap(
    SECONDS,
    'how long the groups of all steps of a release together may take to be ready once they have nodes. If they take longer, the step has failed',
  ),
  maxRestarts: cap(
    RESTARTS,
    'how often a group may be restarted in one step. If it is restarted more often, the step has failed',
  ),
  onFailure: {
    ...words(['hold', 'withdraw', 'rollback']),
    composition: 'choice',
    meaning:
      'what happens when a step has failed: `hold` (the default), `withdraw` (the share is withdrawn, the groups stay) or `rollback`. See [Deadlines](#deadlines)',
  },
  analyses: analyses(
    'names of Analyses. The metrics of a step must pass all of them before the next step or the promotion starts, and before the delivery is settled. See [Analysis](#analysis)',
  ),
  onAnalysisFailure: {
    ...words(['hold', 'withdraw', 'rollback']),
    composition: 'choice',
    meaning:
      'what happens when the metrics of a step have failed: `hold` (the default, whatever `onFailure` says), `withdraw` or `rollback`. `rollback` acts only for an Analysis that is named in `tranche.dev/analysed`',
  },
  analysisAccept: {
    ...words(['Refuse', 'Allow']),
    composition: 'choice',
    meaning: '`Refuse`: nobody may accept an analysis that has failed or is undecided. Default: `Allow`',
  },
  withoutRequests: {
    ...words(['Hold', 'Pass']),
    composition: 'grant',
    meaning: '`Pass`: a step goes on if its metrics show no request at all in `waitAtMostSeconds`',
  },
  notify: targets('who gets notifications of a delivery. See [Notifications](#notifications)'),
  notifyHoldSeconds: parameter(SECONDS, 'how long a hold may last before a notification is sent. Default: one hour'),
  undo: granted(
    { min: 0, max: UNDO_LIMIT },
    'how many settled releases back one `tranche undo` may go. Default: `1`. `0` refuses every undo. See [Undo](#undo)',
  ),
  undoWithinSeconds: granted(
    { min: 0, max: SECONDS.max },
    'how long after a release has settled `tranche undo` may take it back without steps. Default: one day. Later, the earlier template is delivered by the steps of the Rollout',
  ),
  inferencePools: pools(
    'two InferencePools, `{stable, canary}`, for a Rollout whose `service` is the name of the first. See [InferencePools](#inferencepools)',
  ),
};

/** The names of the table, in its order. */
export const POLICY_FIELD_NAMES: readonly PolicyFieldName[] = Object.keys(POLICY_FIELDS).filter(isFieldName);

function isFieldName(key: string): key is PolicyFieldName {
  return Object.hasOwn(POLICY_FIELDS, key);
}
