/** Batch arithmetic: how many groups a step means, and which partition that is. Kruise's rules, on groups. */

import { ceilOf, type IntOrPercent } from '../../api/int-or-percent.ts';

/**
 * Groups on the new version once the step is done, in all: a count as it is, `x%` of N rounded up, within 0…N
 * (reference: Kruise batchrelease/control/util.go:38-50).
 */
export function plannedGroups(step: IntOrPercent, replicas: number): number {
  return Math.min(Math.max(ceilOf(step, replicas), 0), Math.max(replicas, 0));
}

/** Whether a step means every group (reference: Kruise rollout_canary.go, ceil(replicas) >= all). */
export function coversAll(step: IntOrPercent, replicas: number): boolean {
  return plannedGroups(step, replicas) >= replicas;
}

/** The partition that lets exactly the planned groups, the highest ordinals, onto the new version. */
export function partitionOf(step: IntOrPercent, replicas: number): number {
  return replicas - plannedGroups(step, replicas);
}

/** A partition is only ever lowered within a delivery (reference: Kruise statefulset/control.go:117-130). */
export function nextPartition(current: number, wanted: number): number {
  return Math.min(current, wanted);
}

type BatchCounts = {
  /** Groups that this batch should have on the new version. */
  readonly desired: number;
  readonly updated: number;
  readonly updatedReady: number;
  readonly failureThreshold: IntOrPercent | undefined;
};

/**
 * Tells whether a batch is done: enough groups updated, at most the tolerated share of the *updated* ones not
 * ready, and never with none ready (reference: Kruise batchrelease/context/context.go:79-122).
 */
export function batchReady(batch: BatchCounts): boolean {
  const tolerated = toleratedFailures(batch);
  return (
    batch.updated >= batch.desired &&
    tolerated + batch.updatedReady >= batch.desired &&
    (batch.desired === 0 || batch.updatedReady > 0)
  );
}

/** How many updated groups may be unready; Kruise reads a missing threshold as 0. */
export function toleratedFailures(batch: Pick<BatchCounts, 'updated' | 'failureThreshold'>): number {
  return batch.failureThreshold === undefined ? 0 : ceilOf(batch.failureThreshold, batch.updated);
}
