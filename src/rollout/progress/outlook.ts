/** Whether a group that does not serve just loads, or will not get ready: only the latter may cost others their capacity. */

import type { GroupRecord } from '../../api/record-groups.ts';
import type { Instant } from '../../api/time.ts';
import type { Group } from '../observed/groups.ts';
import { notBeforeRung, patienceWithin } from '../observed/unsigned.ts';
import type { Situation } from '../situation.ts';
import { CRASH_LOOP_RESTARTS, timesRestarted } from './restarts.ts';

/** Where no group has been seen loading, this is longer than most take. */
const LOAD_UNSEEN_SECONDS = 600;

/** A crash loop, or unready for longer than twice the longest load seen. */
export function willNotGetReady(situation: Situation, group: Group): boolean {
  if (group.ready) return false;
  const restarts = situation.snapshot.unsigned === undefined ? timesRestarted(situation, group) : group.restarts;
  if (restarts >= CRASH_LOOP_RESTARTS) return true;
  const { snapshot } = situation;
  const { record, now } = snapshot;
  const loads = record?.loads ?? [];
  const patience = patienceWithin(loads.length === 0 ? LOAD_UNSEEN_SECONDS : 2 * Math.max(...loads), snapshot);
  const since = unreadySince(
    group,
    record?.groups.find((one) => one.index === group.index),
  );
  return since !== undefined && now - notBeforeRung(since, snapshot) > patience;
}

/** Seconds of the longest load that was seen; where none was, as far as the record is borne out, more than most take. */
export function longestLoadSeconds({ snapshot }: Situation): number {
  const loads = snapshot.unsigned === undefined ? (snapshot.record?.loads ?? []) : [];
  return loads.length === 0 ? LOAD_UNSEEN_SECONDS : Math.max(...loads);
}

/** Its pod is younger than the longest load, or there is none for a moment: it may only load. */
export function onlyLoads(situation: Situation, group: Group): boolean {
  const { record, now } = situation.snapshot;
  const longest = longestLoadSeconds(situation);
  if (group.ready || willNotGetReady(situation, group)) return false;
  const { leaving, createdAt } = group.leader;
  const old = record?.groups.find((one) => one.index === group.index);
  const since = group.uid === '' || leaving ? (unreadySince(group, old) ?? now) : createdAt;
  return since !== undefined && now - since <= longest;
}

/** Pods that drain may take long to end; one that takes longer than this is on a node that does not answer. */
const LEAVING_MOST_SECONDS = 900;

/** In the rollback: it is on its way to stable, or between two pods, wherever it lies, unless that has taken too long. */
export function comesByItself(situation: Situation, group: Group): boolean {
  const { version, leaving } = group.leader;
  if (leaving) return !endsForTooLong(situation, group);
  return (group.uid === '' || version === 'release') && !willNotGetReady(situation, group);
}

function endsForTooLong({ snapshot }: Situation, group: Group): boolean {
  const before = snapshot.record?.groups.find((one) => one.index === group.index && one.uid === group.uid);
  return (
    before !== undefined && !before.ready && snapshot.now - notBeforeRung(before.since, snapshot) > LEAVING_MOST_SECONDS
  );
}

/** Of a group that the record knows; a group that was put on another revision since has only started to load. */
function unreadySince(group: Group, old: GroupRecord | undefined): Instant | undefined {
  if (old === undefined || old.ready) return undefined;
  if (old.unready !== undefined) return sameRevision(group, old.unready.revision) ? old.unready.since : undefined;
  return old.uid === group.uid || group.uid === '' ? old.since : undefined;
}

/** Since when a group that is not ready has been so on its revision, whichever pod is its leader; for the record. */
export function unreadyAfter(group: Group, old: GroupRecord | undefined, now: Instant): GroupRecord['unready'] {
  if (group.ready) return undefined;
  const since = Math.min(unreadySince(group, old) ?? now, now);
  return { since, revision: group.leader.key ?? old?.unready?.revision ?? '' };
}

/** Between two leaders there is none to tell. */
function sameRevision({ leader }: Group, revision: string): boolean {
  return leader.key === undefined || leader.key === revision;
}
