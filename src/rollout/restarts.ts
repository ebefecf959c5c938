/** How often groups of the step in Git have been started anew since it began: LWS recreates a group whose pod fails. */

import type { GroupRecord, GroupRestarts, StepRecord } from '../api/record.ts';
import { sameRelease } from '../api/release.ts';
import type { Group } from './groups.ts';
import type { Situation } from './situation.ts';

/** So many starts after the first, within one step, are no accident any more. */
export const CRASH_LOOP_RESTARTS = 3;

/** What the record knows of the step that Git holds; undefined where it speaks of another, or of none. */
export function recordedStep({ snapshot, state }: Situation): StepRecord | undefined {
  const recorded = snapshot.record?.step;
  const step = state.kind === 'ladder' ? { ...state.stage, marks: state.marks } : state;
  if (recorded === undefined || step.kind !== 'step' || step.index !== recorded.index) return undefined;
  return sameRelease(recorded.release, step.marks.release) ? recorded : undefined;
}

/**
 * The leaders that were seen on the release in this step, and how often each was followed by another of another UID:
 * its pods always look young, so only that tells a crash loop (reference: LWS pod_controller.go, restart policy).
 * A pass that sees no leader forgets nothing.
 */
export function restartsOf(situation: Situation): readonly GroupRestarts[] {
  const before = recordedStep(situation)?.restarts ?? [];
  if (situation.sight === 'unseen') return before;
  const { observed, snapshot, marks, partition, asked } = situation;
  const floor = Math.min(partition, marks?.restore?.floor ?? partition);
  return observed.groups.flatMap((group) => {
    if (group.index < floor || group.index >= asked) return [];
    const old = before.find((one) => one.index === group.index);
    if (group.leader.version !== 'release' || old?.uid === group.uid) return old === undefined ? [] : [old];
    if (old === undefined) return [{ index: group.index, uid: group.uid, count: 0 }];
    return [{ index: group.index, uid: group.uid, count: old.count + 1, since: old.since ?? snapshot.now }];
  });
}

/** What the record remembers of a group, where it is still the same leader. */
export function recordedGroup({ snapshot }: Situation, group: Group): GroupRecord | undefined {
  return snapshot.record?.groups.find((one) => one.index === group.index && one.uid === group.uid);
}

/** How often the group was recreated as a whole (by restart policy), or container by container (restart policy None). */
export function timesRestarted(situation: Situation, group: Group): number {
  return Math.max(restartsOf(situation).find((one) => one.index === group.index)?.count ?? 0, group.restarts);
}
