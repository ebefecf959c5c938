/** The ladder of one step, for both strategies with a second workload. */

import type { RolloutStep } from '../../api/rollout-steps.ts';
import { takesTurns } from '../../api/styles.ts';
import { plannedGroups } from '../observed/batches.ts';
import { madeOf } from './commit.ts';
import { bothServe, type Condition } from './condition.ts';
import { canarySide, type Delivery, primaryGroups, quorumOf, replicasOf } from './delivery.ts';
import { withFloor } from './floor.ts';
import { isSwitched, restoreRoutes, stableReached } from './promotion.ts';
import { ALWAYS, NOTHING, type Rung } from './rung.ts';
import { grown, hasGroups, hasTemplate, isSelected, withTemplate } from './second-workload.ts';
import { isRestored, shareOf, sharing } from './shares.ts';

/** From the lowest rung up. */
export function stepLadder(step: RolloutStep): readonly Rung[] {
  const share = shareOf(step);
  return [
    {
      at: 'route-restored',
      // Another release's share, or that of a step before one without; or its Service, where a hand has let the primary go.
      isListed: (delivery) =>
        isSwitched(delivery) || (!isRestored(delivery) && (!hasTemplate(delivery) || share.kind === 'none')),
      commit: restoreRoutes,
      before: (delivery) => [{ kind: 'servingStable', groups: quorumOf(delivery) }],
      seen: (delivery) => [{ kind: 'accepted' }, ...stableReached(delivery), { kind: 'drained', side: 'canary' }],
    },
    {
      at: 'empty',
      isListed: (delivery) => hasGroups(delivery) && !hasTemplate(delivery),
      commit: (delivery) => madeOf(delivery, grown(delivery, 0)),
      // The share may have been withdrawn by a commit of another ladder, which nobody has waited for.
      before: () => [{ kind: 'drained', side: 'canary' }],
      seen: () => [{ kind: 'noPods' }],
    },
    {
      at: 'template',
      isListed: (delivery) => !hasTemplate(delivery) || !isSelected(delivery),
      commit: (delivery) => withFloor(delivery, madeOf(delivery, withTemplate(delivery))),
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
      isListed: ({ routes }) => share.kind !== 'none' && routes.length > 0,
      commit: (delivery) => sharing(delivery, share),
      before: () => bothServe(share.kind === 'weight' && share.percent === 100),
      // What breaks under its requests stops it: no pause passes, and no group follows. A step that changes nothing stands
      // here, too: then no route is waited for.
      seen: (delivery) => {
        const ready = groupsReady(delivery);
        return share.kind !== 'none' && delivery.routes.length > 0 ? [{ kind: 'accepted' }, ready] : [ready];
      },
    },
  ];
}

/** Never fewer than there are; but two colours take turns, and the one that comes is to be no larger than the other one. */
function groupsAt(delivery: Delivery, step: RolloutStep): number {
  const groups = Math.max(replicasOf(canarySide(delivery)), plannedGroups(step.replicas, primaryGroups(delivery)));
  return takesTurns(delivery.plan.style) ? Math.min(groups, Math.max(1, primaryGroups(delivery))) : groups;
}

/** Two colours: N was lowered since, by the one who counts on fewer groups from here on. */
export function isOversized(delivery: Delivery): boolean {
  const { plan } = delivery;
  return takesTurns(plan.style) && replicasOf(canarySide(delivery)) > Math.max(1, primaryGroups(delivery));
}

/** Those that Git asks for: where N has risen since, the next `pods` takes it as it is then. */
function groupsReady(delivery: Delivery): Condition {
  return { kind: 'newVersion', side: 'canary', groups: replicasOf(canarySide(delivery)), tolerant: true };
}

/** Whether the step's share asks for more groups than there are, because N rose since: its `pods` come again. */
export function isOutgrown(delivery: Delivery, step: RolloutStep): boolean {
  const share = shareOf(step);
  const groups = replicasOf(canarySide(delivery));
  return (
    share.kind === 'weight' &&
    share.percent * primaryGroups(delivery) > 100 * groups &&
    groups < plannedGroups(step.replicas, primaryGroups(delivery))
  );
}
