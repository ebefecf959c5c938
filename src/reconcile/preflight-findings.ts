/** What can be found of the rules of a forge, and what is read to find it. */

import type { Self } from '../ports/forge.ts';
import type { BranchRules } from '../ports/forge-rules.ts';

/** Names, and what each is. `error`: deliveries stop there. What cannot be read is `unknown`, and never fine. */
export const PREFLIGHT = {
  MainTakesNoPush: {
    level: 'error',
    is: 'no step, no locking and no rollback reach the branch: pushes of ours are refused',
  },
  WithoutPush: {
    level: 'warning',
    is: 'a policy accepts that pushes of ours are refused: steps are merged, and nothing locks them or takes them back but people',
  },
  StatusTakesNoPush: { level: 'error', is: 'the status cannot be recorded: pushes of ours to its branch are refused' },
  StatusOpenToOthers: {
    level: 'error',
    is: 'others than tranche may write the status branch, and no key signs it; a warning where one does, or where no ruleset could let tranche past',
  },
  NothingMerges: { level: 'error', is: 'no pull request can be merged as the rules are' },
  ProposalsTakeNoPush: {
    level: 'error',
    is: 'pull requests cannot be proposed: pushes of ours to their branches are refused',
  },
  ProposalsOpenToOthers: {
    level: 'warning',
    is: 'others than tranche may create, move and delete the branches of proposals',
  },
  LastPushNeedsNoApproval: {
    level: 'warning',
    is: 'a pull request may be merged with a commit that nobody has approved',
  },
  GateOpenToOthers: {
    level: 'warning',
    is: 'others than tranche may say that every gate is open: the rule takes its status from anybody',
  },
  NumbersRequired: {
    level: 'warning',
    is: 'a rule requires the check run that shows numbers, which never fails and holds back nothing',
  },
  PoliciesUnguarded: {
    level: 'warning',
    is: 'somebody may grant, except or stop requiring without the owners of the policies',
  },
  TokenOfRun: {
    level: 'warning',
    is: 'the token of a workflow run opens pull requests whose checks wait for someone, and no ruleset lets it pass',
  },
  AppNotNamed: {
    level: 'warning',
    is: '`tranche.yaml` names another App than the one that opens our pull requests: `verify` refuses those that are steps',
  },
  GateNotRequired: {
    level: 'notice',
    is: 'no rule waits for our status: what is merged while a gate is closed waits for that gate',
  },
  MovesUnderProposals: { level: 'notice', is: 'every commit to the branch puts its open pull requests behind' },
  ForgeNotAsked: {
    level: 'warning',
    is: 'there is no forge to ask, so nobody knows what the rules of the branches say; what is in Git is looked at all the same',
  },
  RulesUnreadable: { level: 'warning', is: 'a rule cannot be read with this credential, so nobody knows what it says' },
} as const satisfies Readonly<Record<string, { readonly level: 'error' | 'warning' | 'notice'; readonly is: string }>>;

export type Finding = {
  readonly name: keyof typeof PREFLIGHT;
  /** Not there: that of its name. */
  readonly level?: 'warning';
  readonly seen: string;
  readonly action: string;
};

export type PreflightRules = {
  /** Short names, for messages. */
  readonly branch: string;
  readonly statusBranch: string;
  readonly prefix: string;
  /** Who the credential acts as. */
  readonly self: Self;
  /** The App that main names; not there: none. */
  readonly app?: string | undefined;
  readonly main: BranchRules;
  readonly status: BranchRules;
  /** Of a branch below the prefix. */
  readonly proposals: BranchRules;
  /** Main names keys that sign the status of this cluster. Not there: it names none. */
  readonly isSigned?: boolean;
  /** The context of our status that gates a proposal. */
  readonly gate: string;
  /** The policies that accept deliveries without a direct push, for messages. */
  readonly accepting: readonly string[];
  /** What is owned of the files that policies hang on; undefined: there are no policies. */
  readonly owned: PolicyOwners | undefined;
};

/** Which files decide what policies say, and which of them nobody owns. */
export type PolicyOwners = {
  /** undefined: tranche.yaml names none. */
  readonly policyPaths: readonly string[] | undefined;
  /** The CODEOWNERS that counts; undefined: there is none. */
  readonly file: string | undefined;
  readonly unowned: readonly string[];
};
