/** The row `rollback` of blueGreen where a settled release is undone: the other colour is filled, and takes over. */

import { stableMark } from '../../api/marks.ts';
import { unlessAccepted } from '../accepting.ts';
import { abortedRemoved } from '../events/aborted-again.ts';
import { overtakenOnLadder } from '../events/ladder-overtaken.ts';
import { partitionPutBack } from '../events/primary-partition.ts';
import { queuedHold } from '../events/queued.ts';
import { stillWithdrawn, withdrawn } from '../events/withdrawing.ts';
import { heldAsAborted } from '../gates/aborted.ts';
import { scalerRefused } from '../gates/second.ts';
import { undoNotBorneOut } from '../gates/undo.ts';
import { blocking, type Hold, unique } from '../hold.ts';
import { documentsLost, routesChanged, waiting } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { canaryEdited } from '../ladders/edited-by-hand.ts';
import { type NextCommit, nextCommit } from '../ladders/next-commit.ts';
import { climbed, unwritable } from '../ladders/rung-move.ts';
import { greenTextEdited, servesEdited, switchEdited } from '../ladders/switch-edited.ts';
import { type Decision, holding, type MoveReason } from '../move.ts';
import type { OnLadder } from '../state.ts';

/**
 * First match: which side is which is not known, what was undone is written again, a newer template, a partition that a hand
 * has moved, a share of what serves nothing, the next rung. It asks nobody, no window, no turn and no limit: requests are
 * with what people want to be rid of.
 */
export function fillingBack(on: Delivering, state: OnLadder): Decision {
  return (
    coloursConfused(on) ??
    undoneAgain(on) ??
    newerTemplate(on, state) ??
    partitionPutBack(on, state) ??
    withdrawn(on) ??
    further(on)
  );
}

function coloursConfused(on: Delivering): Decision | undefined {
  const confused = servesEdited(on);
  return confused === undefined ? undefined : holding([confused], 'StepUpgrade');
}

/** What was undone, or aborted before, is in the file again: out of it once, and left alone after that. */
function undoneAgain(on: Delivering): Decision | undefined {
  const { situation, marks } = on;
  const aborted = heldAsAborted(situation, marks);
  if (aborted === undefined || situation.digest === marks.release.digest) return undefined;
  const { undo } = situation.snapshot;
  const removed = undo?.kind === 'known' ? abortedRemoved(on, undo.value.target) : undefined;
  return removed ?? withdrawn(on) ?? holding([aborted], 'StepUpgrade');
}

function newerTemplate(on: Delivering, state: OnLadder): Decision | undefined {
  return on.situation.digest === on.marks.release.digest ? undefined : overtakenOnLadder(on, state);
}

/** The next rung, or what it waits for. */
function further(on: Delivering): Decision {
  const { situation, marks } = on;
  const queued = queuedHold(situation, 'the rollback is over');
  const elsewhere = undoNotBorneOut(situation, marks) ?? switchEdited(on) ?? greenTextEdited(on);
  if (elsewhere !== undefined) return holding([elsewhere, ...queued], 'StepUpgrade');
  const next = nextCommit(on.delivery);
  if (next.kind === 'unwritable') return unwritable(on, next);
  const holds = unique([...waiting(on, next.waits), ...heldBy(on, next), ...queued]);
  if (blocking(holds).length > 0) return holding(holds, 'StepUpgrade');
  const { undo } = situation.snapshot;
  const isOver = next.at === 'settled' && undo?.kind === 'known';
  const after = isOver ? { ...marks, stable: stableMark(undo.value.target) } : marks;
  const made = climbed(on, next, { reason: REASONS[next.at] ?? 'RollbackWidened', marks: after });
  return { ...made, holds: [...made.holds, ...holds] };
}

/** Of the rungs that are no wider than the one before. */
const REASONS: Partial<Readonly<Record<NextCommit['at'], MoveReason>>> = {
  empty: 'CanaryEmptied',
  'route-restored': 'RouteRestored',
  settled: 'RolledBack',
};

/** What makes the next rung wrong, and is no matter of people, policies or time. */
function heldBy(on: Delivering, { at }: NextCommit): readonly Hold[] {
  const { situation } = on;
  const found = [
    documentsLost(on),
    situation.snapshot.rollout === undefined ? undefined : routesChanged(on),
    scalerRefused(situation),
    unlessAccepted(situation, 'CanaryEdited', canaryEdited(on)),
    at === 'all' || at === 'switch' ? stillWithdrawn(on) : undefined,
  ];
  return found.filter((held) => held !== undefined);
}
