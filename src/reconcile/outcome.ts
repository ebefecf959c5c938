/** What became of one Rollout in a pass. */

import type { FileWrite } from '../ports/git.ts';
import type { Plan } from '../rollout/plan.ts';
import type { RolloutKey, Snapshot } from '../rollout/snapshot.ts';

/** One rollout of a pass. */
export type Outcome = {
  readonly key: RolloutKey;
  /** undefined: it failed before a snapshot was complete; `error` says how. */
  readonly snapshot: Snapshot | undefined;
  readonly plan: Plan | undefined;
  /** Unified diff of what the plan changes; empty: nothing. */
  readonly diff: string;
  /** The files that the plan changes, as they were. */
  readonly texts: Readonly<Record<string, string>>;
  /** undefined: nothing was to be written, or nothing was asked to be. */
  readonly written: string | undefined;
  /** The world failed, a push was refused, or a bug: for people. */
  readonly error: string | undefined;
};

export type Reconciled = Outcome & { readonly writes: readonly FileWrite[] };
