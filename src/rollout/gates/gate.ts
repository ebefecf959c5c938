/** A gate: one small question that can hold a step back. */

import type { Hold } from '../hold.ts';
import type { Seen, Situation } from '../situation.ts';

/** Why no step may be written now, or undefined where this gate is open. Gates look at different things; all are asked. */
export type Gate = (situation: Situation) => Hold | undefined;

/** What the gates of a row answer together: what is waited for, or what is seen. */
type Answer =
  | { readonly kind: 'shut'; readonly holds: readonly Hold[] }
  | { readonly kind: 'open'; readonly seen: Seen };

/** Asks all gates. Where the groups are not seen, that alone shuts: nothing goes forward on what is not known. */
export function ask(gates: readonly Gate[], situation: Situation): Answer {
  const holds = holdsOf(gates, situation);
  if (holds.length > 0) return { kind: 'shut', holds };
  return situation.view === 'seen' ? { kind: 'open', seen: situation } : { kind: 'shut', holds: [situation.hold] };
}

/** The holds of all gates, in their order. */
export function holdsOf(gates: readonly Gate[], situation: Situation): readonly Hold[] {
  return gates.map((gate) => gate(situation)).filter((found) => found !== undefined);
}
