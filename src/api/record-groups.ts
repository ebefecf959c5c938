/** What the record remembers of the groups of a workload, and of the leaders that were replaced in a step. */

import type { Instant } from './time.ts';

export type GroupRecord = {
  readonly index: number;
  /** Of the leader pod. */
  readonly uid: string;
  readonly version: 'release' | 'stable' | 'other' | 'absent';
  readonly ready: boolean;
  /** When `uid`, `version` or `ready` was first seen as it is. */
  readonly since: Instant;
  /** Since when its leader is there; only until the group is ready for the first time. */
  readonly loadingSince?: Instant | undefined;
  /** Since when it has not been ready on this revision, whichever pod led it; only while it is not. */
  readonly unready?: { readonly since: Instant; readonly revision: string } | undefined;
};

/** The leader of a group that was seen on the release in this step, and how often another took its place. */
export type GroupRestarts = {
  readonly index: number;
  readonly uid: string;
  readonly count: number;
  /** When the first change of UID was seen. */
  readonly since?: Instant | undefined;
};
