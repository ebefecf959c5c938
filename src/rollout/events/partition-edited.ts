/** A partition that is not the one that the step in Git wrote: put back as far as nothing has followed, or held. */

import { accepted } from '../accepting.ts';
import { withBudgetAfter } from '../budget.ts';
import { workloadMove } from '../edits/workload-change.ts';
import { partitionFacts } from '../gates/out-of-place.ts';
import { hold, withFacts } from '../hold.ts';
import { type Decision, holding, moving } from '../move.ts';
import { wanted } from '../observed/groups-asked.ts';
import { lowest, type Seen, type Situation, whenSeen } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { advice, commandLine, partitionSet } from '../texts/advice.ts';

/** Another partition than we wrote: lower releases groups for update, and is stopped; higher lets them fall back, and is held. */
export function partitionEdited(situation: Situation, { index, of, marks }: InDelivery): Decision | undefined {
  const { partition, snapshot } = situation;
  const facts = partitionFacts(situation);
  if (facts === undefined || accepted(situation, 'PartitionEdited')) return undefined;
  const { expected } = facts;
  const seen = `the partition was edited from ${expected} to ${partition} in mid-delivery`;
  const way = advice`To go on from here: ${commandLine('approve', snapshot.key, '--hold PartitionEdited')}`;
  if (partition > expected) {
    const held = hold('PartitionEdited', {
      seen,
      action: advice`${way}; or put ${partitionSet(expected, situation.file, expected)} back`,
    });
    return holding([withFacts(held, facts)], 'StepUpgrade');
  }
  const back = Math.min(expected, whenSeen(lowestOnRelease)(situation) ?? expected);
  if (back <= partition)
    return holding([withFacts(hold('PartitionEdited', { seen, action: way }), facts)], 'StepUpgrade');
  const holds = [hold('PartitionEdited', { seen: `${seen}, and is put back to ${back}`, waits: 'tranche' })];
  const move = workloadMove(situation, {
    reason: 'PartitionRestored',
    label: `step ${index}/${of}`,
    // The cluster may have seen the edited one: going back must not forget the groups that it released for update.
    ...withBudgetAfter(situation, { marks, floor: Math.min(partition, marks.restore?.floor ?? partition) }),
    partition: back,
    why: `The partition was edited by hand from ${expected} to ${partition}, further than the step allows. It is put back to ${back}, the lowest group that is on the release already.`,
  });
  return moving(move, 'StepUpgrade', holds);
}

function lowestOnRelease({ observed, replicas }: Seen): number | undefined {
  return lowest(wanted(observed, replicas).filter((group) => group.version === 'release'));
}
