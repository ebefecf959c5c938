/** How long one pass may wait for the repository, all its requests together; what else it does meanwhile does not count. */

import type { Timers } from '../system/timers.ts';

export class TimeBudget {
  private readonly timers: Timers;
  private readonly passSeconds: number;
  private allowed: number;
  private spent = 0;
  private running = 0;
  private runningSince = 0;

  constructor(timers: Timers, passSeconds: number) {
    this.timers = timers;
    this.passSeconds = passSeconds;
    this.allowed = passSeconds;
  }

  /** A pass starts. What is still running of the last one counts for this one too. */
  begin(): void {
    this.allowed = this.passSeconds;
    this.spent = 0;
    this.runningSince = this.timers.now();
  }

  /** From now on there are at least this many seconds left. */
  allow(seconds: number): void {
    this.allowed += Math.max(0, seconds - this.left());
  }

  /** Seconds until nothing more may be asked. */
  left(): number {
    const current = this.running > 0 ? this.timers.now() - this.runningSince : 0;
    return this.allowed - this.spent - current;
  }

  /** Counts the time of a call; of several at once it counts once. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    if (this.running === 0) this.runningSince = this.timers.now();
    this.running += 1;
    try {
      return await call();
    } finally {
      this.running -= 1;
      if (this.running === 0) this.spent += this.timers.now() - this.runningSince;
    }
  }
}
