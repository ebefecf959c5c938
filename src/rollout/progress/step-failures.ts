/** The groups that a release answers for where it stands, and those of them that were restarted too often. */

import { type JudgedStep, judgedOnLadder } from '../ladders/judged.ts';
import { toleratedFailures } from '../observed/batches.ts';
import type { Group } from '../observed/groups.ts';
import { onRelease, wanted } from '../observed/groups-asked.ts';
import type { Seen, Situation } from '../situation.ts';
import type { InDelivery } from '../state.ts';
import { timesRestarted } from './restarts.ts';

/** Those by which a step, or the promotion after the last one, may fail; undefined: it is neither, or they are not seen. */
export function judgedGroups(situation: Situation): JudgedStep | undefined {
  const { state } = situation;
  if (state.kind !== 'step') return judgedOnLadder(situation);
  return situation.view === 'seen' ? groupsOfStep(situation, state) : undefined;
}

/**
 * Those from the partition up whose leader is on the release, and how many of them may fail: a group that is still on
 * the stable version, or broken below the partition, is not the release's fault.
 */
function groupsOfStep(situation: Seen, { row, index, of, marks }: InDelivery): JudgedStep {
  const { observed, asked, replicas, partition, digest, snapshot } = situation;
  const whole = row === 'locked' || row === 'rolling';
  const from = whole ? 0 : Math.min(partition, replicas);
  const batch = wanted(observed, asked).filter((group) => group.index >= from);
  const queued = digest !== marks.release.digest;
  // LWS sees one version only: nothing shows which groups it is about.
  const told = queued || observed.releaseKey !== observed.stableKey;
  const groups = queued
    ? onRelease(observed, { groups: batch, queued })
    : batch.filter((group) => told && group.leader.version === 'release');
  // As the rows have it: none while extra groups start, and none before a release is settled.
  const strict = row === 'surging' || (row === 'locked' && index === of);
  const failureThreshold = strict ? undefined : snapshot.rollout?.rollout.failureThreshold;
  const tolerated = toleratedFailures({ updated: batch.length, failureThreshold });
  return { name: situation.file.object.name, all: batch, groups, tolerated };
}

/** Those that were restarted more often in this step than a policy lets them; none while this many may fail. */
export function restartedTooOften(situation: Situation, judged: JudgedStep): readonly Group[] {
  return tooOften(situation, judged, (group) => timesRestarted(situation, group));
}

/** The same by what their pods say alone: of a group that was recreated as a whole they do not know. */
export function restartedInPlaceTooOften(situation: Situation, judged: JudgedStep): readonly Group[] {
  return tooOften(situation, judged, ({ restarts }) => restarts);
}

function tooOften(
  { snapshot }: Situation,
  { groups, tolerated }: JudgedStep,
  timesOf: (group: Group) => number,
): readonly Group[] {
  const most = snapshot.policy.maxRestarts;
  if (most === undefined) return [];
  const often = groups.filter((group) => timesOf(group) > most);
  return often.length > tolerated ? often : [];
}
