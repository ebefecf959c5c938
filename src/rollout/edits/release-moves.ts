/** The commits of a release that nothing disturbs, by their reasons: what it costs where each has to pass a rule. */

import { MOVES, type MoveReason } from '../move.ts';

/** Once the workload is taken over, step by step; with a second workload each step has a share of the requests. */
export function releaseMoves(kind: 'alone' | 'besides', steps: number): readonly MoveReason[] {
  const each = Array.from({ length: steps }, (_, at) => at);
  if (kind === 'alone') return [...each.map(() => 'StepReady' as const), 'Locked', 'Settled'];
  // The first step gives it its template, and each its groups and its share.
  const rungs = each.flatMap((at) => ['StepReady', ...(at === 0 ? ['RungReady' as const] : []), 'RungReady'] as const);
  return [...rungs, 'Promoted', 'RouteRestored', 'Settled'];
}

/** Those of them that no pull request ever is. */
export function directMoves(moves: readonly MoveReason[]): readonly MoveReason[] {
  return moves.filter((reason) => !('proposed' in MOVES[reason]));
}
