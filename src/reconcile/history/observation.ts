/** Everything that one Rollout is observed from: its files, its record, and the readers of Git and of the cluster. */

import type { Instant } from '../../api/time.ts';
import type { Builder } from '../../ports/builder.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RecordProof } from '../../rollout/record/trust.ts';
import type { LiveReader } from '../cluster/observe-cluster.ts';
import type { TrafficReader } from '../cluster/observe-live-traffic.ts';
import type { Desired, DesiredRollout } from '../desired/desired-rollout.ts';
import type { MetricsReader } from '../metrics-reader.ts';
import type { windowsAt } from '../policies/windows.ts';
import type { StoredRecord } from '../status/record-store.ts';
import type { Approvals } from './approvals.ts';
import type { GitReader } from './git-reader.ts';
import type { Delivery } from './turn-taker.ts';

export type Observation = {
  readonly desired: Desired;
  readonly entry: DesiredRollout;
  readonly stored: StoredRecord | undefined;
  /** What bears that out; not there: nothing does. */
  readonly proof?: RecordProof | undefined;
  /** Why this process may not write the record; not there: it may. */
  readonly keyMissing?: string | undefined;
  /** Those that are in progress, with those that this pass has started. */
  readonly deliveries: readonly Delivery[];
  /** Of other processes, those that have asked before this one; not there: none. */
  readonly earlier?: readonly Delivery[];
  readonly windowsOf: ReturnType<typeof windowsAt>;
  readonly now: Instant;
  /** As the port to time has it. */
  readonly offSeconds?: Clock['offSeconds'];
  /** What time it is once something has been read. Not there: as when the pass started. */
  readonly clockNow?: Clock['now'];
  readonly notifyTargets?: readonly string[];
  readonly git: GitReader;
  /** Whether main has lost the commit that the last pass read. Not there: it has not. */
  readonly isMainLost?: () => Promise<boolean>;
  readonly live: LiveReader;
  /** Not there: nobody wants to know. */
  readonly liveTraffic?: TrafficReader;
  /** Not there: no kustomize folder is built. */
  readonly builder?: Builder | undefined;
  /** Not there: this process asks no provider of metrics. */
  readonly metrics?: MetricsReader;
  /** What the forge shows of approvals, by key. Not there: it was not asked. */
  readonly approvals?: Approvals;
};

/** What a pass reads with, the same for every Rollout. */
export type Readers = Pick<
  Observation,
  | 'git'
  | 'isMainLost'
  | 'live'
  | 'liveTraffic'
  | 'offSeconds'
  | 'clockNow'
  | 'approvals'
  | 'notifyTargets'
  | 'builder'
  | 'metrics'
>;
