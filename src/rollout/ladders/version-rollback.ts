/** The ladder of the rollback where two versions of one workload share the requests: at once, route first, or a batch at a time. */

import { MARK } from '../../api/marks.ts';
import { parseRestore, printRestore, withAside } from '../../api/restore.ts';
import { SENTINEL } from '../../api/workload.ts';
import { type Commit, edited, removeField, setField, withObjects } from './commit.ts';
import type { Condition } from './condition.ts';
import {
  annotationsOf,
  type BackStart,
  type Delivery,
  partitionIn,
  primaryGroups,
  quorumOf,
  selectorOf,
} from './delivery.ts';
import type { Position } from './position.ts';
import { CANARY_DRAINED, partitioned } from './promotion.ts';
import { stableText } from './rollback.ts';
import { ALWAYS, NOTHING, type Rung } from './rung.ts';
import { isRestored, percentIn, shareIn, sharing } from './shares.ts';
import {
  answersForAll,
  isOpen,
  isPinned,
  pinned,
  restoreAll,
  selectsRelease,
  servicesOnly,
  withdrawShare,
} from './version-edits.ts';
import { takesSide } from './version-sides.ts';

const RESTORE = ['metadata', 'annotations', MARK.restore];

/**
 * From this place: a rollback that is in progress goes on with the rungs above its own. A pass says in the delivery how it
 * starts (`../strategies/routed-back.ts`), by what serves in the cluster; else Git does.
 */
export function versionRollback({ stage, at }: Position): readonly Rung[] {
  const starts = stage.kind !== 'rollback';
  const start = (delivery: Delivery): BackStart | undefined =>
    starts ? (delivery.back ?? startInGit(delivery, at)) : undefined;
  const inBatches = !starts && at === 'back';
  return [
    {
      at: 'route-restored',
      isListed: (delivery) => start(delivery)?.kind === 'first',
      isAlways: true,
      commit: (delivery) => startCommit(delivery, start(delivery)),
      before: NOTHING,
      seen: requestsGone,
    },
    {
      at: 'back',
      isListed: (delivery) => start(delivery)?.kind === 'batches',
      isAlways: true,
      commit: (delivery) => startCommit(delivery, start(delivery)),
      before: NOTHING,
      seen: NOTHING,
    },
    ...(inBatches ? batchRungs : []),
    {
      at: 'template',
      isListed: () => starts || at === 'route-restored',
      isAlways: true,
      commit: (delivery) => {
        const whole = isWhole(delivery, starts ? at : undefined) ? partitioned(delivery, 0) : [];
        return withObjects(startCommit(delivery, start(delivery)), [...stableText(delivery), ...whole]);
      },
      before: NOTHING,
      seen: allBack,
    },
    {
      at: 'settled',
      isListed: ALWAYS,
      isAlways: true,
      commit: (delivery) => withObjects(restoreAll(delivery), partitioned(delivery, SENTINEL)),
      before: NOTHING,
      seen: NOTHING,
    },
  ];
}

/** From the rung `back`: the next batch, and the last groups as in any other rollback, once their last requests are answered. */
const batchRungs: readonly Rung[] = [
  {
    at: 'back',
    // Before its groups go, so that those that stay are not sent what the others were.
    isListed: (delivery) => percentIn(delivery) > shareAfter(delivery),
    commit: (delivery) => lowered(delivery, shareAfter(delivery)),
    before: batchReady,
    seen: NOTHING,
  },
  {
    at: 'back',
    isListed: (delivery) => !batchOf(delivery).isEnough,
    commit: (delivery) => servicesOnly(delivery, partitioned(delivery, batchOf(delivery).partition)),
    before: (delivery) => [...batchReady(delivery), { kind: 'accepted' }],
    seen: NOTHING,
  },
  {
    at: 'template',
    isListed: ALWAYS,
    isAlways: true,
    commit: lastBatch,
    before: () => [{ kind: 'accepted' }, CANARY_DRAINED],
    seen: allBack,
  },
];

/** Whether every group was released for update, locked again since or not. */
export function isWhole({ own }: Delivery, at: Position['at']): boolean {
  const partition = partitionIn(own) ?? 0;
  return partition === 0 || (partition === SENTINEL && (at === 'pods' || at === 'traffic'));
}

/** Nobody waits for the groups that are to restart: no request finds them, or all that do find the others as well. */
function requestsGone(delivery: Delivery): readonly Condition[] {
  // A Service that a hand has opened, or turned to them, sends to them for as long as they are there.
  const { service } = delivery;
  const isAll =
    answersForAll(delivery) || (service !== undefined && takesSide(delivery, selectorOf(service), 'canary'));
  const complete: readonly Condition[] = isOpen(delivery) ? [{ kind: 'complete' }] : [];
  return [{ kind: 'accepted' }, ...complete, ...(isAll ? [] : [CANARY_DRAINED])];
}

function allBack(): readonly Condition[] {
  return [{ kind: 'stableText' }, { kind: 'flipped', side: 'stable' }];
}

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

/** What the first commit of a rollback makes of routes and Services; undefined: it is in progress. */
function startCommit(delivery: Delivery, from: BackStart | undefined): Commit {
  if (from?.kind === 'batches') return firstBatch(delivery, from.percent);
  if (from?.kind === 'atOnce' && from.opens) return restoreAll(delivery);
  const pin = from?.kind === 'first' ? from.pin : undefined;
  return withObjects(withdrawShare(delivery), pin === undefined ? [] : pinned(delivery, pin));
}

/** As where all groups are ready. */
function startInGit(delivery: Delivery, at: Position['at']): BackStart {
  if (isRestored(delivery) || isWhole(delivery, at)) return { kind: 'atOnce', opens: false };
  return isPaced(delivery) ? { kind: 'batches', percent: firstShare(delivery) } : { kind: 'first', pin: undefined };
}

/** Whether too few groups are on the stable version for all requests, all of them being ready, so that they go back in batches. */
function isPaced(delivery: Delivery): boolean {
  const floor = partitionIn(delivery.own) ?? 0;
  const left = primaryGroups(delivery) - floor - sizeOf(delivery);
  return floor > 0 && floor < quorumOf(delivery) && left > 0 && hasWeight(delivery);
}

/** In percent, what suits the first batch. */
function firstShare(delivery: Delivery): number {
  const [count, floor] = [primaryGroups(delivery), partitionIn(delivery.own) ?? 0];
  return Math.min(percentIn(delivery), shareLeft({ left: count - floor - sizeOf(delivery), stable: floor }));
}

/** The stable template with a partition of N, so that it replaces nobody, and this share. */
function firstBatch(delivery: Delivery, percent: number): Commit {
  const { own } = delivery;
  const [count, floor] = [primaryGroups(delivery), partitionIn(own) ?? 0];
  const restore = withAside(parseRestore(annotationsOf(own)[MARK.restore] ?? ''), { floor });
  const kept = edited(own, setField(own, RESTORE, printRestore(restore)));
  const objects = [...stableText(delivery), ...partitioned(delivery, count), ...kept];
  return withObjects(sharing(delivery, { kind: 'weight', percent }), objects);
}

/** Where a rollback in batches stands: on the stable version, left after the next batch, and its partition. */
type Batch = {
  readonly stable: number;
  readonly left: number;
  readonly partition: number;
  /** The lowest of the delivery. */
  readonly floor: number;
  readonly isEnough: boolean;
};

function batchOf(delivery: Delivery): Batch {
  const count = primaryGroups(delivery);
  const partition = Math.min(partitionIn(delivery.own) ?? 0, count);
  const floor = Math.min(partition, parseRestore(annotationsOf(delivery.own)[MARK.restore] ?? '')?.floor ?? 0);
  const [stable, size] = [count - partition + floor, sizeOf(delivery)];
  const left = partition - floor - size;
  return { stable, left, partition: partition - size, floor, isEnough: left <= 0 || stable >= quorumOf(delivery) };
}

/** In percent, for the next batch; none for the last. */
function shareAfter(delivery: Delivery): number {
  const { isEnough, left, stable } = batchOf(delivery);
  return isEnough ? 0 : shareLeft({ left, stable });
}

function lowered(delivery: Delivery, percent: number): Commit {
  return percent === 0 ? withdrawShare(delivery) : sharing(delivery, { kind: 'weight', percent });
}

function batchReady(delivery: Delivery): readonly Condition[] {
  return [{ kind: 'newVersion', side: 'stable', groups: batchOf(delivery).stable }];
}

/** As any other template that goes back, once the last requests of these groups are answered. */
function lastBatch(delivery: Delivery): Commit {
  const { own } = delivery;
  const objects = [...partitioned(delivery, batchOf(delivery).floor), ...edited(own, removeField(own, RESTORE))];
  return servicesOnly(delivery, objects);
}

/** As many as may be down at once by the user's maxUnavailable, at least one. */
function sizeOf(delivery: Delivery): number {
  return Math.max(1, primaryGroups(delivery) - quorumOf(delivery));
}
