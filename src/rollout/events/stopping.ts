/** The brake: a roll that nobody may take further is stopped where it is. */

import { type Marks, printStep } from '../../api/marks.ts';
import { shortDigest } from '../../api/release.ts';
import { SENTINEL } from '../../api/workload.ts';
import { withBudgetAfter } from '../budget.ts';
import { type Draft, drafting, type WorkloadFields, type WorkloadMove } from '../edits/workload-change.ts';
import { type Hold, hold } from '../hold.ts';
import { holding } from '../move.ts';
import { partitionOf } from '../observed/batches.ts';
import type { Group } from '../observed/groups.ts';
import { wanted } from '../observed/groups-asked.ts';
import { willNotGetReady } from '../progress/outlook.ts';
import { lowest, type Seen, type Situation, unreadyOf } from '../situation.ts';
import { advice, commandLine } from '../texts/advice.ts';

/** Raises the partition as far as it stops the roll and leaves everything else as it is; `holds` say what for. */
export function stopRoll(situation: Situation, at: { readonly marks: Marks; readonly holds: readonly Hold[] }): Draft {
  const { partition } = situation;
  const stop = stopAt(situation, at.marks);
  if (stop <= partition) return holding(at.holds, 'StepUpgrade');
  const { step } = at.marks;
  const fields: WorkloadMove = {
    reason: 'RollStopped',
    label: `${step === undefined ? '' : `${step.kind === 'step' ? `step ${printStep(step)}` : step.kind}, `}stopped`,
    ...inDelivery(situation, at.marks),
    partition: stop,
    why: `The template ${shortDigest(situation.digest)} rolls at partition ${partition}, and nobody may take it further: ${at.holds.map((found) => found.message).join('; ')}.`,
  };
  return drafting(fields, 'StepUpgrade', at.holds);
}

/** Outside of a delivery nothing is put aside. */
function inDelivery(situation: Situation, marks: Marks): Pick<WorkloadFields, 'marks' | 'maxUnavailable'> {
  return marks.restore === undefined
    ? { marks, maxUnavailable: undefined }
    : withBudgetAfter(situation, { marks, floor: marks.restore.floor ?? 0 });
}

/**
 * The partition that stops the roll, never below the present one: no step releases a group, so it is the sentinel, and not N,
 * which groups that an autoscaler adds would be beyond. Outside of a delivery the admission policy refuses anything below it.
 */
export function stopAt(situation: Situation, { step }: Marks): number {
  const { replicas, partition } = situation;
  if (step === undefined) return SENTINEL;
  return stoppedPartition({ ...situation, steps: [] }, replicas ?? partition);
}

/** The partition that stops the roll, never below the present one. */
export function stoppedPartition(situation: Situation, replicas: number): number {
  const { steps, partition } = situation;
  const [first] = steps;
  const bounds = [first === undefined ? SENTINEL : partitionOf(first.replicas, replicas)];
  if (situation.view === 'seen') {
    const { asked } = situation;
    const groups = wanted(situation.observed, asked);
    const onIt = lowest(groups.filter((group) => group.version === 'release'));
    // A group that only loads finishes on what it has, and LWS waits for it (traces 41a, 41b).
    const broken = lowest(notOnStable(situation).filter((group) => willNotGetReady(situation, group)));
    if (onIt !== undefined) bounds.push(onIt);
    if (broken !== undefined) bounds.push(broken);
  }
  return Math.max(partition, Math.min(...bounds));
}

/** Unready groups that the roll has left, or taken, from the stable template. */
export function notOnStable({ observed, asked }: Seen): readonly Group[] {
  return unreadyOf(wanted(observed, asked)).filter((group) => group.key !== observed.stableKey);
}

/** The same aborted template for the second time: the roll is stopped, and someone has to end the fight. */
export function stopReturned(situation: Situation, marks: Marks): Draft {
  const { file, snapshot } = situation;
  const fight = hold('AbortedTemplateReturned', {
    seen: `${file.file}: something keeps writing the aborted template ${shortDigest(situation.digest)} back`,
    action: advice`Stop it, then put the stable template back, or deliver it after all: ${commandLine('retry', snapshot.key)}`,
  });
  return stopRoll(situation, { marks, holds: [fight] });
}
