/** What is seen of the two sides of a delivery: their groups, those that serve, and what differs from Git. */

import { type Known, known, unknown } from '../../api/known.ts';
import type { LiveLeader, LiveLws, LiveStatefulSet } from '../../api/live.ts';
import type { LiveEndpoint } from '../../api/live-traffic.ts';
import { LWS_NAME } from '../../api/lws-labels.ts';
import type { Marks } from '../../api/marks.ts';
import type { TrafficRecord } from '../../api/record.ts';
import { isOneWorkload, takesTurns } from '../../api/styles.ts';
import type { Instant } from '../../api/time.ts';
import type { Hold } from '../hold.ts';
import { type Group, groupsOf } from '../observed/groups.ts';
import type { Live, LiveTraffic, Snapshot } from '../snapshot.ts';
import type { RouteDocument } from '../traffic/provider.ts';
import type { Side } from './condition.ts';
import { type Delivery, greenServes, hasSubsets, selectorOf, sidesOf } from './delivery.ts';
import { isRestored } from './shares.ts';
import { isShareWithdrawn, namesAnother } from './version-edits.ts';
import { type Told, takesSide, versionsOf } from './version-sides.ts';

/** The part of a snapshot that a delivery is seen by. */
export type TrafficView = Pick<
  Snapshot,
  | 'key'
  | 'now'
  | 'clockOffSeconds'
  | 'readSeconds'
  | 'record'
  | 'unsigned'
  | 'rollbackAt'
  | 'newerRecord'
  | 'keyMissing'
  | 'recordNotTaken'
  | 'blobs'
  | 'policy'
  | 'drainMost'
  | 'rollout'
  | 'live'
> & {
  readonly traffic: LiveTraffic;
  /** Why the user's own workload is not known to be live, as the situation has it; undefined: it is. */
  readonly notApplied: Hold | undefined;
  /** The annotations that the delivery goes by, where main's own line has others than the file. Not there: those of the file. */
  readonly marks?: Marks;
  /** The file of the user's own workload has another template than the one that is delivered, which waits; not there: it has not. */
  readonly queued?: boolean;
};

/** The same with what the record will remember of it after this pass, which every wait is counted by. */
export type RememberedView = TrafficView & { readonly memory: () => TrafficRecord };

/** A delivery, and what is seen of it. `view`, undefined: what the cluster has next to the user's own workload was not read. */
export type DeliverySeen = {
  readonly delivery: Delivery;
  readonly marks: Marks;
  readonly view: RememberedView | undefined;
};

/** What one decision has found already: each delivery is worked out once for these inputs, compared by identity. */
export type DeliveryFound = { readonly inputs: readonly unknown[]; readonly found: DeliverySeen | undefined };

/**
 * What time it is by our clock and by those of the servers, where they differ by too much, and when the pass started and when it
 * had read the routes. What is seen is seen since the latest of these, and has lasted by the earliest: a wrong clock or a slow pass
 * cuts no drain and no bake short, in the passes in which it is so and after them.
 */
export function nowBetween({
  now,
  clockOffSeconds = 0,
  readSeconds = 0,
}: Pick<TrafficView, 'now' | 'clockOffSeconds' | 'readSeconds'>): {
  readonly earliest: Instant;
  readonly latest: Instant;
} {
  return {
    earliest: Math.min(now, now + clockOffSeconds),
    latest: Math.max(now, now + clockOffSeconds) + readSeconds,
  };
}

/** What a wrong clock adds to a wait that counts by both; empty: it is right, as far as servers tell. */
export function clockText(clockOffSeconds = 0): string {
  const seconds = Math.abs(clockOffSeconds);
  const way = clockOffSeconds > 0 ? 'behind' : 'ahead of';
  return seconds === 0
    ? ''
    : `; the clock of this machine is ${seconds} s ${way} the servers that it asks, which may make this ${seconds} s longer: set it right`;
}

/** The workload of a side: its document, its name, and what the cluster has of it. */
export type SideWorkload = {
  readonly name: string;
  /** undefined: it is not in Git. */
  readonly document: RouteDocument | undefined;
  readonly live: Live;
  readonly isOwn: boolean;
  /** It is filled, and its document has a newer template, which waits. */
  readonly queued: boolean;
  /** Which of its groups are of the side: by the revision of its template, or by the label of their leaders. */
  readonly versions: 'all' | 'release' | 'others' | Told;
};

/** Which workload a side is, or is of: the user's own, or the one that we made. */
export function workloadOf(delivery: Delivery, view: TrafficView, side: Side): SideWorkload {
  const versions = versionsOf(delivery, side);
  const isOwn = versions !== 'all' || (side === 'stable') !== greenServes(delivery);
  const name = sidesOf(delivery).workloads[side];
  return isOwn
    ? {
        name,
        document: delivery.own,
        live: view.live,
        isOwn,
        versions,
        queued: versions === 'all' && side === 'canary' && view.queued === true,
      }
    : { name, document: delivery.second, live: view.traffic.second, isOwn, versions, queued: false };
}

/** The groups of a side, and what LWS made them from; their version `release` is that of its template. */
export type SideGroups = {
  readonly lws: LiveLws;
  readonly leaderSet: LiveStatefulSet;
  readonly groups: readonly Group[];
};

/** `absent`: the workload is not in the cluster. */
export function groupsOn({ name, live, queued, versions }: SideWorkload): Known<SideGroups> {
  const { lws, leaderSet, leaders, workerSets, workerPods } = live;
  if (lws.kind !== 'known') return lws;
  for (const part of [leaderSet, leaders, workerSets]) if (part.kind === 'unknown') return part;
  if (leaderSet.kind !== 'known' || leaders.kind !== 'known' || workerSets.kind !== 'known')
    return unknown(`the StatefulSets and pods of ${name} were not found`);
  const { replicas, size } = lws.value;
  const newest = leaderSet.value.revisionKey;
  const groups = groupsOf(replicas, {
    leaders: leaders.value,
    workerSets: workerSets.value,
    workerPods: workerPods?.kind === 'known' ? workerPods.value : [],
    size,
    keys: { release: queued ? grownOn(leaders.value, newest) : newest, stable: undefined },
  });
  const leading = new Map(leaders.value.map((leader) => [leader.uid, leader]));
  const own = groups.filter(({ version, uid }) =>
    typeof versions === 'object'
      ? isTold(leading.get(uid), versions) === versions.isOn
      : versions === 'all' || (version === 'release') === (versions === 'release'),
  );
  return known({ lws: lws.value, leaderSet: leaderSet.value, groups: own });
}

function isTold(leader: LiveLeader | undefined, by: Told): boolean {
  return 'label' in by ? leader?.version === by.label : leader?.revisionKey === by.revision;
}

/** What is filled was grown from none on one template, which is not the newest any more; undefined: not all are on one. */
function grownOn(leaders: readonly LiveLeader[], newest: string): string | undefined {
  const [key, ...others] = [...new Set(leaders.map(({ revisionKey }) => revisionKey))].filter((one) => one !== newest);
  return others.length === 0 ? key : undefined;
}

/**
 * The groups of a side that serve: whole, ready, and their leader a ready endpoint of a Service that selects the side. One
 * that no Service selects, though requests would come by one, serves nothing; without a Service its groups have to be
 * whole and ready. A workload that is not there serves nothing.
 */
export function serving(
  delivery: Delivery,
  view: TrafficView,
  side: Side,
  workload: SideWorkload = workloadOf(delivery, view, side),
): Known<readonly Group[]> {
  const found = groupsOn(workload);
  if (found.kind === 'absent') return known([]);
  if (found.kind === 'unknown') return found;
  const ready = found.value.groups.filter((group) => group.ready);
  const services = servicesOf(delivery, view, side);
  if (services.kind !== 'known') return services;
  if (ready.length === 0) return known(ready);
  if (services.value.length === 0) return known(isUnreached(delivery, side) ? [] : ready);
  const { endpoints } = view.traffic;
  if (endpoints.kind === 'unknown') return endpoints;
  const slices = endpoints.kind === 'known' ? endpoints.value : [];
  const reached = slices
    .filter(({ service }) => services.value.includes(service))
    .flatMap((slice) => slice.endpoints.filter((endpoint) => endpoint.ready));
  const { leaders } = workload.live;
  const names = new Map(leaders.kind === 'known' ? leaders.value.map(({ uid, name }) => [uid, name]) : []);
  const leaderOf = ({ uid }: Group) => ({ uid, name: names.get(uid) ?? '' });
  return known(ready.filter((group) => reached.some((endpoint) => isOf(endpoint, leaderOf(group)))));
}

/**
 * Nothing selects the side. The new version's share goes to the Service that we keep for it: if that selects others, or is
 * gone, it meets nobody. Nor does what goes to the stable version, but in blueGreen: there the commit that sends requests
 * back makes the Service select it. Of one workload the Service names versions as well: the commits of a rollback mend that,
 * and no other name.
 */
function isUnreached(delivery: Delivery, side: Side): boolean {
  const { service, plan, routes } = delivery;
  if (service === undefined || hasSubsets({ plan, routes })) return false;
  if (side === 'canary') return routes.length > 0;
  return isOneWorkload(plan.style) ? namesAnother(delivery) : !takesTurns(plan.style);
}

/** A leader that was made again has the name of the one before, and another UID. */
export function isOf(endpoint: LiveEndpoint, leader: { readonly uid: string; readonly name: string }): boolean {
  return endpoint.uid === '' ? endpoint.pod === leader.name : endpoint.uid === leader.uid;
}

/** The names of the Services that select the side, in Git or in the cluster. */
function servicesOf(delivery: Delivery, { traffic }: TrafficView, side: Side): Known<readonly string[]> {
  const pairs = [
    [delivery.service, traffic.service],
    [delivery.canaryService, traffic.canaryService],
  ] as const;
  const names: string[] = [];
  for (const [document, live] of pairs) {
    if (document === undefined) continue;
    if (live.kind === 'unknown') return live;
    const there = live.kind === 'known' ? live.value.selector : {};
    const isSelecting = [selectorOf(document), there].some((selector) => takesSide(delivery, selector, side));
    if (isSelecting) names.push(document.object.name);
  }
  return known(names);
}

/** Whether Git sends requests to the new version: by a route, or by the Service itself. */
export function hasShare(delivery: Delivery): boolean {
  if (isOneWorkload(delivery.plan.style)) return !isRestored(delivery) && !isShareWithdrawn(delivery);
  return !isRestored(delivery) || selectorOf(delivery.service)[LWS_NAME] === sidesOf(delivery).workloads.canary;
}

/** Whether the new version has a share and nothing that serves it. What could not be read abandons nobody. */
export function isAbandoned(delivery: Delivery, view: TrafficView): boolean {
  const found = hasShare(delivery) ? serving(delivery, view, 'canary') : undefined;
  return found?.kind === 'known' && found.value.length === 0;
}
