/** The step of a delivery whose annotation a squash or a hand has lost, where no commit of tranche tells it: by what the file still says. */

import type { Marks } from '../../api/marks.ts';
import { sameRelease } from '../../api/release.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import { partitionOf } from '../observed/batches.ts';
import { replicasWithoutSurge } from '../observed/surge.ts';
import type { Snapshot } from '../snapshot.ts';

/**
 * The marks with the rollback that they are of; else with the first step of the plan that lets as many groups go as the delivery has,
 * by its floor, which is the partition of the file. No group goes by it: what follows asks its gates. As they are where neither is
 * sure, or the file has another template.
 */
export function withStepAgain({ rollout, workload }: Snapshot, marks: Marks): Marks {
  const { step, restore, release, at } = marks;
  const { floor, style } = restore ?? {};
  if (step !== undefined || restore === undefined || (style !== undefined && !isOneWorkload(style))) return marks;
  if (rollout === undefined || workload === undefined || workload.digest !== release.digest) return marks;
  if (isOfRollback(marks)) return { ...marks, step: { kind: 'rollback' } };
  const { steps } = rollout.rollout;
  const replicas = replicasWithoutSurge(workload.workload);
  const { partition } = workload.workload;
  // Its labels and Services come before its groups.
  const isFirst = at === 'template' && partition === SENTINEL && floor === undefined;
  if (isFirst) return { ...marks, step: { kind: 'step', index: 1, of: steps.length } };
  if (replicas === undefined || floor === undefined || partition !== floor) return marks;
  const index = steps.findIndex((one) => partitionOf(one.replicas, replicas) === floor);
  return index === -1 ? marks : { ...marks, step: { kind: 'step', index: index + 1, of: steps.length } };
}

/** Only a rollback has put aside what it is to put back and names a release that was aborted, or as its own the one that it goes back to. */
function isOfRollback({ release, aborted, stable, at }: Marks): boolean {
  return at === 'back' || aborted.some((one) => sameRelease(one, release)) || stable?.digest === release.digest;
}
