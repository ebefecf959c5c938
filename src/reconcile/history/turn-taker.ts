/** A delivery as those see it that wait for their turn. */

import type { Instant } from '../../api/time.ts';
import type { DesiredRollout } from '../desired/desired-rollout.ts';

/** A Rollout that is being delivered, is in its rollback, or is proposed. */
export type Delivery = Pick<DesiredRollout, 'key' | 'policy'> & {
  /** `2/4`, `rollback`, or what else keeps it. */
  readonly step: string;
  /** Since when a pull request would start it; not there: it has started. */
  readonly proposedAt?: Instant;
  /** What it has stood still for, for as long as people should look: `GroupsNotReady since 2026-11-22T10:00:00Z`. */
  readonly stuck?: string;
};
