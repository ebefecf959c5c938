/** One commit that a rule wants: where the delivery stands with it, what it changes, and why. */

import { at } from '../api/json.ts';
import type { Marks } from '../api/marks.ts';
import type { StaleMerge, StepState } from '../api/record.ts';
import { PARTITION_PATH } from '../api/workload-paths.ts';
import { type ObjectChange, workloadField } from './edits/change.ts';
import type { Hold } from './hold.ts';

/**
 * `forward`: on with a delivery. `back`: a release is aborted, and the rollback starts. `protect`: the brake, the rollback that is in progress, and what locks or ends what a delivery has put aside.
 */
export type Way = 'forward' | 'protect' | 'back';

/** What a move is, in addition to its name. Code asks this and no list of names. */
type MoveKind = {
  readonly way: Way;
  /** The way of a move that lowers the partition, where that is another: it releases groups, and stops nothing. */
  readonly lowering?: Way;
  /** Where someone approves every step, this move is proposed, as far as it leads forward; else it is committed. */
  readonly proposed?: true;
  /** An order is what it answers: nobody is asked for it once more. */
  readonly ordered?: true;
  /** What the subject says, where it says the same each time. */
  readonly label?: string;
};

/** Every reason once. Stable names, written as the trailer `Rollout-Reason`. */
export const MOVES = {
  Adopted: { way: 'forward', proposed: true, label: 'adopt' },
  SurgePrepared: { way: 'forward', proposed: true },
  Surged: { way: 'forward' },
  SurgeReturned: { way: 'protect' },
  StepReady: { way: 'forward', proposed: true },
  Jumped: { way: 'forward', proposed: true },
  SizeChanged: { way: 'forward', proposed: true },
  StepsEdited: { way: 'forward', proposed: true },
  // Taken up where nothing is rolling, a newer request starts like any other.
  Superseded: { way: 'protect', lowering: 'forward', proposed: true },
  Locked: { way: 'protect' },
  Settled: { way: 'forward', label: 'settled' },
  NoNewRevision: { way: 'forward', label: 'settled' },
  Relocked: { way: 'protect', label: 'lock' },
  Aborted: { way: 'back', label: 'rollback' },
  Reverted: { way: 'back', label: 'rollback' },
  Failed: { way: 'back', label: 'rollback' },
  Undone: { way: 'back', label: 'rollback', ordered: true },
  BudgetRaised: { way: 'protect' },
  BudgetLowered: { way: 'protect' },
  RollbackWidened: { way: 'protect', label: 'rollback' },
  RolledBack: { way: 'protect', label: 'rolled back' },
  RequestWithdrawn: { way: 'protect', label: 'withdraw' },
  AbortedTemplateRemoved: { way: 'back', label: 'rollback' },
  RollStopped: { way: 'protect' },
  // A primary that we had stopped goes on where what it was stopped for is gone.
  PartitionRestored: { way: 'protect', lowering: 'forward' },
  AnnotationsRestored: { way: 'protect', label: 'annotations restored' },
  MergeAccepted: { way: 'forward', ordered: true },
  Retried: { way: 'forward' },
  // Nothing restarts: what people's own files say becomes a request, or is what runs already.
  Unpinned: { way: 'forward', label: 'unpin' },
  // The entry of ours names what a HelmRelease renders from: nothing restarts, and seen live it proves what is rendered.
  InputsWritten: { way: 'forward', label: 'inputs written' },
  RecreateRemoved: { way: 'forward', proposed: true, label: 'recreate, removed' },
  RungReady: { way: 'forward' },
  Promoted: { way: 'forward', proposed: true },
  RouteRestored: { way: 'protect' },
  CanaryEmptied: { way: 'protect' },
  TrafficWithdrawn: { way: 'protect' },
  // To the new version, which people have approved for the whole by then.
  PrimaryCovered: { way: 'protect' },
  ShareAccepted: { way: 'protect' },
  RecreateCreated: { way: 'protect' },
  RecreateEnded: { way: 'protect', label: 'recreate, ended' },
} as const satisfies Readonly<Record<string, MoveKind>>;

export type MoveReason = keyof typeof MOVES;

/** The reasons of moves that lead this way. */
export type MoveReasonOf<W extends Way> = {
  [R in MoveReason]: (typeof MOVES)[R]['way'] extends W ? R : never;
}[MoveReason];

export type Move = {
  readonly reason: MoveReason;
  readonly way: Way;
  /** What follows the name in the subject: `step 2/4`, `rollback`, `settled`. */
  readonly label: string;
  /** Where the delivery stands with it. */
  readonly marks: Marks;
  readonly changes: readonly ObjectChange[];
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
  /** This pass has found that the step was merged though it did not hold: the record keeps that. */
  readonly stale?: StaleMerge | undefined;
  /** What may hold its move back, and is said next to it: asked by `allowed` alone, once it is decided. */
  readonly brakes?: readonly Brake[] | undefined;
  /** A draft is no decision: what it asks for would be lost. */
  readonly fields?: undefined;
};

/** Something that holds moves back, whichever row has decided them. */
export type Brake = {
  readonly kind: 'failed' | 'notAsBegun' | 'takesOn' | 'notRecorded' | 'wrongFiles';
  /** Why; empty: it holds nothing. */
  readonly holds: readonly Hold[];
  /** Said in their place, behind all others, where the row waits already. */
  readonly waiting?: readonly Hold[];
};

/** No commit: what is waited for, and where the step stands. */
export function holding(holds: readonly Hold[], stepState: StepState, stepDone = false): Decision {
  return { move: undefined, holds: [...new Set(holds)], stepDone, stepState };
}

/** One commit, and what is waited for as well. A commit that cannot be written leaves the step in Git as done as it is. */
export function moving(move: Move, stepState: StepState, holds: readonly Hold[] = [], stepDone = false): Decision {
  return { move, holds, stepDone, stepState };
}

/** Which way a move of this name leads that edits the LeaderWorkerSet. */
export function wayOf(reason: MoveReason, changes: readonly ObjectChange[]): Way {
  const kind: MoveKind = MOVES[reason];
  const { from, to } = partitionIn(changes);
  const lowers = countOf(to) < countOf(from);
  return lowers ? (kind.lowering ?? kind.way) : kind.way;
}

/** Before and after, by the fields that are changed or by all of the object; nothing where no change has it. */
function partitionIn(changes: readonly ObjectChange[]): { readonly from?: unknown; readonly to?: unknown } {
  const own = changes.find((change) => change.kind === 'exact' && change.workload !== undefined);
  if (own?.kind === 'exact') return { from: at(own.from, PARTITION_PATH), to: at(own.to, PARTITION_PATH) };
  return workloadField(changes, PARTITION_PATH) ?? {};
}

/** LWS reads a missing partition as 0. */
function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
