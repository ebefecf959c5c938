/** What the record remembers of a delivery's traffic: since when each thing that is waited for has been seen. */

import { type Marks, parseMarks, printStep } from '../../api/marks.ts';
import type { RolloutRecord, TrafficRecord } from '../../api/record.ts';
import { sameRelease } from '../../api/release.ts';
import type { Instant } from '../../api/time.ts';
import { notBeforeRung, routesBackSince, routesWrittenAt } from '../unsigned.ts';
import type { Side } from './condition.ts';
import { annotationsOf, type Delivery } from './delivery.ts';
import { differences } from './differences.ts';
import { missedBy, reachedBy } from './endpoints.ts';
import { positionOf } from './position.ts';
import { acceptanceOf, acceptingParents, sendingTo, sendsInGit } from './routing.ts';
import { shownOf } from './shown.ts';
import { nowBetween, type TrafficSight } from './sight.ts';
import { isOpen, isPinned } from './version-edits.ts';
import { isOneWorkload } from './version-sides.ts';

/**
 * The memory after this pass. What is seen keeps the time of the record, if that was of the same thing, else it is seen
 * since now; what is seen not to be so is forgotten; what could not be read stays as it was. Without a record all counts
 * begin anew, which costs waiting and nothing else.
 */
export function trafficAfter(delivery: Delivery, sight: TrafficSight): TrafficRecord {
  const before = sight.record?.traffic;
  const differs = differences(delivery, sight);
  const isRead = differs.kind === 'known';
  const isLive = isRead && differs.value.length === 0;
  const [there, apart] = [before?.appliedSince, before?.notAppliedSince];
  return {
    accepted: acceptedAfter(delivery, sight),
    drained: { stable: drainedAfter(delivery, sight, 'stable'), canary: drainedAfter(delivery, sight, 'canary') },
    reached: reachedAfter(delivery, sight),
    notAppliedSince: !isRead ? apart : isLive ? undefined : sinceOf(apart, sight),
    appliedSince: !isRead ? there : isLive ? sinceOf(there, sight) : undefined,
    parents: parentsAfter(delivery, sight),
    shown: shownOf(delivery, sight),
  };
}

/** The memory after a pass that read nothing of it: as before, but for drains that Git has ended. */
export function trafficUnread(
  delivery: Delivery,
  record: Pick<RolloutRecord, 'traffic'> | undefined,
): TrafficRecord | undefined {
  const before = record?.traffic;
  if (before?.drained === undefined) return before;
  const kept = (side: Side) => (sendsInGit(delivery, side) ? undefined : before.drained?.[side]);
  return { ...before, drained: { stable: kept('stable'), canary: kept('canary') } };
}

/**
 * A time of the record; one that is still to come was written by a clock that ran ahead, and counts from now. Where nobody bears
 * the record out, nothing of this was so before the rung was committed, nor before the routes and Services were last written.
 */
function sinceOf(before: Instant | undefined, sight: TrafficSight): Instant {
  const { latest } = nowBetween(sight);
  const since = Math.min(before ?? latest, latest);
  if (sight.unsigned === undefined) return since;
  return Math.max(notBeforeRung(since, { ...sight, now: latest }), routesWrittenAt(sight, latest) ?? since);
}

function acceptedAfter(delivery: Delivery, sight: TrafficSight): TrafficRecord['accepted'] {
  const before = sight.record?.traffic?.accepted;
  const found = acceptanceOf(delivery, sight);
  if (found.kind === 'unread') return before;
  if (found.kind !== 'accepted') return undefined;
  const since = before?.of === found.of ? before.since : undefined;
  return { since: sinceOf(since ?? routesBackSince(sight, nowBetween(sight).earliest), sight), of: found.of };
}

function drainedAfter(delivery: Delivery, sight: TrafficSight, side: Side): Instant | undefined {
  // An agent may have applied it and taken it back between two looks.
  if (sendsInGit(delivery, side)) return undefined;
  const before = isOfNow(delivery, sight) ? sight.record?.traffic?.drained?.[side] : undefined;
  const sender = sendingTo(delivery, sight, side);
  if (sender.kind === 'unknown') return before;
  if (sender.kind === 'known') return undefined;
  if (side === 'canary' && isUnshared(delivery) && !wasSent(delivery, sight)) return sinceOf(EVER, sight);
  // Of a rollback whose record cannot be kept, main and the cluster date the drain, so that it ends.
  return sinceOf(before ?? routesBackSince(sight, nowBetween(sight).earliest), sight);
}

/** Nobody has ever sent a request there: no last one has to be waited for. */
const EVER: Instant = 0;

/** Whether a second workload has had no share in this delivery: before the first one, and none was put aside or taken back. */
function isUnshared({ own, plan }: Delivery): boolean {
  const marks = parseMarks(annotationsOf(own));
  if (plan.style === 'partition' || marks === undefined || !('release' in marks)) return false;
  const { step, at, restore } = marks;
  const isBefore = step?.kind === 'step' && step.index === 1 && (at === 'text' || at === 'pods');
  return isBefore && restore?.objects === undefined && restore?.withdrawn === undefined;
}

/** A hand may have sent some before: then the last look had no drain. */
function wasSent(delivery: Delivery, sight: TrafficSight): boolean {
  const { traffic } = sight.record ?? {};
  return traffic !== undefined && isOfNow(delivery, sight) && traffic.drained?.canary === undefined;
}

/**
 * A record that was put back may be older than a share that has come and gone since: it knows no drain of another place than
 * Git's. A commit of ours carries it from one place to the next, as its record has the place that it has written.
 */
function isOfNow({ own }: Delivery, { record }: TrafficSight): boolean {
  const [known, now] = [record?.marks, parseMarks(annotationsOf(own))];
  if (known === undefined || now === undefined || !('release' in now)) return true;
  return sameRelease(known.release, now.release) && placeIn(known) === placeIn(now);
}

/** With the plan of the step, and how often a share was taken back: the same rung is stood on again after that. */
function placeIn({ step, at, restore }: Marks): string {
  const { plan = '', withdrawn = 0 } = restore ?? {};
  return [step === undefined ? '' : printStep(step), at ?? '', plan, withdrawn].join(' ');
}

function reachedAfter(delivery: Delivery, sight: TrafficSight): TrafficRecord['reached'] {
  const before = sight.record?.traffic?.reached;
  if (isOneWorkload(delivery)) return allReached(delivery, sight);
  const sides = (['stable', 'canary'] as const).map((side) => ({ side, found: reachedBy(delivery, sight, side) }));
  if (sides.some(({ found }) => found.kind === 'unread')) return before;
  const of = sides.find(({ found }) => found.kind === 'reached')?.side;
  return of === undefined ? undefined : { since: sinceOf(before?.of === of ? before.since : undefined, sight), of };
}

/** Of one workload: all that the Service is to take in, which is the stable version alone or both. */
function allReached(delivery: Delivery, sight: TrafficSight): TrafficRecord['reached'] {
  const before = sight.record?.traffic?.reached;
  const missed = missedBy(delivery, sight);
  if (missed.kind === 'unknown') return before;
  const isAll = delivery.service === undefined ? false : !isPinned(delivery);
  const of = isAll || isOpen(delivery) ? 'canary' : 'stable';
  return missed.kind === 'known'
    ? undefined
    : { since: sinceOf(before?.of === of ? before.since : undefined, sight), of };
}

/** Who had accepted the routes before our first edit of them; once a delivery is under way that is not known any more. */
function parentsAfter(delivery: Delivery, sight: TrafficSight): TrafficRecord['parents'] {
  const isBegun = positionOf(annotationsOf(delivery.own)) !== undefined;
  return isBegun ? sight.record?.traffic?.parents : acceptingParents(delivery, sight);
}
