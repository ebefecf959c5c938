/** What comes once a step has updated every group, by Git alone: in a pass the rows `rolling` and `locked` decide it. */

import { SENTINEL } from '../../api/workload.ts';
import type { Unwritable } from './commit.ts';
import { type Condition, LIVE } from './condition.ts';
import { annotationsOf, type Delivery, partitionIn, primaryGroups } from './delivery.ts';
import { committed, type NextCommit } from './next-commit.ts';
import { positionOf } from './position.ts';
import { partitioned } from './promotion.ts';
import { isWhole } from './version-rollback.ts';

/** Locked as soon as every group is on it; what is left of the plan is served locked. undefined: groups are left to update. */
export function wholeCommit(delivery: Delivery): NextCommit | Unwritable | undefined {
  const { own, displaced } = delivery;
  const position = positionOf(annotationsOf(own));
  if (position?.stage.kind !== 'step' || !isWhole(delivery, position.at)) return undefined;
  const { stage, at = 'pods' } = position;
  if (partitionIn(own) !== SENTINEL) {
    const ready: Condition = { kind: 'newVersion', side: 'canary', groups: primaryGroups(delivery) };
    const made = { kind: 'ok', objects: partitioned(delivery, SENTINEL), displaced } as const;
    return committed(delivery, { stage, at, made, waits: [LIVE, ready, { kind: 'flipped', side: 'canary' }] });
  }
  const made = { kind: 'ok', objects: [], displaced } as const;
  const waits: readonly Condition[] = [LIVE, { kind: 'pause', step: stage.index }];
  if (stage.index === stage.of) return committed(delivery, { stage, at: 'settled', made, waits });
  return committed(delivery, { stage: { ...stage, index: stage.index + 1 }, at, made, waits });
}
