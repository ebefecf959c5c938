/** The ladders of the ways back: which one it is, is decided by where the delivery stood when it was given up. */

import { MARK } from '../../api/marks.ts';
import { RELEASE_PATHS } from '../../api/release-content.ts';
import { parseRestore } from '../../api/restore.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { Edit, ObjectEdits } from '../edit.ts';
import { type Commit, edited, madeOf, withObjects } from './commit.ts';
import type { Condition } from './condition.ts';
import {
  annotationsOf,
  type Delivery,
  fleetOf,
  greenServes,
  isUncovered,
  mayRestartAtOnce,
  partitionIn,
  quorumOf,
} from './delivery.ts';
import { floorBack } from './floor.ts';
import type { Position } from './position.ts';
import { CANARY_DRAINED, homeAgain, isSwitched, partitioned, stableReached } from './promotion.ts';
import { ALWAYS, NOTHING, type Rung } from './rung.ts';
import { grown } from './second-workload.ts';
import { sharing, WHOLE } from './shares.ts';

const SETTLED: Rung = {
  at: 'settled',
  isListed: ALWAYS,
  // The groups of the new side go, what was let go is armed again, and an autoscaler may shrink what serves.
  commit: (delivery) =>
    madeOf(delivery, [...grown(delivery, 0), ...partitioned(delivery, SENTINEL), ...floorBack(delivery)]),
  before: NOTHING,
  seen: NOTHING,
};

const stableServes = (delivery: Delivery): readonly Condition[] => [
  { kind: 'serving', side: 'stable', groups: quorumOf(delivery) },
];

/** Groups that serve on the text that is given up may all go next, where nothing keeps LWS from taking them at once. */
const fleetServes = (delivery: Delivery): readonly Condition[] => [
  ...stableServes(delivery),
  ...(mayRestartAtOnce(delivery) ? [{ kind: 'newVersion', side: 'stable', groups: 1 } as const] : []),
];

const homeWithText = (delivery: Delivery): Commit =>
  withObjects(homeAgain(delivery), [...stableText(delivery), ...armed(delivery)]);

/**
 * Where the version before does not serve yet: its template goes back into the locked workload, which restarts nothing, so
 * that what comes up there is on it; requests follow once it serves. No ladder leads through it: `templateAtOnce` writes it.
 */
const withoutRequests: Rung = {
  at: 'text',
  isListed: () => false,
  commit: (delivery) => madeOf(delivery, [...stableText(delivery), ...armed(delivery)]),
  before: NOTHING,
  seen: () => [{ kind: 'serving', side: 'stable', groups: 1 }],
};

/** The workload that serves has not moved: one commit, and it needs nothing but Git. */
const fromSteps: readonly Rung[] = [
  withoutRequests,
  {
    at: 'home',
    isListed: ALWAYS,
    commit: homeWithText,
    before: NOTHING,
    seen: () => [CANARY_DRAINED],
  },
  SETTLED,
];

/** The Service goes back with the routes. */
const fromSwitch: readonly Rung[] = [
  withoutRequests,
  {
    at: 'home',
    isListed: ALWAYS,
    commit: homeWithText,
    before: stableServes,
    seen: (delivery) => [...stableReached(delivery), CANARY_DRAINED],
  },
  SETTLED,
];

/** The fleet rolls back while the new version keeps its share, and in blueGreen the Service. */
const fromFleet: readonly Rung[] = [
  {
    at: 'fleet',
    isListed: ALWAYS,
    commit: (delivery) => madeOf(delivery, [...stableText(delivery), ...partitioned(delivery, 0)]),
    before: NOTHING,
    seen: fleetServes,
  },
  {
    at: 'home',
    isListed: ALWAYS,
    commit: homeAgain,
    // A share may be there once more, by a hand or by a route that was missing, when the rung below is long past.
    before: fleetServes,
    seen: (delivery) => [...stableReached(delivery), CANARY_DRAINED, { kind: 'stableText' }],
  },
  SETTLED,
];

/** Where all of the fleet may be down at once, the new version first takes all requests. */
const fromHome: readonly Rung[] = [
  {
    at: 'all',
    isListed: isUncovered,
    commit: (delivery) => sharing(delivery, WHOLE),
    before: (delivery) => [{ kind: 'serving', side: 'canary', groups: fleetOf(delivery) }],
    seen: () => [{ kind: 'accepted' }, { kind: 'drained', side: 'stable' }],
  },
  ...fromFleet,
];

/** The ladder back from here. A way back that is under way goes on: its rungs have names of their own in each ladder. */
export function wayBack(delivery: Delivery, { stage, at }: Position): readonly Rung[] {
  const isColours = delivery.plan.style === 'blueGreen';
  if (!isLetGo(delivery, { stage, at })) {
    if (!isColours) return fromSteps;
    // Once it goes back, Git no longer says from where: the endpoints are looked at in any case.
    if (stage.kind === 'rollback') return fromSwitch;
    return stage.kind === 'promote' && isSwitched(delivery) ? fromSwitch : fromSteps;
  }
  if (isColours && stage.kind !== 'rollback') return fromFleet;
  // Under way, its rungs say where it is; `all` is the first of the longer ladder.
  return stage.kind === 'rollback' || (stage.kind === 'promote' && at === 'home') ? fromHome : fromFleet;
}

/**
 * Whether the user's workload was let go, so that it may have groups on several versions: by the floor of this delivery.
 * Without one, by the rung and by the partition.
 */
function isLetGo(delivery: Delivery, { stage, at }: Position): boolean {
  // What gets no requests but by its share goes to no groups, whatever it was let go to.
  if (greenServes(delivery)) return false;
  const { own, plan } = delivery;
  const floor = parseRestore(annotationsOf(own)[MARK.restore] ?? '')?.floor;
  if (floor !== undefined || at === 'fleet' || partitionIn(own) !== SENTINEL) return true;
  // The colour that serves is not let go by any rung up: only a hand, or an object made anew, does that.
  if (plan.style === 'blueGreen') return stage.kind === 'rollback' && at === 'all';
  return at === 'all' || (stage.kind === 'promote' && at !== undefined);
}

/** The way back of a fleet that is on the text that is given up, wherever Git says that the delivery stands. */
export function fleetBack(begin: FleetRung): readonly Rung[] {
  return fromHome.slice(fromHome.findIndex(({ at }) => at === begin));
}

/** The stable template alone, where nothing was let go: requests stay where they are. */
export const TEMPLATE_ALONE: readonly Rung[] = [{ ...withoutRequests, isListed: ALWAYS }];

/** Which rung begins it: all requests go first, where all of it may be down at once. */
export type FleetRung = 'all' | 'fleet';

const armed = (delivery: Delivery): readonly ObjectEdits[] =>
  delivery.plan.style === 'blueGreen' ? partitioned(delivery, SENTINEL) : [];

/** What the release covers, as it was: in the user's workload alone, which nothing restarts where it is armed. */
export function stableText({ own, stableText: source }: Delivery): readonly ObjectEdits[] {
  return edited(
    own,
    RELEASE_PATHS.map((path): Edit => ({ kind: 'restore', path, source })),
  );
}
