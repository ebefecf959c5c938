/** What a snapshot has of others than its own Rollout: turns, windows, the forge, and whether our clock is right. */

import { ORDINARY_REQUEUE_SECONDS } from '../../rollout/hold.ts';
import type { Snapshot } from '../../rollout/snapshot.ts';
import { printKey } from '../../rollout/texts/key-text.ts';
import type { Observation } from '../history/observation.ts';
import { turnsOf } from './turns.ts';

/** What a slow answer makes of a right clock is far less. */
const CLOCK_OFF_MOST_SECONDS = 120;

/** Asked once the cluster has answered: its dates tell whether our clock is right. */
export function sharedFacts({
  entry,
  deliveries,
  earlier,
  windowsOf,
  desired,
  offSeconds,
  approvals,
  notifyTargets = [],
}: Observation): Pick<Snapshot, 'notifyTo' | 'turns' | 'windows' | 'approval' | 'intervalSeconds' | 'clockOffSeconds'> {
  const turns = turnsOf(entry, deliveries, earlier);
  const windows = windowsOf(entry.policy);
  const approval = approvals?.get(printKey(entry.key));
  const { intervalSeconds } = desired.config;
  const off = offSeconds?.() ?? 0;
  const notifyTo = (entry.policy.rules.notify ?? []).filter(({ to }) => notifyTargets.includes(to));
  return {
    ...(notifyTo.length === 0 ? {} : { notifyTo }),
    ...(turns.length === 0 ? {} : { turns }),
    ...(windows === undefined ? {} : { windows }),
    ...(approval === undefined ? {} : { approval }),
    ...(intervalSeconds > ORDINARY_REQUEUE_SECONDS ? { intervalSeconds } : {}),
    ...(Math.abs(off) > CLOCK_OFF_MOST_SECONDS ? { clockOffSeconds: off } : {}),
  };
}
