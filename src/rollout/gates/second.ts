/** Gates of deliveries that fill a second workload: what such a delivery cannot carry, and what was changed by hand. */

import { MADE_FOR, TEXT } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import { shellWord } from '../../api/shell-word.ts';
import { takesTurns, updatesPrimary } from '../../api/styles.ts';
import { immutableChanges } from '../edits/recreate-change.ts';
import { wholeChange } from '../edits/size-change.ts';
import { type Hold, hold } from '../hold.ts';
import { annotationsOf, replicasOf, secondName } from '../ladders/delivery.ts';
import { hasIdle, isItsScaler } from '../ladders/floor.ts';
import { styleInUse } from '../ladders/ladder-files.ts';
import { plannedGroups } from '../observed/batches.ts';
import { wanted } from '../observed/groups-asked.ts';
import { type Seen, type Situation, unavailableBudget } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { advice, commandLine, lastLeft, replicasRaised, replicasSet } from '../texts/advice.ts';
import { groupCount, groupsAre, nameFirst } from '../texts/sentences.ts';
import type { RouteDocument } from '../traffic/provider.ts';

/**
 * Groups that Git asks for of the workload that serves: blueGreen leaves the user's own at none every other time, and from
 * the rung `all` on it is the new colour that serves.
 */
function servingReplicas(situation: Situation): number | undefined {
  const { snapshot, marks, replicas } = situation;
  const isGreen = (marks?.serves === 'green') !== isOver(situation);
  return isGreen ? replicasOf(snapshot.ladder?.second) : replicas;
}

/** blueGreen: all requests are sent to the new colour. */
function isOver({ snapshot, marks }: Situation): boolean {
  const style = styleInUse(snapshot);
  const at = marks?.step?.kind === 'promote' ? marks.at : undefined;
  return takesTurns(style) && (at === 'all' || at === 'switch' || at === 'route-restored');
}

/** blueGreen: the colour that serves has no document any more, and an agent that prunes takes it down. */
export function servingGone({ snapshot, marks, file }: Situation): Hold | undefined {
  const { ladder } = snapshot;
  const style = styleInUse(snapshot);
  if (marks?.serves !== 'green' || style === undefined || !takesTurns(style)) return undefined;
  if (ladder === undefined || ladder.second !== undefined) return undefined;
  const name = secondName({ plan: { style }, own: file });
  return hold('CanaryEdited', {
    seen: `${file.file}: LeaderWorkerSet ${name}, which serves, is not among the files: an agent that prunes deletes it, and its requests go to nobody`,
    action: advice`Put it back ${lastLeft('as the last commit of tranche left it', [file.file])}: git log -p ${shellWord(file.file)}`,
  });
}

/** Nothing serves, so that there is nothing to compare a new version with. */
export function nothingServes(situation: Situation): Hold | undefined {
  const gone = servingGone(situation);
  if (gone !== undefined) return gone;
  return servingReplicas(situation) === 0 ? noneToServe(situation) : undefined;
}

/**
 * Groups that are added to none start on the template of Git. In the user's own that is the new one from the request on,
 * which nobody has approved for all requests before its steps are done.
 */
function noneToServe(situation: Situation): Hold {
  const { file, marks, snapshot, state } = situation;
  const isGreen = (marks?.serves === 'green') !== isOver(situation);
  const served = isGreen ? (snapshot.ladder?.second ?? file) : file;
  const { name } = served.object;
  if (isGreen || isOver(situation) || (state.kind === 'ladder' && state.stage.kind === 'promote'))
    return hold('ScaledToZero', {
      seen: `replicas of ${name}, which is to serve, is 0`,
      action: advice`${replicasRaised(`Raise the replicas of ${name}`, served)}`,
    });
  const back =
    state.kind === 'ladder'
      ? 'the stable template returns at once, and requests once it serves'
      : 'its stable template returns';
  return hold('ScaledToZero', {
    seen: `replicas of ${name} is 0: groups that are added now start on the new template, because Git has it; the partition does not hold them back`,
    action: advice`First: ${commandLine('abort', snapshot.key)} (${back}), and ${replicasRaised(`raise the replicas of ${name}`, served)} then`,
  });
}

/** The second workload serves, and the strategy does not know it: S would be rolled at no groups. */
export function greenServing({ snapshot, marks, file }: Situation): Hold | undefined {
  const style = snapshot.rollout?.rollout.style;
  if (marks?.serves !== 'green' || style === undefined || takesTurns(style)) return undefined;
  return hold('GreenServes', {
    seen: `${file.file}: the second LeaderWorkerSet of ${file.object.name} serves, and the strategy of the Rollout is not blueGreen any more`,
    action: 'Deliver once more by blueGreen, which brings the requests back, and change the strategy then',
  });
}

/** blueGreen: the colour that does not serve has groups, though no delivery is in progress. Emptied, they would be missed. */
export function idleScaled({ snapshot, marks, replicas, file }: Situation): Hold | undefined {
  if (!takesTurns(snapshot.rollout?.rollout.style)) return undefined;
  const { second } = snapshot.ladder ?? {};
  const isOwn = marks?.serves === 'green';
  // One that is not ours is no colour.
  const isOurs = second !== undefined && annotationsOf(second)[MADE_FOR] === file.object.name;
  const groups = isOwn ? replicas : isOurs ? replicasOf(second) : 0;
  if (groups === undefined || groups === 0) return undefined;
  const name = isOwn ? file.object.name : (second?.object.name ?? '');
  return hold('IdleScaled', {
    seen: `${(isOwn ? undefined : second?.file) ?? file.file}: ${name} does not serve, but has replicas ${groups}. The release would start by removing these groups`,
    action: advice`Put ${replicasSet('replicas 0', isOwn ? file : (second ?? file), 0)} back into it; to have more groups, scale the colour that serves`,
  });
}

/**
 * Groups of the workload that serves are on the requested template before anything was filled: released for update by a hand, or re-created. They would serve it unapproved, and nothing could be compared with them. Only going back restores them.
 */
export function requestTaken({ observed, asked, marks, file, snapshot }: Seen): Hold | undefined {
  const { releaseKey, stableKey } = observed;
  if (marks?.serves === 'green' || releaseKey === undefined || releaseKey === stableKey) return undefined;
  const taken = wanted(observed, asked).filter(({ leader }) => leader.key === releaseKey);
  if (taken.length === 0) return undefined;
  return hold('MixedRevisions', {
    seen: `of ${file.object.name}, ${groupsAre(taken.map(({ index }) => index))} on the requested template already, and no step has updated any`,
    action: advice`To bring them back: ${commandLine('abort', snapshot.key)}, and then to deliver it by its steps: ${commandLine('retry', snapshot.key)}`,
  });
}

/**
 * An autoscaler shrinks the side that gets no requests, and that side is the rollback, or the next primary. A canary holds
 * the one that is in Git by its floor.
 */
export function scalerRefused(situation: Situation): Hold | undefined {
  const { snapshot, marks } = situation;
  const { scaler, scalers } = snapshot.live;
  const inGit = onlyScaler(snapshot);
  if (scaler.kind === 'unknown' || (inGit !== undefined && scalers?.kind === 'unknown')) {
    const why = scaler.kind === 'unknown' ? scaler.why : scalers?.kind === 'unknown' ? scalers.why : '';
    return hold('ScalerUnreadable', {
      seen: `whether an autoscaler writes replicas is not known: ${why}`,
      waits: 'reading',
    });
  }
  const least = marks?.step === undefined ? undefined : marks.restore?.least;
  if (inGit === undefined && least !== undefined) return scalerLeft(situation, least);
  if (scaler.kind !== 'known') return undefined;
  const why = unheld(situation);
  return why === undefined
    ? undefined
    : hold('ScalerRefused', { seen: `${scaler.value} writes replicas: ${why}`, action: UNSCALED });
}

/** What the files have; undefined: nothing, or several documents. */
function onlyScaler({ ladder }: Snapshot): RouteDocument | undefined {
  const [scaler, ...others] = ladder?.scalers ?? [];
  return others.length === 0 ? scaler : undefined;
}

/** The files had one when its floor was raised, and have none now, or several. */
function scalerLeft({ snapshot, file }: Situation, least: number): Hold {
  const there = (snapshot.ladder?.scalers ?? []).map(
    ({ object, file: at }) => `${object.kind} ${object.name} in ${at}`,
  );
  const isGone = there.length === 0;
  const now = isGone ? 'its document is not among the files any more' : `there are several now: ${there.join(', ')}`;
  const action = isGone
    ? advice`Put it back ${lastLeft('as the last commit of tranche left it', [])}`
    : 'Take those out that came in the middle of it';
  return hold('ScalerRefused', {
    seen: `this delivery holds the autoscaler of ${file.object.name} at ${least} groups or more, and ${now}`,
    action: advice`${action}; to go back: ${commandLine('abort', snapshot.key)}`,
  });
}

const UNSCALED = 'Take the autoscaler out for the delivery, or deliver in steps of one workload';

/** Why no floor would keep the groups of the side that gets no requests; undefined: one does, or is going to. */
function unheld({ snapshot, state, marks }: Situation): string | undefined {
  const { ladder, rollout, live } = snapshot;
  const inGit = onlyScaler(snapshot);
  const shrinks = 'it would shrink whichever workload gets no requests, and that one is the rollback';
  if (inGit === undefined || !updatesPrimary(rollout?.rollout.style)) return shrinks;
  if (hasIdle(inGit)) return 'by its idle count it goes below its floor where nothing is asked of the workload';
  // Its floor is raised with the template of the release.
  const { second } = ladder ?? {};
  const isWritten =
    second !== undefined && marks !== undefined && annotationsOf(second)[TEXT] === printRelease(marks.release);
  if (state.kind === 'ladder' && isWritten && marks.restore?.least === undefined)
    return `it has come in the middle of the delivery, and ${shrinks}`;
  const all = live.scalers?.kind === 'known' ? live.scalers.value : [];
  const other = all.find((one) => !isItsScaler(inGit, one));
  return other === undefined ? undefined : `${other.kind} ${other.name} in the cluster does so as well`;
}

/**
 * All of the primary may be down at once by N as it is now, no matter who owns it, and the last step lets no canary carry it: asked
 * before it starts, and as long as the primary has not been released for update.
 */
export function primaryNotCovered(situation: Situation): Hold | undefined {
  const { snapshot, state, steps, replicas, maxUnavailable, file } = situation;
  const rollout = snapshot.rollout?.rollout;
  const last = steps.at(-1);
  const isReleasedForUpdate = state.kind === 'ladder' && state.stage.kind !== 'step' && state.at !== undefined;
  if (
    rollout === undefined ||
    !updatesPrimary(rollout.style) ||
    last === undefined ||
    isReleasedForUpdate ||
    replicas === undefined
  )
    return undefined;
  if (replicas === 0 || replicas - unavailableBudget(maxUnavailable, replicas) >= 1) return undefined;
  const isCarried = plannedGroups(last.replicas, replicas) >= replicas;
  if (isCarried && (rollout.routing === undefined || last.traffic === '100%')) return undefined;
  return hold('PrimaryNotCovered', {
    seen: `${nameFirst(file.object.name)} has ${groupCount(replicas)}, and all may be down at once (maxUnavailable ${maxUnavailable}): after the last step nothing would serve while they restart`,
    action: `Let the last step be replicas: 100% and traffic: 100%, or ${replicas === 1 ? 'ask for more groups' : 'let fewer groups be down (maxUnavailable)'}`,
  });
}

/** Sizes and fields that no object takes in place: the user's own workload has them, locked, for the whole delivery. */
export function changeRefused(situation: Situation): Hold | undefined {
  const { snapshot, workload } = situation;
  const sizes = wholeChange(situation);
  const { stable } = snapshot;
  const fields = stable.kind === 'known' ? immutableChanges(stable.value.content, workload.content) : [];
  if (sizes === undefined && fields.length === 0) return undefined;
  const what = sizes === undefined ? fields.join(', ') : `the size of a group from ${sizes.from} to ${sizes.to}`;
  return hold('ChangeRefused', {
    seen: `${situation.file.file}: the edit changes ${what}, which a second workload cannot carry: a group of the primary that dies would come back with half of the edit`,
    action: 'Put the old value back, or make this change with the partition strategy',
  });
}

/** The same of a template that has taken the place of another in mid-delivery. One that waits for its end is asked by its own first step. */
export function takenOverRefused(situation: Situation): Hold | undefined {
  return situation.digest === situation.marks?.release.digest ? changeRefused(situation) : undefined;
}
