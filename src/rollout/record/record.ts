/** What the status branch is to remember of a pass: what was seen. What a commit adds is in `record-progress.ts`. */

import { RECORD_VERSION, type RolloutRecord, type StableCopy } from '../../api/record.ts';
import { isOneWorkload } from '../../api/styles.ts';
import { fieldsLive, unappliedSince } from '../applied.ts';
import { recreated, revisionChanged, staysPut } from '../gates/cluster.ts';
import { givesWay } from '../gates/turns.ts';
import { delivering } from '../ladders/delivering.ts';
import { type Delivery, greenServes } from '../ladders/delivery.ts';
import { trafficUnread } from '../ladders/memory.ts';
import { shownOf } from '../ladders/shown.ts';
import { groupsOn, type TrafficView, workloadOf } from '../ladders/traffic-view.ts';
import type { Decision } from '../move.ts';
import type { Group } from '../observed/groups.ts';
import { nextRelease, type Situation, whenSeen } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { isRouted } from '../state.ts';
import { courseAfter } from './course.ts';
import { followed, groupsAfter, noLaterThanNow, withLoads } from './groups.ts';
import { measuredAfter } from './measured.ts';
import { progressSeen } from './progress.ts';
import { unseenAfter } from './shown.ts';

/**
 * The record after this pass, true whether its commit is written or not. Everything in it is either read from the
 * snapshot or carried over from the record before, so an unchanged world gives an unchanged record. `situation` is
 * undefined where no workload could be read.
 */
export function recordOf(snapshot: Snapshot, situation: Situation | undefined, decision: Decision): RolloutRecord {
  const { cluster, namespace, name } = snapshot.key;
  const own = groupsAfter(snapshot, situation);
  const { traffic, fresh } = trafficMemory(snapshot, situation);
  const memory = { groups: own.groups, loads: withLoads(own.loads, fresh) };
  const progress = progressSeen({ snapshot, situation, decision, loads: memory.loads });
  const quiet = decision.move === undefined && decision.holds.length === 0 && snapshot.issues.length === 0;
  // A field that others have written twice is watched for a while.
  const isTold = (progress.notices?.outbox ?? []).length === 0;
  const settled = quiet && isTold && situation?.state.kind === 'settled' && (situation.contest?.count ?? 0) < 2;
  return {
    version: RECORD_VERSION,
    cluster,
    namespace,
    name,
    main: progress.main,
    blobs: snapshot.blobs,
    settled,
    auditedAt: auditedAt(snapshot, settled),
    phase: progress.phase,
    currentStepState: progress.currentStepState,
    currentStepIndex: progress.currentStepIndex,
    nextStepIndex: progress.nextStepIndex,
    message: progress.message,
    conditions: progress.conditions,
    holds: progress.holds,
    rolloutHash: snapshot.rollout?.hash ?? snapshot.record?.rolloutHash ?? '',
    observedRolloutID: progress.observedRolloutID,
    marks: progress.marks,
    step: progress.step,
    ...(progress.change === undefined ? {} : { change: progress.change }),
    ...(progress.approved === undefined ? {} : { approved: progress.approved }),
    ...memory,
    unseen: unseenAfter(snapshot, situation),
    covers: progress.covers,
    expected: progress.expected,
    uids: uidsAfter(snapshot, situation),
    appliedSince: appliedSince(snapshot, situation),
    notAppliedSince: situation === undefined ? undefined : unappliedSince(snapshot, situation.file),
    contest: situation?.contest,
    retargeted: snapshot.retargeted === undefined ? undefined : snapshot.workload?.object.name,
    revision: revisionAfter(snapshot, situation),
    stable: stableAfter(snapshot, situation),
    requested: requestedAfter(snapshot, situation),
    automaticBacks: progress.automaticBacks,
    notices: progress.notices,
    ...deliverySeen(snapshot, progress, traffic),
    ...carried(snapshot, situation),
  };
}

function deliverySeen(
  { record, now }: Snapshot,
  { marks, covers, step }: Pick<RolloutRecord, 'marks' | 'covers' | 'step'>,
  traffic: RolloutRecord['traffic'],
): Pick<RolloutRecord, 'traffic' | 'course'> {
  const share = traffic?.shown?.share?.wanted;
  const course = courseAfter(record?.course, { marks, covers, share, at: step?.writtenAt ?? now });
  return { ...(traffic === undefined ? {} : { traffic }), ...(course === undefined ? {} : { course }) };
}

/** The pull request, which a pass of proposals changes, and what metrics said last. */
function carried(snapshot: Snapshot, situation: Situation | undefined): Pick<RolloutRecord, 'proposal' | 'measured'> {
  const { proposal } = snapshot.record ?? {};
  const measured = measuredAfter(snapshot, situation);
  return { ...(proposal === undefined ? {} : { proposal }), ...(measured === undefined ? {} : { measured }) };
}

/** What is remembered of a delivery as well, and how long the groups of the second workload took that are ready since. */
type Besides = Pick<RolloutRecord, 'traffic'> & { readonly fresh: readonly number[] };

/**
 * Since when each thing has been seen that a delivery with traffic, or a second workload, waits for. At rest there is none of it,
 * but for the groups of green where that serves.
 */
function trafficMemory(snapshot: Snapshot, situation: Situation | undefined): Besides {
  const state = situation?.state;
  const unread = { traffic: snapshot.record?.traffic, fresh: [] };
  if (situation === undefined || state === undefined) return unread;
  const isBegun = state.kind === 'ladder' || ('marks' in state && isRouted(state.marks));
  if (!isBegun && state.kind !== 'requested') return servedByGreen(snapshot, situation);
  const release = isBegun ? state.marks.release : nextRelease(situation.digest, state.marks);
  const on = delivering(situation, state.marks, release);
  if (on === undefined) return unread;
  const { delivery, view } = on;
  if (view === undefined) return { traffic: trafficUnread(delivery, snapshot.record), fresh: [] };
  const traffic = view.memory();
  const before = snapshot.record?.traffic?.groups;
  const seen = groupsBeside(delivery, view);
  if (seen === undefined)
    return { traffic: before === undefined ? traffic : { ...traffic, groups: before }, fresh: [] };
  const { groups, loads } = followed(snapshot, seen, before);
  return { traffic: { ...traffic, groups }, fresh: loads };
}

/** Who serves while the user's own has no groups. No delivery of anything goes by it. */
function servedByGreen(snapshot: Snapshot, situation: Situation): Besides {
  const { state } = situation;
  const on = 'marks' in state ? delivering(situation, state.marks, state.marks.release) : undefined;
  if (on === undefined || !greenServes(on.delivery)) return { fresh: [] };
  const { groups: before, shown } = snapshot.record?.traffic ?? {};
  const seen = on.view === undefined ? undefined : groupsBeside(on.delivery, on.view);
  if (on.view === undefined || seen === undefined)
    return before === undefined ? { fresh: [] } : { traffic: { groups: before, shown }, fresh: [] };
  const { groups, loads } = followed(snapshot, seen, before);
  const { sides } = shownOf(on.delivery, on.view);
  const stable = sides.filter(({ side }) => side === 'stable');
  return { traffic: { groups, shown: { rungs: [], sides: stable } }, fresh: loads };
}

/** The groups of the workload that we made; undefined: there is none, or they were not read. Not in the cluster yet: no groups. */
function groupsBeside(delivery: Delivery, view: TrafficView): readonly Group[] | undefined {
  if (isOneWorkload(delivery.plan.style)) return undefined;
  const found = groupsOn(workloadOf(delivery, view, greenServes(delivery) ? 'stable' : 'canary'));
  if (found.kind === 'absent') return [];
  return found.kind === 'known' ? found.value.groups : undefined;
}

/** The objects that a delivery started with: kept while it is open, so that another object is seen as another. */
function uidsAfter(snapshot: Snapshot, situation: Situation | undefined): RolloutRecord['uids'] {
  const before = snapshot.record?.uids;
  if (situation?.observed === undefined) return before;
  const { state, observed } = situation;
  const filling = staysPut(situation) || (state.kind === 'ladder' && state.stage.kind === 'step');
  // Once locked, groups come up on its own template again, but for one that is queued behind it.
  const begun =
    filling || (state.kind === 'step' && (state.row !== 'locked' || situation.digest !== state.marks.release.digest));
  const open = begun || (state.kind === 'requested' && recreated(situation) !== undefined);
  const { lws, leaderSet } = observed;
  const { name } = situation.file.object;
  const isOwn = before !== undefined && (before.name ?? name) === name;
  return open && isOwn ? before : { lws: lws.uid, leaderSet: leaderSet.uid, name };
}

function appliedSince(snapshot: Snapshot, situation: Situation | undefined): number | undefined {
  if (situation === undefined || snapshot.live.lws.kind !== 'known') return undefined;
  const { observedGeneration, generation } = snapshot.live.lws.value;
  const observed = observedGeneration !== undefined && observedGeneration >= generation;
  if (observed || !fieldsLive(snapshot, situation.file)) return undefined;
  const { file } = situation.file;
  const same = snapshot.record?.blobs[file] === snapshot.blobs[file];
  return noLaterThanNow(same ? snapshot.record?.appliedSince : undefined, snapshot);
}

/** Another key for the same template is remembered once no group is left on the one before. */
function revisionAfter(snapshot: Snapshot, situation: Situation | undefined): RolloutRecord['revision'] {
  const key = situation?.observed?.releaseKey;
  if (situation === undefined || key === undefined || whenSeen(revisionChanged)(situation) !== undefined)
    return snapshot.record?.revision;
  return { digest: situation.digest, key };
}

/** Another template is another request, as young as the pass that sees it first. */
function requestedAfter(snapshot: Snapshot, situation: Situation | undefined): RolloutRecord['requested'] {
  if (situation?.state.kind !== 'requested') return undefined;
  const { digest } = situation;
  const recorded = snapshot.record?.requested;
  const before = recorded?.digest === digest ? recorded : undefined;
  const since = noLaterThanNow(before?.since, snapshot);
  return givesWay(snapshot) ? { digest, since, gaveWay: noLaterThanNow(before?.gaveWay, snapshot) } : { digest, since };
}

/**
 * A copy of the template to go back to, for the day on which its commit cannot be fetched any more: made at rest, when main
 * itself has it, and never of what a mark names, which anybody who merges may have written.
 */
function stableAfter(snapshot: Snapshot, situation: Situation | undefined): StableCopy | undefined {
  if (situation?.state.kind === 'settled') {
    const { state, file } = situation;
    const { marks } = state;
    return { commit: marks.stable?.commit ?? snapshot.main, release: marks.release, text: file.text };
  }
  return snapshot.record?.stable;
}

/** Settling counts as an audit: everything was read for it. While a delivery goes on the time is not renewed. */
function auditedAt({ live, record, audit, now }: Snapshot, settled: boolean): number {
  const before = Math.min(record?.auditedAt ?? now, now);
  if (live.lws.kind === 'unknown') return before;
  return audit || (settled && record?.settled === false) ? now : before;
}
