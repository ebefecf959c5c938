/** Deadlines on this machine's clock, which only goes forward; tests give their own. */

type Timer = {
  readonly cancel: () => void;
  /** Starts again. */
  readonly refresh: () => void;
};

export type Timers = {
  /** Seconds since some moment. */
  readonly now: () => number;
  /** Calls once after this many seconds. */
  readonly after: (seconds: number, call: () => void) => Timer;
};

/** What everybody but tests uses. */
export const systemTimers: Timers = {
  // Not `performance`, which Node loads when it is first asked: a millisecond of a pass that finds nothing to do.
  now: () => Number(process.hrtime.bigint()) / 1e9,
  after: (seconds, call) => {
    const timer = setTimeout(call, seconds * 1000);
    return { cancel: () => clearTimeout(timer), refresh: () => void timer.refresh() };
  },
};
