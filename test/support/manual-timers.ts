/** Timers that only move when a test says so. */

import type { Timers } from '../../src/adapters/system/timers.ts';

export type ManualTimers = Timers & {
  /** Lets this many seconds pass; what becomes due is called in its order. */
  readonly advance: (seconds: number) => void;
  /** How many seconds pass whenever a timer starts again: 1 makes every piece of an answer take a second. */
  secondsPerRefresh: number;
  /** From now on a timer of a few seconds, which is a pause and no deadline, becomes due at once. */
  readonly skipPauses: () => void;
};

const longestPause = 7;

/** The clock stands at 0. */
export function manualTimers(): ManualTimers {
  let now = 0;
  let skipping = false;
  const due = new Map<object, { at: number; readonly call: () => void }>();
  const advance = (seconds: number): void => {
    const end = now + seconds;
    for (;;) {
      const [next] = [...due].filter(([, { at }]) => at <= end).sort(([, left], [, right]) => left.at - right.at);
      if (next === undefined) break;
      due.delete(next[0]);
      now = Math.max(now, next[1].at);
      next[1].call();
    }
    now = end;
  };
  const timers: ManualTimers = {
    now: () => now,
    after: (seconds, call) => {
      const key = {};
      due.set(key, { at: now + seconds, call });
      if (skipping && seconds <= longestPause) setImmediate(() => due.has(key) && advance(seconds));
      return {
        cancel: () => void due.delete(key),
        refresh: () => {
          const timer = due.get(key);
          if (timer !== undefined) timer.at = now + seconds;
          if (timers.secondsPerRefresh > 0) advance(timers.secondsPerRefresh);
        },
      };
    },
    advance,
    secondsPerRefresh: 0,
    skipPauses: () => {
      skipping = true;
    },
  };
  return timers;
}
