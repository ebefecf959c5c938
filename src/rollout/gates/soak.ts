/** The gate of the soak that policies ask for: this long all groups of a step must have been ready, whatever people approve. */

import { type Hold, hold } from '../hold.ts';
import { clockAhead, soakedSeconds } from '../progress/soak.ts';
import type { Situation } from '../situation.ts';
import { policySaying } from '../texts/sentences.ts';

/** The step in Git; a second workload has all groups of its last step as an locked one has them. */
function stepOf({ state }: Situation) {
  if (state.kind === 'ladder') return state.stage.kind === 'step' ? { ...state.stage, row: 'filled' } : undefined;
  return state.kind === 'step' ? { ...state, row: state.row === 'locked' ? state.row : 'partial' } : undefined;
}

/** What is left of it, for a step whose groups are all there; a group that restarts restarts it. */
export function soaking(situation: Situation): Hold | undefined {
  const { snapshot } = situation;
  const state = stepOf(situation);
  if (state === undefined || state.index === 0) return undefined;
  const { soakSeconds = 0, finalSoakSeconds = 0 } = snapshot.policy;
  const final = state.row !== 'partial' && state.index === state.of && finalSoakSeconds >= soakSeconds;
  const seconds = final ? finalSoakSeconds : soakSeconds;
  const left = seconds - soakedSeconds(situation);
  if (left <= 0) return undefined;
  const field = final ? 'finalSoakSeconds' : 'soakSeconds';
  const seen = `step ${state.index} is done; ${policySaying(snapshot, field)} wants it to stay so for ${seconds} s, another ${left} s (${field})${clockAhead(snapshot)}`;
  return hold('Soaking', { seen, waits: 'time' }, left);
}
