/** A LeaderWorkerSet as Git has it: the fields that decide a delivery, read strictly. */

import type { IntOrPercent } from './int-or-percent.ts';
import type { AbortIntent } from './intents.ts';
import type { JsonObject } from './json.ts';
import type { Marks } from './marks.ts';

export type Workload = {
  /** undefined: not in the manifest; then an autoscaler must own it. */
  readonly replicas: number | undefined;
  /** undefined: not in the manifest, which LWS reads as 0. */
  readonly partition: number | undefined;
  readonly maxUnavailable: IntOrPercent | undefined;
  readonly maxSurge: IntOrPercent | undefined;
  readonly size: number;
  /** Label `rollouts.kruise.io/rollout-id`, by which platforms name a release. */
  readonly rolloutId: string | undefined;
  /** What the digest covers, as `releaseContent` gives it. */
  readonly content: JsonObject;
  /** Label `tranche.dev/version` of the leaders to come, which no digest covers; not there: none. */
  readonly version?: string | undefined;
  /** undefined: not managed. */
  readonly marks: Marks | undefined;
  /** As the file has them, where main's own line bears out others. Not there: they are the same. */
  readonly marksInFile?: Marks | undefined;
  /** An order to give a release up that stands on the LeaderWorkerSet itself, as where no Rollout names it. Not there: none. */
  readonly abort?: AbortIntent | undefined;
};
/** The partition of an locked workload: the largest legal `replicas`, so that no scale-up reaches it. */
export const SENTINEL = 1_000_000;

/** LWS's own default. */
export const DEFAULT_MAX_UNAVAILABLE = 1;
