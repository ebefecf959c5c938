/** The row `step k, whole` once it is locked: what is left of the plan is served. */

import { deliveredAt } from '../../api/marks.ts';
import { sameRelease, shortRelease } from '../../api/release.ts';
import { budgetInTheEnd, budgetNote, withBudgetAfter } from '../budget.ts';
import { restoreOwn } from '../edits/restore-asides.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { queuedHold } from '../events/queued.ts';
import { surgeReturned } from '../events/surge-return.ts';
import { analysing } from '../gates/analysis.ts';
import { before } from '../gates/before.ts';
import { recreatedUnaccepted } from '../gates/cluster.ts';
import { holdsOf } from '../gates/gate.ts';
import { notDelivered } from '../gates/git.ts';
import { refusedJump, waitingOnPause } from '../gates/pause.ts';
import { soaking } from '../gates/soak.ts';
import { notReadyYet } from '../gates/step-groups.ts';
import { crashLooping } from '../gates/trouble.ts';
import { blocking, type Hold, hold } from '../hold.ts';
import { type Decision, holding, MOVES, moving } from '../move.ts';
import { batchReady } from '../observed/batches.ts';
import type { Group } from '../observed/groups.ts';
import { onRelease, wanted } from '../observed/groups-asked.ts';
import { stateOfStep } from '../progress/step-state.ts';
import { flipped, groupsUnread, type Seen, type Situation, unreadyOf, whenSeen } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { followingStep, isJump } from '../steps.ts';
import { type Advice, advice, commandLine, leadersDeleted, partitionSet } from '../texts/advice.ts';
import { allGroupsAre, groupsAre } from '../texts/sentences.ts';

/** Locked with the step kept: pauses and soaks of steps k…n, then settled. Only marks change. */
export function locked(situation: Situation, step: InDelivery): Decision {
  const queued = situation.digest !== step.marks.release.digest;
  const returned = situation.view === 'seen' ? surgeReturned(situation, { ...step, queued }) : undefined;
  if (returned !== undefined) return returned;
  const groups = waitingOnPrimary(situation, { queued, last: step.index === step.of });
  const done = groups.length === 0 && situation.replicas !== 0;
  const at = { index: step.index, release: step.marks.release };
  const pause = done ? [waitingOnPause(situation, at), soaking(situation), ...analysing(situation)] : [];
  const unsteady = whenSeen(crashLooping)(situation);
  // Groups that came up on a newer template are no evidence for this release.
  const fresh = queued ? recreatedUnaccepted(situation) : undefined;
  const holds = [
    ...groups,
    ...(fresh === undefined ? [] : [fresh]),
    ...holdsOf(before.serve, situation),
    ...[...pause, unsteady, refusedJump(situation, step.index)].filter((found) => found !== undefined),
    ...queuedHold(situation, 'this release is settled or aborted'),
  ];
  if (situation.view === 'unseen' || blocking(holds).length > 0)
    return holding(holds, stateOfStep(situation, step.index, { groups, holds }), done);
  return step.index < step.of ? nextLabel(situation, step, holds) : settle(situation, step, holds);
}

/**
 * Every group on one version and ready, but for tolerated failures before the end. With a newer template queued in
 * the file, the release's own revision is the one that all groups share,
 * unless that is the stable one: a hand may have locked a roll before its first group had gone.
 */
function waitingOnPrimary(
  situation: Situation,
  { queued, last }: { readonly queued: boolean; readonly last: boolean },
): readonly Hold[] {
  if (!queued && situation.notApplied !== undefined) return [situation.notApplied];
  if (situation.view === 'unseen') return [groupsUnread()];
  const { observed, asked, snapshot } = situation;
  const groups = wanted(observed, asked);
  const updated = onRelease(observed, { groups, queued });
  if (updated.length < groups.length) {
    const others = groups.filter((group) => !updated.includes(group));
    const astray = others.map((group) => group.index);
    // After a recreation the groups come up on it one after the other.
    const coming = others.every((group) => group.leader.version !== 'stable' && !group.ready);
    const seen = `${groupsAre(astray)} not on the release`;
    if (coming) return [hold('GroupsNotUpdated', { seen: `${seen} yet`, waits: 'groups' })];
    const why = queued ? cameBack(others, situation) : whyNot(situation, others);
    return [hold('GroupsNotUpdated', { seen: `${seen}, ${why.seen}`, action: why.action })];
  }
  const unready = unreadyOf(updated);
  // A release is never settled with a failed group.
  const failureThreshold = last ? undefined : snapshot.rollout?.rollout.failureThreshold;
  const counts = {
    desired: groups.length,
    updated: updated.length,
    updatedReady: updated.length - unready.length,
    failureThreshold,
  };
  return batchReady(counts) ? [] : notReadyYet(situation, unready);
}

type Why = { readonly seen: string; readonly action: string | Advice };

function cameBack(groups: readonly Group[], { file }: Seen): Why {
  return {
    seen: 'though all groups were: recreated too early, or by hand',
    action: advice`Delete ${leadersDeleted('the leader pod', file, groups)} to let it follow`,
  };
}

/** Before the StatefulSet has flipped, what lies below the partition is made again on the old version. */
function whyNot(situation: Seen, groups: readonly Group[]): Why {
  const { observed, partition, snapshot, file } = situation;
  return flipped(observed.leaderSet)
    ? cameBack(groups, situation)
    : {
        seen: `but partition ${partition} holds it back. The partition was raised before all groups were updated`,
        action: advice`Put ${partitionSet('partition 0', file, 0)} back, or: ${commandLine('abort', snapshot.key)}`,
      };
}

function nextLabel(situation: Situation, step: InDelivery, holds: readonly Hold[]): Decision {
  const jump = situation.snapshot.rollout?.intents.jump;
  const wish = sameRelease(jump?.release, step.marks.release) ? jump?.index : undefined;
  const index = followingStep(wish, { current: step.index, steps: step.of });
  const move = workloadMove(situation, {
    reason: isJump(index, { current: step.index, steps: step.of }) ? 'Jumped' : 'StepReady',
    label: `step ${index}/${step.of}`,
    ...withBudgetAfter(situation, {
      marks: { ...step.marks, step: { kind: 'step', index, of: step.of } },
      floor: step.marks.restore?.floor ?? 0,
    }),
    why: `All groups are on ${shortRelease(step.marks.release)} since step ${step.index}, so none moves: step ${index} only has its pause left.${budgetNote(situation)}`,
  });
  return moving(move, 'BeforeStepUpgrade', holds, true);
}

function settle(situation: Seen, step: InDelivery, holds: readonly Hold[]): Decision {
  const { snapshot, replicas } = situation;
  if (snapshot.delivered.kind !== 'known') return holding([...holds, notDelivered(situation)], 'StepReady', true);
  const move = workloadMove(situation, {
    reason: 'Settled',
    label: MOVES.Settled.label,
    marks: { ...deliveredAt(step.marks, snapshot.delivered.value), step: undefined, at: undefined, restore: undefined },
    home: restoreOwn(step.marks, situation.workload),
    why: `${allGroupsAre(replicas)} on ${shortRelease(step.marks.release)} and ready, and every pause is over.${budgetInTheEnd(situation)}`,
  });
  return moving(move, 'Completed', holds, true);
}
