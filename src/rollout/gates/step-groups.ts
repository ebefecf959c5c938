/** Gates that ask whether the groups of the step in Git are all on the release and ready, and what keeps them. */

import { type Hold, hold } from '../hold.ts';
import { batchReady, toleratedFailures } from '../observed/batches.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { surgeInGit } from '../observed/surge.ts';
import { restartsOf } from '../progress/restarts.ts';
import { type Seen, type Situation, unavailableBudget, unreadyOf } from '../situation.ts';
import { type Advice, advice, budgetRaised, commandLine } from '../texts/advice.ts';
import { seeWhy } from '../texts/kubectl-text.ts';
import { capital, extraGroups, groupsAre, leadersAhead, notReady, whyUnready } from '../texts/sentences.ts';
import { blockedByUnreadyGroup } from './cluster.ts';
import { blockedByStatefulSetGate, troublesOf } from './trouble.ts';

/** The groups from the partition up that are not yet on the release and ready, as holds; empty: the step is done. */
export function waitingOnGroups(situation: Situation): readonly Hold[] {
  if (situation.view === 'unseen') return [situation.hold];
  if (situation.notApplied !== undefined) return [situation.notApplied];
  const { observed, asked, replicas, partition, snapshot, state } = situation;
  const from = Math.min(partition, replicas);
  const batch = wanted(observed, asked).filter((group) => group.index >= from);
  const updated = batch.filter((group) => group.version === 'release');
  // Extra groups are there to hold capacity: before the first step none of them may be missing.
  const prepares = state.kind === 'step' && state.row === 'surging';
  const failureThreshold = prepares ? undefined : snapshot.rollout?.rollout.failureThreshold;
  const counts = {
    desired: batch.length,
    updated: updated.length,
    updatedReady: updated.filter((group) => group.ready).length,
    failureThreshold,
  };
  if (updated.length < batch.length) {
    const missing = batch.filter((group) => group.version !== 'release');
    const below = { ...observed, groups: observed.groups.filter((group) => group.index < from) };
    const blocked = [
      blockedByUnreadyGroup({ ...situation, observed: below }),
      blockedByStatefulSetGate(situation, missing),
    ];
    const indexes = missing.map((group) => group.index);
    const begun = [...unreadyOf(updated), ...missing.filter(({ leader }) => leader.version === 'release')];
    return [
      ...troublesOf(situation, unreadyOf(batch)).holds,
      hold('GroupsNotUpdated', {
        seen: `${startingFirst(situation)}${capital(groupsAre(indexes))} not on the release yet${cameBackOld(situation, missing)}${leadersAhead(missing)}${unreadyNote(updated)}`,
        ...(begun.length === 0 ? { waits: 'groups' } : { action: ifItStays(situation, begun) }),
      }),
      ...blocked.filter((found) => found !== undefined),
    ];
  }
  const unready = unreadyOf(updated);
  if (!batchReady(counts)) return notReadyYet(situation, unready);
  return unready.length > 0 ? canStillMove(situation, { from, tolerated: toleratedFailures(counts) }) : [];
}

/** Groups that load, or never will: where nothing tells which, after some time only someone can. */
export function notReadyYet(situation: Situation, unready: readonly Group[]): readonly Hold[] {
  const { holds, others } = troublesOf(situation, unready);
  if (others.length === 0 && holds.length > 0) return holds;
  return [
    ...holds,
    hold('GroupsNotReady', {
      seen: `${startingFirst(situation)}${capital(groupsAre(others.map((group) => group.index)))} on the release and not ready yet${whyUnready(others)}`,
      action: ifItStays(situation, others),
    }),
  ];
}

/** In step 0: which groups are waited for, because that step itself is only to come. */
function startingFirst({ workload, state }: Situation): string {
  const made = surgeInGit(workload);
  if (made === undefined || state.kind !== 'step' || state.row !== 'surging') return '';
  return `${capital(extraGroups(made))} ${made.set - made.was === 1 ? 'starts' : 'start'} before step 1: `;
}

/** Seen on the release in this step, and recreated on the old version: by hand, or while the partition stood above it. */
function cameBackOld(situation: Situation, missing: readonly Group[]): string {
  const seen = restartsOf(situation).map((one) => one.index);
  const old = missing.filter(({ index, leader }) => seen.includes(index) && leader.version === 'stable');
  return old.length === 0
    ? ''
    : `; ${nameGroups(old.map((group) => group.index))} had been on it and came back on the old version: the partition is low enough to let that follow again`;
}

function unreadyNote(updated: readonly Group[]): string {
  const unready = unreadyOf(updated);
  return unready.length === 0
    ? ''
    : `; ${groupsAre(unready.map((group) => group.index))} on it and not ready${whyUnready(unready)}`;
}

function ifItStays({ snapshot }: Situation, groups: readonly Group[]): Advice {
  return advice`${seeWhy(snapshot.key, groups)}If it stays so: ${commandLine('abort', snapshot.key)}`;
}

/** Tolerated failures let a step pass only while LWS has budget left: with it spent, the next step would not move. */
function canStillMove(
  { observed, asked, maxUnavailable, snapshot, file }: Seen,
  at: { readonly from: number; readonly tolerated: number },
): readonly Hold[] {
  if (at.from === 0) return [];
  const groups = wanted(observed, asked);
  const budget = unavailableBudget(maxUnavailable, asked);
  if (reachOf(groups, budget) < at.from) return [];
  const failed = unreadyOf(groups.filter((group) => group.index >= at.from));
  return [
    hold('BlockedByFailedGroup', {
      seen: `${notReady(failed)}: ${failed.length} of ${at.tolerated} that failureThreshold tolerates, but maxUnavailable ${budget} is spent, so LWS would not move the next group`,
      action: advice`Mend it, ${budgetRaised('raise maxUnavailable', file)}, or: ${commandLine('abort', snapshot.key)}`,
    }),
  ];
}

/**
 * The lowest ordinal that LWS restarts while the unready groups stay unready: it counts the budget down from the
 * last group that is not ready and updated, and keeps it for unready ones below (reference: LWS
 * leaderworkerset_controller.go, rollingUpdatePartition).
 */
function reachOf(groups: readonly Group[], budget: number): number {
  const last = groups.findLast((group) => !group.ready || group.version !== 'release');
  const base = Math.max(0, (last?.index ?? -1) + 1 - budget);
  return base + groups.filter((group) => group.index < base && !group.ready).length;
}
