/** What became of one Rollout in a pass. */

import type { FileWrite } from '../ports/git.ts';
import type { Hold } from '../rollout/hold.ts';
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

/** What protects or leads back was tried in this pass, and the server refused it, by the key of the Rollout: `reason` is what holds it. It is not tried twice. */
export type RefusedBrakes = ReadonlyMap<string, RefusedBrake>;

/** The rule of the server, and the hold that says it. */
export type RefusedBrake = { readonly rule: string; readonly reason: Hold };

/** Next to what a push came to. Not there: nothing was refused. */
export type Tried = { readonly refused?: RefusedBrakes };

export type Reconciled = Outcome & { readonly writes: readonly FileWrite[] };
