/** Conditions of requests: a share is accepted, a side is left and drained, a Service reaches the side that it should. */

import { SERVICE_KIND } from '../../api/kinds.ts';
import { GRACE_SECONDS } from '../../api/rollout-traffic.ts';
import { isOneWorkload } from '../../api/styles.ts';
import type { Instant } from '../../api/time.ts';
import { type Hold, type HoldReason, hold } from '../hold.ts';
import { type Undated, undated } from '../observed/unsigned.ts';
import { type Advice, advice, commandLine, lastThere } from '../texts/advice.ts';
import { groupCount, nameFirst } from '../texts/sentences.ts';
import type { Side } from './condition.ts';
import {
  annotationsOf,
  canarySide,
  type Delivery,
  lostIn,
  primaryGroups,
  replicasOf,
  routesTraffic,
  serviceMissing,
  sidesOf,
  stableSide,
} from './delivery.ts';
import { missedBy, reachedBy } from './endpoints.ts';
import { isRollback, positionOf } from './position.ts';
import { isOvertaken } from './promotion.ts';
import { acceptanceOf, drainSecondsOf, sendingTo } from './routing.ts';
import { unapplied, unread } from './seen-workloads.ts';
import { isRestored } from './shares.ts';
import { clockText, nowBetween, type RememberedView, serving, type TrafficView, workloadOf } from './traffic-view.ts';
import { sideName } from './version-sides.ts';

/** How long at least the stable version keeps its groups, once it gets no requests any more: the rollback is at once. */
const BAKE_LEAST_SECONDS = 600;

const PUT_BACK = 'Put it back as the last commit of tranche left it';

/** Every route is what Git says and accepted, for the grace period: this long gateways may take to follow. */
export function unaccepted(delivery: Delivery, view: RememberedView): Hold | undefined {
  const found = acceptanceOf(delivery, view);
  if (found.kind === 'unread') return unread(found.why);
  if (found.kind === 'differs') return unapplied(found.difference, view);
  if (found.kind === 'refused')
    return hold('RouteNotAccepted', {
      seen: `${found.route}: ${found.by} has not accepted it as it is: ${found.seen}`,
      action: 'Look at the status of the route, and at its controller',
    });
  return waiting('GracePeriod', view, {
    since: view.memory().accepted?.since,
    seconds: graceOf(delivery, view),
    seen: 'the routes are accepted',
  });
}

/** In steps 0 means the default, as in Kruise, which goes by it at once only where it cleans up (manager.go:105-206, 522-538). */
function graceOf(delivery: Delivery, { rollout }: TrafficView): number {
  const asked = rollout?.rollout.routing?.gracePeriodSeconds ?? GRACE_SECONDS;
  const isStep = positionOf(annotationsOf(delivery.own))?.stage.kind === 'step';
  return asked === 0 && isStep ? GRACE_SECONDS : asked;
}

/** No route sends to a Service that selects the side, for as long as its last requests may take. */
export function undrained(side: Side, delivery: Delivery, view: RememberedView): Hold | undefined {
  // Groups of one workload go back whatever is missing: their requests find those that do not restart.
  const lost = isOneWorkload(delivery.plan.style) ? undefined : keptBy(delivery, side, view);
  if (lost !== undefined) return lost;
  // Where the Rollout is out of the files as well nothing tells that no route has sent to it.
  if (!routesTraffic(delivery) && view.rollout !== undefined) return undefined;
  const sender = sendingTo(delivery, view, side);
  if (sender.kind === 'unknown') return unread(sender.why);
  const name = sideName(delivery, side);
  if (sender.kind === 'known')
    return hold('Draining', { seen: `${nameFirst(name)} still gets requests: ${sender.value}`, waits: 'controllers' });
  const served = isOneWorkload(delivery.plan.style) && isRollback(delivery) ? servedText(delivery, view) : undefined;
  return waiting('Draining', view, {
    since: view.memory().drained?.[side],
    seconds: drainSecondsOf(delivery, view),
    seen: `${nameFirst(name)} gets no new requests, and answers its last ones${served === undefined ? '' : `; ${served}`}`,
    isInPlace: isOneWorkload(delivery.plan.style),
  });
}

/** Of one workload in its rollback: how many groups have all requests until the others have restarted; undefined: not read. */
export function servedText(delivery: Delivery, view: TrafficView): string | undefined {
  const [stable, canary] = [serving(delivery, view, 'stable'), serving(delivery, view, 'canary')];
  if (stable.kind !== 'known' || canary.kind !== 'known') return undefined;
  const serve = ({ value }: typeof stable): string => `${value.length} ${value.length === 1 ? 'serves' : 'serve'}`;
  const restart = canary.value.length === 1 ? 'it restarts' : 'they restart';
  return `of ${primaryGroups(delivery)} groups ${serve(stable)} on the stable version, for all requests, and ${serve(canary)} on the other until ${restart}`;
}

/** A document is missing, without which nobody can tell that the side is left, or restore its requests. */
function keptBy(delivery: Delivery, side: Side, view: Pick<TrafficView, 'key'>): Hold | undefined {
  const name = sideName(delivery, side);
  const routes = delivery.missing.filter(({ kind }) => kind !== SERVICE_KIND);
  const service = serviceMissing(delivery);
  const now =
    side === 'stable'
      ? advice`; to restart all groups though they may get requests: ${commandLine('abort', view.key, '--now')}`
      : '';
  const action = advice`Put it back ${lastThere('as main last had it', delivery.missing)}, and ${delivery.own.object.name} goes on from there${now}`;
  if (routes.length > 0)
    return hold('CanaryEdited', {
      seen: `${lostIn({ missing: routes })} is not among the files, so nobody knows whether it sends to ${name}, whose groups stay`,
      action,
    });
  if (service === undefined || side !== 'canary' || isRestored(delivery)) return undefined;
  return hold('CanaryEdited', {
    seen: `Service ${service} is not among the files: the requests of ${name} would go to nobody, so they stay there, and its groups with them`,
    action,
  });
}

/** The endpoints of the user's Service are those of the side and no others, for the grace period. */
export function unreached(side: Side, delivery: Delivery, view: RememberedView): Hold | undefined {
  const found = reachedBy(delivery, view, side);
  if (found.kind === 'unread') return unread(found.why);
  const name = `Service ${delivery.service?.object.name ?? ''}`;
  const workload = sidesOf(delivery).workloads[side];
  if (found.kind === 'elsewhere') {
    const others =
      found.others.length === 0 ? 'has no ready endpoint' : `reaches ${found.others.slice(0, 5).join(', ')}`;
    const seen = `${name} ${others}: it is to reach the leaders of ${workload}, and no others`;
    if (workloadOf(delivery, view, side).document === undefined)
      return hold('EndpointsElsewhere', { seen: `${seen}; its document is not among the files`, action: PUT_BACK });
    // Nobody answers, and only a rollback refuses the order.
    if (found.others.length === 0 && !isRollback(delivery))
      return hold('EndpointsElsewhere', {
        seen,
        action: advice`Look at the pods and events of ${workload}. If it stays so: ${commandLine('abort', view.key)}`,
      });
    return hold('EndpointsElsewhere', { seen, waits: 'controllers' });
  }
  return waiting('GracePeriod', view, {
    since: view.memory().reached?.since,
    seconds: graceOf(delivery, view),
    seen: `${name} reaches ${workload}`,
  });
}

/** The user's Service reaches every ready leader that it is to take in, and has for the grace period. */
export function incomplete(delivery: Delivery, view: RememberedView): Hold | undefined {
  const found = missedBy(delivery, view);
  if (found.kind === 'unknown') return unread(found.why);
  const name = `Service ${delivery.service?.object.name ?? ''}`;
  const missed = found.kind === 'known' ? found.value : [];
  if (missed.length > 0)
    return hold('EndpointsElsewhere', {
      seen: `${name} has to reach ${missed.slice(0, 5).join(', ')}, and does not yet`,
      waits: 'controllers',
    });
  return waiting('GracePeriod', view, {
    since: view.memory().reached?.since,
    seconds: graceOf(delivery, view),
    seen: `${name} reaches every group that it has to reach`,
  });
}

/** The stable version has got no requests for as long as a rollback in an instant is not needed any more. */
export function unbaked(delivery: Delivery, view: RememberedView): Hold | undefined {
  return waiting('Baking', view, {
    since: view.memory().drained?.stable,
    seconds: Math.max(BAKE_LEAST_SECONDS, view.policy.bakeSeconds ?? 0),
    seen: nameFirst(
      `${raisedElsewhere(delivery)}${sidesOf(delivery).workloads.stable} keeps its groups, for a rollback in an instant`,
    ),
  });
}

/** Somebody asks for more groups of the colour that serves no more: they would be gone with it, and are not where requests are. */
function raisedElsewhere(delivery: Delivery): string {
  if (!isOvertaken(delivery)) return '';
  const { stable, canary } = sidesOf(delivery).workloads;
  const [asked, there] = [replicasOf(stableSide(delivery)), replicasOf(canarySide(delivery))];
  return `${stable} asks for ${groupCount(asked)}, and all requests are with ${canary}, which asks for ${there}: its own replicas count from here on; `;
}

type Wait = {
  readonly since: Instant | undefined;
  readonly seconds: number;
  readonly seen: string;
  /** The groups restart after it, and `abort --now` has them restart before. */
  readonly isInPlace?: boolean;
};

/** Until this long has passed since then; not started yet, all of it is left. */
function waiting(reason: HoldReason, view: TrafficView, wait: Wait): Hold | undefined {
  const { since, seconds, seen } = wait;
  const { earliest } = nowBetween(view);
  const left = seconds - (earliest - (since ?? earliest));
  if (left <= 0) return undefined;
  const found = `${seen}: ${left} s of ${seconds} s are left${clockText(view.clockOffSeconds)}`;
  const never = left < seconds ? undefined : undated(view, earliest);
  if (never === undefined) return hold(reason, { seen: found, waits: 'time' }, left);
  const action = datedBy(never, { ...wait, key: view.key });
  const none = `No record counts them${never.notTaken === undefined ? '' : ` (${never.notTaken})`}`;
  return hold(reason, { seen: `${found}. ${none}, and ${never.why}`, action }, left);
}

/** What starts the count of a wait that neither a record nor the cluster dates: each pass would see it start. */
function datedBy({ objects }: Undated, { isInPlace, key }: Pick<Wait, 'isInPlace'> & Pick<TrafficView, 'key'>): Advice {
  const now = isInPlace
    ? advice`. To restart the groups though requests may be in progress: ${commandLine('abort', key, '--now')}`
    : '';
  if (objects.length === 0) return advice`It counts once tranche keeps its record again${now}`;
  const what = objects.length === 1 ? 'that object' : 'each of these objects';
  return advice`It counts once tranche keeps its record again, or once someone has applied ${what} as main has it with kubectl apply --server-side: from then on the API server notes the time${now}`;
}
