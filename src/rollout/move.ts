/** One commit that a rule wants: the new marks, the fields they describe, and why. */

import type { IntOrPercent } from '../api/int-or-percent.ts';
import type { Marks } from '../api/marks.ts';
import type { StepState } from '../api/record.ts';
import type { Recreating } from '../api/recreating.ts';
import type { Hold } from './hold.ts';
import type { Stable } from './snapshot.ts';

/** Stable names, written as the trailer `Rollout-Reason`. */
export type MoveReason =
  | 'Adopted'
  | 'SurgePrepared'
  | 'Surged'
  | 'SurgeReturned'
  | 'StepReady'
  | 'Jumped'
  | 'SizeChanged'
  | 'StepsEdited'
  | 'Superseded'
  | 'Armed'
  | 'Settled'
  | 'NoNewRevision'
  | 'Rearmed'
  | 'Aborted'
  | 'Reverted'
  | 'BudgetRaised'
  | 'RollbackWidened'
  | 'RolledBack'
  | 'RequestWithdrawn'
  | 'AbortedTextRemoved'
  | 'RollStopped'
  | 'PartitionRestored'
  | 'Retried'
  | 'RecreateRemoved'
  | 'RecreateCreated'
  | 'RecreateEnded';

/** What a move does with the document as a whole, and with the annotation of the Rollout that Git keeps meanwhile. */
export type RecreateMove =
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

/** `forward`: on with a delivery. `safe`: the brake, the way back, and what arms or ends what a delivery has put aside. */
export type Way = 'forward' | 'safe';

const WAYS: Readonly<Record<MoveReason, Way>> = {
  Adopted: 'forward',
  SurgePrepared: 'forward',
  Surged: 'forward',
  SurgeReturned: 'safe',
  StepReady: 'forward',
  Jumped: 'forward',
  SizeChanged: 'forward',
  StepsEdited: 'forward',
  Superseded: 'safe',
  Armed: 'safe',
  Settled: 'forward',
  NoNewRevision: 'forward',
  Rearmed: 'safe',
  Aborted: 'safe',
  Reverted: 'safe',
  BudgetRaised: 'safe',
  RollbackWidened: 'safe',
  RolledBack: 'safe',
  RequestWithdrawn: 'safe',
  AbortedTextRemoved: 'safe',
  RollStopped: 'safe',
  PartitionRestored: 'safe',
  Retried: 'forward',
  RecreateRemoved: 'forward',
  RecreateCreated: 'safe',
  RecreateEnded: 'safe',
};

/** Which way a move leads, from a file with this partition. */
export function wayOf({ reason, partition, recreate }: Move, from: number | undefined): Way {
  if (recreate?.kind === 'remove') return recreate.recreating.way === 'back' ? 'safe' : 'forward';
  // Taken up where nothing is rolling, a newer request begins like any other.
  if (reason === 'Superseded' && partition !== undefined && partition < (from ?? 0)) return 'forward';
  return WAYS[reason];
}
