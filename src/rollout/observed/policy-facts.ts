/** What a snapshot has of policies next to their rules: which said what, where they differ, and what Rollouts share. */

import type { PolicyFieldName, SHARED_LIMITS } from '../../api/policy-rules.ts';
import type { PolicyPlace } from './window-facts.ts';

/** Which policies made each rule what it is; a field that none of them names is not there. */
export type PolicySources = Readonly<Partial<Record<PolicyFieldName, readonly PolicyPlace[]>>>;

/** Two policies that say different things of a field that takes one value. */
export type PolicyConflict = {
  readonly field: PolicyFieldName;
  readonly places: readonly (PolicyPlace & { readonly value: number | string })[];
};

/** A limit that several Rollouts share, as one policy says it. */
export type Turn = {
  readonly field: (typeof SHARED_LIMITS)[number];
  readonly policy: string;
  readonly file: string;
  readonly line: number;
  readonly most: number;
  /** The others that it counts, for people: `llm/chat (2/4)`. */
  readonly underWay: readonly string[];
  /** How many of them are in their rollback already; not there: none. */
  readonly goingBack?: number;
  /** Others that have asked before, in other processes, and wait for a place alone; not there: none. */
  readonly before?: readonly string[];
};
