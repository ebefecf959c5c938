/** The share of a new version that serves nothing is taken back at once; it returns when someone says so. */

import { MADE_FOR, type Marks, printStep, type RungMark, type StepMark } from '../../api/marks.ts';
import { withAside } from '../../api/restore.ts';
import { isOneWorkload, takesTurns } from '../../api/styles.ts';
import { unlessAccepted } from '../accepting.ts';
import { drafting, type WorkloadMove } from '../edits/workload-change.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import { changesOf } from '../ladders/changes.ts';
import { delivering, servingGroups } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { annotationsOf, canarySide, quorumOf, replicasOf, serviceMissing, sidesOf } from '../ladders/delivery.ts';
import { takesAll } from '../ladders/endpoints.ts';
import type { NextCommit } from '../ladders/next-commit.ts';
import { restoreAtOnce } from '../ladders/promotion.ts';
import { climbed, unwritable } from '../ladders/rung-move.ts';
import { isRestored, NO_SHARE, sharing } from '../ladders/shares.ts';
import { selectsOther } from '../ladders/switch-edited.ts';
import { hasShare, isAbandoned } from '../ladders/traffic-view.ts';
import { isPinned, restoreAll, withdrawShare } from '../ladders/version-edits.ts';
import { versionMove } from '../ladders/version-move.ts';
import { sideName } from '../ladders/version-sides.ts';
import { type Decision, holding, MOVES, moving } from '../move.ts';
import type { Situation } from '../situation.ts';
import { isFillingBack } from '../state.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { stableNotServing } from './stable-lost.ts';

/**
 * The new version has a share and no group that serves, and the other side has: all requests to stable, in one commit, whatever people have
 * paused. In a step the rung below the share is written, so that it is waited for again; else the rung stays.
 */
export function withdrawn(on: Delivering): Decision | undefined {
  const { delivery, marks, situation } = on;
  const { step } = marks;
  if (step === undefined || on.view === undefined) return undefined;
  const isRemoved = isRemovedFromGit(delivery);
  if (!isRemoved && !isAbandoned(delivery, on.view)) return undefined;
  if ((servingGroups(on, 'stable') ?? 0) === 0) return undefined;
  const [canary, stable] = [sideName(delivery, 'canary'), sideName(delivery, 'stable')];
  const asked = isOneWorkload(delivery.plan.style) ? '' : `, of ${replicasOf(canarySide(delivery))} in Git,`;
  const paused = situation.snapshot.rollout?.rollout.paused === true ? ' The pause does not keep that.' : '';
  const seen = isRemoved
    ? `The files do not have ${canary}, which has a share of the requests, so the agent deletes its groups`
    : `No group of ${canary} serves${asked} while it has a share of the requests`;
  return restoredShare(on, { step, why: `${seen}; ${stable} serves.${paused}` });
}

/** The new version has a share, and its document was taken out of Git: an agent that prunes deletes its groups within seconds. */
function isRemovedFromGit(delivery: Delivering['delivery']): boolean {
  return !isOneWorkload(delivery.plan.style) && canarySide(delivery) === undefined && hasShare(delivery);
}

/** The share is withdrawn, and the groups stay. */
export function restoredShare(
  on: Delivering,
  { step, why }: { readonly step: StepMark; readonly why: string },
): Decision {
  const { delivery, marks } = on;
  if (isOneWorkload(delivery.plan.style)) return restoreVersion(on, { step, why });
  const made = restoreAtOnce(delivery);
  if (made.kind === 'unwritable') return unwritable(on, made);
  const { stage, at } = withdrawnTo(on, step);
  const times = 1 + (marks.restore?.withdrawn ?? 0);
  const next = {
    kind: 'commit',
    stage,
    at,
    objects: made.objects,
    displaced: made.displaced,
    waits: [],
  } as const;
  return climbed(on, next, {
    reason: 'TrafficWithdrawn',
    label: `${step.kind === 'step' ? `step ${step.index}/${step.of}` : step.kind}, traffic withdrawn`,
    marks: { ...marks, restore: withAside(marks.restore, { withdrawn: times }) },
    why,
  });
}

/** Of one workload: the user's Service stays with the stable version, which serves. */
function restoreVersion(on: Delivering, { step, why }: { readonly step: StepMark; readonly why: string }): Decision {
  const { marks, delivery } = on;
  const at = marks.at === 'traffic' ? 'pods' : marks.at;
  const restore = withAside(marks.restore, { withdrawn: 1 + (marks.restore?.withdrawn ?? 0) });
  const fields: WorkloadMove = {
    reason: 'TrafficWithdrawn',
    label: `${step.kind === 'step' ? `step ${printStep(step)}` : step.kind}, traffic withdrawn`,
    marks: { ...marks, restore },
    why,
  };
  return versionMove(on, drafting(fields, 'StepUpgrade'), { at, commit: withdrawShare(delivery) });
}

/** blueGreen takes its last step again: until it is settled the colour before is whole. Else a promotion stays where it is. */
function withdrawnTo(
  { delivery, marks }: Delivering,
  step: StepMark,
): Pick<NextCommit, 'stage'> & { readonly at: RungMark } {
  const { plan } = delivery;
  const of = plan.steps.length;
  if (isFillingBack(marks)) return { stage: step, at: isOver(marks.at) ? 'pods' : (marks.at ?? 'back') };
  // Without a Rollout nobody knows how many steps there are.
  if (takesTurns(plan.style) && step.kind === 'promote' && of > 0)
    return { stage: { kind: 'step', index: of, of }, at: 'pods' };
  const isShared = step.kind === 'step' && marks.at === 'traffic';
  return { stage: step, at: isShared ? 'pods' : (marks.at ?? 'route-restored') };
}

/** Rungs of a colour that takes over at which it has requests, or has had them. */
function isOver(at: RungMark | undefined): boolean {
  return at === 'all' || at === 'switch' || at === 'route-restored';
}

/** What someone accepts who lets the share return. */
export function withdrawnFacts({ marks, delivery }: Delivering): { readonly times: number } | undefined {
  const times = marks.restore?.withdrawn;
  // With one workload a step has a rung between its groups and its share.
  const isBelow = isOneWorkload(delivery.plan.style)
    ? marks.at !== 'traffic'
    : marks.at === 'pods' || marks.at === 'all';
  return times === undefined || !isBelow || !isRestored(delivery) ? undefined : { times };
}

/** The share that was taken back stays away until someone accepts that it comes again. */
export function stillWithdrawn(on: Delivering): Hold | undefined {
  const facts = withdrawnFacts(on);
  if (facts === undefined) return undefined;
  const { key } = on.situation.snapshot;
  const isFilled = isFillingBack(on.marks);
  const isBack = on.marks.step?.kind === 'rollback';
  const back = isBack ? 'to go back though all groups restart at once' : 'to go back';
  const otherwise = isFilled
    ? '; another template in the file is taken from step 1'
    : advice`; ${back}: ${commandLine('abort', key, isBack ? '--now' : '')}`;
  const held = hold('TrafficWithdrawn', {
    seen: `the share of ${sideName(on.delivery, 'canary')} was taken back, because none of its groups served or its step had failed (${facts.times} so far in this delivery)`,
    action: advice`When it serves as it should: ${commandLine('approve', key, '--hold TrafficWithdrawn')}${otherwise}`,
  });
  return unlessAccepted(on.situation, 'TrafficWithdrawn', withFacts(held, facts));
}

/**
 * No delivery is in progress by the marks, and a route sends to the new version all the same: requests go to stable, and nothing else changes. Annotations
 * that were edited, or put back from an older commit, say nothing of routes that may have come back with them.
 */
export function strayShare(situation: Situation, marks: Marks): Decision | undefined {
  const on = areEdited(situation) ? undefined : delivering(situation, marks, marks.release);
  // To a Service that no file has nothing is sent.
  if (on === undefined || serviceMissing(on.delivery) !== undefined || isOfOthers(on.delivery)) return undefined;
  // With one workload the Service takes in whatever serves, once it is as it was.
  const isOne = isOneWorkload(on.delivery.plan.style);
  // A hand may have named the version there that all of them have: lint says what comes of that.
  const isLeft = isOne && isPinned(on.delivery) && !takesAll(on);
  if (isRestored(on.delivery) && !isLeft) return undefined;
  // The routes would send everything to what serves nothing, while the new version does.
  const isSent = !isOne && (servingGroups(on, 'canary') ?? 0) > 0;
  const other = selectsOther(on);
  const lost = other !== undefined && !isEnough(on) ? other : isSent ? stableNotServing(on) : undefined;
  if (lost !== undefined) return holding([lost], 'StepUpgrade');
  const made = isOne
    ? restoreAll(on.delivery)
    : other === undefined
      ? sharing(on.delivery, NO_SHARE)
      : restoreAtOnce(on.delivery);
  if (made.kind === 'unwritable') return unwritable(on, made);
  if (made.objects.length === 0) return holding([notRestored(on)], 'StepUpgrade');
  const own = situation.workload.marks;
  const changes = changesOf(on.delivery, made.objects, {
    marks: { from: own, to: own ?? marks },
    content: { digest: situation.digest, source: undefined },
  });
  if (changes === undefined) return undefined;
  // By the name that the route has: which version its Service reaches, a hand may have changed as well.
  const { backend, stable, canary } = sidesOf(on.delivery);
  const what = isRestored(on.delivery)
    ? `Service ${stable} takes in one version alone`
    : `A route sends requests to ${backend} ${canary}`;
  // The workload is as it is: with its marks gone there is nothing of it to be written.
  const others = changes.filter(({ kind, object }) => kind === 'exact' && object.name !== situation.file.object.name);
  return moving(
    {
      reason: 'TrafficWithdrawn',
      way: MOVES.TrafficWithdrawn.way,
      label: 'traffic withdrawn',
      marks,
      changes: others,
      why: `${what}, and by the annotations of ${situation.file.object.name} no delivery is in progress: they go to the version that serves.`,
    },
    'Completed',
  );
}

/** The annotations are there, and are not those that our last commit wrote. */
function areEdited({ snapshot, workload }: Situation): boolean {
  return snapshot.lostMarks !== undefined && workload.marks !== undefined;
}

/** Whether the side that serves by the annotations can take all requests; of a new version that serves nothing, whatever there is. */
function isEnough(on: Delivering): boolean {
  const wanted = servingGroups(on, 'canary') === 0 ? 1 : quorumOf(on.delivery);
  return (servingGroups(on, 'stable') ?? 0) >= wanted;
}

/** Documents of our names are there, and all of them are somebody else's: what a route sends there is theirs. */
function isOfOthers({ own, second, canaryService, routes }: Delivering['delivery']): boolean {
  const named = [second, canaryService, ...routes.map(({ canary }) => canary)].filter((one) => one !== undefined);
  return named.length > 0 && named.every((one) => annotationsOf(one)[MADE_FOR] !== own.object.name);
}

/** A route that sends to the new version by fields that nobody has kept: no edit of ours would restore it. */
function notRestored({ delivery }: Delivering): Hold {
  const canary = sideName(delivery, 'canary');
  const named = delivery.routes.map(({ route: { object } }) => `${object.kind} ${object.name}`).join(', ');
  return hold('CanaryEdited', {
    seen: `${named}: requests go to ${canary}, no delivery is in progress, and what was there before is not known`,
    action: 'Take its share out of the route by hand',
  });
}
