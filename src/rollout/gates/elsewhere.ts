/** At rest by the marks, and groups run another template than Git has: someone has put the file back, or a group came up so. */

import type { Instant } from '../../api/time.ts';
import { accepted } from '../accepting.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { keyOf } from '../observed/revisions.ts';
import { type Seen, type Situation, situationOf } from '../situation.ts';
import type { Snapshot, WorkloadFile } from '../snapshot.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { withRollout } from '../texts/order-lines.ts';

/**
 * Groups of a settled workload whose revision holds another template than Git, which is live. No edit of ours moves them
 * before someone accepts that: then they go back, as on any rollback. A file that was put back from Git in the middle of a
 * delivery has lost its marks with its template, and this is what is left to see.
 */
export function elsewhere(situation: Seen): Hold | undefined {
  const facts = elsewhereFacts(situation);
  if (facts === undefined) return undefined;
  const { file, snapshot } = situation;
  const orders = advice`${commandLine('abort', snapshot.key)}, or ${commandLine('approve', snapshot.key, '--hold GroupsElsewhere')}`;
  const held = hold('GroupsElsewhere', {
    seen: `the template of ${nameGroups(facts.groups)} of ${file.object.name} is not the one in ${file.file}, and by its annotations no delivery is in progress: the file was put back, or they came up so`,
    action: advice`To bring them to the template of the file, maxUnavailable at a time: ${withRollout(snapshot, orders)}; to keep theirs, put it into the file and deliver it`,
  });
  return withFacts(held, { groups: [...facts.groups] });
}

/**
 * The ordinals of these groups; undefined: there are none, or their revision is not known. The colour that serves is not asked for: where
 * that is the second one the user's own has none, and by its annotation alone anybody who merges would hide groups that serve.
 */
export function elsewhereFacts(situation: Seen): { readonly groups: readonly number[] } | undefined {
  const { state, observed, replicas, snapshot, workload, partition } = situation;
  // Of a rollback too, where that would take them on.
  const isAsked = state.kind === 'settled' || snapshot.behind !== undefined;
  if (!isAsked) return undefined;
  const { revisions } = snapshot.live;
  const known = revisions.kind === 'known' ? revisions.value : [];
  const isOther = (key: string | undefined): boolean => {
    const revision = key === observed.leaderSet.revisionKey ? undefined : known.find((one) => one.key === key);
    return revision !== undefined && keyOf({ content: workload.content }, undefined, [revision], []) === undefined;
  };
  const groups = wanted(observed, replicas).filter(
    // From the partition up LWS moves them itself.
    ({ index, uid, key }) => index < partition && uid !== '' && isOther(key),
  );
  return groups.length === 0 ? undefined : { groups: groups.map(({ index }) => index) };
}

/** Which of these groups run the stable template of that snapshot; `before`: those alone that are older than that. */
export function runningElsewhere(
  snapshot: Snapshot,
  file: WorkloadFile,
  before = Number.POSITIVE_INFINITY,
): 'none' | 'some' | 'all' {
  const situation = situationOf(snapshot, file);
  const groups = groupsElsewhere(situation);
  const running = groups.filter(
    ({ key, leader }) => key === situation.observed?.stableKey && key !== undefined && (leader.createdAt ?? 0) < before,
  );
  return running.length === 0 ? 'none' : running.length < groups.length ? 'some' : 'all';
}

/** Whether any of these groups is older than that: it runs what was there before. */
export function isOlderElsewhere(snapshot: Snapshot, file: WorkloadFile, before: Instant): boolean {
  return groupsElsewhere(situationOf(snapshot, file)).some(
    ({ leader }) => leader.createdAt !== undefined && leader.createdAt < before,
  );
}

function groupsElsewhere(situation: Situation): readonly Group[] {
  if (situation.view === 'unseen') return [];
  const { groups = [] } = elsewhereFacts(situation) ?? {};
  return wanted(situation.observed, situation.replicas).filter(({ index }) => groups.includes(index));
}

/** Whether someone has said that these very groups are to go back. */
export function isOrderedBack(situation: Situation): situation is Seen {
  if (situation.view === 'unseen' || elsewhereFacts(situation) === undefined) return false;
  const { behind, putBack } = situation.snapshot;
  if (behind !== undefined) return accepted(situation, 'GroupsBehind');
  return putBack !== undefined || accepted(situation, 'GroupsElsewhere');
}
