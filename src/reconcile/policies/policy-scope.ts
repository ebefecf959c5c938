/** One policy as it was read, and those that reach one Rollout. */

import type { Issue } from '../../api/issue.ts';
import type { PolicyFieldName, PolicyRules, RolloutPolicy } from '../../api/policy-rules.ts';
import type { PolicySelection } from '../../api/rollout-policy.ts';
import type { MissingPolicy, PolicyConflict, PolicySources } from '../../rollout/snapshot.ts';

/**
 * How many policies of a Rollout its record and its commits name. Where there are more no step goes forward; what they say of a
 * rollback counts all the same.
 */
export const MATCHING_MOST = 1000;

export type PolicyReading = {
  /** `lost`: a file that may hold policies and cannot be read; its issues are reported with the file. */
  readonly kind: 'read' | 'wrong' | 'lost';
  /** Empty where it cannot be read. */
  readonly name: string;
  readonly file: string;
  /** Of every field that it says something of. */
  readonly lines: Readonly<Partial<Record<PolicyFieldName, number>>>;
  /** Of the field that chooses Rollouts, or of the document. */
  readonly line: number;
  /** Of its list of clusters. Not there: it has none. */
  readonly clustersLine?: number;
  /** The Rollouts that it means: every one, also where that cannot be read. */
  readonly selection: PolicySelection;
  /** undefined: `issues` say why. */
  readonly policy: RolloutPolicy | undefined;
  /**
   * It lies outside of `policyPaths`: its grants do not count, what may only count inside is taken out already, and it counts for
   * Rollouts in or below this folder alone; undefined: for all, as the stop file. Not there: it lies inside.
   */
  readonly outside?: { readonly folder: string | undefined };
  readonly issues: readonly Issue[];
};

/** What the policies say of one Rollout, and the files that say it. */
export type PolicyScope = {
  readonly rules: PolicyRules;
  /** Who says it. */
  readonly sources: PolicySources;
  /** Those that match, readable or not: all of them; `sources`, `files` and `conflicts` are of the first `MATCHING_MOST`. */
  readonly matching: readonly PolicyReading[];
  /** Those that mean it, and lie where they do not count for it. */
  readonly outOfReach: readonly PolicyReading[];
  readonly files: readonly string[];
  readonly issues: readonly Issue[];
  /** Those that are required, and are not among them. */
  readonly missing: readonly MissingPolicy[];
  /** Two of them say different things of a field that takes one value. */
  readonly conflicts: readonly PolicyConflict[];
};
