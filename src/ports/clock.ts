/** The port to time. The core never asks for it: `now` is a field of the snapshot. */

import type { Instant } from '../api/time.ts';

export interface Clock {
  now(): Instant;
  /**
   * How far the clocks of the servers that were asked are ahead of this one; below 0: behind it. Of several the one that
   * differs most. undefined, or not there: none has said.
   */
  offSeconds?(): number | undefined;
  /**
   * The time that most agree on, of this clock and those of the servers that were asked: the middle one, of two in the middle the later.
   * Not there: no server dates its answers, and `now` is all there is.
   */
  agreed?(): Instant;
  /** Resolves after this many seconds, or earlier when `signal` is aborted. */
  sleep(seconds: number, signal?: AbortSignal): Promise<void>;
}
