/** What a snapshot has of others than its own Rollout and of the time: turns, windows, and whether our clock is right. */

import { ORDINARY_REQUEUE_SECONDS } from '../../rollout/hold.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import type { Observation } from './observe.ts';
import { turnsOf } from './turns.ts';

/** What a slow answer makes of a right clock is far less. */
const CLOCK_OFF_MOST_SECONDS = 120;

/** Asked once the cluster has answered: its dates tell whether our clock is right. */
export function sharedFacts({
  entry,
  deliveries,
  windowsOf,
  desired,
  offSeconds,
}: Observation): Pick<Snapshot, 'turns' | 'windows' | 'intervalSeconds' | 'clockOffSeconds'> {
  const turns = turnsOf(entry, deliveries);
  const windows = windowsOf(entry.policy);
  const { intervalSeconds } = desired.config;
  const off = offSeconds?.() ?? 0;
  return {
    ...(turns.length === 0 ? {} : { turns }),
    ...(windows === undefined ? {} : { windows }),
    ...(intervalSeconds > ORDINARY_REQUEUE_SECONDS ? { intervalSeconds } : {}),
    ...(Math.abs(off) > CLOCK_OFF_MOST_SECONDS ? { clockOffSeconds: off } : {}),
  };
}
