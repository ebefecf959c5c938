/** Which rung of a step comes next where two versions of one workload share the requests. */

import type { RungMark } from '../../api/marks.ts';
import type { RolloutStep } from '../../api/rollout-steps.ts';
import { nextPartition, partitionOf } from '../observed/batches.ts';
import type { Share } from '../traffic/provider.ts';
import type { Delivery } from './delivery.ts';
import { isRestored, NO_SHARE, shareOf, sharing } from './shares.ts';
import { isPinned, selectsRelease } from './version-edits.ts';

/** What a step is to have. */
export type StepWanted = {
  readonly share: Share;
  readonly partition: number;
  /** It lets every group go: nothing is left of the stable version that a share could be held against. */
  readonly isWhole: boolean;
};

/** Of N groups, from this partition on: it is never raised. */
export function wantedOf(
  step: RolloutStep,
  { replicas, partition }: { readonly replicas: number; readonly partition: number },
): StepWanted {
  const next = nextPartition(Math.min(partition, replicas), partitionOf(step.replicas, replicas));
  const isWhole = next === 0;
  return { share: isWhole ? NO_SHARE : shareOf(step), partition: next, isWhole };
}

/** Where a step stands. */
type Standing = {
  readonly partition: number;
  readonly reached: RungMark | undefined;
  /** Some group is on neither of two versions. */
  readonly isMixed: boolean;
};

/**
 * The lowest rung that changes something; undefined: none does. By what Git has: `reached` is the rung of this very step
 * that it stands on, and nothing below that is written again, anyone who has edited it since.
 */
export function rungDue(
  delivery: Delivery,
  wanted: StepWanted,
  at: Standing,
): Extract<RungMark, 'route-restored' | 'template' | 'pods' | 'traffic'> | undefined {
  const isShared = wanted.share.kind !== 'none';
  const { partition, reached, isMixed } = at;
  const isBelow = reached === undefined || reached === 'route-restored';
  // Before every group is released for update nothing is shared out any more, also where an edit of the plan has made it so.
  if (
    (isBelow || (wanted.isWhole && reached === 'template')) &&
    !isShared &&
    (!isRestored(delivery) || isPinned(delivery))
  )
    return 'route-restored';
  const isTold = isPinned(delivery) && selectsRelease(delivery);
  // A third version goes with the groups of the step: only then there are two to tell apart.
  if ((isBelow || reached === 'pods') && isShared && !isTold && !isMixed) return 'template';
  if ((isBelow || reached === 'template') && partition !== wanted.partition) return 'pods';
  if (!isShared || isMixed || reached === 'traffic') return undefined;
  const made = sharing(delivery, wanted.share);
  return made.kind === 'unwritable' || made.objects.length > 0 ? 'traffic' : undefined;
}
