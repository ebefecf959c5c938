/**
 * Looks at all deliveries in progress at once, before any is decided in its turn: what they ask Git waits for one another,
 * and not one delivery for the one before it.
 */

import type { Observation } from './history/observation.ts';
import { turnsOf } from './observe/turns.ts';
import type { Reconciled } from './outcome.ts';
import { reconcileOne } from './reconcile.ts';
import type { TextsAt } from './texts-at.ts';

/** This many at once: those behind them are looked at as soon as one of these is done. */
const AT_ONCE = 32;

/** What was decided of a Rollout when none before it had changed anything yet. */
type Early = {
  readonly of: Observation;
  readonly one: Reconciled;
  /** The files that the decision has read. */
  readonly read: ReadonlySet<string>;
};

/** Of all that are given, in their order, on the texts as the pass has read them. Never throws. */
export async function decidedEarly(all: readonly Observation[], texts: TextsAt): Promise<readonly Early[]> {
  const found: Early[] = [];
  const open = all.entries();
  const lane = async (): Promise<void> => {
    for (const [place, of] of open) {
      const read = new Set<string>();
      const noted = { get: (file: string) => (read.add(file), texts.get(file)) };
      found[place] = { of, one: await reconcileOne(of, noted), read };
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, all.length) }, lane));
  return found;
}

/**
 * Whether the decision would be the same now: no file that it has read has `changed`, and what counts of other Rollouts is as
 * it was. Of those a decision knows turns alone.
 */
export function isStill(early: Early, of: Observation, changed: ReadonlySet<string>): boolean {
  if ([...early.read].some((file) => changed.has(file))) return false;
  return early.of.deliveries === of.deliveries || othersOf(early.of) === othersOf(of);
}

function othersOf({ entry, deliveries, earlier = [] }: Observation): string {
  return JSON.stringify([turnsOf(entry, deliveries, earlier), earlier.length > 0]);
}
