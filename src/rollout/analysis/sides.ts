/** Which leaders serve which version just now, and since when what they count may be compared. */

import type { Analysis } from '../../api/analysis.ts';
import type { LiveLeader } from '../../api/live.ts';
import { isOneWorkload, takesTurns, updatesPrimary } from '../../api/styles.ts';
import type { Instant } from '../../api/time.ts';
import { delivering } from '../ladders/delivering.ts';
import type { Delivering } from '../ladders/delivering-facts.ts';
import { routesTraffic, sidesOf as sidesOfDelivery } from '../ladders/delivery.ts';
import { shareOf } from '../ladders/shares.ts';
import { groupsOn, hasShare, workloadOf } from '../ladders/traffic-view.ts';
import type { Group } from '../observed/groups.ts';
import { onRelease, wanted } from '../observed/groups-asked.ts';
import { routesWrittenAt } from '../observed/unsigned.ts';
import type { Situation } from '../situation.ts';
import { type InDelivery, isRouted, type OnLadder } from '../state.ts';
import type { Served, Sides } from './counting.ts';

/**
 * The sides of a step, with how many steps there are; why nothing is compared; or why what is to be compared is not seen,
 * which stops forward moves.
 */
export type SidesFound =
  | {
      readonly kind: 'sides';
      readonly sides: Sides;
      readonly steps: number;
      /** Requests are chosen by what they are, so that both versions have other users. */
      readonly isByMatches: boolean;
    }
  | { readonly kind: 'nothing' | 'unseen'; readonly why: string };

type WarmUp = Pick<Analysis, 'warmUpSeconds'>;

/**
 * A leader belongs to a version by what is seen, not by what Git asks for. One that is not ready, or is leaving, belongs to none.
 * Its evidence starts when it was ready, had its share, and has warmed up: before that its name belonged to the leader that it
 * replaces. In a rollback and at rest nothing is compared.
 */
export function sidesOf(situation: Situation, warmUp: WarmUp): SidesFound {
  const { state } = situation;
  if (state.kind === 'ladder')
    return state.stage.kind === 'rollback' ? nothing('the release goes back') : ofLadder(situation, state, warmUp);
  if (state.kind !== 'step' || state.row === 'surging')
    return nothing('no step is in progress in which groups of two versions serve side by side');
  if (isRouted(state.marks) && state.row === 'partial') return ofVersions(situation, state, warmUp);
  return ofGroups(situation, state, warmUp);
}

/** Of one workload without routes: each group serves as soon as it is ready. */
function ofGroups(situation: Situation, state: InDelivery, { warmUpSeconds }: WarmUp): SidesFound {
  const { snapshot, view, partition, replicas, digest } = situation;
  if (view === 'unseen') return unseen(situation.hold.message);
  const queued = digest !== state.marks.release.digest;
  const groups = wanted(situation.observed, situation.asked);
  const mine = onRelease(situation.observed, { groups, queued });
  if (mine.length === 0 && state.row === 'partial' && partition >= (replicas ?? 0))
    return nothing('this step releases no group for update');
  const { leaders } = snapshot.live;
  const named = leaders.kind === 'known' ? leaders.value : [];
  const stable = groups.filter(({ version }) => version === 'stable');
  // Groups of one workload without routes are behind the same Services.
  const services = isRouted(state.marks) ? {} : { services: { kind: 'shared' } as const };
  const both = { canary: served(mine, named, warmUpSeconds), stable: served(stable, named, warmUpSeconds) };
  const sides = { ...both, ...services };
  return compared(sides, { steps: state.of, isByMatches: false, isAlone: mine.length === groups.length });
}

/** Of one workload whose versions share its requests by routes: from its share on. */
function ofVersions(situation: Situation, state: InDelivery, warmUp: WarmUp): SidesFound {
  const on = delivering(situation, state.marks, state.marks.release);
  if (on === undefined) return unseen('a document of the delivery is missing');
  if (state.marks.at !== 'traffic' || !hasShare(on.delivery)) return nothing('the new version has no share yet');
  return shared(on, { index: state.index, of: state.of }, warmUp);
}

function ofLadder(situation: Situation, state: OnLadder, warmUp: WarmUp): SidesFound {
  const { stage, at } = state;
  const on = delivering(situation, state.marks, state.marks.release);
  if (on === undefined) return unseen('a document of the delivery is missing');
  const { plan } = on.delivery;
  const of = plan.steps.length;
  if (stage.kind === 'step')
    return at === 'traffic' && hasShare(on.delivery)
      ? shared(on, { index: stage.index, of }, warmUp)
      : nothing('the new version has no share yet');
  if (updatesPrimary(plan.style)) return ofPrimary(on, { at, of }, warmUp);
  return takesTurns(plan.style) ? taken(on, of, warmUp) : nothing('no step is in progress');
}

/** The second side against the first; where the new version has all requests, it serves alone. */
function shared(
  on: Delivering,
  { index, of }: { readonly index: number; readonly of: number },
  warmUp: WarmUp,
): SidesFound {
  const { view, delivery, situation } = on;
  const since = sharedSince(on);
  if (view === undefined || since === undefined)
    return unseen('it is not seen since when the new version has its share');
  const step = delivery.plan.steps[index - 1];
  const share = step === undefined ? undefined : shareOf(step);
  const isWhole = share?.kind === 'weight' && share.percent === 100;
  const canary = onSide(on, 'canary', { since, warmUp });
  const stable = isWhole ? [] : onSide(on, 'stable', { since, warmUp });
  if (canary === undefined || stable === undefined)
    return unseen(`the groups of ${situation.file.object.name} were not read`);
  const services = servicesOf(on, isWhole ? 'canary' : 'both');
  return compared(
    { canary, stable, services },
    { steps: of, isByMatches: share?.kind === 'matches', isAlone: isWhole },
  );
}

/** canary, while the primary takes the release: its groups and those of the second workload, against those that are left. */
function ofPrimary(on: Delivering, { at, of }: { readonly at: OnLadder['at']; readonly of: number }, warmUp: WarmUp) {
  const { situation, delivery } = on;
  if (situation.view === 'unseen') return unseen(situation.hold.message);
  const { leaders } = situation.snapshot.live;
  const named = leaders.kind === 'known' ? leaders.value : [];
  const groups = wanted(situation.observed, situation.asked);
  const { warmUpSeconds } = warmUp;
  const own = onRelease(situation.observed, {
    groups,
    queued: situation.digest !== delivery.release.digest,
  });
  const left = groups.filter(({ version }) => version === 'stable');
  const since = sharedSince(on);
  const second =
    at === 'primary' && hasShare(delivery) && since !== undefined ? onSide(on, 'canary', { since, warmUp }) : [];
  if (second === undefined) return unseen('the groups of the canary were not read');
  const canary = [...served(own, named, warmUpSeconds), ...second];
  const stable = served(left, named, warmUpSeconds);
  return compared({ canary, stable }, { steps: of, isByMatches: false, isAlone: own.length === groups.length });
}

/** blueGreen: the new colour has all requests. */
function taken(on: Delivering, of: number, warmUp: WarmUp): SidesFound {
  const since = routesTraffic(on.delivery) ? sharedSince(on) : 0;
  const canary = since === undefined ? undefined : onSide(on, 'canary', { since, warmUp });
  return canary === undefined
    ? unseen('the groups of the new colour were not read')
    : compared(
        { canary, stable: [], ...(routesTraffic(on.delivery) ? { services: servicesOf(on, 'all') } : {}) },
        { steps: of, isByMatches: false, isAlone: true },
      );
}

/** The Services of each version; `all`: the new one has all requests, whichever Service they come by. */
function servicesOf(
  { delivery, situation }: Delivering,
  whose: 'both' | 'canary' | 'all',
): NonNullable<Sides['services']> {
  const { stable, canary, workloads } = sidesOfDelivery(delivery);
  const { namespace } = situation.snapshot.key;
  const own = { service: canary, workload: workloads.canary };
  const other = { service: stable, workload: workloads.stable };
  if (whose === 'both') return { kind: 'apart', namespace, canary: [own], stable: [other] };
  return { kind: 'apart', namespace, canary: whose === 'all' && canary !== stable ? [own, other] : [own], stable: [] };
}

/** Where the versions of a delivery stand at a gateway; known at rest as well, where the new one has no share. */
export type AtGateway = {
  /** Not there: no requests are shared by Services, so that a gateway says nothing. */
  readonly services?: NonNullable<Sides['services']>;
  /** Both versions have a share now. */
  readonly isShared: boolean;
};

/** By what Git and the Rollout say; nothing is judged by it. */
export function atGateway(situation: Situation): AtGateway {
  const now = sidesOf(situation, { warmUpSeconds: 0 });
  const isShared = now.kind === 'sides' && now.sides.services?.kind === 'apart' && now.sides.stable.length > 0;
  const { marks } = situation;
  const on = marks === undefined ? undefined : delivering(situation, marks, marks.release);
  if (on !== undefined && routesTraffic(on.delivery)) return { services: servicesOf(on, 'both'), isShared };
  const { style } = situation.snapshot.rollout?.rollout ?? {};
  return style !== undefined && isOneWorkload(style) ? { services: { kind: 'shared' }, isShared } : { isShared };
}

/**
 * Since when the cluster has the share that Git says: by the pass that saw its routes accepted, and no earlier than the last
 * write of them and of their Services, which the API server dates. A write alone may be that of another share.
 */
function sharedSince({ view, situation }: Delivering): Instant | undefined {
  const accepted = view?.memory().accepted?.since;
  if (accepted === undefined) return undefined;
  return Math.max(accepted, routesWrittenAt(situation.snapshot, situation.snapshot.now) ?? accepted);
}

type From = { readonly since: Instant; readonly warmUp: WarmUp };

/** undefined: its groups were not read. */
function onSide({ delivery, view }: Delivering, side: 'canary' | 'stable', { since, warmUp }: From) {
  if (view === undefined) return undefined;
  const workload = workloadOf(delivery, view, side);
  const found = groupsOn(workload);
  const { leaders } = workload.live;
  if (found.kind !== 'known' || leaders.kind !== 'known') return undefined;
  const isSecond = !isOneWorkload(delivery.plan.style) && side === 'canary';
  const groups = found.value.groups.filter(({ leader }) => !isSecond || leader.version === 'release');
  return served(groups, leaders.value, warmUp.warmUpSeconds, since);
}

function served(
  groups: readonly Group[],
  leaders: readonly LiveLeader[],
  warmUpSeconds: number,
  since: Instant = 0,
): readonly Served[] {
  const names = new Map(leaders.map(({ uid, name }) => [uid, name]));
  return groups.flatMap((group) => {
    const pod = names.get(group.uid);
    const ready = readySince(group);
    if (pod === undefined || ready === undefined) return [];
    const warmFrom = ready + warmUpSeconds;
    return [{ pod, from: Math.max(warmFrom, since + warmUpSeconds), ...(since > ready ? { warmFrom } : {}) }];
  });
}

function readySince({ ready, leader }: Group): Instant | undefined {
  return ready && !leader.leaving ? leader.readyAt : undefined;
}

type Comparing = { readonly steps: number; readonly isByMatches: boolean; readonly isAlone: boolean };

/** A version whose groups are all down, or gone, is not seen; the other does not serve alone for that. */
function compared(sides: Sides, { steps, isByMatches, isAlone }: Comparing): SidesFound {
  if (sides.canary.length === 0) return unseen('no group of the release is ready');
  if (!isAlone && sides.stable.length === 0) return unseen('no group of the stable version is ready');
  return { kind: 'sides', sides, steps, isByMatches };
}

function nothing(why: string): SidesFound {
  return { kind: 'nothing', why };
}

function unseen(why: string): SidesFound {
  return { kind: 'unseen', why };
}
