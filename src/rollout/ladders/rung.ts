/** One rung of a ladder: when it is in the list, what its commit changes, what is seen before it and after it. */

import type { Commit } from './commit.ts';
import type { Condition } from './condition.ts';
import type { Delivery } from './delivery.ts';
import type { RungName } from './position.ts';

export type Rung = {
  readonly at: RungName;
  /** According to Git. What is not in the list is not waited for. */
  readonly isListed: (delivery: Delivery) => boolean;
  readonly commit: (delivery: Delivery) => Commit;
  /** It is written where it changes no document as well: its marks are what counts. */
  readonly isAlways?: true;
  /** Seen before the commit, next to what the rung below waits for. */
  readonly before: (delivery: Delivery) => readonly Condition[];
  /** Seen before the next one. */
  readonly seen: (delivery: Delivery) => readonly Condition[];
};

/** A rung that is always in the list. */
export const ALWAYS = (): boolean => true;

/** A rung that nothing is waited for. */
export const NOTHING = (): readonly Condition[] => [];
