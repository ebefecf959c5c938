/** Where the routes of the cluster send requests: whether they have taken up a share, and whether a side is left alone. */

import { at } from '../../api/json.ts';
import { absent, type Known, known } from '../../api/known.ts';
import { MARK } from '../../api/marks.ts';
import { DRAIN_MOST_SECONDS } from '../../api/policy-fields.ts';
import { parseRestore } from '../../api/restore.ts';
import type { Side } from './condition.ts';
import { annotationsOf, type Delivery, hasSubsets, routesTraffic, selectorOf, sidesOf } from './delivery.ts';
import {
  generationOf,
  type LiveDifference,
  liveReading,
  liveRoute,
  printReading,
  routeDiffers,
} from './differences.ts';
import { rulesText } from './own-rules.ts';
import { fillsBack, isRollback } from './position.ts';
import type { TrafficView } from './traffic-view.ts';
import { takesSide } from './version-sides.ts';

/** Characters of a rule: enough to tell two apart. */
const RULES_TOLD = 200;

/** What the routes in the cluster say of Git's share. */
type Acceptance =
  | { readonly kind: 'unread'; readonly why: string }
  | { readonly kind: 'differs'; readonly difference: LiveDifference }
  | { readonly kind: 'refused'; readonly route: string; readonly by: string; readonly seen: string }
  /** `of`: which state of which routes. */
  | { readonly kind: 'accepted'; readonly of: string };

/**
 * Whether every route is what Git says, and every parent that had accepted it when the delivery started has taken that up.
 * Without a record of them that is borne out all parents count. On a rollback their word is not waited for, but where that fills a colour.
 */
export function acceptanceOf(delivery: Delivery, view: TrafficView): Acceptance {
  const isRollbackOnly = isRollback(delivery) && !fillsBack(delivery);
  const counted = view.unsigned === undefined ? view.record?.traffic?.parents : undefined;
  const states: string[] = [];
  for (const route of delivery.routes) {
    const { object } = route.route;
    const name = `${object.kind} ${object.name}`;
    const differs = routeDiffers(delivery, route, view);
    if (differs.kind === 'unknown') return { kind: 'unread', why: differs.why };
    if (differs.kind === 'known') return { kind: 'differs', difference: differs.value };
    const live = liveRoute(route.route, view);
    const reading = liveReading(delivery, route, view);
    if (live.kind !== 'known' || reading.kind !== 'known') continue;
    const refused = route.provider
      .words(live.value)
      .find(
        ({ by, accepted, silent }) =>
          !accepted && (counted === undefined ? silent !== true : counted.includes(`${name}: ${by}`)),
      );
    if (refused !== undefined && !isRollbackOnly) return { kind: 'refused', route: name, ...refused };
    const { copies } = route.provider;
    // Annotations change without another generation.
    const rules = copies ? ` ${rulesText(reading.value).slice(0, RULES_TOLD)}` : '';
    states.push(`${name} ${generationOf(live.value)} ${printReading(reading.value.reading)}${rules}`.trim());
  }
  return { kind: 'accepted', of: states.join(', ') };
}

/** The parents that accept the routes now: `HTTPRoute chat: inference`. Those of a route that is not read are left out. */
export function acceptingParents(delivery: Delivery, view: TrafficView): readonly string[] {
  return delivery.routes.flatMap(({ provider, route }) => {
    const live = liveRoute(route, view);
    const words = live.kind === 'known' ? provider.words(live.value) : [];
    return words.filter(({ accepted }) => accepted).map(({ by }) => `${route.object.kind} ${route.object.name}: ${by}`);
  });
}

/** Who sends requests to a side, for people; `absent`: nobody. Without routes it is the Service that selects it. */
export function sendingTo(delivery: Delivery, view: TrafficView, side: Side): Known<string> {
  if (!routesTraffic(delivery)) return absent;
  const selecting = selectingRoles(delivery, view, side);
  if (selecting.kind !== 'known') return selecting;
  const selected = selecting.value;
  const { stable, canary, backend } = sidesOf(delivery);
  const routes = routesTo(delivery, side);
  if (routes.length === 0) return selected.stable ? known(`Service ${stable} selects it`) : absent;
  for (const route of routes) {
    const reading = liveReading(delivery, route, view);
    if (reading.kind === 'unknown') return reading;
    if (reading.kind === 'absent') continue;
    const { percent, ours, mirrors, stable: isStable } = reading.value.reading;
    const sends = { stable: isStable, canary: percent > 0 || ours.length + mirrors.length > 0 };
    const to = (['stable', 'canary'] as const).find((role) => sends[role] && selected[role]);
    const name = `${route.route.object.kind} ${route.route.object.name}`;
    if (to !== undefined)
      return known(`${name} sends to ${backend} ${to === 'stable' ? stable : canary}, which selects it`);
  }
  return absent;
}

/** Which of both Services select a side in the cluster. Of subsets and of pools each is one side, whatever their Service takes in. */
function selectingRoles(delivery: Delivery, { traffic }: TrafficView, side: Side): Known<Record<Side, boolean>> {
  if (hasSubsets(delivery) || delivery.pools !== undefined)
    return known({ stable: side === 'stable', canary: side === 'canary' });
  const selected: Record<Side, boolean> = { stable: false, canary: false };
  for (const [role, live] of [
    ['stable', traffic.service],
    ['canary', traffic.canaryService],
  ] as const) {
    if (live.kind === 'unknown') return live;
    selected[role] = live.kind === 'known' && takesSide(delivery, live.value.selector, side);
  }
  return known(selected);
}

/** What nobody names may have a share that nobody wrote; requests of the stable version go there by it all the time. */
function routesTo({ routes, watched }: Delivery, side: Side): Delivery['routes'] {
  return side === 'canary' ? [...routes, ...watched] : routes;
}

/** Whether a route of Git sends to a side: what an agent may apply at any time, seen or not. */
export function sendsInGit(delivery: Delivery, side: Side): boolean {
  const sides = sidesOf(delivery);
  const service = side === 'stable' ? delivery.service : delivery.canaryService;
  const isNamed = hasSubsets(delivery) || delivery.pools !== undefined;
  if (!isNamed && !takesSide(delivery, selectorOf(service), side)) return false;
  return routesTo(delivery, side).some(({ provider, route, canary }) => {
    const { percent, ours, mirrors, stable } = provider.read({ route, canary, displaced: [] }, sides);
    return side === 'stable' ? stable : percent > 0 || ours.length + mirrors.length > 0;
  });
}

const DRAIN_LEAST_SECONDS = 60;
/** Where nothing ends a request, and no policy says how long one takes. */
export const DRAIN_ENDLESS_SECONDS = 600;
/** Kubernetes' own, of a pod that does not say. */
const GRACE_SECONDS = 30;

/**
 * How long a side is given to answer its last requests: as long as the routes let a request take, or its leaders to end,
 * and a minute at least; longer where a policy says so, or has said so when a commit of this delivery was written, as far
 * as main bears that out. What a route leaves unsaid, or its kind has no field for, the policy says alone.
 */
export function drainSecondsOf(
  delivery: Delivery,
  { policy, drainMost }: Pick<TrafficView, 'policy' | 'drainMost'>,
): number {
  const sides = sidesOf(delivery);
  const timeouts = [...delivery.routes, ...delivery.watched].flatMap(({ provider, route, canary }) =>
    provider.survey({ route, canary, displaced: [] }, sides).rules.map(({ timeout }) => timeout?.seconds),
  );
  const unsaid = policy.drainSeconds ?? DRAIN_ENDLESS_SECONDS;
  const seconds = timeouts.map((timeout) => {
    if (timeout === undefined || timeout === 'unset') return unsaid;
    return timeout !== 'unreadable' && timeout > 0 ? Math.ceil(timeout) : DRAIN_ENDLESS_SECONDS;
  });
  const longest = seconds.length === 0 ? unsaid : Math.max(...seconds);
  const begun = parseRestore(annotationsOf(delivery.own)[MARK.restore] ?? '')?.drainSeconds ?? 0;
  const written = Math.min(begun, drainMost ?? DRAIN_MOST_SECONDS);
  return Math.max(longest, graceSecondsOf(delivery), DRAIN_LEAST_SECONDS, policy.drainSeconds ?? 0, written);
}

function graceSecondsOf({ own }: Delivery): number {
  const pod = (template: string) => ['spec', 'leaderWorkerTemplate', template];
  const leader = at(own.value, pod('leaderTemplate')) === undefined ? pod('workerTemplate') : pod('leaderTemplate');
  const seconds = at(own.value, [...leader, 'spec', 'terminationGracePeriodSeconds']);
  return typeof seconds === 'number' ? seconds : GRACE_SECONDS;
}
