/** What the rules of a branch ask for, as the forge shows them to us. */

import type { Known } from '../api/known.ts';

/** What rulesets want of a merge into a branch. Older protection may add to it, and takes nothing away. */
export type RulesetChecks = {
  /** Contexts that must have passed. */
  readonly required: readonly string[];
  /** Those of them that count from one App alone. */
  readonly bound: readonly string[];
  readonly isStrict: boolean;
  readonly hasMergeQueue: boolean;
};

/** What the rules of one branch ask for; `unknown` where the credential may not see it, never taken for `nothing`. */
export type BranchRules = {
  readonly checks: Known<readonly { readonly context: string; readonly app: number | undefined }[]>;
  /** A branch must hold the newest commit of its base when it is merged. */
  readonly isStrict: Known<boolean>;
  readonly hasMergeQueue: Known<boolean>;
  readonly approvals: Known<number>;
  /** The newest push needs an approval by somebody other than who pushed it. */
  readonly needsLastPushApproval: Known<boolean>;
  /** What CODEOWNERS gives to somebody needs the approval of one of them. */
  readonly needsOwnersReview: Known<boolean>;
  readonly needsSignatures: Known<boolean>;
  readonly needsLinearHistory: Known<boolean>;
  /** Whether commits reach it without a pull request, with our credential. */
  readonly takesDirectPush: Known<boolean>;
  /** Whether somebody next to those who bypass the rules may create, move or delete it. */
  readonly isOpenToOthers: Known<boolean>;
  /** What the repository lets people do with a pull request. */
  readonly mergeMethods: Known<readonly ('merge' | 'squash' | 'rebase')[]>;
};
