/** The ladder of one step where two versions of one workload share the requests: its groups are updated, and Services tell them apart. */

import { REVISION_KEY } from '../../api/lws-labels.ts';
import type { RungMark } from '../../api/marks.ts';
import { printRelease } from '../../api/release.ts';
import type { RolloutStep } from '../../api/rollout-steps.ts';
import { VERSION, versionIn, versionPath } from '../../api/version-label.ts';
import { SENTINEL } from '../../api/workload.ts';
import { nextPartition, partitionOf } from '../observed/batches.ts';
import type { Share } from '../traffic/provider.ts';
import { edited, withObjects } from './commit.ts';
import { bothServe, type Condition } from './condition.ts';
import { type Delivery, type Pin, partitionIn, primaryGroups } from './delivery.ts';
import { partitioned } from './promotion.ts';
import { ALWAYS, NOTHING, type Rung } from './rung.ts';
import { isRestored, NO_SHARE, shareOf, sharing } from './shares.ts';
import { isPinned, pinned, released, restoreAll, selectsRelease, servicesOnly } from './version-edits.ts';

/** What a step is to have. */
export type StepWanted = {
  readonly share: Share;
  readonly partition: number;
  /** It releases every group for update: nothing is left of the stable version that a share could be held against. */
  readonly isWhole: boolean;
};

/** Of N groups, from this partition on: it is never raised. */
export function wantedOf(
  step: RolloutStep,
  { replicas, partition }: { readonly replicas: number; readonly partition: number },
): StepWanted {
  const next = nextPartition(Math.min(partition, replicas), partitionOf(step.replicas, replicas));
  const isWhole = next === 0;
  return { share: isWhole ? NO_SHARE : shareOf(step), partition: next, isWhole };
}

/** The same of a delivery: while groups on a third version stay, no Service could tell the two apart, and it gets no share. */
export function wantedBy(delivery: Delivery, step: RolloutStep | undefined): StepWanted {
  const partition = partitionIn(delivery.own) ?? 0;
  if (step === undefined) return { share: NO_SHARE, partition, isWhole: false };
  const to = wantedOf(step, { replicas: primaryGroups(delivery), partition });
  return othersOf(delivery).some((index) => index < to.partition) ? { ...to, share: NO_SHARE } : to;
}

/**
 * From the lowest rung up, for a step that stands on `reached`. What is below that is not written again, anyone who has
 * edited it since; but for two rungs, which have a second place above. Of a step that its Rollout does not have any more, what
 * a rung waits for is known all the same.
 */
export function versionLadder(step: RolloutStep | undefined, reached: RungMark | undefined): readonly Rung[] {
  const wanted = (delivery: Delivery): StepWanted => wantedBy(delivery, step);
  const isShared = (delivery: Delivery): boolean => wanted(delivery).share.kind !== 'none';
  const isTold = (delivery: Delivery): boolean => isPinned(delivery) && selectsRelease(delivery);
  const isMixed = (delivery: Delivery): boolean => othersOf(delivery).length > 0;
  const restored: Rung = {
    at: 'route-restored',
    isListed: (delivery) => !isShared(delivery) && (!isRestored(delivery) || isPinned(delivery)),
    commit: restoreAll,
    before: NOTHING,
    seen: (delivery) => [...accepted(delivery), COMPLETE],
  };
  const template: Rung = {
    at: 'template',
    isListed: (delivery) => isShared(delivery) && !isTold(delivery) && !isMixed(delivery),
    commit: (delivery) => servicesOnly(delivery, [...releasedBy(delivery), ...pinnedBy(delivery)]),
    before: NOTHING,
    seen: () => [COMPLETE],
  };
  return [
    restored,
    template,
    {
      ...restored,
      // Also where a hand has written a share since, or an edit of the plan has made the step whole.
      isListed: (delivery) => (reached === 'route-restored' || wanted(delivery).isWhole) && restored.isListed(delivery),
    },
    {
      at: 'pods',
      isListed: (delivery) => partitionIn(delivery.own) !== wanted(delivery).partition,
      commit: (delivery) => servicesOnly(delivery, partitioned(delivery, wanted(delivery).partition)),
      before: NOTHING,
      seen: (delivery) => [groupsReady(delivery)],
    },
    // Groups on a third version go with those of the step: only then there are two to tell apart.
    { ...template, isListed: (delivery) => reached === 'pods' && template.isListed(delivery) },
    {
      at: 'traffic',
      isListed: (delivery) => isShared(delivery) && !isMixed(delivery),
      commit: (delivery) => sharing(delivery, wanted(delivery).share),
      before: (delivery) => bothServe(isAll(wanted(delivery).share)),
      seen: (delivery) => [groupsReady(delivery), ...accepted(delivery)],
    },
  ];
}

/** The first commit of a release: its label, while nothing can restart, and who selects which version. */
export function firstLadder(step: RolloutStep): readonly Rung[] {
  return [
    {
      at: 'template',
      isListed: ALWAYS,
      isAlways: true,
      commit: (delivery) => {
        const { own, release } = delivery;
        const { share } = wantedOf(step, { replicas: primaryGroups(delivery), partition: SENTINEL });
        const revision = revisionOf(delivery);
        // Groups that are not on the stable version go with those of the step: its share comes then.
        const isApart = share.kind === 'none' || revision !== undefined;
        const services = servicesOnly(delivery, [...releasedBy(delivery), ...(isApart ? [] : pinnedBy(delivery))]);
        const label = { kind: 'set', path: versionPath(own.value), value: printRelease(release) } as const;
        // LWS would take it for another template: groups that have loaded this one would load it a second time.
        return withObjects(services, revision === undefined ? edited(own, [label]) : []);
      },
      before: NOTHING,
      seen: () => [COMPLETE],
    },
  ];
}

/** Where a step stands that changes nothing: on the highest rung that it has. */
export function topRung(delivery: Delivery, step: RolloutStep | undefined): 'pods' | 'traffic' {
  return wantedBy(delivery, step).share.kind === 'none' ? 'pods' : 'traffic';
}

const COMPLETE: Condition = { kind: 'complete' };

const accepted = ({ routes }: Delivery): readonly Condition[] => (routes.length > 0 ? [{ kind: 'accepted' }] : []);

const isAll = (share: Share): boolean => share.kind === 'weight' && share.percent === 100;

/** All that Git releases for update. */
function groupsReady(delivery: Delivery): Condition {
  const groups = primaryGroups(delivery) - (partitionIn(delivery.own) ?? 0);
  return { kind: 'newVersion', side: 'canary', groups, tolerant: true };
}

const othersOf = ({ versions }: Delivery): readonly number[] => versions?.others ?? [];

const revisionOf = ({ versions }: Delivery): string | undefined => versions?.release;

const releasedBy = (delivery: Delivery) => released(delivery, revisionOf(delivery));

function pinnedBy(delivery: Delivery) {
  const pin = delivery.versions === undefined ? healthyPin(delivery) : delivery.versions.stable;
  return pin === undefined ? [] : pinned(delivery, pin);
}

/** Of a healthy cluster: the label in the file is that of the stable version; its revision is only known where that is read. */
function healthyPin({ own, release }: Delivery): Pin {
  const label = versionIn(own.value);
  return label === undefined || label === printRelease(release)
    ? { key: REVISION_KEY, value: 'as-observed' }
    : { key: VERSION, value: label };
}
