/** Gates that look at the cluster: is Git's state live, and can the next groups move without harm. */

import { emptiesDiffer } from '../../api/content-match.ts';
import type { JsonObject } from '../../api/json.ts';
import { shortDigest } from '../../api/release.ts';
import { takesTurns } from '../../api/styles.ts';
import { VERSION, versionIn } from '../../api/version-label.ts';
import { unlessAccepted } from '../accepting.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import { styleInUse } from '../ladders/ladder-files.ts';
import { nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import {
  type Observed,
  type Seen,
  type Situation,
  scalerUnreadable,
  spendingOf,
  unavailableBudget,
} from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { advice, commandLine, leadersDeleted, replicasRaised } from '../texts/advice.ts';
import { capital, groupsAre, notReady } from '../texts/sentences.ts';

/** What Git says is not live yet, or not seen by LWS. */
export function notApplied(situation: Situation): Hold | undefined {
  return situation.notApplied;
}

/** How many groups there are to be is not known. Where the workload itself is not read, that says it all. */
export function replicasUnknown({ replicas, snapshot, notApplied: unread }: Situation): Hold | undefined {
  if (replicas !== undefined) return undefined;
  return snapshot.live.lws.kind === 'unknown' && unread !== undefined ? unread : scalerUnreadable(snapshot);
}

/**
 * At zero groups the partition guards nothing (trace 09): who scales up chooses the template of Git for all of them. On a rollback
 * that is the stable one; before, it is what may not be wanted, and an abort puts the stable one back first.
 */
export function scaledToZero({ replicas, state, snapshot, file }: Situation): Hold | undefined {
  if (replicas !== 0) return undefined;
  if (state.kind === 'rollback')
    return hold('ScaledToZero', {
      seen: 'replicas is 0, and the stable template is in Git: all groups start on it',
      action: advice`${replicasRaised('Scale up', file)}, and the rollback ends once they are ready`,
    });
  return hold('ScaledToZero', {
    seen: 'replicas is 0: when it is scaled up, all groups start on the template of Git; the partition does not hold them back',
    action: advice`To start them on the stable template, before you scale up: ${commandLine('abort', snapshot.key)}; to start all of them on the new one, ${replicasRaised('scale up', file)}`,
  });
}

/**
 * With the budget spent by groups that the release has not touched, LWS does not move: not the release's fault.
 * `below`: groups from there up are the release's, even while they are not on it yet.
 */
export function blockedByUnreadyGroup(
  { observed, maxUnavailable, asked }: Seen,
  below = Number.POSITIVE_INFINITY,
): Hold | undefined {
  const unready = spendingOf(wanted(observed, asked));
  const old = unready.filter((group) => group.version !== 'release' && group.index < below);
  const budget = unavailableBudget(maxUnavailable, asked);
  if (old.length === 0 || unready.length < budget) return undefined;
  return hold('BlockedByUnreadyGroup', {
    seen: `${notReady(old)} and not on the new version; with maxUnavailable ${budget} spent, LWS moves nothing until that heals`,
    action: 'Look at its pods and events',
  });
}

/** Groups on a version that is neither the new nor the stable one. */
export function mixedRevisions({ observed, asked, file }: Seen): Hold | undefined {
  if (observed.stableKey === undefined) return undefined;
  const others = wanted(observed, asked).filter((group) => group.version === 'other' && group.key !== undefined);
  if (others.length === 0) return undefined;
  return hold('MixedRevisions', {
    seen: `${groupsAre(others.map((group) => group.index))} on neither the stable nor the requested template`,
    action: advice`Wait, or delete ${leadersDeleted('the leader pod', file, others)} to let it follow`,
  });
}

/** The objects are not those that the delivery started with: everything in them came up on Git's template (trace 29l). */
export function recreated(situation: Situation): Hold | undefined {
  const { observed, snapshot } = situation;
  if (observed === undefined) return undefined;
  // What is filled is to be on the release, whichever object it is.
  if (situation.state.kind === 'ladder' && situation.marks?.serves === 'green') return undefined;
  const which = fresh(situation, observed);
  // Without a record the groups tell: no commit has let any of them go.
  const isAstray = situation.state.kind === 'ladder' && situation.state.marks.restore?.floor === undefined;
  const onQueued = which === undefined && areOnQueued(situation);
  if (which === undefined && !onQueued && !(isAstray && haveAllMoved(situation))) return undefined;
  const stay = stableGroups(situation);
  const { name } = situation.file.object;
  const seen = onQueued
    ? `all groups of ${name} are on the newer template of the file, which no step of this delivery has released: its commit was reverted, or somebody lowered the partition`
    : which === undefined
      ? `all groups of ${name} are on the release, though no commit has released any for update: the object was re-created, or somebody lowered the partition`
      : `the ${which} is not the one that this delivery started with: ${stay.length === 0 ? 'all groups came up on the template of Git' : `so says the record, and ${groupsAre(stay)} on the stable template all the same`}`;
  const held = hold('Recreated', {
    seen,
    action: advice`To ${stay.length === 0 ? 'accept that' : 'go on by its steps'}: ${commandLine('approve', snapshot.key, '--hold Recreated')}; to go back: ${commandLine('abort', snapshot.key)}`,
  });
  return withFacts(held, onQueued ? { ...uidsOf(observed), template: situation.digest } : uidsOf(observed));
}

/**
 * Groups that are ready on the stable template: what was made again has none of these, and who accepts that it was has accepted
 * nothing of them. A record says so that nobody has signed, or their pods were kept. Empty: none is, or none is seen.
 */
function stableGroups(situation: Situation): readonly number[] {
  if (situation.view === 'unseen') return [];
  const { stableKey, releaseKey } = situation.observed;
  if (stableKey === undefined || stableKey === releaseKey) return [];
  const stay = wanted(situation.observed, situation.asked).filter(({ key, ready }) => ready && key === stableKey);
  return stay.map(({ index }) => index);
}

/**
 * Whether all that is there came up on the template of Git: only then does who accepts `Recreated` lock the step, or take all groups. Of
 * what is not seen nobody knows, where no group is there none tells, and one on the stable template that is not ready just now would
 * restart as well.
 */
export function cameUpWhole(situation: Situation): boolean {
  if (situation.view === 'unseen') return false;
  const there = wanted(situation.observed, situation.asked).filter(({ uid }) => uid !== '');
  return there.length > 0 && there.every(({ version }) => version === 'release');
}

/** The same, unless someone has accepted it: what goes on from there then is the strategy's own. */
export function recreatedUnaccepted(situation: Situation): Hold | undefined {
  return unlessAccepted(situation, 'Recreated', recreated(situation));
}

/**
 * Whether a step's groups are all on the newer template that the file has in addition, which no step has let any follow: by a
 * revert of the commit that superseded the release, or by a partition that a hand had set. They are no evidence for the release
 * of the marks. A signed record can tell that both are one revision; one that nobody has signed ends no hold.
 */
function areOnQueued(situation: Situation): boolean {
  const { state, digest, snapshot } = situation;
  if (state.kind !== 'step' || situation.view === 'unseen' || digest === state.marks.release.digest) return false;
  const { observed, asked } = situation;
  const { releaseKey, stableKey } = observed;
  if (releaseKey === undefined || releaseKey === stableKey) return false;
  const told = snapshot.unsigned === undefined ? snapshot.record?.revision : undefined;
  if (told?.digest === state.marks.release.digest && told.key === releaseKey) return false;
  const groups = wanted(observed, asked);
  return groups.length > 0 && groups.every(({ key }) => key === releaseKey);
}

/** Which object is another than the one that the record has; undefined: none, or there is no record. */
function fresh(situation: Situation, { lws, leaderSet }: Observed): string | undefined {
  const { snapshot, file } = situation;
  const before = snapshot.record?.uids;
  if (before === undefined || allOnStable(situation)) return undefined;
  // While the Rollout named another workload nobody looked at this one.
  if (before.name !== undefined && before.name !== file.object.name) return undefined;
  if (before.lws !== lws.uid) return 'LeaderWorkerSet';
  return before.leaderSet === leaderSet.uid ? undefined : 'leader StatefulSet';
}

/**
 * Whether no rung lets the user's own workload go here: in steps, and in blueGreen to the end where it serves the stable
 * version. What is filled itself is released for update by its share alone.
 */
export function staysPut({ state, marks, snapshot }: Pick<Situation, 'state' | 'marks' | 'snapshot'>): boolean {
  if (state.kind !== 'ladder' || marks?.serves === 'green') return false;
  const style = styleInUse(snapshot);
  return state.stage.kind === 'step' || (state.stage.kind === 'promote' && takesTurns(style));
}

/** While a second workload is filled: groups of the user's own that serves are on what is delivered all the same. */
export function hasMoved(situation: Situation): boolean {
  const { observed } = situation;
  if (!staysPut(situation)) return false;
  if (observed === undefined || situation.notApplied !== undefined || observed.releaseKey === observed.stableKey)
    return false;
  return observed.groups.some(({ version, uid }) => version === 'release' && uid !== '');
}

/** The same of all groups that are there. */
export function haveAllMoved(situation: Situation): boolean {
  const { observed } = situation;
  const there = observed?.groups.filter(({ uid }) => uid !== '') ?? [];
  return hasMoved(situation) && there.every(({ version }) => version === 'release');
}

/** Re-created before anything was asked for, they came up on the stable template: a request starts with them as they are. */
function allOnStable(situation: Situation): boolean {
  if (situation.state.kind !== 'requested' || situation.view === 'unseen') return false;
  const { observed, asked } = situation;
  if (observed.stableKey === undefined) return false;
  const groups = wanted(observed, asked);
  return groups.length === asked && groups.every((group) => group.key === observed.stableKey);
}

/** The objects that are there instead; undefined: they are the ones that the delivery started with. */
export function recreatedFacts(situation: Situation): JsonObject | undefined {
  return recreated(situation)?.facts;
}

function uidsOf({ lws, leaderSet }: Observed): JsonObject {
  return { leaderWorkerSet: lws.uid, leaderStatefulSet: leaderSet.uid };
}

/**
 * The same template is another revision than before, and no commit did that: a new version of the controller, another
 * default, or a webhook that writes into the object (lws#1016, lws#797). Silent where nobody is left on the old one.
 */
export function revisionChanged({ observed, snapshot, workload, digest, replicas, partition }: Seen): Hold | undefined {
  const before = snapshot.record?.revision;
  const now = observed.releaseKey;
  if (now === undefined || before === undefined || before.digest !== digest || before.key === now) return undefined;
  // Where only an empty map came or went, the template looks applied while LWS still has the stable one.
  const { stable } = snapshot;
  if (stable.kind === 'known' && emptiesDiffer(workload.content, stable.value.content)) return undefined;
  const groups = wanted(observed, replicas);
  const behind = groups.filter((group) => group.key === before.key).map((group) => group.index);
  if (behind.length === 0) return undefined;
  const free = behind.filter((index) => index >= partition);
  const effect =
    free.length === 0
      ? `Partition ${partition} keeps them there: nothing restarts by itself, and they follow with the next release`
      : `${capital(nameGroups(free))} at or above partition ${partition} will restart onto it`;
  return hold('RevisionChanged', {
    seen: `the template of ${shortDigest(digest)} was revision ${before.key} and is ${now} now, ${causeOf(snapshot)} ${capital(groupsAre(behind))} on the old one. ${effect}`,
    waits: free.length === 0 ? 'people' : 'controllers',
  });
}

/** A label by which requests find a version is covered by no release, so that a template written again may have lost it. */
function causeOf({ ladder, live: { leaders } }: Snapshot): string {
  const label = ladder === undefined ? undefined : versionIn(ladder.own);
  const labels = ladder === undefined || leaders.kind !== 'known' ? [] : leaders.value.map(({ version }) => version);
  return labels.every((one) => one === label)
    ? 'though no commit changed it: was the LWS controller, its CRD or a webhook changed?'
    : `because the label ${VERSION} of its leaders was edited, which no release covers.`;
}
