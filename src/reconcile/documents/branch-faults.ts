/** What is wrong with the names of branches that files and the command line say together: nothing is run. */

import { DEFAULT_CONFIG } from '../../api/config.ts';
import { ConfigError, configIssue } from './read-config.ts';

/** `branches`: those whose file was read, in their order, and at last the one that nobody has looked at: each names the next as the desired one. */
export function branchesInCircle(branches: readonly string[]): ConfigError {
  // Of one that names itself only the status branch was another one than expected.
  const named = branches.slice(1).flatMap((to, at) => (branches[at] === to ? [] : [`${branches[at]} names ${to}`]));
  return new ConfigError([
    configIssue({
      path: 'branches.desired',
      reason: 'BranchesInCircle',
      message: `each branch names another one as the desired one in its own file: ${[...new Set(named)].join(', ')} (a file that names none means ${DEFAULT_CONFIG.branch})`,
      hint: 'Write the branch that the agent applies as branches.desired into the file of each of them, also into its own, or say --branch.',
      line: 1,
    }),
  ]);
}

/** Records and steps on one branch: each would take the other out. */
export function sameBranch(branch: string): ConfigError {
  return new ConfigError([
    configIssue({
      path: 'branches',
      reason: 'SameBranch',
      message: `${branch} is both the desired branch and that of the status, by the command line and the file together`,
      hint: 'Name another one: --branch for what the agent applies, --status-branch for the status.',
      line: 1,
    }),
  ]);
}

/** What the agent applies is merged by people, and what is there belongs to tranche. */
export function ownBranch(branch: string): ConfigError {
  return new ConfigError([
    configIssue({
      path: 'branches.desired',
      reason: 'OwnBranch',
      message: `${branch} is named as the desired branch, and tranche makes it for itself`,
      hint: 'Name the branch that people merge into and the agent applies: --branch, or branches.desired.',
      line: 1,
    }),
  ]);
}

/** A slip in the name of the branch, or one that has gone: nothing is there that could be read. */
export function ledAstray(branch: string): ConfigError {
  return new ConfigError([
    configIssue({
      path: 'branches.desired',
      reason: 'NoSuchBranch',
      message: `${branch} is named as the desired branch, and leads to no branch that names itself`,
      hint: 'Name the branch that people merge into and the agent applies, in the file of that branch as well.',
      line: 1,
    }),
  ]);
}
