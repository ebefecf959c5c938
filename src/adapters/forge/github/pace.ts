/** When the next request may be sent: budgets of a pass, in requests and seconds, and of an hour, the gap between two writes, limits of the forge. */

import type { Clock } from '../../../ports/clock.ts';
import type { Deferred } from '../../../ports/forge.ts';
import { TimeBudget } from '../../git/time-budget.ts';
import type { Timers } from '../../system/timers.ts';
import type { ForgeLimits } from './limits.ts';

const hourSeconds = 3600;

export class Pace {
  private readonly clock: Clock;
  private readonly timers: Timers;
  private readonly limits: ForgeLimits;
  private readonly time: TimeBudget;
  private requests = 0;
  private writes = 0;
  /** Writes of the last hour, by the clock. */
  private hour: readonly number[] = [];
  private lastWriteAt: number | undefined;
  private closed: Deferred | undefined;
  /** Up to which of the requests, and to how many seconds left, one of several may go on; undefined: nobody shares. */
  private part: { readonly requests: number; readonly secondsLeft: number } | undefined;

  constructor(options: { readonly clock: Clock; readonly timers: Timers; readonly limits: ForgeLimits }) {
    this.clock = options.clock;
    this.timers = options.timers;
    this.limits = options.limits;
    this.time = new TimeBudget(options.timers, options.limits.passSeconds);
  }

  /** A pass starts. What the forge has said about its limits goes on to hold. */
  begin(): void {
    this.time.begin();
    this.requests = 0;
    this.writes = 0;
    this.part = undefined;
  }

  /** One of several gets its part of what is left, and never less than a few requests. undefined: nobody shares any more. */
  share(parts: number | undefined): void {
    if (parts === undefined) {
      this.part = undefined;
      return;
    }
    const { passSeconds, requestsPerPass, keptBack, requestsPerPart } = this.limits;
    const most = requestsPerPass * (1 - keptBack);
    const requests = this.requests + Math.max(requestsPerPart, Math.floor((most - this.requests) / parts));
    const seconds = Math.max(0, this.time.left() - passSeconds * keptBack);
    this.part = { requests: Math.min(most, requests), secondsLeft: this.time.left() - seconds / parts };
  }

  /** Whether one of several has used up its part, but for this number of requests. */
  isPartSpent(kept = 0): boolean {
    const { part } = this;
    return part !== undefined && (this.requests + kept >= part.requests || this.time.left() <= part.secondsLeft);
  }

  /** Why the next request must not be sent now; undefined: it may. Counts it. */
  next(kind: 'read' | 'write'): Deferred | undefined {
    const now = this.clock.now();
    if (this.closed !== undefined && this.closed.until > now) return this.closed;
    const { passSeconds, requestsPerPass, writesPerPass, writesPerHour } = this.limits;
    if (this.time.left() <= 0)
      return deferred(now + 1, `this pass has waited ${passSeconds} s for the forge, which is the most of one`);
    if (this.requests >= requestsPerPass)
      return deferred(now + 1, `this pass has made ${requestsPerPass} requests, which is the most of one`);
    if (this.isPartSpent())
      return deferred(now + 1, 'this pass has asked as much about it as its part is, next to what others wait for');
    if (kind === 'write') {
      this.hour = this.hour.filter((at) => at > now - hourSeconds);
      const [oldest = now] = this.hour;
      if (this.hour.length >= writesPerHour)
        return deferred(oldest + hourSeconds, `${writesPerHour} writes within an hour, which is the most`);
      if (this.writes >= writesPerPass)
        return deferred(now + 1, `this pass has made ${writesPerPass} writes, which is the most of one`);
      this.writes += 1;
      this.hour = [...this.hour, now];
    }
    this.requests += 1;
    return undefined;
  }

  /** Sends one request, whose time counts. */
  async during<T>(send: () => Promise<T>): Promise<T> {
    return this.time.during(send);
  }

  /** Resolves once the gap since the last write is over, and starts the next. */
  async gap(): Promise<void> {
    const left = (this.lastWriteAt ?? -Infinity) + this.limits.writeGapSeconds - this.timers.now();
    if (left > 0) await this.pause(left);
    this.lastWriteAt = this.timers.now();
  }

  now(): number {
    return this.clock.now();
  }

  async pause(seconds: number): Promise<void> {
    await new Promise<void>((resolve) => void this.timers.after(seconds, resolve));
  }

  /** The forge wants to be left alone: until then every call is deferred without a request, as it asks for. */
  close(seconds: number, why: string): Deferred {
    this.closed = deferred(this.clock.now() + seconds, why);
    return this.closed;
  }
}

function deferred(until: number, why: string): Deferred {
  return { kind: 'deferred', until, why };
}
