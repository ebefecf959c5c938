/** The ladder of one step, for both strategies with a second workload. */

import type { RolloutStep } from '../../api/rollout-steps.ts';
import { plannedGroups } from '../batches.ts';
import { madeOf } from './commit.ts';
import type { Condition } from './condition.ts';
import { canarySide, type Delivery, fleetOf, quorumOf, replicasOf } from './delivery.ts';
import { withFloor } from './floor.ts';
import { homeAgain, isSwitched, stableReached } from './promotion.ts';
import { ALWAYS, NOTHING, type Rung } from './rung.ts';
import { grown, hasGroups, hasText, isSelected, withText } from './second-workload.ts';
import { isHome, shareOf, sharing } from './shares.ts';

/** From the lowest rung up. */
export function stepLadder(step: RolloutStep): readonly Rung[] {
  const share = shareOf(step);
  return [
    {
      at: 'home',
      // Another release's share, or that of a step before one without; or its Service, where a hand has let the fleet go.
      isListed: (delivery) =>
        isSwitched(delivery) || (!isHome(delivery) && (!hasText(delivery) || share.kind === 'home')),
      commit: homeAgain,
      before: (delivery) => [{ kind: 'servingStable', groups: quorumOf(delivery) }],
      seen: (delivery) => [{ kind: 'accepted' }, ...stableReached(delivery), { kind: 'drained', side: 'canary' }],
    },
    {
      at: 'void',
      isListed: (delivery) => hasGroups(delivery) && !hasText(delivery),
      commit: (delivery) => madeOf(delivery, grown(delivery, 0)),
      // The share may have gone home by a commit of another ladder, which nobody has waited for.
      before: () => [{ kind: 'drained', side: 'canary' }],
      seen: () => [{ kind: 'noPods' }],
    },
    {
      at: 'text',
      isListed: (delivery) => !hasText(delivery) || !isSelected(delivery),
      commit: (delivery) => withFloor(delivery, madeOf(delivery, withText(delivery))),
      before: () => [{ kind: 'noPods' }],
      seen: () => [{ kind: 'flipped', side: 'canary' }],
    },
    {
      at: 'pods',
      isListed: ALWAYS,
      commit: (delivery) => madeOf(delivery, grown(delivery, groupsAt(delivery, step))),
      before: NOTHING,
      seen: (delivery) => [groupsReady(delivery), { kind: 'sameTemplate' }],
    },
    {
      at: 'traffic',
      isListed: ({ routes }) => share.kind !== 'home' && routes.length > 0,
      commit: (delivery) => sharing(delivery, share),
      before: () => bothServe(share.kind === 'weight' && share.percent === 100),
      // What breaks under its requests stops it: no pause passes, and no group follows. A step that changes nothing stands
      // here, too: then no route is waited for.
      seen: (delivery) => {
        const ready = groupsReady(delivery);
        return share.kind !== 'home' && delivery.routes.length > 0 ? [{ kind: 'accepted' }, ready] : [ready];
      },
    },
  ];
}

/** Never fewer than there are; but two colours take turns, and the one that comes is to be no larger than the other one. */
function groupsAt(delivery: Delivery, step: RolloutStep): number {
  const groups = Math.max(replicasOf(canarySide(delivery)), plannedGroups(step.replicas, fleetOf(delivery)));
  return delivery.plan.style === 'blueGreen' ? Math.min(groups, Math.max(1, fleetOf(delivery))) : groups;
}

/** Two colours: N was lowered since, by whoever counts on fewer groups from here on. */
export function isOversized(delivery: Delivery): boolean {
  const { plan } = delivery;
  return plan.style === 'blueGreen' && replicasOf(canarySide(delivery)) > Math.max(1, fleetOf(delivery));
}

/** Those that Git asks for: where N has risen since, the next `pods` takes it as it is then. */
function groupsReady(delivery: Delivery): Condition {
  return { kind: 'newVersion', side: 'canary', groups: replicasOf(canarySide(delivery)), tolerant: true };
}

function bothServe(isWhole: boolean): readonly Condition[] {
  const canary: Condition = { kind: 'serving', side: 'canary', groups: 1 };
  return isWhole ? [canary] : [canary, { kind: 'serving', side: 'stable', groups: 1 }];
}

/** Whether the step's share asks for more groups than there are, because N rose since: its `pods` come again. */
export function isOutgrown(delivery: Delivery, step: RolloutStep): boolean {
  const share = shareOf(step);
  const groups = replicasOf(canarySide(delivery));
  return (
    share.kind === 'weight' &&
    share.percent * fleetOf(delivery) > 100 * groups &&
    groups < plannedGroups(step.replicas, fleetOf(delivery))
  );
}
