/** A delivery in progress with all that one decision knows of it. */

import type { Marks } from '../../api/marks.ts';
import type { Situation } from '../situation.ts';
import type { Delivery } from './delivery.ts';
import type { TrafficView } from './traffic-view.ts';

export type Delivering = {
  readonly situation: Situation;
  readonly delivery: Delivery;
  readonly marks: Marks;
  /** undefined: what the cluster has next to the user's own workload was not read. */
  readonly view: TrafficView | undefined;
};
