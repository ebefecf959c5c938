/** What people are shown of a delivery with a second workload: its rungs, both sides, and where requests go. */

import type { DeliveryShown, SideShown } from '../../api/record.ts';
import { isOneWorkload } from '../../api/styles.ts';
import type { Side } from './condition.ts';
import { annotationsOf, type Delivery, primaryGroups, replicasOf } from './delivery.ts';
import { liveReading, printReading } from './differences.ts';
import { ladderOf } from './ladder-of.ts';
import { type Position, positionOf, type RungName } from './position.ts';
import { acceptanceOf } from './routing.ts';
import { shareIn } from './shares.ts';
import { groupsOn, serving, type TrafficView, workloadOf } from './traffic-view.ts';
import { newVersion, sideName } from './version-sides.ts';

/** No decision reads any of it. It changes when the world does, never with the clock. */
export function shownOf(delivery: Delivery, view: TrafficView): DeliveryShown {
  const share = delivery.routes.length === 0 ? {} : { share: shareShown(delivery, view) };
  return {
    rungs: rungsShown(delivery),
    sides: (['stable', 'canary'] as const).map((side) => sideShown(delivery, view, side)),
    ...share,
  };
}

/** The ladder that Git stands on; what is climbed only now and then is named while it is to be, or was just climbed. */
function rungsShown(delivery: Delivery): readonly string[] {
  const position = positionOf(annotationsOf(delivery.own));
  if (position === undefined) return [];
  if (isOneWorkload(delivery.plan.style)) return versionRungs(position);
  const always: readonly string[] = position.stage.kind === 'rollback' ? [] : ['template', 'pods'];
  return ladderOf(delivery, position)
    .filter((rung) => rung.at === position.at || always.includes(rung.at) || rung.isListed(delivery))
    .map(({ at }) => at);
}

/** Of one workload: a share is withdrawn where a step has none, and first of all in the rollback. */
function versionRungs({ stage, at }: Position): readonly RungName[] {
  const rungs: readonly RungName[] =
    stage.kind === 'rollback'
      ? ['route-restored', 'back', 'template']
      : ['route-restored', 'template', 'pods', 'traffic'];
  return rungs.filter((rung) => (rung !== 'route-restored' && rung !== 'back') || rung === at);
}

function sideShown(delivery: Delivery, view: TrafficView, side: Side): SideShown {
  const isOne = isOneWorkload(delivery.plan.style);
  // What the cluster calls its newest revision is another one until it has the template of Git: leaders say what they are.
  const versions = { label: newVersion(delivery), isOn: side === 'canary' };
  const whole = workloadOf(delivery, view, side);
  const workload = isOne ? { ...whole, versions } : whole;
  const found = groupsOn(workload);
  const isCounted = isOne && found.kind === 'known';
  // Where an autoscaler owns the number no file has it.
  const asked = side === 'stable' ? primaryGroups(delivery) : replicasOf(workload.document);
  const groups = isCounted ? found.value.groups.length : asked;
  const served = serving(delivery, view, side, workload);
  const name = sideName(delivery, side);
  if (found.kind !== 'known' || served.kind !== 'known') return { side, name, groups };
  const ready = found.value.groups.filter((group) => group.ready).length;
  return { side, name, groups, ready, serving: served.value.length };
}

function shareShown(delivery: Delivery, view: TrafficView): DeliveryShown['share'] {
  const readings = delivery.routes.map((route) => liveReading(delivery, route, view));
  const live = readings.flatMap((reading) => (reading.kind === 'known' ? [printReading(reading.value.reading)] : []));
  const isRead = live.length === readings.length;
  return {
    wanted: shareIn(delivery),
    ...(isRead ? { live: [...new Set(live)].join(', ') } : {}),
    accepted: acceptanceOf(delivery, view).kind === 'accepted',
  };
}
