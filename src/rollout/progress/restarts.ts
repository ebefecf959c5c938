/** How often groups of the step in Git have been restarted since it started: LWS recreates a group whose pod fails. */

import type { Marks } from '../../api/marks.ts';
import type { StepRecord } from '../../api/record.ts';
import type { GroupRecord, GroupRestarts } from '../../api/record-groups.ts';
import { sameRelease } from '../../api/release.ts';
import { judgedOnLadder } from '../ladders/judged.ts';
import type { Group } from '../observed/groups.ts';
import type { Situation } from '../situation.ts';

/** How many starts after the first, within one step, are no accident any more. */
export const CRASH_LOOP_RESTARTS = 3;

/** What the record knows of the step that Git holds; undefined where it speaks of another, or of none. */
export function recordedStep({ snapshot, state }: Situation): StepRecord | undefined {
  const recorded = snapshot.record?.step;
  const step = state.kind === 'ladder' ? { ...state.stage, marks: state.marks } : state;
  if (recorded === undefined || step.kind !== 'step' || step.index !== recorded.index) return undefined;
  return sameRelease(recorded.release, step.marks.release) ? recorded : undefined;
}

/** What the record has counted where Git stands: in this very step, or in the promotion that followed the last one. */
export function recordedCounts(situation: Situation): Pick<StepRecord, 'restarts' | 'waited'> | undefined {
  const { snapshot, state } = situation;
  const recorded = snapshot.record?.step;
  const isPromotion = state.kind === 'ladder' && state.stage.kind === 'promote';
  if (recorded === undefined || (recorded.promotes === true) !== isPromotion) return undefined;
  if (!isPromotion) return recordedStep(situation);
  return sameRelease(recorded.release, state.marks.release) ? recorded : undefined;
}

/** Whether both are of the same step of a release, or of its promotion. How many steps there are is for people to change. */
export function isSameStep(left: Marks | undefined, right: Marks): boolean {
  if (!sameRelease(left?.release, right.release) || left?.step?.kind !== right.step?.kind) return false;
  return left?.step?.kind !== 'step' || right.step?.kind !== 'step' || left.step.index === right.step.index;
}

/**
 * The leaders that were seen on the release in this step, and how often each was followed by another of another UID:
 * its pods always look young, so only that tells a crash loop (reference: LWS pod_controller.go, restart policy).
 * A pass that sees no leader forgets nothing.
 */
export function restartsOf(situation: Situation): readonly GroupRestarts[] {
  const before = recordedCounts(situation)?.restarts ?? [];
  const groups = letGo(situation);
  if (groups === undefined) return before;
  const { snapshot } = situation;
  return groups.flatMap((group) => {
    const old = before.find((one) => one.index === group.index);
    if (group.leader.version !== 'release' || old?.uid === group.uid) return old === undefined ? [] : [old];
    if (old === undefined) return [{ index: group.index, uid: group.uid, count: 0 }];
    return [{ index: group.index, uid: group.uid, count: old.count + 1, since: old.since ?? snapshot.now }];
  });
}

/** The groups that may be on the release; undefined: they are not seen. */
function letGo(situation: Situation): readonly Group[] | undefined {
  if (situation.state.kind === 'ladder') return judgedOnLadder(situation)?.all;
  if (situation.view === 'unseen') return undefined;
  const { observed, marks, partition, asked } = situation;
  const floor = Math.min(partition, marks?.restore?.floor ?? partition);
  return observed.groups.filter(({ index }) => index >= floor && index < asked);
}

/** What the record remembers of a group, where it is still the same leader. */
export function recordedGroup({ snapshot }: Situation, group: Group): GroupRecord | undefined {
  return snapshot.record?.groups.find((one) => one.index === group.index && one.uid === group.uid);
}

/** How often the group was recreated as a whole (by restart policy), or container by container (restart policy None). */
export function timesRestarted(situation: Situation, group: Group): number {
  // On a ladder a group of the other workload has the same ordinal.
  const isOther = (uid: string): boolean => situation.state.kind === 'ladder' && uid !== group.uid;
  const counted = restartsOf(situation).find((one) => one.index === group.index && !isOther(one.uid));
  return Math.max(counted?.count ?? 0, group.restarts);
}
