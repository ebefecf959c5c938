/** One commit of a plan: what it changes, what it says, and how it is delivered. */

import type { Instant } from '../../api/time.ts';
import type { ObjectChange } from '../edits/change.ts';
import type { MoveReason, Way } from '../move.ts';
import type { Progress } from '../record/progress.ts';

/** The ways a commit is delivered, and whether it is on main once it is pushed: only then has it changed anything. */
export const DELIVERIES = {
  commit: { onMain: true },
  /** Someone has yet to approve it: nothing of it goes to main. */
  proposal: { onMain: false },
} as const satisfies Readonly<Record<string, { readonly onMain: boolean }>>;

type DeliveryForm = keyof typeof DELIVERIES;

export type PlannedCommit = {
  readonly delivery: DeliveryForm;
  readonly reason: MoveReason;
  readonly way: Way;
  /** What the subject says before its numbers: `step 2/4`, `settled`. */
  readonly label: string;
  readonly subject: string;
  readonly message: string;
  readonly atSeconds: Instant;
  /** Everything that it changes: its edits come from this, and what is checked before it is pushed. */
  readonly changes: readonly ObjectChange[];
  /** What the record says as well, once this commit is on main. */
  readonly progress: Progress;
};
