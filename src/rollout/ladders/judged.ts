/** The groups that answer for a release which fills a second workload: those that the rung in Git has let onto it. */

import { updatesPrimary } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import { type Hold, holdKind } from '../hold.ts';
import { toleratedFailures } from '../observed/batches.ts';
import type { Group } from '../observed/groups.ts';
import { onRelease, wanted } from '../observed/groups-asked.ts';
import type { Situation } from '../situation.ts';
import { delivering } from './delivering.ts';
import type { Delivering } from './delivering-facts.ts';
import { canarySide, replicasOf } from './delivery.ts';
import { hasTemplate } from './second-workload.ts';
import { unlive } from './seen-workloads.ts';
import { groupsOn, workloadOf } from './traffic-view.ts';

export type JudgedStep = {
  /** The workload that they are of. */
  readonly name: string;
  /** All that Git asks for of it. */
  readonly all: readonly Group[];
  /** Those whose leader is on the release. */
  readonly groups: readonly Group[];
  /** How many of them may fail. */
  readonly tolerated: number;
};

/**
 * In steps those of the workload that is filled; in a promotion those that take over: of the primary (canary), or of the new
 * colour (blueGreen). None before the release's template is in it. undefined: on a rollback, or not read.
 */
export function judgedOnLadder(situation: Situation): JudgedStep | undefined {
  const { state } = situation;
  if (state.kind !== 'ladder' || state.stage.kind === 'rollback') return undefined;
  const on = delivering(situation, state.marks, state.marks.release);
  if (on === undefined) return undefined;
  const { delivery } = on;
  if (state.stage.kind === 'promote')
    return updatesPrimary(delivery.plan.style) ? ofPrimary(situation) : ofFilled(on, undefined);
  const failureThreshold = situation.snapshot.rollout?.rollout.failureThreshold;
  return hasTemplate(delivery)
    ? ofFilled(on, failureThreshold)
    : { name: delivery.own.object.name, all: [], groups: [], tolerated: 0 };
}

function ofFilled(
  { situation, delivery, view }: Delivering,
  failureThreshold: Parameters<typeof toleratedFailures>[0]['failureThreshold'],
): JudgedStep | undefined {
  const side = canarySide(delivery);
  if (side === undefined || view === undefined) return undefined;
  const workload = workloadOf(delivery, view, 'canary');
  // A newer template of the file is live in the user's own workload, locked, while its groups are on the release.
  if (workload.isOwn) return ofPrimary(situation);
  const found = groupsOn(workload);
  if (found.kind === 'unknown') return undefined;
  const asked = replicasOf(side);
  const all = found.kind === 'known' ? found.value.groups.filter(({ index }) => index < asked) : [];
  const groups = all.filter(({ leader }) => leader.version === 'release');
  return { name: workload.name, all, groups, tolerated: toleratedFailures({ updated: asked, failureThreshold }) };
}

/** Of the user's own workload. */
function ofPrimary(situation: Situation): JudgedStep | undefined {
  if (situation.view !== 'seen') return undefined;
  const { observed, asked, file } = situation;
  const { name } = file.object;
  const all = wanted(observed, asked);
  if (isQueued(situation))
    return { name, all, groups: onRelease(observed, { groups: all, queued: true }), tolerated: 0 };
  const told = observed.releaseKey !== observed.stableKey;
  const groups = all.filter(({ leader }) => told && leader.version === 'release');
  return { name, all, groups, tolerated: 0 };
}

/** The file has a newer template than the one that is judged. */
function isQueued({ state, digest }: Situation): boolean {
  return state.kind === 'ladder' && digest !== state.marks.release.digest;
}

/**
 * Why what Git says is not live, in any object of the delivery; `all`: it is; undefined: that is not known, or what is live
 * is a newer template that waits for a delivery of its own.
 */
export function unliveOnLadder(situation: Situation): Hold | 'all' | undefined {
  const { state, partition } = situation;
  if (state.kind !== 'ladder' && state.kind !== 'step') return undefined;
  const on = delivering(situation, state.marks, state.marks.release);
  if (on?.view === undefined) return undefined;
  const isNewer = isQueued(situation);
  if (isNewer && (state.kind !== 'ladder' || state.stage.kind !== 'promote' || partition !== SENTINEL))
    return undefined;
  const held = unlive(on.delivery, isNewer ? { ...on.view, notApplied: undefined } : on.view);
  return held !== undefined && holdKind(held.reason)?.failure === 'unread' ? undefined : (held ?? 'all');
}
