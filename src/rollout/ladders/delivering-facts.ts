/** A delivery in progress with all that one decision knows of it. */

import type { Marks } from '../../api/marks.ts';
import type { Situation } from '../situation.ts';
import type { Delivery } from './delivery.ts';
import type { TrafficSight } from './sight.ts';

export type Delivering = {
  readonly situation: Situation;
  readonly delivery: Delivery;
  readonly marks: Marks;
  /** undefined: what the cluster has beside the user's own workload was not read. */
  readonly sight: TrafficSight | undefined;
};
