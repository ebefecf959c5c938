/** What is wrong with the names of branches that files and the command line say together: nothing is run. */

import { DEFAULT_CONFIG } from '../../api/config.ts';
import { ConfigError, configIssue } from './read-config.ts';

/** Each of these branches was named as the desired one by the file on the one before. */
export function branchesInCircle(branches: readonly string[]): ConfigError {
  const [from, to] = branches.slice(-2);
  return new ConfigError([
    configIssue({
      path: 'branches.desired',
      reason: 'BranchesInCircle',
      message: `the file on ${from} names ${to} as the desired branch, and the file on ${to} another one; who names none means ${DEFAULT_CONFIG.branch}`,
      hint: 'Write the same branches into both, or say --branch.',
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
