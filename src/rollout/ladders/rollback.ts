/** The ladders of the rollbacks: which one it is, is decided by where the delivery stood when it was aborted. */

import { MARK } from '../../api/marks.ts';
import { RELEASE_PATHS } from '../../api/release-content.ts';
import { parseRestore } from '../../api/restore.ts';
import { takesTurns } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import type { Edit, ObjectEdits } from '../edits/edit.ts';
import { type Commit, edited, madeOf, withObjects } from './commit.ts';
import type { Condition } from './condition.ts';
import {
  annotationsOf,
  type Delivery,
  greenServes,
  isUncovered,
  mayRestartAtOnce,
  partitionIn,
  primaryGroups,
  quorumOf,
} from './delivery.ts';
import { floorBack } from './floor.ts';
import type { Position } from './position.ts';
import { CANARY_DRAINED, isSwitched, partitioned, restoreRoutes, stableReached } from './promotion.ts';
import { ALWAYS, NOTHING, type Rung } from './rung.ts';
import { grown } from './second-workload.ts';
import { sharing, WHOLE } from './shares.ts';

const SETTLED: Rung = {
  at: 'settled',
  isListed: ALWAYS,
  isAlways: true,
  // The groups of the new side go, what was released for update is locked again, and an autoscaler may shrink what serves.
  commit: (delivery) =>
    madeOf(delivery, [...grown(delivery, 0), ...partitioned(delivery, SENTINEL), ...floorBack(delivery)]),
  before: NOTHING,
  seen: NOTHING,
};

const stableServes = (delivery: Delivery): readonly Condition[] => [
  { kind: 'serving', side: 'stable', groups: quorumOf(delivery) },
];

/** Groups that serve on the template that is aborted may all go next, where nothing keeps LWS from taking them at once. */
const primaryServes = (delivery: Delivery): readonly Condition[] => [
  ...stableServes(delivery),
  ...(mayRestartAtOnce(delivery) ? [{ kind: 'newVersion', side: 'stable', groups: 1 } as const] : []),
];

const restoreWithTemplate = (delivery: Delivery): Commit =>
  withObjects(restoreRoutes(delivery), [...stableText(delivery), ...locked(delivery)]);

/**
 * Where the stable version does not serve yet: its template goes back into the locked workload, which restarts nothing, so
 * that what comes up there is on it; requests follow once it serves. No ladder leads through it: `templateAtOnce` writes it.
 */
const withoutRequests: Rung = {
  at: 'template',
  isListed: () => false,
  commit: (delivery) => madeOf(delivery, [...stableText(delivery), ...locked(delivery)]),
  before: NOTHING,
  seen: () => [{ kind: 'serving', side: 'stable', groups: 1 }],
};

/** The workload that serves has not moved: one commit, and it needs nothing but Git. */
const fromSteps: readonly Rung[] = [
  withoutRequests,
  {
    at: 'route-restored',
    isListed: ALWAYS,
    commit: restoreWithTemplate,
    before: NOTHING,
    seen: () => [CANARY_DRAINED],
  },
  SETTLED,
];

/** The Service goes back with the routes. */
const fromSwitch: readonly Rung[] = [
  withoutRequests,
  {
    at: 'route-restored',
    isListed: ALWAYS,
    commit: restoreWithTemplate,
    before: stableServes,
    seen: (delivery) => [...stableReached(delivery), CANARY_DRAINED],
  },
  SETTLED,
];

/** The primary rolls back while the new version keeps its share, and in blueGreen the Service. */
const fromPrimary: readonly Rung[] = [
  {
    at: 'primary',
    isListed: ALWAYS,
    commit: (delivery) => madeOf(delivery, [...stableText(delivery), ...partitioned(delivery, 0)]),
    before: NOTHING,
    seen: primaryServes,
  },
  {
    at: 'route-restored',
    isListed: ALWAYS,
    commit: restoreRoutes,
    // A share may be there once more, by a hand or by a route that was missing, when the rung below is long past.
    before: primaryServes,
    seen: (delivery) => [...stableReached(delivery), CANARY_DRAINED, { kind: 'stableText' }],
  },
  SETTLED,
];

/** Where all of the primary may be down at once, the new version first takes all requests. */
const fromRouteRestored: readonly Rung[] = [
  {
    at: 'all',
    isListed: isUncovered,
    commit: (delivery) => sharing(delivery, WHOLE),
    before: (delivery) => [{ kind: 'serving', side: 'canary', groups: primaryGroups(delivery) }],
    seen: () => [{ kind: 'accepted' }, { kind: 'drained', side: 'stable' }],
  },
  ...fromPrimary,
];

/** The ladder back from here. A rollback that is in progress goes on: its rungs have names of their own in each ladder. */
export function rollBack(delivery: Delivery, { stage, at }: Position): readonly Rung[] {
  const isColours = takesTurns(delivery.plan.style);
  if (!isReleasedForUpdate(delivery, { stage, at })) {
    if (!isColours) return fromSteps;
    // Once it goes back, Git no longer says from where: the endpoints are looked at in any case.
    if (stage.kind === 'rollback') return fromSwitch;
    return stage.kind === 'promote' && isSwitched(delivery) ? fromSwitch : fromSteps;
  }
  if (isColours && stage.kind !== 'rollback') return fromPrimary;
  // In progress, its rungs say where it is; `all` is the first of the longer ladder.
  return stage.kind === 'rollback' || (stage.kind === 'promote' && at === 'route-restored')
    ? fromRouteRestored
    : fromPrimary;
}

/**
 * Whether the user's workload was released for update, so that it may have groups on several versions: by the floor of this delivery.
 * Without one, by the rung and by the partition.
 */
function isReleasedForUpdate(delivery: Delivery, { stage, at }: Position): boolean {
  // What gets no requests but by its share goes to no groups, whatever it was released for update to.
  if (greenServes(delivery)) return false;
  const { own, plan } = delivery;
  const floor = parseRestore(annotationsOf(own)[MARK.restore] ?? '')?.floor;
  if (floor !== undefined || at === 'primary' || partitionIn(own) !== SENTINEL) return true;
  // The colour that serves is not release by any rung up: only a hand, or an object re-created, does that.
  if (takesTurns(plan.style)) return stage.kind === 'rollback' && at === 'all';
  return at === 'all' || (stage.kind === 'promote' && at !== undefined);
}

/** The rollback of a primary that is on the template that is aborted, wherever Git says that the delivery stands. */
export function primaryBack(begin: PrimaryRung): readonly Rung[] {
  return fromRouteRestored.slice(fromRouteRestored.findIndex(({ at }) => at === begin));
}

/** The stable template alone, where nothing was released for update: requests stay where they are. */
export const TEMPLATE_ALONE: readonly Rung[] = [{ ...withoutRequests, isListed: ALWAYS }];

/** Which rung starts it: all requests go first, where all of it may be down at once. */
export type PrimaryRung = 'all' | 'primary';

const locked = (delivery: Delivery): readonly ObjectEdits[] =>
  takesTurns(delivery.plan.style) ? partitioned(delivery, SENTINEL) : [];

/** What the release covers, as it was: in the user's workload alone, which nothing restarts where it is locked. */
export function stableText({ own, stableText: source }: Delivery): readonly ObjectEdits[] {
  return edited(
    own,
    RELEASE_PATHS.map((path): Edit => ({ kind: 'restore', path, source })),
  );
}
