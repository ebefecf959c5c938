/** At rest by the marks, and groups run another template than Git has: someone has put the file back, or a group came up so. */

import { accepted } from '../accepting.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import { secondServes } from '../ladders/ladder-files.ts';
import { nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { keyOf } from '../observed/revisions.ts';
import { type Seen, type Situation, situationOf } from '../situation.ts';
import type { Snapshot, WorkloadFile } from '../snapshot.ts';
import { advice, commandLine } from '../texts/advice.ts';

/**
 * Groups of a settled workload whose revision holds another template than Git, which is live. No edit of ours moves them
 * before someone accepts that: then they go back, as on any rollback. A file that was put back from Git in the middle of a
 * delivery has lost its marks with its template, and this is what is left to see.
 */
export function elsewhere(situation: Seen): Hold | undefined {
  const facts = elsewhereFacts(situation);
  if (facts === undefined) return undefined;
  const { file, snapshot } = situation;
  const held = hold('GroupsElsewhere', {
    seen: `the template of ${nameGroups(facts.groups)} of ${file.object.name} is not the one in ${file.file}, and by its annotations no delivery is in progress: the file was put back, or they came up so`,
    action: advice`To bring them to the template of the file, maxUnavailable at a time: ${commandLine('abort', snapshot.key)}, or ${commandLine('approve', snapshot.key, '--hold GroupsElsewhere')}; to keep theirs, put it into the file and deliver it`,
  });
  return withFacts(held, { groups: [...facts.groups] });
}

/** The ordinals of these groups; undefined: there are none, or their revision is not known. */
export function elsewhereFacts(situation: Seen): { readonly groups: readonly number[] } | undefined {
  const { state, marks, observed, replicas, snapshot, workload, partition } = situation;
  // Of a rollback too, where that would take them on.
  const isAsked = state.kind === 'settled' || snapshot.behind !== undefined;
  if (!isAsked || secondServes(snapshot, marks)) return undefined;
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

/** Whether any of these groups runs the stable template of that snapshot. */
export function runsAmongElsewhere(snapshot: Snapshot, file: WorkloadFile): boolean {
  const situation = situationOf(snapshot, file);
  if (situation.view === 'unseen' || situation.observed.stableKey === undefined) return false;
  const { observed, replicas } = situation;
  const { groups = [] } = elsewhereFacts(situation) ?? {};
  return wanted(observed, replicas).some(({ index, key }) => groups.includes(index) && key === observed.stableKey);
}

/** Whether someone has said that these very groups are to go back. */
export function isOrderedBack(situation: Situation): situation is Seen {
  if (situation.view === 'unseen' || elsewhereFacts(situation) === undefined) return false;
  return accepted(situation, situation.snapshot.behind === undefined ? 'GroupsElsewhere' : 'GroupsBehind');
}
