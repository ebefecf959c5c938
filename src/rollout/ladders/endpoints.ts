/** Which pods a Service reaches, by its EndpointSlices in the cluster. */

import { absent, type Known, known } from '../../api/known.ts';
import type { LiveLeader } from '../../api/live.ts';
import { LWS_NAME, REVISION_KEY } from '../../api/lws-labels.ts';
import { VERSION } from '../../api/version-label.ts';
import type { RouteDocument } from '../traffic/provider.ts';
import type { Side } from './condition.ts';
import type { Delivering } from './delivering-facts.ts';
import { type Delivery, selectorOf } from './delivery.ts';
import { groupsOn, isOf, serving, type TrafficView, workloadOf } from './traffic-view.ts';
import { isOpen, isPinned } from './version-edits.ts';
import { takesSide } from './version-sides.ts';

/** Whether the ready endpoints of the user's Service are leaders of one side, at least one of them, and nobody else. */
type Reached =
  | { readonly kind: 'unread'; readonly why: string }
  | { readonly kind: 'reached' }
  /** `others`: the pods that are no leaders of the side; empty: there is no endpoint at all. */
  | { readonly kind: 'elsewhere'; readonly others: readonly string[] };

/** Looks at the endpoints of the user's Service. */
export function reachedBy(delivery: Delivery, view: TrafficView, side: Side): Reached {
  const { endpoints } = view.traffic;
  const { leaders } = workloadOf(delivery, view, side).live;
  for (const part of [endpoints, leaders]) if (part.kind === 'unknown') return { kind: 'unread', why: part.why };
  const name = delivery.service?.object.name;
  const slices = endpoints.kind === 'known' ? endpoints.value.filter(({ service }) => service === name) : [];
  const ready = slices.flatMap((slice) => slice.endpoints.filter((endpoint) => endpoint.ready));
  const own = leaders.kind === 'known' ? leaders.value : [];
  const others = ready.filter((endpoint) => !own.some((leader) => isOf(endpoint, leader)));
  if (ready.length > 0 && others.length === 0) return { kind: 'reached' };
  return { kind: 'elsewhere', others: others.map(({ pod }) => (pod === '' ? 'an address without a pod' : pod)) };
}

/**
 * What to do about a Service that takes in no ready leader of the stable version, though there are some: `Correct the
 * selector …`; undefined: none is ready, or it does.
 */
export function notReached(delivery: Delivery, view: TrafficView): string | undefined {
  const { service } = delivery;
  const workload = workloadOf(delivery, view, 'stable');
  const found = groupsOn(workload);
  if (service === undefined || found.kind !== 'known' || !found.value.groups.some(({ ready }) => ready))
    return undefined;
  const reached = serving(delivery, view, 'stable', workload);
  if (reached.kind !== 'known' || reached.value.length > 0) return undefined;
  return `Its groups are ready, and Service ${service.object.name} takes none of them in: correct its selector in ${service.file} (${LWS_NAME}: ${workload.name})`;
}

/**
 * Ready leaders that the user's Service is to take in according to Git, and does not reach, or that of the new version
 * where it takes in all; `absent`: both reach all of theirs.
 */
export function missedBy(delivery: Delivery, view: TrafficView): Known<readonly string[]> {
  const { service, canaryService } = delivery;
  const missed: string[] = [];
  for (const one of [service, isOpen(delivery) ? canaryService : undefined]) {
    if (one === undefined) continue;
    const found = missedByOne(delivery, view, one);
    if (found.kind === 'unknown') return found;
    if (found.kind === 'known') missed.push(...found.value);
  }
  return missed.length === 0 ? absent : known([...new Set(missed)]);
}

function missedByOne(delivery: Delivery, view: TrafficView, service: RouteDocument): Known<readonly string[]> {
  const { endpoints } = view.traffic;
  if (endpoints.kind === 'unknown') return endpoints;
  const slices = endpoints.kind === 'known' ? endpoints.value : [];
  const reached = slices
    .filter((slice) => slice.service === service.object.name)
    .flatMap((slice) => slice.endpoints.filter((endpoint) => endpoint.ready));
  const missed: string[] = [];
  for (const side of ['stable', 'canary'] as const) {
    if (!takesSide(delivery, selectorOf(service), side)) continue;
    const workload = workloadOf(delivery, view, side);
    const found = groupsOn(workload);
    if (found.kind === 'unknown') return found;
    if (found.kind === 'absent' || workload.live.leaders.kind !== 'known') continue;
    const taken = workload.live.leaders.value.filter((leader) => isTaken(selectorOf(service), leader));
    const names = new Map(taken.map(({ uid, name }) => [uid, name]));
    const leaders = found.value.groups
      .filter(({ ready, uid }) => ready && names.has(uid))
      .map(({ uid }) => ({ uid, name: names.get(uid) ?? '' }));
    missed.push(
      ...leaders.filter((leader) => !reached.some((endpoint) => isOf(endpoint, leader))).map(({ name }) => name),
    );
  }
  return missed.length === 0 ? absent : known(missed);
}

/** Of one workload: whether the user's Service names a version, and not the stable one alone: no commit of ours does that. */
export function pinsElsewhere({ delivery, view, situation }: Delivering): boolean {
  const selector = selectorOf(delivery.service);
  if (!isPinned(delivery)) return false;
  if (takesSide(delivery, selector, 'canary')) return true;
  const leaders = view?.live.leaders;
  const stableKey = situation.observed?.stableKey;
  if (leaders?.kind !== 'known' || stableKey === undefined) return false;
  return leaders.value.some((leader) => isTaken(selector, leader) !== (leader.revisionKey === stableKey));
}

/**
 * Whether the user's Service takes in every leader that there is, though it names their label; without any it does not. A
 * revision is nothing that people write: with that a file of ours was put back.
 */
export function takesAll({ delivery, view }: Pick<Delivering, 'delivery' | 'view'>): boolean {
  const leaders = view?.live.leaders;
  if (selectorOf(delivery.service)[REVISION_KEY] !== undefined) return false;
  if (leaders?.kind !== 'known' || leaders.value.length === 0) return false;
  return leaders.value.every((leader) => isTaken(selectorOf(delivery.service), leader));
}

/** By the keys that tell versions apart; those of the workload, and of the user, hold for all of its leaders. */
function isTaken(
  { [REVISION_KEY]: key, [VERSION]: label }: Readonly<Record<string, string>>,
  { revisionKey, version }: LiveLeader,
): boolean {
  return (key === undefined || key === revisionKey) && (label === undefined || label === version);
}
