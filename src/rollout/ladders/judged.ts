/** The groups that answer for a release which fills a second workload: those that the rung in Git has let onto it. */

import { SENTINEL } from '../../api/workload.ts';
import { toleratedFailures } from '../batches.ts';
import type { Group } from '../groups.ts';
import { onRelease, wanted } from '../groups-asked.ts';
import { type Hold, holdKind } from '../hold.ts';
import type { Situation } from '../situation.ts';
import { delivering } from './delivering.ts';
import type { Delivering } from './delivering-facts.ts';
import { canarySide, replicasOf } from './delivery.ts';
import { hasText } from './second-workload.ts';
import { unlive } from './seen-workloads.ts';
import { groupsOn, workloadOf } from './sight.ts';

export type Judged = {
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
 * In steps those of the workload that is filled; in a promotion those that take over: of the fleet (canary), or of the new
 * colour (blueGreen). None before the release's text is in it. undefined: on a way back, or not read.
 */
export function judgedOnLadder(situation: Situation): Judged | undefined {
  const { state } = situation;
  if (state.kind !== 'ladder' || state.stage.kind === 'rollback') return undefined;
  const on = delivering(situation, state.marks, state.marks.release);
  if (on === undefined) return undefined;
  const { delivery } = on;
  if (state.stage.kind === 'promote')
    return delivery.plan.style === 'canary' ? ofFleet(situation) : ofFilled(on, undefined);
  const failureThreshold = situation.snapshot.rollout?.rollout.failureThreshold;
  return hasText(delivery)
    ? ofFilled(on, failureThreshold)
    : { name: delivery.own.object.name, all: [], groups: [], tolerated: 0 };
}

function ofFilled(
  { situation, delivery, sight }: Delivering,
  failureThreshold: Parameters<typeof toleratedFailures>[0]['failureThreshold'],
): Judged | undefined {
  const side = canarySide(delivery);
  if (side === undefined || sight === undefined) return undefined;
  const workload = workloadOf(delivery, sight, 'canary');
  // A newer text of the file is live in the user's own workload, armed, while its groups are on the release.
  if (workload.isOwn) return ofFleet(situation);
  const found = groupsOn(workload);
  if (found.kind === 'unknown') return undefined;
  const asked = replicasOf(side);
  const all = found.kind === 'known' ? found.value.groups.filter(({ index }) => index < asked) : [];
  const groups = all.filter(({ leader }) => leader.version === 'release');
  return { name: workload.name, all, groups, tolerated: toleratedFailures({ updated: asked, failureThreshold }) };
}

/** Of the user's own workload. */
function ofFleet(situation: Situation): Judged | undefined {
  if (situation.sight !== 'seen') return undefined;
  const { observed, asked, file } = situation;
  const { name } = file.object;
  const all = wanted(observed, asked);
  if (isQueued(situation))
    return { name, all, groups: onRelease(observed, { groups: all, queued: true }), tolerated: 0 };
  const told = observed.releaseKey !== observed.stableKey;
  const groups = all.filter(({ leader }) => told && leader.version === 'release');
  return { name, all, groups, tolerated: 0 };
}

/** The file has a newer text than the one that is judged. */
function isQueued({ state, digest }: Situation): boolean {
  return state.kind === 'ladder' && digest !== state.marks.release.digest;
}

/**
 * Why what Git says is not live, in any object of the delivery; `all`: it is; undefined: that is not known, or what is live
 * is a newer text that waits for a delivery of its own.
 */
export function unliveOnLadder(situation: Situation): Hold | 'all' | undefined {
  const { state, partition } = situation;
  if (state.kind !== 'ladder' && state.kind !== 'step') return undefined;
  const on = delivering(situation, state.marks, state.marks.release);
  if (on?.sight === undefined) return undefined;
  const isNewer = isQueued(situation);
  if (isNewer && (state.kind !== 'ladder' || state.stage.kind !== 'promote' || partition !== SENTINEL))
    return undefined;
  const held = unlive(on.delivery, isNewer ? { ...on.sight, notApplied: undefined } : on.sight);
  return held !== undefined && holdKind(held.reason)?.failure === 'unread' ? undefined : (held ?? 'all');
}
