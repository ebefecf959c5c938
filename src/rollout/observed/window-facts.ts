/** What the windows of policies say at the time of a snapshot, where a policy says something, and which one is missing. */

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

/** A policy that `tranche.yaml` requires and that does not govern this Rollout. */
export type MissingPolicy = {
  readonly name: string;
  readonly why: 'absent' | 'wrong' | 'unmatched';
  /** `file:line`, where it is there. */
  readonly place?: string;
  /** The name of a policy that is there, and nearly called so. */
  readonly near?: string;
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
