/** The port to time. The core never asks for it: `now` is a field of the snapshot. */

import type { Instant } from '../api/time.ts';

export interface Clock {
  now(): Instant;
  /** Resolves after so many seconds, or earlier when `signal` is aborted. */
  sleep(seconds: number, signal?: AbortSignal): Promise<void>;
}
