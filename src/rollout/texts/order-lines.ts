/** Orders in a hold, as they can be given where the Rollout is gone: those that stand on it are taken once it is back. */

import type { Snapshot } from '../snapshot.ts';
import { type Advice, advice } from './advice.ts';

/** What has to come back before orders that stand on the Rollout. `then`: those orders. */
export function withRollout({ rollout }: Pick<Snapshot, 'rollout'>, then: Advice): Advice {
  return rollout === undefined ? advice`put the Rollout back, and then ${then}` : then;
}
