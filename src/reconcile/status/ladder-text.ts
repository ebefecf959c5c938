/** A delivery with a second workload in a few words: its rungs, both sides, and who gets requests. */

import type { DeliveryShown, RolloutRecord, SideShown } from '../../api/record.ts';
import { servingSide } from './serving-side.ts';

/** Labels and what stands behind them; none where no second workload is filled. */
export function ladderLines({ traffic, marks }: RolloutRecord): readonly (readonly [string, string])[] {
  const shown = traffic?.shown;
  if (shown === undefined) return [];
  const { rungs, sides, share } = shown;
  const here = rungsText(rungs, marks?.at);
  return [
    ...(rungs.length === 0 ? [] : [['Rungs', here] as const]),
    ...sides.map((side) => [side.side === 'stable' ? 'Stable side' : 'New side', sideText(side)] as const),
    ...(share === undefined ? [] : [['Share', shareText(share)] as const]),
  ];
}

function sideText({ name, groups, ready, serving }: SideShown): string {
  const seen = ready === undefined ? 'not read' : `${ready} ready, ${serving ?? 0} serving`;
  return `${name}: ${groups} ${groups === 1 ? 'group' : 'groups'} asked for, ${seen}`;
}

function shareText({ wanted, live, accepted }: NonNullable<DeliveryShown['share']>): string {
  const seen =
    live === undefined ? 'not read' : `${live} in the cluster, ${accepted ? 'accepted' : 'not accepted yet'}`;
  return `${wanted} in Git, ${seen}`;
}

/** `text, ▸ pods, traffic`: a ladder with the rung that Git stands on. */
export function rungsText(rungs: readonly string[], at: string | undefined): string {
  return rungs.map((rung) => (rung === at ? `▸ ${rung}` : rung)).join(', ');
}

/** `vllm-canary 1/2, 5%`: the side that is filled, its groups that are ready, and its share by Git; undefined: none is. */
export function secondText(record: RolloutRecord): string | undefined {
  const { traffic } = record;
  const { name } = servingSide(record);
  const sides = traffic?.shown?.sides ?? [];
  const filled = sides.find((one) => one.side === 'canary');
  // Where the new one is the side that is shown, the one before is next to it.
  const side = filled !== undefined && filled.name === name ? sides.find((one) => one.side === 'stable') : filled;
  if (side === undefined) return undefined;
  const share = side === filled ? traffic?.shown?.share?.wanted : undefined;
  return `${side.name} ${side.ready ?? '?'}/${side.groups}${share === undefined ? '' : `, ${share}`}`;
}
