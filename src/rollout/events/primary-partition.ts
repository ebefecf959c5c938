/** The partition of the user's own workload, edited by hand in a delivery that fills a second one. */

import { type Marks, printStep } from '../../api/marks.ts';
import { withAside } from '../../api/restore.ts';
import { updatesPrimary } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import { unlessAccepted } from '../accepting.ts';
import { before } from '../gates/before.ts';
import { holdsOf } from '../gates/gate.ts';
import { partitionFacts } from '../gates/out-of-place.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { partitionMove } from '../ladders/primary.ts';
import { type Decision, holding } from '../move.ts';
import { isFillingBack, type OnLadder } from '../state.ts';
import { advice, commandLine, partitionSet } from '../texts/advice.ts';

/** Someone has stopped the primary by its partition, and only someone lets it go on: how states.md answers a raised one. */
export function partitionRaised({ situation }: Delivering): Hold | undefined {
  const facts = partitionFacts(situation);
  if (facts === undefined) return undefined;
  const { key } = situation.snapshot;
  const held = hold('PartitionEdited', {
    seen: `the partition was edited from ${facts.expected} to ${facts.partition} while all groups were released for update`,
    action: advice`To update the groups: ${commandLine('approve', key, '--hold PartitionEdited')}, or put ${partitionSet(facts.expected, situation.file, facts.expected)} back; to go back: ${commandLine('abort', key)}`,
  });
  return unlessAccepted(situation, 'PartitionEdited', withFacts(held, facts));
}

/**
 * A partition that a hand has written: locked again in steps and at the end, where groups would go in no step; released for update again
 * where we had stopped the primary for a template that is gone, or someone takes back what someone has stopped. Never where
 * the file has another template than the release.
 */
export function partitionPutBack(on: Delivering, { stage, at }: OnLadder): Decision | undefined {
  const { partition } = on.situation;
  const isCanary = updatesPrimary(on.delivery.plan.style);
  const isPrimary = isCanary && stage.kind === 'promote' && (at === 'primary' || (at === undefined && partition === 0));
  // Requests may have gone to stable before its last groups were there: then settling locks it.
  const isStillOpen = isCanary && stage.kind === 'promote' && (partition === 0 || on.marks.restore?.stopped === true);
  // A newer template in the file would take every group, past all of its steps.
  const isNewer = on.situation.digest !== on.marks.release.digest;
  const wanted = (isPrimary || isStillOpen) && !isNewer ? 0 : SENTINEL;
  if (partition === wanted || (stage.kind === 'rollback' && !isFillingBack(on.marks))) return undefined;
  if (wanted === 0 && partitionRaised(on) !== undefined) return undefined;
  const holds = wanted === 0 ? holdsOf(before.finish, on.situation) : [];
  if (holds.length > 0) return holding(holds, 'StepUpgrade');
  return partitionMove(on, wanted, {
    reason: 'PartitionRestored',
    stage,
    at: at ?? LOWEST[stage.kind],
    marks: wanted === 0 ? goingOn(on) : letGoTo(on.marks, partition),
    label: `${stage.kind === 'step' ? `step ${printStep(stage)}` : stage.kind}, partition ${partition} → ${wanted}`,
    why: `The partition of ${on.delivery.own.object.name} was ${partition}, and no commit of tranche had made it so: at this rung it is ${wanted}.`,
  });
}

/** The rung that is written where the marks have none. */
const LOWEST = { step: 'route-restored', promote: 'primary', rollback: 'back' } as const;

/** Where a hand had stopped it, someone has accepted that, for this one time. */
function goingOn({ marks, situation }: Delivering): Marks {
  const times = marks.restore?.resumed ?? 0;
  const resumed = partitionFacts(situation) === undefined ? {} : { resumed: times + 1 };
  return { ...marks, restore: withAside(marks.restore, { stopped: undefined, ...resumed }) };
}

/** Groups from there on may have gone to the release: the rollback is that of a primary that was released for update. */
function letGoTo(marks: Marks, partition: number): Marks {
  const floor = Math.min(partition, marks.restore?.floor ?? partition);
  return { ...marks, restore: withAside(marks.restore, { floor }) };
}
