/** The row `rollback`: until every group has been seen on the stable version and ready. */

import type { Marks } from '../../api/marks.ts';
import { shortDigest, shortRelease } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { budgetInTheEnd, budgetNote, budgetTaken, withBudgetAfter } from '../budget.ts';
import { restoreOwn } from '../edits/restore-asides.ts';
import { type Draft, drafting, type WorkloadMove } from '../edits/workload-change.ts';
import { noText } from '../events/going-back.ts';
import { awayOf, notLive, underWay, waitingOn } from '../events/rollback-progress.ts';
import { surgeEnds } from '../events/surge-back.ts';
import { scaledToZero } from '../gates/cluster.ts';
import { type Hold, hold } from '../hold.ts';
import { holding, MOVES } from '../move.ts';
import { wanted } from '../observed/groups-asked.ts';
import { surgeInGit } from '../observed/surge.ts';
import { lowest, type Situation } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';
import { allGroupsAre } from '../texts/sentences.ts';

/** First match: not live, wider, stuck, waiting, done. Goes on whatever people have paused or disabled. */
export function rollback(situation: Situation, marks: Marks): Draft {
  if (situation.view === 'unseen') return holding([situation.hold], 'StepUpgrade');
  const unsure = notLive(situation);
  if (unsure !== undefined) return holding([unsure], 'StepUpgrade');
  const { observed, replicas, partition } = situation;
  const groups = wanted(observed, replicas);
  const low = lowest(awayOf(situation, groups).filter((group) => group.uid !== ''));
  if (low !== undefined && low < partition) return widen(situation, marks, low);
  return underWay(situation, marks, { groups }) ?? rolledBack(situation, marks, groups.length);
}

/**
 * A newer template in the file, of a Rollout that fills a second workload: no group that people use may take it in place. What
 * rolls is locked; groups that took it stay, and wait for someone. Where all are on the stable version the rollback is
 * over, and the template is a request like any other. Requests that were going to stable stand by the release that was aborted.
 */
export function rollbackOvertaken(situation: Situation, marks: Marks): Draft {
  const { digest, file, partition, snapshot, view } = situation;
  const { stable } = snapshot;
  const release = stable.kind === 'known' ? stable.value.release : marks.release;
  const seen = `${file.file}: a newer template (${shortDigest(digest)}) came while the groups went back to ${shortRelease(release)}. It waits, locked: nothing restarts on it until all groups are back`;
  const waits = hold('NewerRequestWaits', {
    seen,
    action: advice`Where groups stay on another version: ${commandLine('abort', snapshot.key)}, and once they are back, to deliver it by its steps: ${commandLine('retry', snapshot.key)}`,
  });
  if (partition < SENTINEL) return lockedAgainst(situation, { marks, waits });
  if (stable.kind !== 'known') return holding([noText(situation), waits], 'StepUpgrade');
  if (view === 'unseen') return holding([situation.hold, waits], 'StepUpgrade');
  const unsure = situation.notApplied ?? scaledToZero(situation);
  if (unsure !== undefined) return holding([unsure, waits], 'StepUpgrade');
  const { observed, asked } = situation;
  const groups = wanted(observed, asked);
  const away = groups.filter(({ key }) => key === undefined || key !== observed.stableKey);
  const waiting = waitingOn({ groups, away });
  if (waiting === undefined) return rolledBack(situation, { ...marks, release }, groups.length);
  // Below the sentinel none moves by itself: what has a pod of another version keeps it. What only loads comes back.
  const stays = away.some(({ uid }) => uid !== '');
  return holding([waiting, stays ? waits : hold('NewerRequestWaits', { seen, waits: 'groups' })], 'StepUpgrade');
}

function lockedAgainst(situation: Situation, { marks, waits }: { readonly marks: Marks; readonly waits: Hold }): Draft {
  const { digest, partition } = situation;
  const fields: WorkloadMove = {
    reason: 'RollStopped',
    label: 'rollback, stopped',
    ...withBudgetAfter(situation, { marks, floor: marks.restore?.floor ?? 0 }),
    partition: SENTINEL,
    why: `The template ${shortDigest(digest)} rolls at partition ${partition}, in place, and its Rollout takes a newer one through a second workload alone: it is stopped where it is, and waits until all groups are back.`,
  };
  return drafting(fields, 'StepUpgrade', [waits]);
}

function rolledBack(situation: Situation, marks: Marks, count: number): Draft {
  const surge = surgeInGit(situation.workload);
  const fields: WorkloadMove = {
    reason: 'RolledBack',
    label: MOVES.RolledBack.label,
    marks: { ...marks, step: undefined, at: undefined, restore: undefined },
    partition: SENTINEL,
    home: restoreOwn(marks, situation.workload),
    maxUnavailable: budgetTaken(situation).set,
    why: `${allGroupsAre(count)} back on ${shortRelease(marks.release)} and ready. Locked again.${budgetInTheEnd(situation)}${surge === undefined ? '' : surgeEnds(surge)}`,
  };
  return drafting(fields, 'Completed');
}

/** A group below the partition is not on the stable version: it would stay there for ever (trace 06). */
function widen(situation: Situation, marks: Marks, low: number): Draft {
  const fields: WorkloadMove = {
    reason: 'RollbackWidened',
    label: MOVES.RollbackWidened.label,
    ...withBudgetAfter(situation, { marks, floor: Math.min(low, marks.restore?.floor ?? low) }),
    partition: low,
    why: `Group ${low} is below the partition and not on the stable version; it would never go back by itself.${budgetNote(situation)}`,
  };
  return drafting(fields, 'StepUpgrade');
}
