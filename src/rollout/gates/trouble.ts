/** Gates that tell why groups of the step do not come: no place for a pod, a crash loop, a StatefulSet that never replaces. */

import { floorOf } from '../../api/int-or-percent.ts';
import type { JsonObject } from '../../api/json.ts';
import type { GroupRestarts } from '../../api/record-groups.ts';
import { printInstant } from '../../api/time.ts';
import { unlessAccepted } from '../accepting.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import type { Group } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { CRASH_LOOP_RESTARTS, recordedGroup, restartsOf, timesRestarted } from '../progress/restarts.ts';
import { groupReadyAt } from '../progress/soak.ts';
import { type Seen, type Situation, unreadyOf } from '../situation.ts';
import { type Advice, advice, budgetRaised, commandLine, podsDeleted } from '../texts/advice.ts';
import { seeWhy } from '../texts/kubectl-text.ts';
import { capital, groupsAre, notReady } from '../texts/sentences.ts';

/** A group that has restarted so often counts as well once it has been ready for this long. */
const CRASH_LOOP_QUIET_SECONDS = 600;
/** More groups than this are counted, not reported one by one. */
const TOLD_MAX = 3;

/** Unready groups of the release whose trouble is known, as holds, and the groups that just are not ready yet. */
export function troublesOf(
  situation: Situation,
  unready: readonly Group[],
): { readonly holds: readonly Hold[]; readonly others: readonly Group[] } {
  const looping = unready.filter((group) => isLooping(situation, group));
  const unplaced = unready.filter((group) => !looping.includes(group) && group.unschedulable !== undefined);
  const holds = [
    ...(looping.length === 0 ? [] : [hold('GroupCrashLoop', crashLoop(situation, looping))]),
    ...(unplaced.length === 0 ? [] : [unschedulable(situation, unplaced)]),
  ];
  return { holds, others: unready.filter((group) => !looping.includes(group) && !unplaced.includes(group)) };
}

/** Groups that were restarted again and again hold the next step, unless someone lets it follow. */
export function crashLooping(situation: Seen): Hold | undefined {
  return unlessAccepted(situation, 'GroupCrashLoop', loopedLately(situation));
}

/**
 * Groups of the release that are ready just now and were restarted again and again: the next step waits until they
 * have stayed up for a while.
 */
function loopedLately(situation: Seen): Hold | undefined {
  const { snapshot } = situation;
  const looping = loopingReady(situation);
  const facts = crashLoopingFacts(situation);
  if (facts === undefined) return undefined;
  const left = looping.map((group) => CRASH_LOOP_QUIET_SECONDS - readySeconds(situation, group));
  const { seen, action } = crashLoop(situation, looping);
  const wait = advice`Ready just now: counts once it has stayed so for ${CRASH_LOOP_QUIET_SECONDS} s, or with: ${commandLine('approve', snapshot.key, '--hold GroupCrashLoop')}`;
  return withFacts(hold('GroupCrashLoop', { seen, action: advice`${action}. ${wait}` }, Math.max(1, ...left)), facts);
}

/** Each with its leader and how often it was started again: another start is another thing to accept. */
export function crashLoopingFacts(situation: Seen): JsonObject | undefined {
  const looping = loopingReady(situation);
  if (looping.length === 0) return undefined;
  return {
    groups: looping.map((group) => ({
      index: group.index,
      leader: group.uid,
      restarts: timesRestarted(situation, group),
    })),
  };
}

function loopingReady(situation: Seen): readonly Group[] {
  const { observed, asked } = situation;
  return wanted(observed, asked).filter((group) => group.ready && isLooping(situation, group));
}

function isLooping(situation: Situation, group: Group): boolean {
  if (group.leader.version !== 'release' || timesRestarted(situation, group) < CRASH_LOOP_RESTARTS) return false;
  return !group.ready || readySeconds(situation, group) < CRASH_LOOP_QUIET_SECONDS;
}

function readySeconds(situation: Situation, group: Group): number {
  const recorded = recordedGroup(situation, group);
  const { now, unsigned } = situation.snapshot;
  if (recorded?.ready !== true) return 0;
  const shown = groupReadyAt(group) ?? (unsigned === undefined ? recorded.since : now);
  return Math.max(0, now - Math.max(recorded.since, shown));
}

function restartsOfGroup(situation: Situation, group: Group): GroupRestarts | undefined {
  return restartsOf(situation).find((one) => one.index === group.index);
}

function crashLoop(situation: Situation, groups: readonly Group[]): { readonly seen: string; readonly action: Advice } {
  const { key } = situation.snapshot;
  const told = groups.slice(0, TOLD_MAX).map((group) => restarted(situation, group));
  const more = groups.length > TOLD_MAX ? `; and ${groups.length - TOLD_MAX} groups more` : '';
  const unready = groups.find((group) => !group.ready);
  const state = unready === undefined ? '' : `. ${capital(notReady(unreadyOf(groups)))}`;
  return {
    seen: `${told.join('; ')}${more}${state}`,
    action: advice`${seeWhy(key, groups) || 'Look at the logs of its pods while they live, and at the events. '}To abort the release: ${commandLine('abort', key)}`,
  };
}

/** LWS starts the whole group again unless its restart policy is None: its pods then always look young. */
function restarted(situation: Situation, group: Group): string {
  const seen = restartsOfGroup(situation, group);
  if (seen?.since === undefined || seen.count < group.restarts)
    return `a container of group ${group.index} was restarted ${group.restarts} times`;
  return `group ${group.index} was restarted ${seen.count} times in this step, the first time seen at ${printInstant(seen.since)}`;
}

function unschedulable({ snapshot }: Situation, groups: readonly Group[]): Hold {
  const told = groups
    .slice(0, TOLD_MAX)
    .map(({ index, unschedulable: pod }) => `group ${index} has no capacity: pod ${pod?.pod}: ${pod?.why}`);
  const more = groups.length > TOLD_MAX ? `; and ${groups.length - TOLD_MAX} groups more` : '';
  return hold('Unschedulable', {
    seen: `${told.join('; ')}${more}`,
    action: advice`Free or add nodes for it, or abort the release: ${commandLine('abort', snapshot.key)}`,
  });
}

/**
 * With the gate on, the StatefulSet controller of Kubernetes 1.35 and 1.36 counts broken pods of the old version
 * against maxUnavailable and never replaces them once it is spent (traces 15, 15b; kubernetes#137409). LWS is not asked.
 */
export function blockedByStatefulSetGate(situation: Seen, missing: readonly Group[]): Hold | undefined {
  const { observed, asked, snapshot } = situation;
  const most = observed.leaderSet.maxUnavailable;
  if (most === undefined) return undefined;
  const budget = Math.max(1, floorOf(most, asked));
  // The StatefulSet sees leaders only.
  const down = wanted(observed, asked).filter((group) => !group.leader.ready);
  const stuck = missing.filter(
    ({ index, uid, leader }) =>
      uid !== '' &&
      index >= observed.leaderSet.partition &&
      leader.version !== 'release' &&
      !leader.ready &&
      !leader.leaving,
  );
  if (stuck.length === 0 || down.length < budget) return undefined;
  const pods = stuck.slice(0, TOLD_MAX).map((group) => `${snapshot.workload?.object.name}-${group.index}`);
  return hold('BlockedByStatefulSetGate', {
    seen: `${groupsAre(stuck.map((group) => group.index))} to be replaced and not ready, and maxUnavailable ${most} of the leader StatefulSet is spent: with the feature gate MaxUnavailableStatefulSet on, Kubernetes 1.35 and 1.36 then never replace a broken pod`,
    action: advice`Delete ${podsDeleted(pods)}, ${budgetRaised('raise maxUnavailable', situation.file)}, or: ${commandLine('abort', snapshot.key)}`,
  });
}
