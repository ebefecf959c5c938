/** What the record remembers of a delivery with traffic, or with a second workload. */

import type { GroupRecord } from './record-groups.ts';
import type { Instant } from './time.ts';

/** One side of a delivery with a second workload. */
export type SideShown = {
  readonly side: 'stable' | 'canary';
  readonly name: string;
  /** That Git asks for. */
  readonly groups: number;
  /** Not there: not read. */
  readonly ready?: number | undefined;
  readonly serving?: number | undefined;
};

/** For people alone: where such a delivery stands. */
export type DeliveryShown = {
  /** Of the step, the promotion or the rollback, from the lowest; the mark `at` says which one Git stands on. */
  readonly rungs: readonly string[];
  readonly sides: readonly SideShown[];
  /** Not there: no route is named. `live` not there: not read. */
  readonly share?:
    | { readonly wanted: string; readonly live?: string | undefined; readonly accepted: boolean }
    | undefined;
};

/** What was seen of a delivery's traffic, each without a break since then: waits alone hang on it, and restart with it. */
export type TrafficRecord = {
  /** Every route was what Git says and accepted; `of` is what they said. */
  readonly accepted?: { readonly since: Instant; readonly of: string } | undefined;
  /** No route sends to a Service that selects the side. */
  readonly drained?: { readonly stable?: Instant | undefined; readonly canary?: Instant | undefined } | undefined;
  /** The endpoints of the user's Service are all of this side. */
  readonly reached?: { readonly since: Instant; readonly of: 'stable' | 'canary' } | undefined;
  /** Something of the delivery, next to the user's workload, differs from Git; or all of it is what Git says. */
  readonly notAppliedSince?: Instant | undefined;
  readonly appliedSince?: Instant | undefined;
  /** Who had accepted the routes when the delivery started: `HTTPRoute chat: inference`. */
  readonly parents?: readonly string[] | undefined;
  /** The groups of the second workload, as those of the user's own are remembered; not there: nobody has looked. */
  readonly groups?: readonly GroupRecord[];
  readonly shown?: DeliveryShown | undefined;
};
