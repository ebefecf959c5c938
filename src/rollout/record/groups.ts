/** What the record remembers of groups: since when each is as it is, and how long the last of them took to load. */

import type { GroupRecord } from '../../api/record-groups.ts';
import type { Instant } from '../../api/time.ts';
import type { Group } from '../observed/groups.ts';
import { unreadyAfter } from '../progress/outlook.ts';
import { groupReadyAt } from '../progress/soak.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { shownVersions } from './shown.ts';

/** How many loads are remembered: enough for a median, and soon forgotten when models change. */
const LOADS_LIMIT = 5;
/** What takes longer was broken and mended, or nobody looked: it tells nothing about loading. */
const LOAD_MOST_SECONDS = 86_400;

type GroupMemory = { readonly groups: readonly GroupRecord[]; readonly loads: readonly number[] };

/** The groups of one workload as the record knows them; undefined: nobody has looked, so that no leader was seen to come. */
type Known = readonly GroupRecord[] | undefined;

/** The groups as this pass sees them. A pass that sees none forgets nothing. */
export function groupsAfter(snapshot: Snapshot, situation: Situation | undefined): GroupMemory {
  const before = snapshot.record?.groups ?? [];
  const loads = snapshot.record?.loads ?? [];
  if (situation?.observed === undefined) return { groups: before, loads };
  const versionOf = shownVersions(situation);
  const seen = situation.observed.groups.map((group) => ({ ...group, version: versionOf(group) }));
  // Without a record every leader looks new.
  const { groups, loads: fresh } = followed(snapshot, seen, before.length === 0 ? undefined : before);
  return { groups, loads: withLoads(loads, fresh) };
}

/** The groups of one workload after this pass, and how long those that have become ready took. */
export function followed(snapshot: Snapshot, seen: readonly Group[], before: Known): GroupMemory {
  const entries = seen.map((group) => {
    const old = before?.find((one) => one.index === group.index);
    const at = { snapshot, old, isSeenComing: before !== undefined };
    return { record: groupRecord(group, at), seconds: loadSeconds(group, at) };
  });
  return {
    groups: entries.map(({ record }) => record),
    loads: entries.flatMap(({ seconds }) => (seconds === undefined ? [] : [seconds])),
  };
}

/** The newest of them. */
export function withLoads(loads: readonly number[], fresh: readonly number[]): readonly number[] {
  return [...loads, ...fresh].slice(-LOADS_LIMIT);
}

type Followed = {
  readonly snapshot: Snapshot;
  readonly old: GroupRecord | undefined;
  /** Whether a leader that the record does not know has come since. */
  readonly isSeenComing: boolean;
};

function groupRecord(group: Group, at: Followed): GroupRecord {
  const { snapshot, old } = at;
  const { index, uid, version, ready } = group;
  // A release that starts, or is aborted, gives another name to groups that serve on as they did.
  const isSame = old !== undefined && old.uid === uid && old.ready === ready;
  const same = isSame && (ready || old.version === version);
  const own = ready ? groupReadyAt(group) : undefined;
  const first = same ? noLaterThanNow(old.since, snapshot) : snapshot.now;
  const since = own === undefined || own > snapshot.now ? first : Math.max(first, own);
  const loadingSince = ready ? undefined : startOfLoading(group, at);
  const unready = unreadyAfter(group, old, snapshot.now);
  return {
    index,
    uid,
    version,
    ready,
    since,
    ...(loadingSince === undefined ? {} : { loadingSince }),
    ...(unready === undefined ? {} : { unready }),
  };
}

/** When its leader came into being; undefined for one that had been ready, and for one that nobody saw come. */
function startOfLoading(group: Group, { snapshot, old, isSeenComing }: Followed): Instant | undefined {
  if (group.uid === '') return undefined;
  if (old?.uid === group.uid)
    return old.loadingSince === undefined ? undefined : noLaterThanNow(old.loadingSince, snapshot);
  return isSeenComing ? noLaterThanNow(group.leader.createdAt, snapshot) : undefined;
}

/** From the leader's creation to the pass that saw the group ready; by the leader's own word where no pass was in between. */
function loadSeconds(group: Group, { snapshot, old, isSeenComing }: Followed): number | undefined {
  if (!group.ready) return undefined;
  const { createdAt, readyAt } = group.leader;
  const watched = old?.uid === group.uid;
  const from = watched ? latest(old.loadingSince, createdAt) : isSeenComing ? createdAt : undefined;
  const to = watched ? snapshot.now : readyAt;
  if (from === undefined || to === undefined) return undefined;
  return to > from && to - from <= LOAD_MOST_SECONDS ? to - from : undefined;
}

/** A leader loads since it is there, whatever a clock that was behind has made of that. */
function latest(since: Instant | undefined, createdAt: Instant | undefined): Instant | undefined {
  return since === undefined ? undefined : Math.max(since, createdAt ?? since);
}

/** A time of the record; one that is still to come was written by a clock that ran ahead, and counts from now. */
export function noLaterThanNow(since: Instant | undefined, { now }: Snapshot): Instant {
  return Math.min(since ?? now, now);
}
