/** What holds a finished decision back: the one place where a decision loses its move, or says more than its row has said. */

import type { StepState } from '../api/record.ts';
import type { Hold } from './hold.ts';
import type { Brake, Decision, MoveReason, Way } from './move.ts';

/** What a brake lets through, in addition to its name. A move of another way waits for its holds. */
type BrakeKind = {
  readonly lets: readonly Way[];
  /** Kruise's word for a step that it stops; not there: as the row has said. */
  readonly stepState?: StepState;
  /** Moves that answer it, next to which it is not said: what it names as still to be done is done by them. */
  readonly answers?: readonly MoveReason[];
};

const BRAKES = {
  /** Its step has failed or is late: what brakes, locks or mends goes on, and so does the rollback. */
  failed: { lets: ['protect', 'back'], answers: ['Failed', 'TrafficWithdrawn'] },
  /** What it was started with is gone, or another since: only what protects goes on. */
  notAsBegun: { lets: ['protect'], stepState: 'StepUpgrade' },
  /** Groups would be taken on to what is aborted, or nobody can tell: not even what calls itself a rollback does that. */
  takesOn: { lets: [], stepState: 'StepUpgrade' },
  /** No record can be written, or a Rollout of another workload asks: what brakes or goes back hangs on Git and the cluster. */
  notRecorded: { lets: ['protect', 'back'] },
  /** A file is wrong: it keeps nothing that a row has decided, and is said where that waits. */
  wrongFiles: { lets: ['forward', 'protect', 'back'] },
} as const satisfies Record<Brake['kind'], BrakeKind>;

/** A decision that its brakes have been asked of: nothing else is planned. */
export type Allowed = Omit<Decision, 'brakes'> & { readonly brakes?: undefined };

/** The decision of a row as far as its own brakes, and then these, let it go. */
export function allowed({ brakes = [], ...decision }: Decision, others: readonly Brake[] = []): Allowed {
  return [...brakes, ...others].reduce<Allowed>(held, decision);
}

function held(decision: Allowed, { kind, holds, waiting }: Brake): Allowed {
  const { move } = decision;
  if (move === undefined && waiting !== undefined) return { ...decision, holds: joined(decision.holds, waiting) };
  if (holds.length === 0) return decision;
  const { lets, answers = [], stepState = decision.stepState }: BrakeKind = BRAKES[kind];
  if (move !== undefined && answers.includes(move.reason)) return decision;
  const all = joined(holds, decision.holds);
  if (move !== undefined && lets.includes(move.way)) return { ...decision, holds: all };
  return { ...decision, move: undefined, holds: all, stepState };
}

/** One hold a reason: the first says it. */
function joined(first: readonly Hold[], then: readonly Hold[]): readonly Hold[] {
  return [...first, ...then.filter(({ reason }) => !first.some((other) => other.reason === reason))];
}
