/** The ladders after the last step: the new version takes over the primary (canary), or all requests (blueGreen). */

import { LWS_NAME } from '../../api/lws-labels.ts';
import { MARK } from '../../api/marks.ts';
import { type RollingStyle, takesTurns, updatesPrimary } from '../../api/styles.ts';
import { SENTINEL } from '../../api/workload.ts';
import { PARTITION_PATH, REPLICAS_PATH } from '../../api/workload-paths.ts';
import type { ObjectEdits } from '../edits/edit.ts';
import { type Commit, edited, madeOf, removeField, setField, withObjects } from './commit.ts';
import type { Condition } from './condition.ts';
import {
  annotationsOf,
  canarySide,
  type Delivery,
  greenServes,
  isUncovered,
  partitionIn,
  primaryGroups,
  quorumOf,
  replicasOf,
  serviceMissing,
  sidesOf,
  stableSide,
} from './delivery.ts';
import { floorBack } from './floor.ts';
import { ALWAYS, NOTHING, type Rung } from './rung.ts';
import { grown } from './second-workload.ts';
import { NO_SHARE, percentIn, sharing, WHOLE } from './shares.ts';

const ACCEPTED: Condition = { kind: 'accepted' };
export const CANARY_DRAINED: Condition = { kind: 'drained', side: 'canary' };
const STABLE_DRAINED: Condition = { kind: 'drained', side: 'stable' };

/** The partition of the user's workload. */
export function partitioned({ own }: Delivery, partition: number): readonly ObjectEdits[] {
  return edited(own, setField(own, PARTITION_PATH, partition));
}

/** The Service sends to this workload. */
function switched({ service }: Delivery, workload: string): readonly ObjectEdits[] {
  return service === undefined ? [] : edited(service, setField(service, ['spec', 'selector', LWS_NAME], workload));
}

/** blueGreen: the Service selects the colour that is filled. */
export function isSwitched(delivery: Delivery): boolean {
  return takesTurns(delivery.plan.style) && switched(delivery, sidesOf(delivery).workloads.stable).length > 0;
}

/**
 * No request goes to the new version any more: by no route, and in blueGreen not by the Service itself. Where the Service
 * is not in the files they would go to nobody, so that they stay with the new version.
 */
export function restoreRoutes(delivery: Delivery): Commit {
  return serviceMissing(delivery) === undefined ? restoreAtOnce(delivery) : madeOf(delivery, []);
}

/** The same by the routes alone. */
export function restoredRoutes(delivery: Delivery): Commit {
  return serviceMissing(delivery) === undefined ? sharing(delivery, NO_SHARE) : madeOf(delivery, []);
}

/** As `restoreRoutes`, where the new version serves nobody, or someone does not want to wait. */
export function restoreAtOnce(delivery: Delivery): Commit {
  const home = sharing(delivery, NO_SHARE);
  return isSwitched(delivery) ? withObjects(home, switched(delivery, sidesOf(delivery).workloads.stable)) : home;
}

/** blueGreen: the Service reaches the stable version, and nothing else. */
export const stableReached = ({ plan, service }: Delivery): readonly Condition[] =>
  takesTurns(plan.style) && service !== undefined ? [{ kind: 'reached', side: 'stable' }] : [];

const hasRoutes = ({ routes }: Delivery): boolean => routes.length > 0;
const hasService = ({ service }: Delivery): boolean => service !== undefined;

const stableServes = (delivery: Delivery): readonly Condition[] => [
  { kind: 'serving', side: 'stable', groups: quorumOf(delivery) },
];

const STABLE_FLIPPED: Condition = { kind: 'flipped', side: 'stable' };

/** Every group of stable is on the new version, and what is made again comes up on it. */
const allTaken = (delivery: Delivery): readonly Condition[] => [
  { kind: 'newVersion', side: 'stable', groups: primaryGroups(delivery) },
  STABLE_FLIPPED,
];

const isUnlocked = ({ own }: Delivery): boolean => partitionIn(own) !== SENTINEL;

/** canary: all requests to stable while its last groups have no place; undefined: they may be down at once. */
export function restoreUnlocked(
  delivery: Delivery,
): { readonly made: Commit; readonly waits: readonly Condition[] } | undefined {
  if (!updatesPrimary(delivery.plan.style) || isUncovered(delivery)) return undefined;
  return { made: restoredRoutes(delivery), waits: stableServes(delivery) };
}

const canaryLadder: readonly Rung[] = [
  {
    at: 'primary',
    isListed: ALWAYS,
    commit: (delivery) => madeOf(delivery, partitioned(delivery, 0)),
    before: (delivery) =>
      isUncovered(delivery)
        ? [{ kind: 'serving', side: 'canary', groups: primaryGroups(delivery) }, STABLE_DRAINED]
        : NOTHING(),
    seen: allTaken,
  },
  {
    at: 'route-restored',
    isListed: ALWAYS,
    commit: (delivery) => withObjects(restoredRoutes(delivery), partitioned(delivery, SENTINEL)),
    before: stableServes,
    // A route that no file has any more may be in the cluster still, and send to it.
    seen: (delivery) => (hasRoutes(delivery) || delivery.missing.length > 0 ? [ACCEPTED, CANARY_DRAINED] : NOTHING()),
  },
  {
    at: 'empty',
    // Requests went to stable before the last groups had a place (`restoreUnlocked`): the canary's nodes are what they wait for.
    isListed: (delivery) => isUnlocked(delivery) && annotationsOf(delivery.own)[MARK.at] === 'route-restored',
    commit: (delivery) => madeOf(delivery, grown(delivery, 0)),
    before: stableServes,
    seen: NOTHING,
  },
  {
    at: 'settled',
    isListed: ALWAYS,
    isAlways: true,
    commit: (delivery) =>
      madeOf(delivery, [...grown(delivery, 0), ...partitioned(delivery, SENTINEL), ...floorBack(delivery)]),
    // Until here the release can be aborted; of a primary that broke since it took over that must stay so. Locked before its
    // StatefulSet has flipped, by us or by a hand, a group that is made again would come up on the stable version (trace 29d).
    before: (delivery) => [
      ...stableServes(delivery),
      ...(isUnlocked(delivery) ? allTaken(delivery) : [STABLE_FLIPPED]),
    ],
    seen: NOTHING,
  },
];

const blueGreenLadder: readonly Rung[] = [
  {
    at: 'all',
    isListed: hasRoutes,
    commit: (delivery) => sharing(delivery, WHOLE),
    // Without a share so far nobody has seen that its Service reaches the new side: ready groups alone get no request.
    before: (delivery) => [
      ...allServe(delivery),
      ...(percentIn(delivery) === 0 ? [{ kind: 'serving', side: 'canary', groups: 1 } as const] : []),
    ],
    seen: () => [ACCEPTED, STABLE_DRAINED],
  },
  {
    at: 'switch',
    isListed: hasService,
    commit: (delivery) => madeOf(delivery, switched(delivery, sidesOf(delivery).workloads.canary)),
    before: allServe,
    seen: () => [{ kind: 'reached', side: 'canary' }],
  },
  {
    at: 'route-restored',
    // Of pools each is a colour's: all requests stay with the one that serves.
    isListed: (delivery) => hasRoutes(delivery) && delivery.pools === undefined,
    commit: restoredRoutes,
    before: NOTHING,
    seen: () => [ACCEPTED],
  },
  {
    at: 'settled',
    isListed: ALWAYS,
    isAlways: true,
    commit: (delivery) => madeOf(delivery, [...emptied(delivery), ...served(delivery)]),
    // The colour before is the rollback in an instant: it stays while groups of the new one are not ready.
    before: (delivery) => [
      STABLE_DRAINED,
      { kind: 'newVersion', side: 'canary', groups: replicasOf(canarySide(delivery)) },
      { kind: 'bake' },
    ],
    seen: NOTHING,
  },
];

/** As many groups as the other side has: it may have grown since the last step. Emptied by its owner, it asks for one. */
function allServe(delivery: Delivery): readonly Condition[] {
  return [{ kind: 'newVersion', side: 'canary', groups: Math.max(1, replicasOf(stableSide(delivery))) }];
}

function emptied(delivery: Delivery): readonly ObjectEdits[] {
  const side = stableSide(delivery);
  return side === undefined ? [] : edited(side, setField(side, REPLICAS_PATH, 0));
}

function served(delivery: Delivery): readonly ObjectEdits[] {
  const { own } = delivery;
  const path = ['metadata', 'annotations', MARK.serves];
  return edited(own, greenServes(delivery) ? removeField(own, path) : setField(own, path, 'green'));
}

/** By the style of the Rollout; partition steps the user's own workload, and has no such ladder. */
export const promotions = {
  partition: [],
  canary: canaryLadder,
  blueGreen: blueGreenLadder,
} satisfies Record<RollingStyle, readonly Rung[]>;

/** Whether the new side has fewer groups than the one that it takes over from: the last step's `pods` come again. */
export function isOvertaken(delivery: Delivery): boolean {
  return replicasOf(canarySide(delivery)) < replicasOf(stableSide(delivery));
}
