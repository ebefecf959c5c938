/** What a commit says of gates that it passed though they were shut: by an exception, or because it leads back. */

import { printInstant } from '../api/time.ts';
import { type Gate, holdsOf } from './gates/gate.ts';
import { disabled, paused } from './gates/people.ts';
import { policyGone } from './gates/policy-gone.ts';
import { policyMissing } from './gates/policy-missing.ts';
import { clockSkewed, windowClosed, windowsFor } from './gates/windows.ts';
import { MOVES, type Move } from './move.ts';
import type { Situation } from './situation.ts';

/** Policies and people hold a way back by none of these. */
const FORWARD_ALONE: readonly Gate[] = [policyMissing, disabled, paused, policyGone, windowClosed, clockSkewed];

/** A sentence with a space before it; empty: every gate was open. */
export function passedText({ reason, way }: Pick<Move, 'reason' | 'way'>, situation: Situation): string {
  if (way === 'back') {
    const names = holdsOf(FORWARD_ALONE, situation).map((held) => held.reason);
    return names.length === 0 ? '' : ` A way back is not held by ${names.join(', ')}.`;
  }
  return way === 'forward' && 'proposed' in MOVES[reason] ? exceptionText(situation) : '';
}

function exceptionText(situation: Situation): string {
  const windows = windowsFor(situation);
  if (windows === undefined || !('by' in windows)) return '';
  const others = { ...(situation.snapshot.windows ?? windows), excepted: [] };
  if (windowClosed({ ...situation, snapshot: { ...situation.snapshot, windows: others } }) === undefined) return '';
  const who = windows.by.map(
    ({ policy, file, line, approver, until }) =>
      `RolloutPolicy ${policy} (${file}:${line}), approved by ${approver}, until ${printInstant(until)}`,
  );
  return ` The windows are shut for other releases: ${windows.release} has an exception in ${who.join('; ')}.`;
}
