/** What the record keeps of a delivery's course, for a picture of it alone. */

import type { Release } from './release.ts';
import type { Instant } from './time.ts';

/** Where Git stood from one commit to the next. */
export type Stand = {
  readonly at: Instant;
  /** `2/4`, `promote`, `rollback` or `settled`, and where a second workload is filled its rung. */
  readonly step: string;
  /** That the step covers, of all; not there: they were not read. */
  readonly covers?: { readonly groups: number; readonly of: number } | undefined;
  /** Of the requests, as Git says it: `20%`, `–` or `matches`; not there: nothing is routed, or it was not read yet. */
  readonly share?: string | undefined;
};

/** Oldest first. It stays while the release is at rest, until another one starts. */
export type Course = { readonly release: Release; readonly stands: readonly Stand[] };
