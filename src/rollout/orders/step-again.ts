/** The step of a delivery whose annotation a squash or a hand has lost, where no commit of tranche tells it: by what the file still says. */

import type { Marks } from '../../api/marks.ts';
import { partitionOf } from '../observed/batches.ts';
import { replicasWithoutSurge } from '../observed/surge.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * The marks with the first step of the plan that lets as many groups go as the delivery has, by its floor, which is the partition of
 * the file. No group goes by it: what follows asks its gates. As they are where no step fits, or the file has another template.
 */
export function withStepAgain({ rollout, workload }: Snapshot, marks: Marks): Marks {
  const { step, restore, release } = marks;
  const floor = restore?.floor;
  if (step !== undefined || floor === undefined || restore?.style !== undefined) return marks;
  if (rollout === undefined || workload === undefined || workload.digest !== release.digest) return marks;
  const replicas = replicasWithoutSurge(workload.workload);
  if (replicas === undefined || workload.workload.partition !== floor) return marks;
  const { steps } = rollout.rollout;
  const index = steps.findIndex((one) => partitionOf(one.replicas, replicas) === floor);
  return index === -1 ? marks : { ...marks, step: { kind: 'step', index: index + 1, of: steps.length } };
}
