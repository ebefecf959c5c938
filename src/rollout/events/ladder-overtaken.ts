/** A newer template in the file while a second workload is filled: from step 1, stopped where it rolls, queued, or unwanted. */

import { type Marks, printStep } from '../../api/marks.ts';
import { shortDigest, shortRelease } from '../../api/release.ts';
import { withAside } from '../../api/restore.ts';
import { takesTurns } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import { budgetText, restoredBudget } from '../budget.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { newerRequestWaits } from '../gates/failure.ts';
import type { Hold } from '../hold.ts';
import { delivering, servingGroups } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import type { NextCommit } from '../ladders/next-commit.ts';
import { partitionMove, withBudget } from '../ladders/primary.ts';
import { isSwitched } from '../ladders/promotion.ts';
import { climbed, unwritable } from '../ladders/rung-move.ts';
import { NO_SHARE, sharing } from '../ladders/shares.ts';
import { type Decision, holding } from '../move.ts';
import { abortOf, remember } from '../orders/aborted-release.ts';
import { isFillingBack, type OnLadder } from '../state.ts';
import { firstStep } from './first-step.ts';
import { noText } from './going-back.ts';
import { queuedHold } from './queued.ts';
import { stableNotServing } from './stable-lost.ts';
import { withdrawn } from './withdrawing.ts';

/** A template that was aborted is not delivered: inert while locked, stopped where the primary was released for update. */
export function heldOnLadder(on: Delivering, state: OnLadder): Decision | undefined {
  const { situation, marks } = on;
  const aborted = heldAsAborted(situation, marks);
  if (aborted === undefined) return undefined;
  if (situation.partition === SENTINEL) {
    // All of the primary is on the release: what is locked waits for the end, and is held then.
    const isLast = state.stage.kind === 'promote' && state.at !== 'primary';
    if (state.stage.kind === 'rollback' || isLast) return undefined;
    return withdrawn(on) ?? holding([aborted], 'StepUpgrade');
  }
  return stopped(on, state, { marks, hold: aborted });
}

/** A newer template rolls, and nothing goes further that could take it through the steps. undefined: it is inert, or not there. */
export function rollStopped(
  on: Delivering,
  { state, hold }: { readonly state: OnLadder; readonly hold: Hold },
): Decision | undefined {
  const { digest, partition } = on.situation;
  if (digest === on.marks.release.digest || partition === SENTINEL) return undefined;
  return stopped(on, state, { marks: on.marks, hold });
}

function stopped(
  on: Delivering,
  { stage, at }: OnLadder,
  { marks, hold }: { readonly marks: Marks; readonly hold: Hold },
): Decision {
  const move = partitionMove(on, SENTINEL, {
    reason: 'RollStopped',
    stage,
    at: at ?? 'primary',
    // A partition that someone raises is another thing: that one nobody but someone takes back.
    marks: stage.kind === 'promote' ? { ...marks, restore: withAside(marks.restore, { stopped: true }) } : marks,
    label: `${stage.kind === 'step' ? `step ${printStep(stage)}` : stage.kind}, stopped`,
    why: `The template ${shortDigest(on.situation.digest)} rolls, and nobody may take it further: ${hold.message}.`,
  });
  return { ...move, holds: [...move.holds, hold] };
}

/** undefined: the newer template is inert, and waits for the end of what is in progress. */
export function overtakenOnLadder(on: Delivering, state: OnLadder): Decision | undefined {
  const { situation } = on;
  const { stage, at } = state;
  // Both colours are locked, and where a hand has released one it is locked again: requests may be on their way over.
  const isFilled = isFillingBack(on.marks);
  const isOver = isFilled ? at === 'all' || at === 'switch' || at === 'route-restored' : stage.kind === 'promote';
  if (isOver && takesTurns(on.delivery.plan.style)) return undefined;
  // In no step does the Service select the new colour: requests go back before another release starts.
  if (stage.kind === 'rollback' && !isFilled && isSwitched(on.delivery)) {
    const [queued] = queuedHold(situation, 'the rollback is over');
    const hold = queued ?? newerRequestWaits(situation);
    return situation.partition === SENTINEL || hold === undefined
      ? undefined
      : stopped(on, state, { marks: on.marks, hold });
  }
  if (situation.snapshot.stable.kind !== 'known' && situation.partition !== SENTINEL)
    return holding([noText(situation)], 'StepUpgrade');
  if (situation.partition < SENTINEL || at === 'primary') return stoppedForNewer(on);
  // Locked, it does nothing.
  return stage.kind === 'step' || isFilled ? superseded(on) : undefined;
}

/** The primary was released for update and takes the newer template: it is stopped, and goes through the steps like any other. */
function stoppedForNewer(on: Delivering): Decision {
  const { situation, marks } = on;
  const next = newerMarks(on, marks.restore?.floor ?? 0);
  const budget = restoredBudget(situation);
  return partitionMove(on, SENTINEL, {
    reason: 'Superseded',
    stage: { kind: 'step', index: 1, of: Math.max(1, situation.steps.length) },
    at: 'primary',
    marks: next,
    label: `step 1/${Math.max(1, situation.steps.length)}, stopped`,
    why: `The template was edited while all groups could go to ${shortRelease(marks.release)}. The newer template, ${shortRelease(next.release)}, is taken from step 1; groups that are on it already stay, and the others stay where they are.${budgetText(situation, budget, 'ready')}`,
    budget,
  });
}

function newerMarks({ situation, marks }: Delivering, floor: number | undefined): Marks {
  const restore = withAside(undefined, { floor, objects: marks.restore?.objects });
  const abort = abortOf(situation, marks.release);
  // An order that does not name the newer template gives the release up all the same.
  const aborted = abort === undefined ? marks.aborted : remember({ ...abort, release: marks.release }, marks);
  return firstStep(situation, { marks: { ...marks, aborted }, restore });
}

/** No group that people use is on it: the share of the release before goes to stable, and step 1 starts. */
function superseded(on: Delivering): Decision {
  const { situation, marks } = on;
  if (situation.snapshot.stable.kind !== 'known') return holding([noText(situation)], 'StepUpgrade');
  // The primary was released for update for a release before: what it took then is undone by the rollback alone.
  const next = newerMarks(on, marks.restore?.floor);
  const newer = delivering(situation, marks, next.release);
  const made = newer === undefined ? undefined : sharing(newer.delivery, NO_SHARE);
  if (newer === undefined || made === undefined) return holding([noText(situation)], 'StepUpgrade');
  if (made.kind === 'unwritable') return unwritable(on, made);
  const lost = (servingGroups(on, 'canary') ?? 0) > 0 && made.objects.length > 0 ? stableNotServing(on) : undefined;
  if (lost !== undefined) return holding([lost], 'StepUpgrade');
  const of = Math.max(1, situation.steps.length);
  const commit: NextCommit = {
    kind: 'commit',
    stage: { kind: 'step', index: 1, of },
    at: 'route-restored',
    objects: made.objects,
    displaced: made.displaced,
    waits: [],
  };
  return climbed(newer, withBudget(newer, commit, restoredBudget(situation)), {
    reason: 'Superseded',
    marks: next,
    because: `The template was edited while ${shortRelease(marks.release)} was being delivered. The newer template, ${shortRelease(next.release)}, is taken from step 1.`,
  });
}
