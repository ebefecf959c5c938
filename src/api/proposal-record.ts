/** What a record remembers of a pull request. */

import type { Release } from './release.ts';
import type { Instant } from './time.ts';

/**
 * `open`: it waits for people. `vetoed`: someone closed it. `closed`: something else did, or its branch is gone.
 * `merged`: main was read with its approval, or the forge says so. `withdrawn`: by us.
 */
export type ProposalState = 'open' | 'vetoed' | 'closed' | 'merged' | 'withdrawn';

/** What a pull request is, by why it is that: `rollout/proposals/form.ts` says which form each name stands for. */
export type ProposalForm =
  | 'Guarded'
  | 'WithoutPush'
  | 'NotGroupsAlone'
  | 'Autoscaled'
  | 'EvidenceWanted'
  | 'GateNotRequired'
  | 'GateOpenToOthers'
  | 'NotUpToDate'
  | 'Queued'
  | 'NoDirectPush'
  | 'RulesUnread';

/** The last pull request of a Rollout. */
export type ProposalRecord = {
  readonly branch: string;
  /** What we pushed to it. */
  readonly head: string;
  /** What it approves: a step of a release, and the digest of the commit. */
  readonly index: number;
  readonly release: Release;
  readonly digest: string;
  /** Not there in records of before it was kept: it adds an approval, as most do. */
  readonly form?: ProposalForm | undefined;
  /** undefined: its branch is there, the pull request not yet. */
  readonly number?: number | undefined;
  readonly url?: string | undefined;
  readonly openedAt: Instant;
  readonly state: ProposalState;
  /** Who ended it, as far as the forge says. */
  readonly by?: string | undefined;
  /** What our status at its head says: whether every gate but the person's is open. */
  readonly gates?: 'open' | 'shut' | undefined;
  /** What its check run says but for what ticks, at which commit, by a digest of both, and when it was written. */
  readonly check?: { readonly text: string; readonly at: Instant } | undefined;
  /** Why the forge takes no check run of ours: it is not asked again for this one. */
  readonly checkRefused?: string | undefined;
  /** It has its labels, and who is to review it was asked; not there: that is still to be looked at. */
  readonly attached?: true | undefined;
  /** Who could not be asked for a review, and why. */
  readonly unasked?: readonly string[] | undefined;
  /** Digest of its text but for what ticks; not there: nobody knows what it says. */
  readonly text?: string | undefined;
  /** What its comment says of its step, once it was merged. */
  readonly told?: string | undefined;
  /** Numbers of those of the steps before, of the same release, the newest last; not there: none. */
  readonly earlier?: readonly number[] | undefined;
  /** Digests that people have said no to, the newest last. */
  readonly vetoes: readonly string[];
};
