/** The time at which the keys of the status branch are judged. */

import type { Instant } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';

/**
 * A clock that is behind must not have an expired key believed, and one that is wrong among three must not end a valid one. Dates of
 * commits do not count: who may push writes them, and would end the keys of everybody.
 */
export function keysAt(clock: Pick<Clock, 'now' | 'agreed'>): Instant {
  return clock.agreed?.() ?? clock.now();
}
