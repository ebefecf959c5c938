/** The rollback a batch at a time, where the versions of one workload share the requests: how large a batch, which share, by Git alone. */

import { MARK } from '../../api/marks.ts';
import { parseRestore, printRestore, withAside } from '../../api/restore.ts';
import type { Edit } from '../edits/edit.ts';
import { type Commit, edited, removeField, setField, withObjects } from './commit.ts';
import { type Condition, LIVE } from './condition.ts';
import { annotationsOf, type Delivery, partitionIn, primaryGroups, quorumOf } from './delivery.ts';
import type { NextCommit } from './next-commit.ts';
import { CANARY_DRAINED, partitioned } from './promotion.ts';
import { stableText } from './rollback.ts';
import { isRestored, percentIn, shareIn, sharing } from './shares.ts';
import { isPinned, selectsRelease, servicesOnly, withdrawShare } from './version-edits.ts';

const RESTORE = ['metadata', 'annotations', MARK.restore];

/** A commit without its place among the rungs. */
type Writing = Pick<NextCommit, 'waits'> & { readonly at: 'back' | 'template'; readonly commit: Commit };

/**
 * What groups of a version that is aborted may be sent while others go back, in whole percent: as much as those of the stable
 * version, one by one.
 */
export function shareLeft({ left, stable }: { readonly left: number; readonly stable: number }): number {
  return Math.floor((100 * left) / Math.max(1, left + stable));
}

/** What routes send by weight, where the groups of both versions can be told apart: only that can be lowered batch by batch. */
export function hasWeight(delivery: Delivery): boolean {
  const isWeight = shareIn(delivery) !== 'matches' && percentIn(delivery) > 0;
  return isWeight && isPinned(delivery) && selectsRelease(delivery) && delivery.missing.length === 0;
}

/** The first commit of it, all groups being ready; undefined: enough of them are on the stable version for all requests. */
export function firstBatch(delivery: Delivery): Writing | undefined {
  const { own } = delivery;
  const [count, floor] = [primaryGroups(delivery), partitionIn(own) ?? 0];
  const left = count - floor - sizeOf(delivery);
  if (floor === 0 || floor >= quorumOf(delivery) || left <= 0 || !hasWeight(delivery)) return undefined;
  const percent = Math.min(percentIn(delivery), shareLeft({ left, stable: floor }));
  const restore = withAside(parseRestore(annotationsOf(own)[MARK.restore] ?? ''), { floor });
  const kept = edited(own, setField(own, RESTORE, printRestore(restore)));
  const objects = [...stableText(delivery), ...partitioned(delivery, count), ...kept];
  return { at: 'back', commit: withObjects(sharing(delivery, { kind: 'weight', percent }), objects), waits: [] };
}

/** The next one, once the batch before is ready: less of a share, the groups, and the last ones once no request reaches them. */
export function followingBatch(delivery: Delivery): Writing {
  const { own } = delivery;
  const [count, partition] = [primaryGroups(delivery), Math.min(partitionIn(own) ?? 0, primaryGroups(delivery))];
  const floor = Math.min(partition, parseRestore(annotationsOf(own)[MARK.restore] ?? '')?.floor ?? 0);
  const [stable, size] = [count - partition + floor, sizeOf(delivery)];
  const left = partition - floor - size;
  const ready: readonly Condition[] = [LIVE, { kind: 'newVersion', side: 'stable', groups: stable }];
  if (left <= 0 || stable >= quorumOf(delivery))
    return isRestored(delivery)
      ? lastBatch(delivery, floor)
      : { at: 'back', commit: withdrawShare(delivery), waits: ready };
  const percent = shareLeft({ left, stable });
  if (percentIn(delivery) > percent)
    return { at: 'back', commit: sharing(delivery, { kind: 'weight', percent }), waits: ready };
  const commit = servicesOnly(delivery, partitioned(delivery, partition - size));
  return { at: 'back', commit, waits: [...ready, { kind: 'accepted' }] };
}

function lastBatch(delivery: Delivery, floor: number): Writing {
  const gone: readonly Edit[] = removeField(delivery.own, RESTORE);
  const objects = [...partitioned(delivery, floor), ...edited(delivery.own, gone)];
  return {
    at: 'template',
    commit: servicesOnly(delivery, objects),
    waits: [LIVE, { kind: 'accepted' }, CANARY_DRAINED],
  };
}

/** As many as may be down at once by the user's maxUnavailable, at least one. */
function sizeOf(delivery: Delivery): number {
  return Math.max(1, primaryGroups(delivery) - quorumOf(delivery));
}
