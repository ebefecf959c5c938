/** The shares of a ladder: what each step sends to the new version, and the edits of every route that say so. */

import { percentOf } from '../../api/int-or-percent.ts';
import type { RolloutStep } from '../../api/rollout-steps.ts';
import type { ObjectEdits, ObjectRef } from '../edits/edit.ts';
import type { Displaced, Share } from '../traffic/provider.ts';
import { type Commit, ofRoutes } from './commit.ts';
import { type Delivery, type RouteInUse, sidesOf } from './delivery.ts';
import { isFloor } from './floor.ts';

export const NO_SHARE: Share = { kind: 'none' };
export const WHOLE: Share = { kind: 'weight', percent: 100 };

/** What a step sends to the new version: with `matches` our rules only, without both nothing. */
export function shareOf({ traffic, matches, requestHeaderModifier: modifier }: RolloutStep): Share {
  if (matches.length > 0) return { kind: 'matches', matches, modifier };
  const percent = traffic === undefined ? 0 : (percentOf(traffic) ?? 0);
  return percent === 0 ? NO_SHARE : { kind: 'weight', percent };
}

/** Whether no route sends anything to the new version. */
export function isRestored(delivery: Delivery): boolean {
  return delivery.routes.every((route) => {
    const { percent, ours, mirrors } = route.provider.read(filesOf(delivery, route), sidesOf(delivery));
    return percent === 0 && ours.length + mirrors.length === 0;
  });
}

/** Whether a route sends to neither side, as by weights that are both 0. */
export function sendsNothing(delivery: Delivery): boolean {
  return readingsOf(delivery).some(
    ({ percent, stable, ours, mirrors }) => percent === 0 && !stable && ours.length + mirrors.length === 0,
  );
}

/** The edits after which every route sends this share; all of them in the same commit. */
export function sharing(delivery: Delivery, share: Share): Commit {
  const objects: ObjectEdits[] = [];
  const displaced: Displaced[] = delivery.displaced.filter(isFloor);
  for (const route of delivery.routes) {
    const made = route.provider.write(filesOf(delivery, route), sidesOf(delivery), share);
    if (made.kind === 'unwritable') return { kind: 'unwritable', route: route.route, faults: made.faults };
    objects.push(...ofRoutes(made.edits));
    displaced.push(...made.displaced);
  }
  return { kind: 'ok', objects, displaced };
}

/** What routes need before their first share, at none: an Ingress of its own, a subset. Nothing where it is there. */
export function prepared(delivery: Delivery): readonly ObjectEdits[] {
  const sides = sidesOf(delivery);
  return ofRoutes(delivery.routes.flatMap((route) => route.provider.prepare(filesOf(delivery, route), sides)));
}

function filesOf({ displaced }: Delivery, { route, canary }: RouteInUse) {
  const own = [route.object, ...(canary === undefined ? [] : [canary.object])];
  return { route, canary, displaced: displaced.filter(({ object }) => own.some((one) => isSame(one, object))) };
}

function isSame(left: ObjectRef, right: ObjectRef): boolean {
  return left.kind === right.kind && left.name === right.name && left.apiVersion === right.apiVersion;
}

/** A share as people read it: 66.7 of two in three. */
export function inPercent(percent: number): string {
  return String(Number(percent.toFixed(1)));
}

/** What the routes send to the new version, in a few words: the largest share of one, and rules of ours. */
export function shareIn(delivery: Delivery): string {
  const hasRules = readingsOf(delivery).some(({ ours }) => ours.length > 0);
  if (hasRules) return 'matches';
  const percent = percentIn(delivery);
  return percent === 0 ? '–' : `${inPercent(percent)}%`;
}

/** The largest share that one of the routes sends to the new version, in percent; our rules apart. */
export function percentIn(delivery: Delivery): number {
  return Math.max(0, ...readingsOf(delivery).map((reading) => reading.percent));
}

function readingsOf(delivery: Delivery) {
  return delivery.routes.map((route) => route.provider.read(filesOf(delivery, route), sidesOf(delivery)));
}
