/** What the record holds for people alone: no decision reads any of it. */

import { isNotAsked } from '../../api/known.ts';
import type { HoldRecord, RolloutRecord } from '../../api/record.ts';
import { printInstant } from '../../api/time.ts';
import { type Hold, holdKind } from '../hold.ts';
import type { Move } from '../move.ts';
import { plannedGroups } from '../observed/batches.ts';
import type { Group, GroupVersion } from '../observed/groups.ts';
import { keyOf } from '../observed/revisions.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';

/** Countdowns change with every pass; what is waited for, and when it ends, does not. */
export function holdRecord(
  { reason, message, requeueAfterSeconds, facts, lines }: Hold,
  { now }: Snapshot,
): HoldRecord {
  if (lines !== undefined) return { reason, message, lines };
  if (facts !== undefined) return { reason, message, facts };
  const { until: lasts, dated } = holdKind(reason) ?? {};
  if ((lasts === undefined && dated !== true) || requeueAfterSeconds === undefined) return { reason, message };
  const until = now + requeueAfterSeconds;
  return { reason, message: lasts === undefined ? message : `${lasts} ${printInstant(until)}`, until };
}

/** Why the groups of the record are not those of now; undefined: this pass saw them, or the last one that had to look. */
export function unseenAfter(
  { live, record, now }: Snapshot,
  situation: Situation | undefined,
): RolloutRecord['unseen'] {
  if (situation?.observed !== undefined) return undefined;
  const before = record?.unseen;
  if (live.lws.kind === 'known' && situation === undefined) return before;
  // At rest nobody looks between audits; what the last one saw stands.
  if (isNotAsked(live.lws)) return before;
  const why = live.lws.kind === 'absent' ? 'absent' : 'unread';
  return { why, since: before?.why === why ? Math.min(before.since, now) : now };
}

/** The groups that the step covers, of N as it is now: an autoscaler or someone may have changed it since. */
export function coversAfter(
  { record }: Snapshot,
  situation: Situation | undefined,
  move: Move | undefined,
): RolloutRecord['covers'] {
  const step = (move?.marks ?? situation?.marks)?.step;
  if (situation === undefined || situation.replicas === undefined) return record?.covers;
  const plan = step?.kind === 'step' ? situation.steps[step.index - 1] : undefined;
  if (plan === undefined) return undefined;
  return { groups: plannedGroups(plan.replicas, situation.replicas), of: situation.replicas };
}

/**
 * Which template a group is on, for people: that does not hang on whether every field of Git is live, as the answer that
 * decisions get does. Where a newer template waits for the end of a release that all groups were released for update to, `release` is
 * that one: LWS names it by neither the file's revision nor the stable one.
 */
export function shownVersions(situation: Situation): (group: Group) => GroupVersion {
  const { observed, file, snapshot } = situation;
  const { live, stable } = snapshot;
  const revisions = live.revisions.kind === 'known' ? live.revisions.value : [];
  const inUse = live.leaders.kind === 'known' ? live.leaders.value.map((leader) => leader.revisionKey) : [];
  const other = stable.kind === 'known' ? stable.value.content : undefined;
  const inFile = observed?.releaseKey ?? keyOf(file.workload, other, revisions, inUse);
  const [third, ofFile] = isQueued(situation) ? (['release', 'other'] as const) : (['other', 'release'] as const);
  return ({ key, version }) => {
    if (key === undefined) return version;
    if (key === inFile) return ofFile;
    return key === observed?.stableKey ? 'stable' : third;
  };
}

/** A newer template is in the file, and every group that serves the release has been released for update to it. */
function isQueued({ state, digest, marks }: Situation): boolean {
  if (marks === undefined || digest === marks.release.digest) return false;
  if (state.kind === 'step') return state.row === 'locked';
  return state.kind === 'ladder' && state.stage.kind === 'promote' && state.at !== 'primary';
}
