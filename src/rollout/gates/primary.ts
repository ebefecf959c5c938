/** Gates of the primary while a second workload is filled: groups that a hand released for update, that stop LWS, or have no node. */

import { unlessAccepted } from '../accepting.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { type Seen, type Situation, spendingOf, unavailableBudget } from '../situation.ts';
import { advice, commandLine, replicasSet } from '../texts/advice.ts';
import { notReady } from '../texts/sentences.ts';
import { hasMoved, haveAllMoved } from './cluster.ts';
import { astrayFacts } from './out-of-place.ts';

/**
 * Some groups of the primary are on the release, and no commit has released them. Who accepts that keeps these groups,
 * and nothing more: any other group, and the hold is back. Of all groups made again `Recreated` is said.
 */
export function letGoByHand(situation: Situation): Hold | undefined {
  if (situation.view === 'unseen' || !hasMoved(situation) || haveAllMoved(situation)) return undefined;
  const facts = astrayFacts(situation);
  if (facts === undefined) return undefined;
  const { file, snapshot } = situation;
  const moved = wanted(situation.observed, situation.asked).filter(({ version }) => version === 'release');
  const held = hold('UnexpectedGroups', {
    seen: `${nameGroups(moved.map(({ index }) => index))} of ${file.object.name} ${moved.length === 1 ? 'is' : 'are'} on the release, but no commit of tranche released a group for update. Someone lowered the partition, or edited the template while groups were released for update`,
    action: advice`To accept these groups and go on by the steps: ${commandLine('approve', snapshot.key, '--hold UnexpectedGroups')}; to go back: ${commandLine('abort', snapshot.key)}`,
  });
  return unlessAccepted(situation, 'UnexpectedGroups', withFacts(held, facts));
}

/**
 * A broken group on the stable version has spent the budget, and a ready one above it has still to go: LWS goes from the
 * highest ordinal down and passes no unready group below a ready one (trace 31m).
 */
export function primaryBlocked({ observed, asked, maxUnavailable }: Seen): Hold | undefined {
  const groups = wanted(observed, asked);
  const old = groups.filter((group) => group.version !== 'release' && isThere(group));
  const broken = spendingOf(old).filter(({ index }) => old.some((other) => other.ready && other.index > index));
  const budget = unavailableBudget(maxUnavailable, asked);
  if (broken.length === 0 || spendingOf(groups).length < budget) return undefined;
  const waiting = old.filter(({ ready }) => ready).map(({ index }) => index);
  return hold('BlockedByUnreadyGroup', {
    seen: `${notReady(broken)} and not on the new version; with maxUnavailable ${budget} spent, LWS does not move ${nameGroups(waiting)} until that heals`,
    action: 'Look at its pods and events',
  });
}

/** Its leader is there to stay: one that ends makes room for the new version. */
function isThere({ uid, leader }: Group): boolean {
  return uid !== '' && !leader.leaving;
}

/** A group that restarts on a full node has none until its old pods have ended: what lasts longer waits for people. */
const NO_NODE_SECONDS = 120;
/** More groups than this are counted. */
const QUOTED_MAX = 3;

/** Groups of the primary that no node has had a place for, for longer than a restart takes. */
export function groupsWithoutNodes({ observed, asked, snapshot }: Seen): readonly Group[] {
  return wanted(observed, asked).filter(
    ({ unschedulable, leader }) =>
      unschedulable !== undefined && snapshot.now - (leader.createdAt ?? snapshot.now) >= NO_NODE_SECONDS,
  );
}

/** The same for people, with both ways out; undefined: each has its nodes. */
export function withoutNodes(situation: Seen): Hold | undefined {
  const { asked, snapshot } = situation;
  const groups = groupsWithoutNodes(situation);
  if (groups.length === 0) return undefined;
  const quoted = groups
    .slice(0, QUOTED_MAX)
    .map(({ index, unschedulable: pod }) => `group ${index} has no capacity: pod ${pod?.pod}: ${pod?.why}`);
  const more = groups.length > QUOTED_MAX ? `; and ${groups.length - QUOTED_MAX} groups more` : '';
  return hold('Unschedulable', {
    seen: `${quoted.join('; ')}${more}`,
    action: advice`Free or add nodes, or lower ${replicasSet(`replicas from ${asked} to ${asked - groups.length}`, situation.file, asked - groups.length)}; to go back: ${commandLine('abort', snapshot.key)}`,
  });
}
