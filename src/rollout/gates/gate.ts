/** A gate: one small question that can hold a step back. */

import type { Hold } from '../hold.ts';
import type { Situation } from '../situation.ts';

/** Why no step may be written now, or undefined where this gate is open. Gates look at different things; all are asked. */
export type Gate = (situation: Situation) => Hold | undefined;

/** The holds of all gates, in their order. */
export function holdsOf(gates: readonly Gate[], situation: Situation): readonly Hold[] {
  return gates.map((gate) => gate(situation)).filter((found) => found !== undefined);
}
