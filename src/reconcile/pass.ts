/** What a pass is made of and what comes out of it: the words that all files of the shell share. */

import type { Config, Overrides } from '../api/config.ts';
import type { Issue } from '../api/issue.ts';
import type { Instant } from '../api/time.ts';
import type { Builder, BuildsSpent } from '../ports/builder.ts';
import type { Clock } from '../ports/clock.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Forge } from '../ports/forge.ts';
import type { Git, Oid, Tree } from '../ports/git.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { Signatures } from '../ports/signatures.ts';
import type { Desired } from './desired/desired-rollout.ts';
import type { Trials } from './desired/trials.ts';
import type { Firsts } from './documents/claims.ts';
import type { ParseCache } from './documents/parse-cache.ts';
import type { MetricsMemory } from './metrics-reader.ts';
import type { Outcome, RefusedBrakes } from './outcome.ts';
import type { Rested } from './rest.ts';
import type { BuildCache } from './roots/read-roots.ts';
import type { BrakeShown } from './status/brakes.ts';
import type { StatusBranch, StatusIndex } from './status/record-store.ts';
import type { Known } from './status/seen-numbers.ts';
import type { Signing } from './status/signed.ts';

export type Ports = {
  readonly git: Git;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  /** undefined: no kustomize folder is built. */
  readonly builder?: Builder | undefined;
  /** undefined: Git alone, where nothing is proposed as a pull request. */
  readonly forge?: Forge | undefined;
  /** undefined: no notification is sent. */
  readonly notifier?: Notifier | undefined;
  /** undefined: no metrics are asked for. */
  readonly metrics?: Metrics | undefined;
  /** undefined: this process neither signs nor can tell whether something is signed. */
  readonly signatures?: Signatures | undefined;
};

export { NO_OVERRIDES, type Overrides } from '../api/config.ts';

export type PassOptions = {
  readonly overrides: Overrides;
  /** False: decide and show, write nothing. */
  readonly write: boolean;
  /** Read this ref as if it were the desired branch: only where nothing is written. */
  readonly ref?: string | undefined;
  /** Else an earlier one counts. */
  readonly config?: 'asWritten';
  /** Only rollouts of these names; empty: all. A partial pass leaves the records of the others alone. */
  readonly only: readonly string[];
  readonly refused?: RefusedBrakes;
};

/** What the desired branch says of keys, and where it says the branches are. */
export type Naming = Pick<Config, 'cluster' | 'statusKeys' | 'branch' | 'statusBranch'>;

/** What one process may remember between passes. Losing it costs time only. */
export type Memory = {
  /** What it calls itself on the status branch, 8 hex digits. Not there: nothing, as where nothing is written. */
  readonly process?: string;
  readonly parsed: ParseCache;
  /** undefined: nothing has been tried yet. */
  trials: Trials | undefined;
  /** The branches as they were read last. */
  status: StatusBranch | undefined;
  config: Config | undefined;
  /** What the desired branch says of keys at a commit. Not there: nobody has looked. */
  naming?: { readonly main: Oid; readonly of: Naming };
  /** The commit of the desired branch that was read last. */
  main: string | undefined;
  /** What the last pass found at rest. */
  rested: Rested;
  /** What was made of the files that were read last. */
  desired: { readonly tree: Tree; readonly desired: Desired } | undefined;
  /** What is known of the status branch by itself. */
  readonly known: Known;
  /** What the last pass that looked at everything would say of the branches as it left them. */
  atRest: { readonly status: Oid | undefined; readonly index: StatusIndex } | undefined;
  /** What is known of closed windows. */
  readonly metrics: MetricsMemory;
  /** Which of several files had a name first. Not there: nobody has looked. */
  firsts?: Firsts;
  /** What kustomize has built. */
  readonly builds: BuildCache;
};

/** The memory of a process that has just started. `process`: its name on the status branch. */
export function newMemory(process?: string): Memory {
  return {
    ...(process === undefined ? {} : { process }),
    parsed: new Map(),
    trials: undefined,
    status: undefined,
    config: undefined,
    main: undefined,
    rested: new Map(),
    desired: undefined,
    known: { numbers: new Map(), signers: new Map(), own: new Map() },
    atRest: undefined,
    builds: new Map(),
    metrics: { judged: new Map(), pasts: new Map() },
  };
}

/** What a pass says that found nothing to look at; here, because the rest of the report is not loaded for it. */
export const QUIET_REPORT = 'nothing has moved, all settled\n';
export type PassResult = {
  readonly main: string;
  /** True: nothing has moved since the last pass and nothing was due, so nothing was looked at. */
  readonly quiet: boolean;
  readonly outcomes: readonly Outcome[];
  /** Issues of files that belong to no rollout. */
  readonly issues: readonly Issue[];
  /** The same, of what stops nothing. */
  readonly warnings: readonly Issue[];
  /** The commit of the status branch; undefined: it already says what there is to say. */
  readonly status: string | undefined;
  /** True where some rollout failed or is stalled: exit code 1. */
  readonly failed: boolean;
  readonly requeueAfterSeconds: number;
  /** What this pass built of kustomize folders; not there: nothing. */
  readonly builds?: BuildsSpent;
  /** What people have stopped or paused; not there: nothing was looked at. */
  readonly brakes?: readonly BrakeShown[];
};

/** Everything that one reading of the world holds. */
export type Reading = {
  readonly main: string;
  readonly status: StatusBranch;
  readonly desired: Desired;
  readonly at: Instant;
  /** How the status branch is signed; not there: it is not. */
  readonly signing?: Signing | undefined;
  /** Why this process may not write there; not there: it may. */
  readonly keyMissing?: string | undefined;
};
