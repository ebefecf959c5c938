/** What the windows of policies say at the time of a snapshot, and where a policy says something. */

import type { PolicyException } from '../../api/policy-exceptions.ts';
import type { Instant } from '../../api/time.ts';

/** Where a policy says something: for people to look at. */
export type PolicyPlace = { readonly policy: string; readonly file: string; readonly line: number };

/** What the windows of all policies say together, at the time of the snapshot. */
export type WindowFacts = Windows & {
  /** What they say to releases that have exceptions; not there: none has. */
  readonly excepted?: readonly ExceptedWindows[];
};

/** The same for one release, with the exceptions that it has: each opens the windows of its own policy. */
export type ExceptedWindows = Windows & {
  readonly release: string;
  readonly by: readonly (PolicyPlace & Pick<PolicyException, 'approver' | 'until'>)[];
};

type Windows = {
  readonly open: boolean;
  /** When that changes; not there: not within 400 days. */
  readonly changesAt?: Instant;
  /** Instead of it, where windows start too often to be followed so far: until then it does not change. */
  readonly sameUntil?: Instant;
  /** Who keeps it shut. */
  readonly shutBy: readonly (PolicyPlace & { readonly field: 'allow' | 'deny' })[];
};
