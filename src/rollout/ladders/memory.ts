/** What the record remembers of a delivery's traffic: since when each thing that is waited for has been seen. */

import { type Marks, parseMarks, printStep } from '../../api/marks.ts';
import type { RolloutRecord, TrafficRecord } from '../../api/record.ts';
import { sameRelease } from '../../api/release.ts';
import { isOneWorkload } from '../../api/styles.ts';
import type { Instant } from '../../api/time.ts';
import { notBeforeRung, routesBackSince, routesWrittenAt } from '../observed/unsigned.ts';
import type { Side } from './condition.ts';
import { annotationsOf, type Delivery } from './delivery.ts';
import { differences } from './differences.ts';
import { missedBy, reachedBy } from './endpoints.ts';
import { positionOf } from './position.ts';
import { acceptanceOf, acceptingParents, sendingTo, sendsInGit } from './routing.ts';
import { shownOf } from './shown.ts';
import { nowBetween, type TrafficView } from './traffic-view.ts';
import { isOpen, isPinned } from './version-edits.ts';

/**
 * The memory after this pass. What is seen keeps the time of the record, if that was of the same thing, else it is seen
 * since now; what is seen not to be so is forgotten; what could not be read stays as it was. Without a record all counts
 * start again, which costs waiting and nothing else.
 */
export function trafficAfter(delivery: Delivery, view: TrafficView): TrafficRecord {
  const before = view.record?.traffic;
  const differs = differences(delivery, view);
  const isRead = differs.kind === 'known';
  const isLive = isRead && differs.value.length === 0;
  const [there, apart] = [before?.appliedSince, before?.notAppliedSince];
  return {
    accepted: acceptedAfter(delivery, view),
    drained: { stable: drainedAfter(delivery, view, 'stable'), canary: drainedAfter(delivery, view, 'canary') },
    reached: reachedAfter(delivery, view),
    notAppliedSince: !isRead ? apart : isLive ? undefined : sinceOf(apart, view),
    appliedSince: !isRead ? there : isLive ? sinceOf(there, view) : undefined,
    parents: parentsAfter(delivery, view),
    shown: shownOf(delivery, view),
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
function sinceOf(before: Instant | undefined, view: TrafficView): Instant {
  const { latest } = nowBetween(view);
  const since = Math.min(before ?? latest, latest);
  if (view.unsigned === undefined) return since;
  return Math.max(notBeforeRung(since, { ...view, now: latest }), routesWrittenAt(view, latest) ?? since);
}

function acceptedAfter(delivery: Delivery, view: TrafficView): TrafficRecord['accepted'] {
  const before = isOfNow(delivery, view) ? view.record?.traffic?.accepted : undefined;
  const found = acceptanceOf(delivery, view);
  if (found.kind === 'unread') return before;
  if (found.kind !== 'accepted') return undefined;
  const since = before?.of === found.of ? before.since : undefined;
  return { since: sinceOf(since ?? routesBackSince(view, nowBetween(view).earliest), view), of: found.of };
}

function drainedAfter(delivery: Delivery, view: TrafficView, side: Side): Instant | undefined {
  // An agent may have applied it and taken it back between two looks.
  if (sendsInGit(delivery, side)) return undefined;
  const before = isOfNow(delivery, view) ? view.record?.traffic?.drained?.[side] : undefined;
  const sender = sendingTo(delivery, view, side);
  if (sender.kind === 'unknown') return before;
  if (sender.kind === 'known') return undefined;
  if (side === 'canary' && isUnshared(delivery) && !wasSent(delivery, view)) return sinceOf(EVER, view);
  // Of a rollback whose record cannot be kept, main and the cluster date the drain, so that it ends.
  return sinceOf(before ?? routesBackSince(view, nowBetween(view).earliest), view);
}

/** Nobody has ever sent a request there: no last one has to be waited for. */
const EVER: Instant = 0;

/** Whether a second workload has had no share in this delivery: before the first one, and none was put aside or taken back. */
function isUnshared({ own, plan }: Delivery): boolean {
  const marks = parseMarks(annotationsOf(own));
  if (isOneWorkload(plan.style) || marks === undefined || !('release' in marks)) return false;
  const { step, at, restore } = marks;
  const isBefore = step?.kind === 'step' && step.index === 1 && (at === 'template' || at === 'pods');
  return isBefore && restore?.objects === undefined && restore?.withdrawn === undefined;
}

/** A hand may have sent some before: then the last look had no drain. */
function wasSent(delivery: Delivery, view: TrafficView): boolean {
  const { traffic } = view.record ?? {};
  return traffic !== undefined && isOfNow(delivery, view) && traffic.drained?.canary === undefined;
}

/**
 * A record that was put back may be older than a share that has come and gone since: it knows nothing of another place than
 * Git's, neither a drain nor that routes are accepted or that a Service reaches a side. A commit of ours carries it from one
 * place to the next, as its record has the place that it has written. Marks that somebody took out of the file stay in the
 * record until they are back, and count meanwhile: else each pass would see the drain start.
 */
function isOfNow({ own }: Delivery, { record, marks }: TrafficView): boolean {
  const [known, now] = [record?.marks, marks ?? parseMarks(annotationsOf(own))];
  if (known === undefined || now === undefined || !('release' in now)) return true;
  return sameRelease(known.release, now.release) && placeIn(known) === placeIn(now);
}

/** With the plan of the step, and how often a share was taken back: the same rung is stood on again after that. */
function placeIn({ step, at, restore }: Marks): string {
  const { plan = '', withdrawn = 0 } = restore ?? {};
  return [step === undefined ? '' : printStep(step), at ?? '', plan, withdrawn].join(' ');
}

function reachedAfter(delivery: Delivery, view: TrafficView): TrafficRecord['reached'] {
  if (isOneWorkload(delivery.plan.style)) return allReached(delivery, view);
  const before = reachedBefore(delivery, view);
  const sides = (['stable', 'canary'] as const).map((side) => ({ side, found: reachedBy(delivery, view, side) }));
  if (sides.some(({ found }) => found.kind === 'unread')) return before;
  const of = sides.find(({ found }) => found.kind === 'reached')?.side;
  return of === undefined ? undefined : reachedSince(of, before, view);
}

function reachedBefore(delivery: Delivery, view: TrafficView): TrafficRecord['reached'] {
  return isOfNow(delivery, view) ? view.record?.traffic?.reached : undefined;
}

/** As the drain: of a rollback whose record cannot be kept, main and the cluster date it. */
function reachedSince(of: Side, before: TrafficRecord['reached'], view: TrafficView): TrafficRecord['reached'] {
  const known = before?.of === of ? before.since : undefined;
  return { since: sinceOf(known ?? routesBackSince(view, nowBetween(view).earliest), view), of };
}

/** Of one workload: all that the Service is to take in, which is the stable version alone or both. */
function allReached(delivery: Delivery, view: TrafficView): TrafficRecord['reached'] {
  const before = reachedBefore(delivery, view);
  const missed = missedBy(delivery, view);
  if (missed.kind === 'unknown') return before;
  const isAll = delivery.service === undefined ? false : !isPinned(delivery);
  const of = isAll || isOpen(delivery) ? 'canary' : 'stable';
  return missed.kind === 'known' ? undefined : reachedSince(of, before, view);
}

/** Who had accepted the routes before our first edit of them; once a delivery is in progress that is not known any more. */
function parentsAfter(delivery: Delivery, view: TrafficView): TrafficRecord['parents'] {
  const isBegun = positionOf(annotationsOf(delivery.own)) !== undefined;
  return isBegun ? view.record?.traffic?.parents : acceptingParents(delivery, view);
}
