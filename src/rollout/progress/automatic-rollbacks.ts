/** Rollbacks that no person has ordered: counted, so that one bad release after the other does not follow them. */

import type { JsonObject } from '../../api/json.ts';
import type { AutomaticBacks } from '../../api/record.ts';
import { printRelease, shortRelease } from '../../api/release.ts';
import { unlessAccepted } from '../accepting.ts';
import { type Hold, hold, withFacts } from '../hold.ts';
import { nowBetween } from '../ladders/traffic-view.ts';
import type { Move } from '../move.ts';
import type { Situation } from '../situation.ts';
import type { Snapshot } from '../snapshot.ts';
import { advice, commandLine } from '../texts/advice.ts';

const DAY_SECONDS = 86_400;
/** How many within a day, or one after the other, and people have to look. */
const MOST = 2;
/** This many are kept; a day has no more. */
const KEPT_MOST = 10;

/** What the record knows of them once this move, if there is one, is on main; undefined: nothing. */
export function automaticBacksAfter(
  snapshot: Snapshot,
  situation: Situation | undefined,
  move: Move | undefined,
): AutomaticBacks | undefined {
  const { now } = snapshot;
  const { inARow, last } = backsKnown(snapshot);
  const given = move?.reason === 'Failed' ? situation?.marks?.release : undefined;
  const count = move?.reason === 'Settled' ? 0 : inARow + (given === undefined ? 0 : 1);
  const all = given === undefined ? last : [...last, { release: given, at: now }];
  // One that is dated in the future is as old as the clock that wrote it was wrong: it stays until that time has come.
  const kept = all.filter((one, place) => isLately(snapshot, one) || place >= all.length - count).slice(-KEPT_MOST);
  return kept.length === 0 && count === 0 ? undefined : { inARow: count, last: kept };
}

/** A new request waits for someone where the last ones have failed. */
export function tooManyRollbacks(situation: Situation): Hold | undefined {
  const { snapshot } = situation;
  const facts = rollbackFacts(situation);
  if (facts === undefined) return undefined;
  const { last, inARow } = backsKnown(snapshot);
  const told = inARow >= MOST ? last : last.filter((one) => isLately(snapshot, one));
  const releases = told.map(({ release }) => shortRelease(release)).join(', ');
  const often = inARow >= MOST ? `${inARow} in a row` : `${told.length} within a day`;
  const held = hold('TooManyRollbacks', {
    seen: `releases have gone back by themselves, ${often}: ${releases}`,
    action: advice`Look at why; then: ${commandLine('approve', snapshot.key, '--hold TooManyRollbacks')}`,
  });
  return unlessAccepted(situation, 'TooManyRollbacks', withFacts(held, facts));
}

/** The newest of them, where there are too many: another one is another thing to accept. */
export function rollbackFacts({ snapshot }: Situation): JsonObject | undefined {
  const { inARow, last } = backsKnown(snapshot);
  const lately = last.filter((one) => isLately(snapshot, one));
  const newest = last.at(-1);
  if (newest === undefined || (inARow < MOST && lately.length < MOST)) return undefined;
  return { newest: printRelease(newest.release) };
}

/** Within a day, by the servers' clocks as well: one of ours that runs ahead forgets none of them. */
function isLately(snapshot: Snapshot, { at }: AutomaticBacks['last'][number]): boolean {
  return nowBetween(snapshot).earliest - at < DAY_SECONDS;
}

/** The record's word; one that is lost, or that nobody bears out, is made good by main, so that nobody gets a third try by that. */
function backsKnown({ record, backsInHistory, unsigned }: Snapshot): AutomaticBacks {
  const first = unsigned === undefined ? undefined : backsInHistory;
  return first ?? record?.automaticBacks ?? backsInHistory ?? { inARow: 0, last: [] };
}
