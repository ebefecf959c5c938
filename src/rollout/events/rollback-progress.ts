/** What a rollback of groups waits for, and what lets LWS go on with it: of all groups, or of those from a partition on. */

import type { Marks } from '../../api/marks.ts';
import { putAside } from '../../api/restore.ts';
import { VERSION } from '../../api/version-label.ts';
import { WAITING_FOR_AGENT } from '../applied.ts';
import { type Budget } from '../budget.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { madeAgain } from '../gates/at-rest.ts';
import { scaledToZero } from '../gates/cluster.ts';
import { type Hold, hold } from '../hold.ts';
import { type Decision, holding, moving } from '../move.ts';
import { type Group, nameGroups } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { longestLoadSeconds } from '../progress/outlook.ts';
import { flipped, type Seen, unavailableBudget, unreadyOf } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { allGroupsAre, capital, groupsAre, notReady } from '../texts/sentences.ts';
import { loadingAway, loweredInRollback } from './budget-back.ts';
import { raisedInRollback } from './raising-again.ts';
import { failedSurgeReturned } from './surge-back.ts';

/** Why the cluster does not have what the rollback has written yet, or has no groups; undefined: it has it. */
export function notLive(situation: Seen): Hold | undefined {
  return situation.notApplied ?? labelNotApplied(situation) ?? scaledToZero(situation);
}

/** No digest covers the version label, so that the template looks applied before the label that goes back with it is. */
function labelNotApplied({ observed, workload, file }: Seen): Hold | undefined {
  const [git, live] = [workload.version ?? 'missing', observed.lws.version ?? 'missing'];
  if (git === live) return undefined;
  const seen = `the label ${VERSION} of the leaders of ${file.object.name} is ${live} in the cluster, Git says ${git}`;
  return hold('NotApplied', { seen, action: WAITING_FOR_AGENT });
}

/** The groups of these that a step has released for update, and that are not on the stable version again. */
export function awayOf(situation: Seen, groups: readonly Group[]): readonly Group[] {
  return groups.filter((group) => group.version !== 'release' && !neverLeft(situation, group));
}

/**
 * No step released it, and it still is on the template that is going back; what somebody has written into the live template
 * since makes another revision of the same template, and no reason to restart it.
 */
function neverLeft({ observed, marks, partition }: Seen, { index, key }: Group): boolean {
  const floor = Math.min(partition, marks?.restore?.floor ?? 0);
  return index < floor && key !== undefined && key === observed.stableKey;
}

/**
 * What lets LWS go on with these groups, or what they are waited for; undefined: all of them are back and ready. `served`:
 * what people are told of the requests meanwhile.
 */
export function underWay(
  situation: Seen,
  marks: Marks,
  { groups, served }: { readonly groups: readonly Group[]; readonly served?: string },
): Decision | undefined {
  const away = awayOf(situation, groups);
  const failed = failedSurgeReturned(situation, marks);
  if (failed !== undefined) return failed;
  // A group without a leader comes back by itself: more budget would only let another one go.
  const stuck = away.some((group) => group.uid !== '') ? raisedAgain(situation, marks) : undefined;
  if (stuck !== undefined) return stuck;
  const others = groups.filter((group) => group.version !== 'release');
  const waiting = loadingFirst(situation) ?? waitingOn({ groups, away, served }) ?? notFlipped(situation, others);
  return waiting === undefined ? undefined : (lowered(situation, marks) ?? holding([waiting], 'StepUpgrade'));
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
    action: advice`${capital(waited)}; to go on without ${isOne ? 'it' : 'them'}: ${commandLine('abort', snapshot.key, '--now')}`,
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
type Waited = {
  readonly groups: readonly Group[];
  readonly away: readonly Group[];
  readonly served?: string | undefined;
};

/** What groups that go back are waited for; undefined: all are back and ready. */
export function waitingOn({ groups, away, served }: Waited): Hold | undefined {
  const unready = unreadyOf(groups);
  const meanwhile = served === undefined ? '' : `; ${served}`;
  if (away.length > 0) {
    const loading = unready.length === 0 ? '' : `; ${notReady(unready)}`;
    return hold('RollingBack', {
      seen: `${groupsAre(away.map((group) => group.index))} not back on the stable version yet${loading}${meanwhile}`,
      waits: 'groups',
    });
  }
  // Those of a batch are not all that there are.
  const isAll = groups[0]?.index === 0;
  const back = `${isAll ? allGroupsAre(groups.length) : groupsAre(groups.map(({ index }) => index))} back on the stable version`;
  const odd = groups.find((group) => group.sizeFault !== undefined);
  if (unready.length === 0 && odd?.sizeFault !== undefined)
    return hold('RollingBack', {
      seen: `${back}; group ${odd.index} has ${odd.sizeFault.seen}`,
      action: madeAgain(odd.sizeFault),
    });
  return unready.length === 0
    ? undefined
    : hold('RollingBack', { seen: `${back}; ${notReady(unready)}${meanwhile}`, waits: 'groups' });
}
