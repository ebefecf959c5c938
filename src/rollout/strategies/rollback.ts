/** The row `rollback`: until every group has been seen on the stable version and ready. */

import type { Marks } from '../../api/marks.ts';
import { shortDigest, shortRelease } from '../../api/release.ts';
import { putAside } from '../../api/restore.ts';
import { VERSION } from '../../api/version-label.ts';
import { SENTINEL } from '../../api/workload.ts';
import { WAITING_FOR_AGENT } from '../applied.ts';
import { type Budget, budgetInTheEnd, budgetNote, budgetTaken, withBudgetAfter } from '../budget.ts';
import { restoreOwn } from '../edits/restore-asides.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { loadingAway, loweredInRollback } from '../events/budget-back.ts';
import { noText } from '../events/going-back.ts';
import { raisedInRollback } from '../events/raising-again.ts';
import { failedSurgeReturned, surgeEnds } from '../events/surge-back.ts';
import { scaledToZero } from '../gates/cluster.ts';
import { type Hold, hold } from '../hold.ts';
import { type Decision, holding, MOVES, moving } from '../move.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { surgeInGit } from '../observed/surge.ts';
import { longestLoadSeconds } from '../progress/outlook.ts';
import { flipped, lowest, type Seen, type Situation, unavailableBudget, unreadyOf } from '../situation.ts';
import { command } from '../texts/command-text.ts';
import { allGroupsAre, capital, groupsAre, notReady } from '../texts/sentences.ts';

/** First match: not live, wider, stuck, waiting, done. Goes on whatever people have paused or disabled. */
export function rollback(situation: Situation, marks: Marks): Decision {
  if (situation.view === 'unseen') return holding([situation.hold], 'StepUpgrade');
  const unsure = situation.notApplied ?? labelNotApplied(situation) ?? scaledToZero(situation);
  if (unsure !== undefined) return holding([unsure], 'StepUpgrade');
  const { observed, replicas, partition } = situation;
  const groups = wanted(observed, replicas);
  const others = groups.filter((group) => group.version !== 'release');
  const away = others.filter((group) => !neverLeft(situation, group));
  const low = lowest(away.filter((group) => group.uid !== ''));
  if (low !== undefined && low < partition) return widen(situation, marks, low);
  const failed = failedSurgeReturned(situation, marks);
  if (failed !== undefined) return failed;
  // A group without a leader comes back by itself: more budget would only let another one go.
  const stuck = away.some((group) => group.uid !== '') ? raisedAgain(situation, marks) : undefined;
  if (stuck !== undefined) return stuck;
  const waiting = loadingFirst(situation) ?? waitingOn(groups, away) ?? notFlipped(situation, others);
  if (waiting !== undefined) return lowered(situation, marks) ?? holding([waiting], 'StepUpgrade');
  return rolledBack(situation, marks, groups.length);
}

/** Groups of another version that only load, and LWS waits for them: how to go on without. */
function loadingFirst(situation: Seen): Hold | undefined {
  const { asked, partition, maxUnavailable, observed, snapshot } = situation;
  const loading = loadingAway(situation, { count: asked, partition });
  const isSpent = unreadyOf(wanted(observed, asked)).length >= unavailableBudget(maxUnavailable, asked);
  if (loading.length === 0 || !isSpent) return undefined;
  const [names, isOne] = [nameGroups(loading.map(({ index }) => index)), loading.length === 1];
  const waited = `${names} only ${isOne ? 'loads and is' : 'load and are'} waited for, ${longestLoadSeconds(situation)} s at most`;
  return hold('RollingBack', {
    seen: notReady(unreadyOf(wanted(observed, asked))),
    action: `${capital(waited)}; to go on without ${isOne ? 'it' : 'them'}: ${command('abort', snapshot.key, '--now')}`,
  });
}

/** All are back, and the StatefulSet still has the other revision for those that come up again. */
function notFlipped({ observed }: Seen, others: readonly Group[]): Hold | undefined {
  // One that never left keeps an older revision of the same template, so that the StatefulSet never takes all leaders over.
  if (others.length > 0 || flipped(observed.leaderSet)) return undefined;
  return hold('StatefulSetNotFlipped', {
    seen: 'all groups are back; the StatefulSet controller has not yet taken all leaders over',
    waits: 'controllers',
  });
}

/**
 * A newer template in the file, of a Rollout that fills a second workload: no group that people use may take it in place. What
 * rolls is locked; groups that took it stay, and wait for someone. Where all are on the stable version the rollback is
 * over, and the template is a request like any other. Requests that were going to stable stand by the release that was aborted.
 */
export function rollbackOvertaken(situation: Situation, marks: Marks): Decision {
  const { digest, file, partition, snapshot, view } = situation;
  const { stable } = snapshot;
  const release = stable.kind === 'known' ? stable.value.release : marks.release;
  const seen = `${file.file}: a newer template (${shortDigest(digest)}) came while the groups went back to ${shortRelease(release)}. They may not take it in place: locked, it is inert until all of them are back`;
  const waits = hold('NewerRequestWaits', {
    seen,
    action: `Where groups stay on another version: ${command('abort', snapshot.key)}, and once they are back, to deliver it by its steps: ${command('retry', snapshot.key)}`,
  });
  if (partition < SENTINEL) return lockedAgainst(situation, { marks, waits });
  if (stable.kind !== 'known') return holding([noText(situation), waits], 'StepUpgrade');
  if (view === 'unseen') return holding([situation.hold, waits], 'StepUpgrade');
  const unsure = situation.notApplied ?? scaledToZero(situation);
  if (unsure !== undefined) return holding([unsure, waits], 'StepUpgrade');
  const { observed, asked } = situation;
  const groups = wanted(observed, asked);
  const away = groups.filter(({ key }) => key === undefined || key !== observed.stableKey);
  const waiting = waitingOn(groups, away);
  if (waiting === undefined) return rolledBack(situation, { ...marks, release }, groups.length);
  // Below the sentinel none moves by itself: what has a pod of another version keeps it. What only loads comes back.
  const stays = away.some(({ uid }) => uid !== '');
  return holding([waiting, stays ? waits : hold('NewerRequestWaits', { seen, waits: 'groups' })], 'StepUpgrade');
}

function lockedAgainst(
  situation: Situation,
  { marks, waits }: { readonly marks: Marks; readonly waits: Hold },
): Decision {
  const { digest, partition } = situation;
  const move = workloadMove(situation, {
    reason: 'RollStopped',
    label: 'rollback, stopped',
    ...withBudgetAfter(situation, { marks, floor: marks.restore?.floor ?? 0 }),
    partition: SENTINEL,
    why: `The template ${shortDigest(digest)} rolls at partition ${partition}, in place, and its Rollout takes a newer one through a second workload alone: it is stopped where it is, and waits until all groups are back.`,
  });
  return moving(move, 'StepUpgrade', [waits]);
}

/**
 * No step let it go, and it still is on the template that is going back; what somebody has written into the live template
 * since makes another revision of the same template, and no reason to restart it.
 */
function neverLeft({ observed, marks, partition }: Seen, { index, key }: Group): boolean {
  const floor = Math.min(partition, marks?.restore?.floor ?? 0);
  return index < floor && key !== undefined && key === observed.stableKey;
}

/** No digest covers the version label, so that the template looks applied before the label that goes back with it is. */
function labelNotApplied({ observed, workload, file }: Seen): Hold | undefined {
  const [git, live] = [workload.version ?? 'missing', observed.lws.version ?? 'missing'];
  if (git === live) return undefined;
  const seen = `the label ${VERSION} of the leaders of ${file.object.name} is ${live} in the cluster, Git says ${git}`;
  return hold('NotApplied', { seen, action: WAITING_FOR_AGENT });
}

function rolledBack(situation: Situation, marks: Marks, count: number): Decision {
  const surge = surgeInGit(situation.workload);
  const move = workloadMove(situation, {
    reason: 'RolledBack',
    label: MOVES.RolledBack.label,
    marks: { ...marks, step: undefined, at: undefined, restore: undefined },
    partition: SENTINEL,
    home: restoreOwn(marks, situation.workload),
    maxUnavailable: budgetTaken(situation).set,
    why: `${allGroupsAre(count)} back on ${shortRelease(marks.release)} and ready. Locked again.${budgetInTheEnd(situation)}${surge === undefined ? '' : surgeEnds(surge)}`,
  });
  return moving(move, 'Completed');
}

function waitingOn(groups: readonly Group[], away: readonly Group[]): Hold | undefined {
  const unready = unreadyOf(groups);
  if (away.length > 0) {
    const loading = unready.length === 0 ? '' : `; ${notReady(unready)}`;
    return hold('RollingBack', {
      seen: `${groupsAre(away.map((group) => group.index))} not back on the stable version yet${loading}`,
      waits: 'groups',
    });
  }
  const odd = groups.find((group) => group.sizeFault !== undefined);
  if (unready.length === 0 && odd?.sizeFault !== undefined)
    return hold('RollingBack', {
      seen: `${allGroupsAre(groups.length)} back on the stable version; group ${odd.index} has ${odd.sizeFault.seen}`,
      action: odd.sizeFault.action,
    });
  return unready.length === 0
    ? undefined
    : hold('RollingBack', {
        seen: `${allGroupsAre(groups.length)} back on the stable version; ${notReady(unready)}`,
        waits: 'groups',
      });
}

/** A group below the partition is not on the stable version: it would stay there for ever (trace 06). */
function widen(situation: Situation, marks: Marks, low: number): Decision {
  const move = workloadMove(situation, {
    reason: 'RollbackWidened',
    label: MOVES.RollbackWidened.label,
    ...withBudgetAfter(situation, { marks, floor: Math.min(low, marks.restore?.floor ?? low) }),
    partition: low,
    why: `Group ${low} is below the partition and not on the stable version; it would never go back by itself.${budgetNote(situation)}`,
  });
  return moving(move, 'StepUpgrade');
}

function raisedAgain(situation: Seen, marks: Marks): Decision | undefined {
  const raised = raisedInRollback(situation);
  return raised === undefined ? undefined : budgetMove(situation, marks, { reason: 'BudgetRaised', ...raised });
}

function lowered(situation: Seen, marks: Marks): Decision | undefined {
  const less = loweredInRollback(situation);
  return less === undefined ? undefined : budgetMove(situation, marks, { reason: 'BudgetLowered', ...less });
}

type BudgetMove = { readonly reason: 'BudgetRaised' | 'BudgetLowered'; readonly budget: Budget; readonly why: string };

function budgetMove(situation: Seen, marks: Marks, { reason, budget, why }: BudgetMove): Decision {
  const floor = marks.restore?.floor ?? situation.partition;
  const restore = putAside(marks.restore, { floor, maxUnavailable: budget.displaced });
  const to = { reason, label: 'rollback', marks: { ...marks, restore }, maxUnavailable: budget.set, why };
  return moving(workloadMove(situation, to), 'StepUpgrade');
}
