/** The shape of what a record remembers of a delivery with a second workload. */

import type { DeliveryShown, SideShown, TrafficRecord } from '../../api/record.ts';
import { group } from './record-group-shape.ts';
import { count, flag, list, object, optional, type Shape, text, word } from './shape.ts';

const since = { since: count };
/** Checks a `TrafficRecord`. */
export const traffic = object({
  accepted: optional(object({ ...since, of: text } satisfies Shape<NonNullable<TrafficRecord['accepted']>>)),
  drained: optional(
    object({ stable: optional(count), canary: optional(count) } satisfies Shape<NonNullable<TrafficRecord['drained']>>),
  ),
  reached: optional(
    object({ ...since, of: word({ stable: true, canary: true }) } satisfies Shape<
      NonNullable<TrafficRecord['reached']>
    >),
  ),
  notAppliedSince: optional(count),
  appliedSince: optional(count),
  parents: optional(list(text)),
  groups: optional(list(group)),
  shown: optional(
    object({
      rungs: list(text),
      sides: list(
        object({
          side: word({ stable: true, canary: true }),
          name: text,
          groups: count,
          ready: optional(count),
          serving: optional(count),
        } satisfies Shape<SideShown>),
      ),
      share: optional(
        object({ wanted: text, live: optional(text), accepted: flag } satisfies Shape<
          NonNullable<DeliveryShown['share']>
        >),
      ),
    } satisfies Shape<DeliveryShown>),
  ),
} satisfies Shape<TrafficRecord>);
