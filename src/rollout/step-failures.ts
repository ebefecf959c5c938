/** The groups that a step answers for, and those of them that were started anew too often. */

import { toleratedFailures } from './batches.ts';
import { onRelease, wanted } from './gates/cluster.ts';
import type { Group } from './groups.ts';
import { timesRestarted } from './restarts.ts';
import type { Seen } from './situation.ts';
import type { InDelivery } from './state.ts';

/**
 * Those from the partition up whose leader is on the release, and how many of them may fail: a group that is still on
 * the version before, or broken below the partition, is not the release's fault.
 */
export function groupsOfStep(
  situation: Seen,
  { row, index, of, marks }: InDelivery,
): { readonly groups: readonly Group[]; readonly tolerated: number } {
  const { observed, asked, replicas, partition, digest, snapshot } = situation;
  const whole = row === 'armed' || row === 'rolling';
  const from = whole ? 0 : Math.min(partition, replicas);
  const batch = wanted(observed, asked).filter((group) => group.index >= from);
  const queued = digest !== marks.release.digest;
  // LWS sees one version only: nothing shows which groups it is about.
  const told = queued || observed.releaseKey !== observed.stableKey;
  const groups = queued
    ? onRelease(observed, { groups: batch, queued })
    : batch.filter((group) => told && group.leader.version === 'release');
  // As the rows have it: none while extra groups start, and none before a release is settled.
  const strict = row === 'surging' || (row === 'armed' && index === of);
  const failureThreshold = strict ? undefined : snapshot.rollout?.rollout.failureThreshold;
  return { groups, tolerated: toleratedFailures({ updated: batch.length, failureThreshold }) };
}

/** Those that were started anew more often in this step than a policy lets them; none while so many may fail. */
export function restartedTooOften(situation: Seen, step: InDelivery): readonly Group[] {
  const most = situation.snapshot.policy.maxRestarts;
  if (most === undefined) return [];
  const { groups, tolerated } = groupsOfStep(situation, step);
  const often = groups.filter((group) => timesRestarted(situation, group) > most);
  return often.length > tolerated ? often : [];
}
