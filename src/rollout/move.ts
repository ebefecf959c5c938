/** One commit that a rule wants: the new marks, the fields they describe, and why. */

import type { IntOrPercent } from '../api/int-or-percent.ts';
import type { Marks } from '../api/marks.ts';
import type { StepState } from '../api/record.ts';
import type { Recreating } from '../api/recreating.ts';
import type { Hold } from './hold.ts';
import type { Stable } from './snapshot.ts';

/**
 * `forward`: on with a delivery. `back`: a release is given up, and the way back begins. `protect`: the brake, the way
 * back that is under way, and what arms or ends what a delivery has put aside.
 */
export type Way = 'forward' | 'protect' | 'back';

/** What a move is, besides its name. Code asks this and no list of names. */
type MoveKind = {
  readonly way: Way;
  /** The way of a move that lowers the partition, where that is another: it lets groups go, and stops nothing. */
  readonly lowering?: Way;
  /** What the subject says, where it says the same each time. */
  readonly label?: string;
};

/** Every reason once. Stable names, written as the trailer `Rollout-Reason`. */
export const MOVES = {
  Adopted: { way: 'forward', label: 'adopt' },
  SurgePrepared: { way: 'forward' },
  Surged: { way: 'forward' },
  SurgeReturned: { way: 'protect' },
  StepReady: { way: 'forward' },
  Jumped: { way: 'forward' },
  SizeChanged: { way: 'forward' },
  StepsEdited: { way: 'forward' },
  // Taken up where nothing is rolling, a newer request begins like any other.
  Superseded: { way: 'protect', lowering: 'forward' },
  Armed: { way: 'protect' },
  Settled: { way: 'forward', label: 'settled' },
  NoNewRevision: { way: 'forward', label: 'settled' },
  Rearmed: { way: 'protect', label: 'arm' },
  Aborted: { way: 'back', label: 'rollback' },
  Reverted: { way: 'back', label: 'rollback' },
  BudgetRaised: { way: 'protect' },
  RollbackWidened: { way: 'protect', label: 'rollback' },
  RolledBack: { way: 'protect', label: 'rolled back' },
  RequestWithdrawn: { way: 'protect', label: 'withdraw' },
  AbortedTextRemoved: { way: 'back', label: 'rollback' },
  RollStopped: { way: 'protect' },
  PartitionRestored: { way: 'protect' },
  Retried: { way: 'forward' },
  RecreateRemoved: { way: 'forward', label: 'recreate, removed' },
  RecreateCreated: { way: 'protect' },
  RecreateEnded: { way: 'protect', label: 'recreate, ended' },
} as const satisfies Readonly<Record<string, MoveKind>>;

export type MoveReason = keyof typeof MOVES;

/** The reasons of moves that lead this way. */
export type MoveReasonOf<W extends Way> = {
  [R in MoveReason]: (typeof MOVES)[R]['way'] extends W ? R : never;
}[MoveReason];

/** What a move does with the document as a whole, and with the annotation of the Rollout that Git keeps meanwhile. */
type RecreateMove =
  | { readonly kind: 'remove'; readonly recreating: Recreating }
  /** `source` is the document that comes back. */
  | { readonly kind: 'create'; readonly recreating: Recreating; readonly source: Stable }
  | { readonly kind: 'end' };

/** The key of a field is to go. */
export const UNSET = { kind: 'unset' } as const;

export type Move = {
  readonly reason: MoveReason;
  /** What follows the name in the subject: `step 2/4`, `rollback`, `settled`. */
  readonly label: string;
  readonly marks: Marks;
  /** undefined: stays as it is. */
  readonly partition: number | undefined;
  /** undefined: stays as it is; `UNSET`: the key goes, as it was not there before the delivery. */
  readonly maxUnavailable: IntOrPercent | typeof UNSET | undefined;
  /** undefined: stays as it is. */
  readonly replicas?: number | undefined;
  /** The text that takes the place of the file's release content. */
  readonly text: Stable | undefined;
  /** Not there: the document stays where it is. */
  readonly recreate?: RecreateMove | undefined;
  /** One paragraph for people: why now, with the numbers that made it so. */
  readonly why: string;
};

/** What a rule says of one workload: at most one move, and everything that is waited for. */
export type Decision = {
  readonly move: Move | undefined;
  readonly holds: readonly Hold[];
  /** Whether the groups of the step in Git are all there: pauses and soaks count from when this became true. */
  readonly stepDone: boolean;
  /** Kruise's word for where the current step stands. */
  readonly stepState: StepState;
};

/** No commit: what is waited for, and where the step stands. */
export function holding(holds: readonly Hold[], stepState: StepState, stepDone = false): Decision {
  return { move: undefined, holds, stepDone, stepState };
}

/** One commit, and what is waited for besides. */
export function moving(move: Move, stepState: StepState, holds: readonly Hold[] = []): Decision {
  return { move, holds, stepDone: false, stepState };
}

/** Which way a move leads, from a file with this partition. A document that goes out of its file says itself what for. */
export function wayOf({ reason, partition, recreate }: Move, from: number | undefined): Way {
  if (recreate?.kind === 'remove') return recreate.recreating.way;
  const kind: MoveKind = MOVES[reason];
  const lowers = partition !== undefined && partition < (from ?? 0);
  return lowers ? (kind.lowering ?? kind.way) : kind.way;
}
