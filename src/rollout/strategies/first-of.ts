/** How a strategy reads its list of events: the first that has come decides. */

import type { Decision } from '../move.ts';

/** What is decided where this event has come; undefined: it has not. */
export type Event<On> = (on: On) => Decision | undefined;

/** The answer of the first event of the list that has come; undefined: none has, and the row of its state decides. */
export function firstOf<On>(events: readonly Event<On>[], on: On): Decision | undefined {
  for (const event of events) {
    const decision = event(on);
    if (decision !== undefined) return decision;
  }
  return undefined;
}
