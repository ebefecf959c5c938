/** The clock of this machine. */

import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';

/** Whole seconds: what goes into commits and records has no finer grain. */
export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  sleep: async (seconds, signal) => {
    try {
      await wait(seconds * 1000, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // An aborted wait is over; that is what the caller asked for.
      if (signal?.aborted !== true) throw error;
    }
  },
};
